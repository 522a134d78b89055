#include "run/score_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>
#include <utility>

#include "align/input_order.h"
#include "base/shell_word.h"
#include "base/threads/exception_barrier.h"
#include "run/choose_crop.h"
#include "run/device_decoding.h"
#include "run/fingerprint_tap.h"
#include "run/map_files.h"
#include "run/pairing.h"
#include "run/reference_keys.h"
#include "run/run_journal.h"
#include "run/run_observers.h"
#include "run/video_options.h"
#include "run/warn_once.h"
#include "video/open_video.h"
#include "video/pair_reader.h"
#include "video/prefetch.h"

namespace acutance {
namespace {

/// The error for videos that do not fit together: their names, and what to do.
Status DescribeMismatch(const RunRequest& request, const Status& status) {
  std::string problems = status.message();
  for (size_t at = 0; (at = problems.find('\n', at)) != problems.npos;) problems.replace(at, 1, "; ");
  const bool is_single = request.distorted.size() == 1;  // of several, the problems name theirs
  return Error(
      status.code(),
      "{} and {}{}; convert one of them first, for example: ffmpeg -i {} -vf scale=WIDTH:HEIGHT -pix_fmt FORMAT "
      "out.y4m",
      request.reference, is_single ? request.distorted[0] + ": " : "", problems,
      is_single ? ShellWord(request.distorted[0]) : "DIS");
}

/// Carries a run from step to step; the first step that fails fills result.error.
class Run {
 public:
  /// pairing: null: frames are paired by their order.
  Run(const RunRequest& request, Pairing* pairing)
      : request_(request), pairing_(pairing), open_(request.open), watch_(request, pairing) {}

  ScoredRun Go() && {
    if (ChooseModelsOfVideos() && SpecifySession() && ChooseDecoder() && OpenVideos() && OpenJournal() &&
        OpenSession() && OpenReader())
      ScoreFrames();
    return std::move(result_);
  }

 private:
  /// Each once: videos may be opened again, for a device.
  void Warn(std::string warning) {
    if (std::ranges::find(result_.warnings, warning) != result_.warnings.end()) return;
    if (request_.on_warning) request_.on_warning(warning);
    result_.warnings.push_back(std::move(warning));
  }

  bool Fail(RunStage stage, Status status) {
    result_.error = RunError{stage, std::move(status)};
    return false;
  }

  /// Fills what of the session's specification depends on no video.
  bool SpecifySession() {
    spec_.models = request_.models;
    spec_.features = request_.features;
    spec_.threads = request_.threads;
    spec_.subsample = request_.subsample;
    spec_.distorted_count = static_cast<int>(request_.distorted.size());
    Result<std::shared_ptr<DevicePicker>> devices = MakeDevicePicker(request_.device);
    if (!devices.ok()) return Fail(RunStage::kBackend, devices.status());
    spec_.devices = devices_ = *devices;
    // NVDEC opens the device before, and leaves no samples in the host's memory that could be cached.
    if (request_.cached_reference && request_.decoder == Decoder::kCpu)
      spec_.device_cache = request_.cached_reference->devices();
    open_.keep_mapped = devices_ != nullptr;  // devices are so fast that unmapping would hold them up
    spec_.max_device_memory = request_.max_device_memory;
    spec_.on_artifact = request_.on_artifact;
    if (!request_.maps.empty()) {
      Result<ArtifactSink> files = MakeMapFiles(request_.maps, spec_.distorted_count);
      if (!files.ok()) return Fail(RunStage::kSession, files.status());
      spec_.on_artifact = *files;
    }
    spec_.max_memory = request_.max_memory;
    spec_.verify = request_.verify;
    spec_.on_warning = request_.on_warning;
    Result<SessionNeeds> needs = FindNeeds(spec_);
    if (!needs.ok()) return Fail(RunStage::kSession, needs.status());
    needs_ = *needs;
    return true;
  }

  /// The reason why NVDEC does not serve this run. NVDEC leaves no samples in the host's memory,
  /// and a run that fails starts again without it.
  Status CheckNvdec() {
    if (!devices_ || !needs_.runs_on_device)
      return Error(StatusCode::kNoDevice, "NVDEC is of use only where all features run on a CUDA device");
    std::vector<std::string> files = request_.distorted;
    files.push_back(request_.reference);
    for (const std::string& file : files)
      if (std::error_code ignored; !std::filesystem::is_regular_file(file, ignored))
        return Error(StatusCode::kNoDevice, "NVDEC reads regular files, and {} is none", file);
    const std::vector<std::unique_ptr<Device>>& devices = devices_->PeekGroup();
    if (devices.size() == 1 && CanDecodeOn(devices.front()->info())) return {};
    return Error(StatusCode::kNoDevice, "NVDEC needs one device of the backend cuda (--backend cuda --device N): {}",
                 devices.empty()
                     ? fmt::format("{}", fmt::join(devices_->notes(), "; "))
                     : fmt::format("the run has {} of {}", devices.size(), devices.front()->info().backend));
  }

