#include "run/attempt_phases.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "align/input_checks.h"
#include "devices/backends.h"
#include "devices/selftest.h"
#include "exec/surface_splitter.h"
#include "run/choose_crop.h"

namespace acutance {
namespace {

/// Makes the decoding of one video by the GPU that scores it: NVDEC, through FFmpeg. The decoder works on the default
/// stream of the context. The queues of backend/cuda do not wait for it, but the splitter does: mapping a frame queues
/// its last step there (CUVIDPROCPARAMS::output_stream).
Result<DeviceDecoding> DecodeOn(const DeviceInfo& device) {
  const Backend& backend = *FindBackend(device.backend);
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<Device> mine, backend.open(device.index));
  ACU_RETURN_IF_ERROR(CheckOnce(*mine, UnpackSelfTest()));
  auto unpacker = std::make_shared<SurfaceSplitter>(mine);
  return DeviceDecoding{.cuda_context = backend.context_of(*mine),
                        .take = [unpacker](const DeviceFrame& frame) { return unpacker->Unpack(frame); }};
}

/// Warns of different frame rates where frames are paired by order, and would show different times.
class RateCheck {
 public:
  void Add(const std::string& path, std::optional<double> rate, AttemptReport& report) {
    constexpr double kTolerance = 0.01;  // film that is said to have 24 or 23.976 frames a second is the same frames
    if (!rate) return;
    if (!first_) first_ = {path, *rate};
    const auto& [first_path, first] = *first_;
    if (std::abs(*rate - first) > kTolerance * first)
      report.Warn(
          fmt::format("{} has {:.6g} frames/s, {} {:.6g}; frames are compared in their order, whatever their times",
                      first_path, first, path, *rate));
  }

 private:
  std::optional<std::pair<std::string, double>> first_;
};

Result<std::unique_ptr<VideoSource>> OpenInput(const RunRequest& request, size_t number, OpenOptions options,
                                               const DeviceInfo* nvdec, AlignmentMonitor& alignment) {
  if (nvdec) {
    ACU_ASSIGN_OR_RETURN(options.device_decoding, DecodeOn(*nvdec));
    options.device_decoding->required = request.decoder == Decoder::kNvdec;
  }
  return alignment.Open(number, options);
}

Input FactsOf(const PairReaderInput& input) {
  const VideoSource& video = *input.video;
  return {input.name, video.format(), video.frame_rate(), video.color(), video.facts()};
}

Status CropInputs(const RunRequest& request, OpenedInputs& opened, AttemptReport& report) {
  const auto crop = [&](PairReaderInput& input) -> Status {
    ACU_ASSIGN_OR_RETURN(input.crop, ChooseCrop(request.crop, input, opened.reference, request.open,
                                                [&](std::string warning) { report.Warn(std::move(warning)); }));
    return {};
  };
  ACU_RETURN_IF_ERROR(crop(opened.reference));
  for (PairReaderInput& input : opened.distorted) ACU_RETURN_IF_ERROR(crop(input));
  // The reference of several encodes has one part that is compared with all of them.
  if (!request.crop.find_bars || opened.distorted.size() != 1) return {};
  return CropToSharedShape(request.open, opened.reference, opened.distorted.front());
}

}  // namespace

/// Crops, sizes and depths are described by their sentences. Colors, fields and chroma depend on the other videos, too,
/// so that pictures which they change have no key.
void ReferenceKeys::Prepare(const Input& reference) {
  std::string how;
  bool has_value = !reference.facts.is_rgb;
  for (const InputChange& change : reference.changes) {
    has_value &=
        change.change == Change::kCrop || change.change == Change::kScale || change.change == Change::kBitDepth;
    how += change.text + "; ";
  }
  first_.preparation = PreparationOf(how);
  if (!has_value) first_.video = 0;
}

PictureKey ReferenceKeys::Of(int64_t pair) const {
  if (!first_.has_value()) return {};
  PictureKey key = first_;
  key.frame = plan_->ReferenceFrame(skipped_ + pair);
  return key;
}

std::optional<OpenedInputs> OpenInputs(const RunRequest& request, const OpenOptions& options, const DeviceInfo* nvdec,
                                       AlignmentMonitor& alignment, AttemptReport& report) {
  OpenedInputs opened;
  RateCheck rates;
  bool has_raw = false;
  const bool skips = request.journal.empty();  // a journal counts frames from the videos' first
  for (size_t v = 0; v <= request.distorted.size(); ++v) {
    Result<std::unique_ptr<VideoSource>> video = OpenInput(request, v, options, nvdec, alignment);
    if (!video.ok()) return report.Fail(v == 0 ? RunStage::kReference : RunStage::kDistorted, video.status());
    const std::string& path = alignment.videos().PathOf(v);
    const int64_t first = !skips ? 0 : v == 0 ? request.skip_reference : request.skip_distorted;
    const int64_t skip = first + alignment.plan().SkipOf(v);
    if (v == 0) opened.keys = ReferenceKeys(alignment.videos().reference_key(), skip, alignment.plan());
    if ((*video)->is_on_device()) report.NoteNvdec();
    for (const std::string& warning : (*video)->warnings()) report.Warn(path + ": " + warning);
    has_raw |= (*video)->is_raw();
    opened.is_instant &= (*video)->is_instant();
    if (request.pairing.mode == AlignmentRequest::Mode::kIndex) rates.Add(path, (*video)->frame_rate(), report);
    PairReaderInput input{path, std::move(video).value(), skip};
    if (v == 0) opened.reference = std::move(input);
    else opened.distorted.push_back(std::move(input));
  }
  if (request.check_model_sizes && opened.distorted.size() == 1)
    if (std::optional<std::string> swapped = CheckInputOrder(opened.reference, opened.distorted.front()))
      report.Warn(*std::move(swapped));
  if (request.open.raw && !has_raw)
    return report.Fail(
        RunStage::kReference,
        Error(StatusCode::kInvalidArgument, "{} tells its own size, and no other video is raw yuv: leave out the size",
              request.reference));
  return opened;
}

std::optional<FittedInputs> FitInputs(const RunRequest& request, OpenedInputs opened, AlignmentMonitor& alignment,
                                      AttemptReport& report) {
  if (Status status = CropInputs(request, opened, report); !status.ok())
    return report.Fail(RunStage::kRead, std::move(status));
  alignment.SetCrop(0, opened.reference.crop);
  for (size_t d = 0; d < opened.distorted.size(); ++d) alignment.SetCrop(d + 1, opened.distorted[d].crop);
  if (alignment.RejectsFacts()) return std::nullopt;
  std::vector<Input> inputs = {FactsOf(opened.reference)};
  for (const PairReaderInput& input : opened.distorted) inputs.push_back(FactsOf(input));
  const Result<std::vector<FitStep>> steps = FitVideos(request.fit, opened.reference, opened.distorted);
  if (!steps.ok()) return report.FailPair(request, steps.status());
  for (const FitStep& step : *steps) {
    report.Warn(step.text);
    if (!step.input) continue;
    const bool is_reference = step.input == &opened.reference;
    const size_t number = is_reference ? 0 : 1 + static_cast<size_t>(step.input - opened.distorted.data());
    inputs[number].changes.push_back({step.change, step.text});
  }
  opened.keys.Prepare(inputs[0]);
  return FittedInputs{std::move(opened), std::move(inputs)};
}

}  // namespace acutance
