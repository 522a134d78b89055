#include "run/attempt.h"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/int_math.h"
#include "base/trace.h"
#include "base/usable_cpus.h"
#include "devices/backends.h"
#include "engine/artifact_files.h"
#include "metric/registry.h"
#include "run/hdr_defaults.h"
#include "run/run_options.h"
#include "video/prefetch.h"

namespace acutance {
namespace {

std::string_view OptionNameOf(Matrix matrix) {
  if (matrix == Matrix::kBt601) return "bt601";
  if (matrix == Matrix::kBt709) return "bt709";
  return matrix == Matrix::kBt2020 ? "bt2020" : "";
}

std::string_view OptionNameOf(Transfer transfer) {
  if (transfer == Transfer::kPq) return "pq";
  if (transfer == Transfer::kHlg) return "hlg";
  return transfer == Transfer::kSdr ? "sdr" : "";
}

std::string_view OptionNameOf(Primaries primaries) {
  constexpr std::string_view kNames[] = {"", "bt709", "bt601", "bt601", "bt2020", "p3", "other"};
  return kNames[static_cast<size_t>(primaries)];
}

std::string_view OptionNameOf(const ChromaSiting& siting) {
  if (siting.vertical == 0.5) return siting.horizontal == 0 ? "left" : siting.horizontal == 0.5 ? "center" : "";
  if (siting.vertical != 0) return "";
  return siting.horizontal == 0 ? "topleft" : siting.horizontal == 0.5 ? "top" : "";
}

/// Bytes that compressed videos take at most: frames of files that are decoded ahead, and what is held of pipes.
size_t BytesOfContainers(const RunRequest& request, const OpenedInputs& inputs) {
  bool decodes_files = false;
  size_t held = 0;
  const auto add = [&](const PairReaderInput& input) {
    if (input.video->facts().codec.empty()) return;
    if (IsRegularFile(input.name)) decodes_files = true;
    else held += request.open.most_replayed;
  };
  add(inputs.reference);
  std::ranges::for_each(inputs.distorted, add);
  return held + (decodes_files ? DecodingMemory(request) : 0);
}

/// What a video declares, by names of metrics' options: fps, range, matrix, primaries, chroma_location and transfer.
OptionTexts VideoOptions(const std::optional<double>& frame_rate, const VideoColor& color,
                         const std::optional<ChromaSiting>& siting) {
  OptionTexts video;
  if (frame_rate) video["fps"] = fmt::format("{}", *frame_rate);
  if (color.full_range) video["range"] = *color.full_range ? "full" : "limited";
  if (const auto matrix = OptionNameOf(color.matrix); !matrix.empty()) video["matrix"] = matrix;
  if (const auto primaries = OptionNameOf(color.primaries); !primaries.empty()) video["primaries"] = primaries;
  if (siting)
    if (const auto location = OptionNameOf(*siting); !location.empty()) video["chroma_location"] = location;
  if (const auto transfer = OptionNameOf(color.transfer); !transfer.empty()) {
    video[std::string(kDeclared) + "transfer"] = transfer;
    if (color.is_hdr()) video["transfer"] = transfer;
  }
  return video;
}

bool CanDecodeOn(const DeviceInfo& device) {
  const Backend* backend = FindBackend(device.backend);
  return backend && backend->open_decoder;
}

int ReadAhead(const RunRequest& request) { return request.read_ahead ? 2 : 0; }  // pictures of a video

/// The metric that the model is; null: it is another model.
const Metric* MetricOf(const Model& model) {
  return model.own ? FindMetricByOutput(model.features.front().name) : nullptr;
}

/// Whether the model is a metric that is made for HDR.
bool KnowsHdr(const Model& model) {
  const Metric* metric = MetricOf(model);
  return metric && metric->for_hdr;
}

/// Models were made for SDR: PQ and HLG code the same light differently.
Status CheckLight(const RunRequest& request, const VideoColor& color) {
  const auto is_refused = [](const ModelRequest& model) { return model.predict && !KnowsHdr(*model.model); };
  if (!request.fit.heed_color || request.fit.force || !color.is_hdr() ||
      std::ranges::none_of(request.models, is_refused))
    return {};
  return Error(StatusCode::kUnsupported,
               "{} is {}, and the models know SDR alone: leave out the model, which gives {}, map the tones of both "
               "videos first, or --force",
               request.reference, NameOf(color.transfer), fmt::join(HdrMetrics(), ", "));
}

/// Metrics of light know HDR's usual primaries and matrices alone.
Status CheckHdrColors(const RunRequest& request, const VideoColor& color) {
  if (!request.fit.heed_color || request.fit.force || !color.is_hdr()) return {};
  const bool is_bt2020 = color.primaries == Primaries::kUnknown || color.primaries == Primaries::kBt2020;
  if (is_bt2020 && color.matrix != Matrix::kOther) return {};
  std::vector<const Metric*> metrics;
  for (const FeatureRequest& feature : request.features) metrics.push_back(FindMetric(feature.metric));
  for (const ModelRequest& model : request.models) metrics.push_back(MetricOf(*model.model));
  for (const Metric* metric : metrics) {
    if (!metric || metric->must_be_declared.empty()) continue;
    return Error(StatusCode::kUnsupported,
                 "{}: feature {} takes {} with the primaries and a matrix of BT.2020, and the stream declares {}: "
                 "convert both videos first, or --force",
                 request.reference, metric->name, NameOf(color.transfer),
                 is_bt2020 ? "another matrix" : fmt::format("primaries of {}", NameOf(color.primaries)));
  }
  return {};
}

/// Has the readers leave out what no feature and no observer reads.
void SkipUnread(const RunRequest& request, const SessionNeeds& needs, OpenedInputs& inputs) {
  const bool shows_pictures = request.worst_frames > 0 || request.pairs;
  const bool reads_chroma = needs.chroma || shows_pictures;
  for (PairReaderInput& input : inputs.distorted) {
    input.needed = needs.distorted || shows_pictures;
    if (!reads_chroma) input.video->SkipChroma();
  }
  if (!reads_chroma) inputs.reference.video->SkipChroma();
}

/// The videos whose pictures may be lazy. An observer that reads all pictures would convert them on its own thread; the
/// videos' threads do it sooner.
std::vector<VideoConversion> FindConversions(const RunRequest& request, const OpenedInputs& inputs) {
  std::vector<VideoConversion> conversions;
  if (request.pairs) return conversions;
  if (const auto conversion = inputs.reference.video->conversion(); conversion && !request.find_shots)
    conversions.push_back({Video::kReference, 0, conversion});
  for (size_t d = 0; d < inputs.distorted.size(); ++d)
    if (const auto conversion = inputs.distorted[d].video->conversion())
      conversions.push_back({Video::kDistorted, static_cast<int>(d), conversion});
  return conversions;
}

void WarnOfModels(const RunRequest& request, const ScoredRun& facts, AttemptReport& report) {
  if (!request.check_model_sizes) return;
  for (const ModelRequest& model : request.models)
    for (const auto& mismatch :
         {SizeMismatch(*model.model, facts.format), RateMismatch(*model.model, facts.frame_rate)})
      if (mismatch) report.Warn(*mismatch);
}

/// The device that scores, where it can decode, too: nothing on the host reads pictures.
Result<DeviceInfo> FindDecodingDevice(const RunRequest& request, const Session& session) {
  const auto& lanes = session.lanes();
  if (lanes.size() != 1 || session.RunsOnCpu() || !CanDecodeOn(lanes.front()->info()))
    return Error(StatusCode::kNoDevice,
                 "NVDEC needs one CUDA device that computes all features (--backend cuda --device N); the run has {}",
                 lanes.empty() ? "none" : fmt::format("{} of {}", lanes.size(), lanes.front()->info().backend));
  if (request.worst_frames > 0 || request.pairs)
    return Error(StatusCode::kUnsupported, "NVDEC leaves no pictures in the host's memory for --report and --worst");
  return lanes.front()->info();
}

/// The engines of a device begin later than FFmpeg's decoders: 240 frames of 1080p took 1.5 and 1.0 s with 16 threads.
bool IsShort(const RunRequest& request, const VideoSource& video) {
  constexpr int64_t kSamplesOfThread = int64_t{1} << 26;
  const PictureFormat& format = video.format();
  const std::optional<int64_t> frames = video.frame_count();
  return frames && *frames * format.width * format.height < kSamplesOfThread * request.threads;
}

/// Lets FFmpeg's decoders for the machine's hardware decode all compressed videos.
Status DecodeByHardware(const RunRequest& request, OpenedInputs& inputs) {
  constexpr int kMostDecoders = 4;  // of a video: one waits for its copies while another decodes
  const int videos = 1 + static_cast<int>(inputs.distorted.size());
  const HardwareDecoding decoding{.kind = request.decoder == Decoder::kVulkan ? Hardware::kVulkan : Hardware::kVaapi,
                                  .device = request.decoder_device,
                                  .decoders = std::clamp(request.threads / videos, 1, kMostDecoders)};
  const auto use = [&](PairReaderInput& input) {
    return input.video->facts().codec.empty() ? Status() : input.video->DecodeBy(decoding);
  };
  Status status = use(inputs.reference);
  for (PairReaderInput& input : inputs.distorted)
    if (status.ok()) status = use(input);
  return status;
}

/// Lets it decode what it can. Required: all videos.
Status DecodeOnDevice(const RunRequest& request, const Session& session, OpenedInputs& inputs, AttemptReport& report) {
  if (request.decoder == Decoder::kCpu) return {};
  const TraceSpan span("open decoders");
  if (CopiesFromHardware(request.decoder)) return DecodeByHardware(request, inputs);
  ACU_ASSIGN_OR_RETURN(const DeviceInfo info, FindDecodingDevice(request, session));
  ACU_ASSIGN_OR_RETURN(const DecodingDevice device, OpenForDecoding(info, *request.device_cache));
  constexpr uint64_t kShare = 8;  // of the device's memory, for all videos
  const int videos = 1 + static_cast<int>(request.distorted.size());
  // A run of a list has a part of the threads, and twice that part of the engines: while a pair begins or ends, its
  // decoders leave some idle.
  const int part = 2 * device.engines * request.threads / std::max(UsableCpus(), request.threads);
  const int engines = std::min(part, device.engines);
  const int threads = request.threads / 2;  // the others feed the device
  const DeviceDecoding decoding{.open = device.open,
                                .decoders = std::max(CeilDiv(engines, videos), 1),
                                .host_threads = request.decoder == Decoder::kNvdec ? 0 : threads / videos,
                                .most_bytes = info.memory_bytes / kShare / static_cast<uint64_t>(videos)};
  const auto use = [&](PairReaderInput& input) {
    if (request.decoder == Decoder::kAuto && IsShort(request, *input.video)) return Status();
    const Status status = input.video->DecodeOn(decoding);
    if (status.ok()) report.NoteNvdec();
    return status;
  };
  Status status = use(inputs.reference);
  for (PairReaderInput& input : inputs.distorted)
    if (const Status own = use(input); status.ok()) status = own;
  return status;
}

std::unique_ptr<Session> OpenSession(const RunRequest& request, SessionSpec spec, const ScoredRun& facts,
                                     AttemptReport& report) {
  const TraceSpan span("open session");
  WarnOfModels(request, facts, report);
  Result<std::unique_ptr<Session>> session = Session::Open(std::move(spec));
  Status status = session.status();
  if (status.ok() && request.on_start) status = request.on_start(**session);
  if (status.ok()) return std::move(session).value();
  report.Fail(status.code() == StatusCode::kNoDevice ? RunStage::kBackend : RunStage::kStart, status);
  return nullptr;
}

/// Conversions take the reading thread longer than scoring takes a device. A limit on memory leaves no pictures for
/// threads that work ahead.
void PrefetchPictures(const RunRequest& request, OpenedInputs& inputs) {
  if (request.max_memory) return;
  const std::shared_ptr<ThreadPool> crew = MakePictureCrew(request.threads);
  const auto prefetch = [&](PairReaderInput& input) {
    const int most = MostAhead(input.video->format(), request.threads);
    input.video = Prefetch(std::move(input.video), crew, most);
  };
  prefetch(inputs.reference);
  std::ranges::for_each(inputs.distorted, prefetch);
}

Result<std::unique_ptr<PairReader>> OpenReader(const RunRequest& request, const Session& session,
                                               const std::vector<VideoConversion>& conversions, OpenedInputs inputs) {
  // Threads that score copy lazy samples about as quickly as they read others, and then have them in their caches.
  for (const VideoConversion& video : conversions)
    if (session.ConvertsOnDevice() || video.scaling->is_identity())
      (video.video == Video::kReference ? inputs.reference : inputs.distorted[video.number]).video->DeferConversion();
  PrefetchPictures(request, inputs);
  PairReaderOptions options;
  if (request.frame_limit > 0)
    options.frame_limit = request.frame_limit + (request.journal.empty() ? 0 : request.skip_reference);
  options.read_ahead = ReadAhead(request);
  return PairReader::Open(std::move(inputs.reference), std::move(inputs.distorted), options);
}

}  // namespace

std::optional<SessionSetup> SetUpSession(const RunRequest& request, AttemptReport& report) {
  SessionSpec spec;
  spec.models = request.models;
  spec.features = request.features;
  spec.threads = request.threads;
  spec.subsample = request.subsample;
  spec.distorted_count = static_cast<int>(request.distorted.size());
  spec.numbers = request.numbers;
  spec.run_videos = request.run_videos;
  const bool is_ahead = request.devices_ahead && request.devices_ahead->is_ahead();
  Result<std::shared_ptr<DevicePicker>> devices = is_ahead ? request.devices_ahead : MakeDevicePicker(request.device);
  if (!devices.ok()) return report.Fail(RunStage::kBackend, devices.status());
  spec.devices = *devices;
  spec.device_cache = request.device_cache;
  spec.max_device_memory = request.max_device_memory;
  spec.on_artifact = request.on_artifact;
  if (!request.maps.empty()) {
    Result<ArtifactSink> files = MakeMapFiles(request.maps, spec.RunVideos());
    if (!files.ok()) return report.Fail(RunStage::kSession, files.status());
    spec.on_artifact = *files;
  }
  spec.max_memory = request.max_memory;
  spec.verify = request.verify;
  spec.on_warning = request.on_warning;
  Result<SessionNeeds> needs = FindNeeds(spec);
  if (!needs.ok()) return report.Fail(RunStage::kSession, needs.status());
  return SessionSetup{std::move(spec), *needs};
}

std::optional<StartedRun> StartScoring(const RunRequest& request, SessionSetup setup, FittedInputs fitted,
                                       const AlignmentMonitor& alignment, AttemptReport& report) {
  OpenedInputs& inputs = fitted.opened;
  const VideoSource& reference = *inputs.reference.video;
  if (Status light = CheckLight(request, reference.color()); !light.ok())
    return report.Fail(RunStage::kRead, std::move(light));
  if (Status colors = CheckHdrColors(request, reference.color()); !colors.ok())
    return report.Fail(RunStage::kRead, std::move(colors));
  StartedRun started{.observers = RunObservers(request, alignment), .keys = inputs.keys, .hashed = inputs.hashed};
  ScoredRun& facts = started.facts;
  facts.format = reference.format();
  facts.frame_rate = reference.frame_rate();
  if (!facts.frame_rate) facts.frame_rate = inputs.distorted.front().video->frame_rate();
  facts.color = reference.color();
  facts.inputs = std::move(fitted.inputs);
  facts.is_part = !request.journal.empty() && request.skip_reference > 0;
  SkipUnread(request, setup.needs, inputs);
  SessionSpec& spec = setup.spec;
  if (spec.devices && CanTapFingerprints(setup.needs, spec)) {
    alignment.AddTap(facts.inputs, spec.taps);
    started.observers.AddTap(spec.taps);
  }
  // y4m has the same tag for centered and for unknown chroma.
  const VideoFacts stream = reference.facts();
  spec.video = VideoOptions(facts.frame_rate, facts.color, stream.codec.empty() ? std::nullopt : stream.siting);
  if (!request.fit.heed_color || request.fit.force) spec.video.erase("primaries");  // by which metrics refuse videos
  spec.format = facts.format;
  if (spec.max_memory) *spec.max_memory -= BytesOfContainers(request, inputs);
  spec.read_ahead = inputs.is_instant ? 0 : ReadAhead(request) + 1;
  spec.conversions = FindConversions(request, inputs);
  if (Status fit = PairReader::Check(inputs.reference, inputs.distorted); !fit.ok())
    return report.FailPair(request, fit);
  if (!request.journal.empty()) {
    Result<std::unique_ptr<RunJournal>> journal = RunJournal::Open(request, facts.format, spec);
    if (!journal.ok()) return report.Fail(RunStage::kSession, journal.status());
    started.journal = std::move(journal).value();
  }
  const std::vector<VideoConversion> conversions = spec.conversions;
  started.session = OpenSession(request, std::move(spec), facts, report);
  if (!started.session) return std::nullopt;
  const Status on_device = DecodeOnDevice(request, *started.session, inputs, report);
  const bool reads_pictures = alignment.plan().basis == AlignmentPlan::Basis::kEstimated;  // an attempt that is checked
  if (!on_device.ok() && request.decoder != Decoder::kAuto && !reads_pictures)
    return report.Fail(RunStage::kBackend, on_device);
  facts.decoded_by_nvdec = report.used_nvdec();
  if (started.journal) facts.restored = started.journal->restored();
  Result<std::unique_ptr<PairReader>> reader = OpenReader(request, *started.session, conversions, std::move(inputs));
  if (!reader.ok()) return report.FailPair(request, reader.status());
  started.reader = std::move(reader).value();
  return started;
}

}  // namespace acutance