  bool ChooseDecoder() {
    if (request_.decoder == Decoder::kCpu) return true;
    const Status status = CheckNvdec();
    may_use_nvdec_ = status.ok();
    return status.ok() || request_.decoder == Decoder::kAuto || Fail(RunStage::kBackend, status);
  }

  /// Models are chosen for videos, so that these are opened first, unless a device is to decode them.
  bool ChooseModelsOfVideos() {
    if (!request_.choose_models) return true;
    if (!OpenInputs()) return false;
    ModelFacts facts = {.pictures = {}, .encodes = {}, .frame_rate = reference_->video->frame_rate()};
    for (const PairReaderInput& input : distorted_) facts.encodes.push_back(input.video->format());
    if (!facts.frame_rate) facts.frame_rate = distorted_.front().video->frame_rate();
    if (!FitInputs()) return false;
    facts.pictures = reference_->video->format();
    Result<ChosenModels> chosen = ChooseModels(facts, *request_.choose_models);
    if (!chosen.ok()) return Fail(RunStage::kModel, chosen.status());
    request_.models.insert(request_.models.begin(), chosen->models.begin(), chosen->models.end());
    result_.model_reasons = std::move(chosen->reasons);
    return true;
  }

  /// number: 0 is the reference.
  Result<PairReaderInput> OpenInput(const std::string& path, int number, int64_t skip) {
    if (may_use_nvdec_) {
      ACU_ASSIGN_OR_RETURN(open_.device_decoding, DecodeOn(devices_->PeekGroup().front()->info()));
      open_.device_decoding->required = request_.decoder == Decoder::kNvdec;
    }
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, number == 0 ? identity_.Open(request_, open_, pairing_)
                                                             : pairing_  ? pairing_->Open(path, open_, number)
                                                                         : OpenVideo(path, open_));
    if (pairing_) skip += pairing_->SkipOf(number);
    if (number == 0) identity_.Skip(skip);
    result_.decoded_by_nvdec |= video->is_on_device();
    for (const std::string& warning : video->warnings()) Warn(path + ": " + warning);
    has_raw_ |= video->is_raw();
    all_instant_ &= video->is_instant();
    if (!pairing_ || !pairing_->handles_rate_mismatch()) WarnOfRate(path, video->frame_rate());
    return PairReaderInput{path, std::move(video), skip};
  }

  /// Warns of different frame rates: frames are paired by order, and would show different
  /// moments.
  void WarnOfRate(const std::string& path, std::optional<double> rate) {
    constexpr double kTolerance = 0.01;  // film that is said to have 24 or 23.976 frames a second is the same frames
    if (!rate) return;
    if (!first_rate_) first_rate_ = {path, *rate};
    const auto& [first_path, first] = *first_rate_;
    if (std::abs(*rate - first) > kTolerance * first)
      Warn(fmt::format("{} has {:.6g} frames/s, {} {:.6g}; frames are compared in their order, whatever their times",
                       first_path, first, path, *rate));
  }

  bool OpenInputs() {
    const bool all = has_journal();  // frames are counted from the videos' first
    Result<PairReaderInput> reference = OpenInput(request_.reference, 0, all ? 0 : request_.skip_reference);
    if (!reference.ok()) return Fail(RunStage::kReference, reference.status());
    reference_ = std::move(reference).value();
    for (const std::string& path : request_.distorted) {
      const int number = static_cast<int>(distorted_.size()) + 1;
      Result<PairReaderInput> input = OpenInput(path, number, all ? 0 : request_.skip_distorted);
      if (!input.ok()) return Fail(RunStage::kDistorted, input.status());
      distorted_.push_back(std::move(input).value());
    }
    if (request_.check_model_sizes && distorted_.size() == 1)
      if (std::optional<std::string> swapped = CheckInputOrder(*reference_, distorted_.front()))
        Warn(*std::move(swapped));
    if (open_.raw && !has_raw_)
      return Fail(
          RunStage::kReference,
          Error(StatusCode::kInvalidArgument,
                "{} tells its own size, and no other video is raw yuv: leave out the size", request_.reference));
    return true;
  }

