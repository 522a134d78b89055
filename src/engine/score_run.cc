#include "engine/score_run.h"

#include <chrono>
#include <optional>
#include <utility>

#include "engine/selftest.h"
#include "io/pair_reader.h"

namespace acutance {
namespace {

/// Carries a run from step to step; the first step that fails fills result.error.
class Run {
 public:
  explicit Run(const RunRequest& request) : request_(request), open_(request.open) {}

  ScoredRun Go() && {
    if (MakeSession() && OpenVideos() && StartSession()) ScoreFrames();
    return std::move(result_);
  }

 private:
  bool Fail(RunStage stage, Status status, int distorted = 0) {
    result_.error = RunError{stage, std::move(status), distorted};
    return false;
  }

  bool MakeSession() {
    SessionOptions options;
    options.models = request_.models;
    options.features = request_.features;
    options.threads = request_.threads;
    options.subsample = request_.subsample;
    options.distorted_count = static_cast<int>(request_.distorted.size());
    Result<std::shared_ptr<DevicePicker>> devices = MakeDevicePicker(request_.device);
    if (!devices.ok()) return Fail(RunStage::kBackend, devices.status());
    options.devices = *devices;
    open_.keep_mapped = *devices != nullptr;  // devices are so fast that unmapping would hold them up
    options.max_device_memory = request_.max_device_memory;
    Result<std::unique_ptr<Session>> session = Session::Create(std::move(options));
    if (!session.ok()) return Fail(RunStage::kSession, session.status());
    session_ = std::move(session).value();
    return true;
  }

  Result<PairReaderInput> OpenInput(const std::string& path, int64_t skip, bool needed) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenVideo(path, open_));
    for (const std::string& warning : video->warnings()) result_.warnings.push_back(path + ": " + warning);
    if (!session_->NeedsChroma()) video->SkipChroma();
    return PairReaderInput{path, std::move(video), skip, needed};
  }

  bool OpenVideos() {
    Result<PairReaderInput> reference = OpenInput(request_.reference, request_.skip_reference, true);
    if (!reference.ok()) return Fail(RunStage::kReference, reference.status());
    std::vector<PairReaderInput> distorted;
    for (size_t d = 0; d < request_.distorted.size(); ++d) {
      Result<PairReaderInput> input =
          OpenInput(request_.distorted[d], request_.skip_distorted, session_->NeedsDistorted());
      if (!input.ok()) return Fail(RunStage::kDistorted, input.status(), static_cast<int>(d));
      distorted.push_back(std::move(input).value());
    }
    PairReaderOptions options;
    if (request_.frame_limit > 0) options.frame_limit = request_.frame_limit;
    options.read_ahead = request_.read_ahead ? 2 : 0;
    options.raise_bit_depth = request_.raise_bit_depth;
    Result<std::unique_ptr<PairReader>> reader =
        PairReader::Open(std::move(reference).value(), std::move(distorted), options);
    if (!reader.ok()) return Fail(RunStage::kPair, reader.status());
    reader_ = std::move(reader).value();
    return true;
  }

  bool StartSession() {
    result_.format = reader_->format();
    const Status status = session_->Start(result_.format);
    if (status.ok()) return true;
    return Fail(status.code() == StatusCode::kNoDevice ? RunStage::kBackend : RunStage::kSession, status);
  }

  /// Reads and adds frames until the end, an error or a cancellation.
  Status FeedFrames() {
    for (;;) {
      Result<std::optional<FramePair>> pair = reader_->Next();
      if (pair.status().code() == StatusCode::kCancelled)
        return Error(StatusCode::kCancelled, "interrupted after {} frames", session_->frames_added());
      if (!pair.ok()) {
        Fail(RunStage::kRead, pair.status());
        return {};
      }
      if (!pair->has_value()) return {};
      ACU_RETURN_IF_ERROR(session_->Add(std::move((*pair)->reference), std::move((*pair)->distorted)));
      if (request_.on_frame) request_.on_frame(*session_, reader_->frame_count());
    }
  }

  void ScoreFrames() {
    const auto start = std::chrono::steady_clock::now();
    const std::shared_ptr<void> watch =
        request_.watch_cancel ? request_.watch_cancel([this] { reader_->Cancel(); }) : nullptr;
    Status status = FeedFrames();
    for (const std::string& warning : reader_->length_warnings()) result_.warnings.push_back(warning);
    if (status.ok() && session_->frames_added() == 0) {
      if (!result_.error) Fail(RunStage::kRead, Error(StatusCode::kBadData, "there is no frame to score"));
      return;
    }
    if (status.ok()) status = session_->Flush();
    if (status.ok()) status = reader_->CheckIntact();
    if (!status.ok()) {
      Fail(RunStage::kScore, status);
      return;
    }
    for (const std::string& warning : session_->warnings()) result_.warnings.push_back(warning);
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result_.frames = session_->frames_added();
    result_.session = std::move(session_);
  }

  const RunRequest& request_;
  OpenOptions open_;
  ScoredRun result_;
  std::unique_ptr<Session> session_;
  std::unique_ptr<PairReader> reader_;
};

}  // namespace

Result<std::shared_ptr<DevicePicker>> MakeDevicePicker(const DeviceChoice& choice) {
  ACU_RETURN_IF_ERROR(CheckDeviceChoice(choice));
  if (choice.backend == "cpu" || (choice.backend == "auto" && !MachineMayHaveGpu())) return {nullptr};
  return std::make_shared<DevicePicker>(choice, CheckDeviceOnce);
}

ScoredRun RunScore(const RunRequest& request) { return Run(request).Go(); }

}  // namespace acutance