  bool FailPair(const Status& status) {
    if (status.code() != StatusCode::kInvalidArgument) return Fail(RunStage::kRead, status);
    Fail(RunStage::kPair, DescribeMismatch(request_, status));
    result_.error->tool_words = status.message();
    return false;
  }

  Status Crop(PairReaderInput& input) {
    ACU_ASSIGN_OR_RETURN(input.crop, ChooseCrop(request_.crop, input, *reference_, request_.open,
                                                [this](std::string warning) { Warn(std::move(warning)); }));
    return {};
  }

  bool PreparePairing() {
    if (!pairing_) return true;
    pairing_->SetCrop(0, reference_->crop);
    for (size_t d = 0; d < distorted_.size(); ++d) pairing_->SetCrop(static_cast<int>(d) + 1, distorted_[d].crop);
    return !pairing_->NeedsFullAlignment() ||
           Fail(RunStage::kPair, Error(StatusCode::kCancelled, "the frames are not paired yet"));
  }

  void NoteInput(const PairReaderInput& input) {
    const VideoSource& video = *input.video;
    result_.inputs.push_back({input.name, video.format(), video.frame_rate(), video.color(), video.facts()});
  }

  void NoteStep(const FitStep& step) {
    Warn(step.text);
    if (!step.input) return;
    const size_t number = step.input == &*reference_ ? 0 : 1 + static_cast<size_t>(step.input - distorted_.data());
    result_.inputs[number].changes.push_back({step.change, step.text});
  }

  bool FitInputs() {
    Status cropped = Crop(*reference_);
    for (PairReaderInput& input : distorted_)
      if (cropped.ok()) cropped = Crop(input);
    // The reference of several encodes has one part that is compared with all of them.
    if (cropped.ok() && request_.crop.find_bars && distorted_.size() == 1)
      cropped = CropToSharedShape(request_.open, *reference_, distorted_.front());
    if (!cropped.ok()) return Fail(RunStage::kRead, cropped);
    if (!PreparePairing()) return false;
    result_.inputs.clear();
    NoteInput(*reference_);
    for (const PairReaderInput& input : distorted_) NoteInput(input);
    const Result<std::vector<FitStep>> steps = FitVideos(request_.fit, *reference_, distorted_);
    if (!steps.ok()) return FailPair(steps.status());
    for (const FitStep& step : *steps) NoteStep(step);
    identity_.Prepare(result_.inputs[0]);
    return true;
  }

  bool OpenVideos() {
    if (may_use_nvdec_) {
      reference_.reset();
      distorted_.clear();
    }
    if (!reference_ && !(OpenInputs() && FitInputs())) return false;
    if (!CheckLight()) return false;
    const bool shows_pictures = request_.worst_frames > 0 || request_.pairs;
    const bool reads_chroma = needs_.chroma || shows_pictures;
    result_.frame_rate = reference_->video->frame_rate();
    if (!result_.frame_rate) result_.frame_rate = distorted_.front().video->frame_rate();
    for (PairReaderInput& input : distorted_) {
      input.needed = needs_.distorted || shows_pictures;
      if (!reads_chroma) input.video->SkipChroma();
    }
    if (!reads_chroma) reference_->video->SkipChroma();
    LeaveFingerprints();
    result_.color = reference_->video->color();
    // y4m has one word for the center and for what is not known.
    if (const VideoFacts& facts = reference_->video->facts(); !facts.codec.empty()) siting_ = facts.siting;
    spec_.read_ahead = all_instant_ ? 0 : ReadAhead() + 1;
    spec_.conversions = FindScalings();
    const Status fit = PairReader::Check(*reference_, distorted_);
    return fit.ok() || FailPair(fit);
  }

  int ReadAhead() const { return request_.read_ahead ? 2 : 0; }  // pictures of a video

  /// The videos whose pictures may come lazy: what reads the samples beside the session makes those that it reads.
  /// Where that is every picture, the videos' own threads do it sooner.
  std::vector<VideoConversion> FindScalings() const {
    std::vector<VideoConversion> scalings;
    if (request_.pairs) return scalings;
    if (const auto scaling = reference_->video->scaling(); scaling && !request_.find_shots)
      scalings.push_back({Video::kReference, 0, scaling});
    for (size_t d = 0; d < distorted_.size(); ++d)
      if (const auto scaling = distorted_[d].video->scaling())
        scalings.push_back({Video::kDistorted, static_cast<int>(d), scaling});
    return scalings;
  }

  bool OpenReader() {
    // Threads that score copy samples to where they may be read as quickly as any other, and find them in their caches.
    for (const VideoConversion& video : spec_.conversions)
      if (session_->ConvertsOnDevice() || video.scaling->KeepsAll())
        (video.video == Video::kReference ? *reference_ : distorted_[video.number]).video->DeferConversion();
    MakePicturesAhead();
    PairReaderOptions options;
    if (request_.frame_limit > 0)
      options.frame_limit = request_.frame_limit + (has_journal() ? request_.skip_reference : 0);
    options.read_ahead = ReadAhead();
    Result<std::unique_ptr<PairReader>> reader =
        PairReader::Open(*std::move(reference_), std::move(distorted_), options);
    if (!reader.ok()) return FailPair(reader.status());
    reader_ = std::move(reader).value();
    return true;
  }

  /// Devices make the fingerprints of samples that they get anyway.
  void LeaveFingerprints() {
    if (!devices_) return;
    if (!CanTapFingerprints(needs_, spec_)) return;
    if (pairing_) pairing_->LeaveFingerprints(result_.inputs, spec_.taps);
    watch_.LetSessionSign(spec_.taps);
  }

  /// Scaling takes the reading thread longer than scoring takes a device. A limit on memory leaves no pictures for it.
  void MakePicturesAhead() {
    if (request_.max_memory) return;
    const std::shared_ptr<BackgroundThreads> crew = MakePictureCrew(request_.threads);
    const auto make_ahead = [&](PairReaderInput& input) {
      const int most = MostAhead(input.video->format(), request_.threads);
      input.video = Prefetch(std::move(input.video), crew, most);
    };
    make_ahead(*reference_);
    std::ranges::for_each(distorted_, make_ahead);
  }

  /// Models were made for SDR, and PQ and HLG put the same light elsewhere.
  bool CheckLight() {
    const auto predicts = [](const ModelRequest& model) { return model.predict; };
    if (!request_.fit.heed_color || request_.fit.force || !reference_->video->color().is_hdr() ||
        std::ranges::none_of(request_.models, predicts))
      return true;
    return Fail(RunStage::kRead,
                Error(StatusCode::kUnsupported,
                      "{} is {}, and the models know SDR alone: map the tones of both videos first, ask for features "
                      "without a model, or --force",
                      request_.reference, NameOf(reference_->video->color().transfer)));
  }

  void WarnOfModelSizes() {
    if (!request_.check_model_sizes) return;
    for (const ModelRequest& request : request_.models)
      for (const auto& mismatch :
           {SizeMismatch(*request.model, result_.format), RateMismatch(*request.model, result_.frame_rate)})
        if (mismatch) Warn(*mismatch);
  }

  bool has_journal() const { return !request_.journal.empty(); }

  bool OpenJournal() {
    result_.format = reference_->video->format();
    if (!has_journal()) return true;
    Result<std::unique_ptr<RunJournal>> journal = RunJournal::Open(request_, result_.format, spec_);
    if (!journal.ok()) return Fail(RunStage::kSession, journal.status());
    journal_ = std::move(journal).value();
    result_.is_part = request_.skip_reference > 0;
    return true;
  }

  bool OpenSession() {
    WarnOfModelSizes();
    spec_.format = result_.format;
    spec_.video = VideoOptions(result_.frame_rate, result_.color, siting_);
    Result<std::unique_ptr<Session>> session = Session::Open(spec_);
    Status status = session.status();
    if (status.ok()) session_ = std::move(session).value();
    if (status.ok() && result_.decoded_by_nvdec && !ReadsNvdec())
      return Fail(RunStage::kBackend, Error(StatusCode::kNoDevice, "{}", fmt::join(session_->warnings(), "; ")));
    if (status.ok() && request_.on_start) status = request_.on_start(*session_);
    if (!status.ok())
      return Fail(status.code() == StatusCode::kNoDevice ? RunStage::kBackend : RunStage::kStart, status);
    if (journal_) result_.restored = journal_->restored();
    return true;
  }

  /// Whether the session's devices are those into whose memory NVDEC decodes.
  bool ReadsNvdec() const {
    const auto& lanes = session_->lanes();
    return lanes.size() == 1 && CanDecodeOn(lanes.front()->info()) && !session_->RunsOnCpu();
  }

  /// The next frame; nullopt at the end, which may be an error.
  std::optional<FramePair> ReadFrame(Status& status) {
    Result<std::optional<FramePair>> pair = reader_->Next();
    if (pair.ok()) return std::move(pair).value();
    if (pair.status().code() == StatusCode::kCancelled) status = Interrupted(pair.status());
    else Fail(RunStage::kRead, pair.status());
    return std::nullopt;
  }

  /// Whatever was cancelled, in the words of the run.
  Status Interrupted(const Status& status) const {
    if (status.code() != StatusCode::kCancelled) return status;
    return Error(StatusCode::kCancelled, "interrupted after {} frames", session_->frames_added());
  }

  /// Reads the frames that the journal has and those before a part; the session takes the last of them as history.
  Status SkipFrames(int64_t count) {
    Status status;
    for (int64_t frame = 0; frame < count; ++frame) {
      std::optional<FramePair> pair = ReadFrame(status);
      if (!pair) break;
      watch_.PassOver(*pair);
      if (frame >= session_->next_frame())
        ACU_RETURN_IF_ERROR(Interrupted(session_->Add(std::move(pair->reference), std::move(pair->distorted))));
    }
    return status;
  }

  /// Reads and adds frames until the end, an error or a cancellation.
  Status FeedFrames() {
    if (journal_ && journal_->is_complete()) {
      watch_.PassOverAll();
      return {};
    }
    Status status = SkipFrames(session_->first_frame());
    while (status.ok()) {
      std::optional<FramePair> pair = ReadFrame(status);
      if (!pair) return status;
      watch_.Watch(*pair, *session_);
      if (request_.pairs && pair->index % request_.subsample == 0) ACU_RETURN_IF_ERROR(request_.pairs->Add(*pair));
      ACU_RETURN_IF_ERROR(Interrupted(
          session_->Add(std::move(pair->reference), std::move(pair->distorted), identity_.Of(pair->index))));
      const FrameAction action =
          request_.on_frame ? request_.on_frame(*session_, reader_->frame_count()) : FrameAction::kContinue;
      was_stopped_ = action != FrameAction::kContinue;
      if (was_stopped_) return action == FrameAction::kStopAfterAlignmentCheck ? VerifyAlignmentAhead() : Status();
      if (pairing_ && pairing_->IsDoubtful(session_->frames_added()))
        return Error(StatusCode::kCancelled, "the frames do not belong together");
    }
    return status;
  }

  /// Reads on without scoring. kCancelled: the frames do not belong together.
  Status VerifyAlignmentAhead() {
    if (!pairing_ || !pairing_->watches()) return {};
    constexpr int kFrames = 300;
    Status status;
    for (int i = 0; i < kFrames && ReadFrame(status); ++i) {
    }
    result_.error.reset();  // a video that breaks off after the last frame that is scored
    if (status.ok() && pairing_->DoubtsAll())
      status = Error(StatusCode::kCancelled, "the frames do not belong together");
    return status;
  }

  Status NoFrame() const {
    const int64_t skipped = std::max(request_.skip_reference, request_.skip_distorted);
    std::string reason = "the videos have no frames";
    if (skipped > 0) reason = fmt::format("a video ends before frame {}, the first that was asked for", skipped);
    else if (!reader_->length_warnings().empty()) reason = reader_->length_warnings().front();
    return Error(StatusCode::kBadData, "there is no frame to score: {}", reason);
  }

  /// A part's first frame; other runs count from their own first.
  int64_t FirstFrame() const { return result_.is_part ? request_.skip_reference : 0; }

  void ScoreFrames() {
    const auto start = std::chrono::steady_clock::now();
    const auto cancel = [reader = reader_.get(), session = session_.get()] {
      reader->Cancel();
      session->Cancel();
    };
    const std::shared_ptr<void> watch = request_.watch_cancel ? request_.watch_cancel(cancel) : nullptr;
    watch_.Start(result_.frame_rate.value_or(24));
    Status status = request_.pairs ? request_.pairs->Start(*session_, result_) : Status();
    if (status.ok()) status = FeedFrames();
    if (status.ok() && session_->frames_added() == FirstFrame()) {
      if (!result_.error) Fail(RunStage::kRead, NoFrame());
      return;
    }
    if (!pairing_ || !pairing_->handles_length_mismatch())
      for (const std::string& warning : reader_->length_warnings()) Warn(warning);
    if (status.ok() && pairing_ && !result_.error && !was_stopped_ && !pairing_->damage().ok())
      Fail(RunStage::kRead, pairing_->damage());
    if (status.ok()) status = Interrupted(session_->Flush());
    if (status.ok()) status = reader_->CheckIntact();
    if (status.ok() && request_.pairs && !result_.error) status = request_.pairs->Finish();
    if (status.ok() && journal_ && !was_stopped_ && !result_.error) status = journal_->End(session_->frames_added());
    if (!status.ok()) return static_cast<void>(Fail(RunStage::kScore, status));
    if (pairing_) pairing_->Conclude(session_->frames_added() - FirstFrame());  // of a video that breaks off, too
    for (const std::string& warning : session_->warnings()) result_.warnings.push_back(warning);
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result_.frames = session_->frames_added();
    if (status = watch_.Conclude(*session_, result_); !status.ok())
      return static_cast<void>(Fail(RunStage::kScore, status));
    result_.session = std::move(session_);
  }

  RunRequest request_;  // with the models that were chosen
  Pairing* const pairing_;
  OpenOptions open_;
  std::optional<PairReaderInput> reference_;  // not set: the videos are not opened
  ReferenceKeys identity_;
  std::vector<PairReaderInput> distorted_;
  ScoredRun result_;
  std::shared_ptr<DevicePicker> devices_;
  bool may_use_nvdec_ = false;
  bool has_raw_ = false;
  bool all_instant_ = true;             // no pictures are read ahead
  std::optional<ChromaSiting> siting_;  // of the reference's chroma, where a stream tells
  std::optional<std::pair<std::string, double>> first_rate_;
  RunObservers watch_;
  bool was_stopped_ = false;  // by the request's on_frame
  SessionSpec spec_;
  SessionNeeds needs_;
  std::unique_ptr<RunJournal> journal_;  // the session's results go there
  std::unique_ptr<Session> session_;
  std::unique_ptr<PairReader> reader_;
};

ScoredRun RunOnce(const RunRequest& request, Pairing* pairing) {
  ScoredRun result;
  const Status status = CatchExceptions([&] {
    result = Run(request, pairing).Go();
    return Status();
  });
  if (!status.ok()) result.error = RunError{RunStage::kScore, status};
  return result;
}

/// Where NVDEC fails, FFmpeg's own decoders do it.
ScoredRun RunDecoded(const RunRequest& request, Pairing* pairing) {
  ScoredRun result = RunOnce(request, pairing);
  if (!result.error || !result.decoded_by_nvdec || result.error->status.code() == StatusCode::kCancelled) return result;
  const std::string reason = result.error->status.message();
  const std::string again_warning = fmt::format("with NVDEC: {}; started again without, scores do not change", reason);
  if (request.on_warning) request.on_warning(again_warning);
  RunRequest again = request;
  again.decoder = Decoder::kCpu;
  result = RunOnce(again, pairing);
  if (result.error) return result;
  result.warnings.insert(result.warnings.begin(), again_warning);
  return result;
}

/// Runs until the frames belong together: frame by frame first, and where that does not fit by what the whole videos
/// tell.
ScoredRun RunPaired(RunRequest request) {
  if (request.on_warning) request.on_warning = WarnOnce(request.on_warning);
  Pairing pairing(request);
  ScoredRun result;
  const auto fail = [&](Status status) {
    result.error = RunError{RunStage::kPair, std::move(status)};
    return std::move(result);
  };
  if (Status status = pairing.Prepare(); !status.ok()) return fail(std::move(status));
  request.alignment_fingerprint = pairing.word();
  if (RunsOnCpu(request.device))
    if (Status status = CatchExceptions([&] { return pairing.EstimateStartOffset(); }); !status.ok())
      return fail(std::move(status));
  result = RunDecoded(request, &pairing);
  while (pairing.needs_full_alignment()) {
    result = {};
    if (Status status = CatchExceptions([&] { return pairing.Look(); }); !status.ok()) return fail(std::move(status));
    request.alignment_fingerprint = pairing.word();
    result = RunDecoded(request, &pairing);
  }
  for (const std::string& warning : pairing.warnings()) {
    if (request.on_warning) request.on_warning(warning);
    result.warnings.push_back(warning);
  }
  if (!result.error || result.error->stage == RunStage::kRead) result.alignments = pairing.TakeAlignments();
  return result;
}

}  // namespace

ScoredRun RunScore(const RunRequest& request) {
  return request.pairing.mode == AlignmentRequest::Mode::kIndex ? RunDecoded(request, nullptr) : RunPaired(request);
}

}  // namespace acutance
