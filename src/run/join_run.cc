#include "run/run_journal.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "base/number.h"

namespace acutance {
namespace {

/// A journal and its next frame.
struct Part {
  std::unique_ptr<JournalReader> reader;
  int64_t range_end = 0;  // 0: of the videos
  std::optional<JournalRecord> next{};
};

class Joining {
 public:
  explicit Joining(const std::vector<std::string>& paths, int threads) : paths_(paths), threads_(threads) {}

  JoinedRun Go() && {
    const auto start = std::chrono::steady_clock::now();
    Status status = Join();
    if (!status.ok()) {
      result_.run.error = RunError{RunStage::kSession, std::move(status)};
      return std::move(result_);
    }
    result_.run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result_.run.frames = session_->frames_added();
    result_.run.warnings = session_->warnings();
    result_.run.session = std::move(session_);
    result_.run.encodes = EncodesOf(result_.run.session, result_.run);
    return std::move(result_);
  }

 private:
  Status Join() {
    for (const std::string& path : paths_) ACU_RETURN_IF_ERROR(Open(path));
    if (parts_.empty()) return Error(StatusCode::kInvalidArgument, "there is no journal to join");
    ACU_RETURN_IF_ERROR(OpenSession());
    ACU_RETURN_IF_ERROR(CheckEnd());
    return session_->Flush();
  }

  Status Open(const std::string& path) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<JournalReader> reader, JournalReader::Open(path));
    if (!parts_.empty())
      ACU_RETURN_IF_ERROR(CompareHeaders(path, reader->header(), parts_.front().reader->header(), /*are_parts=*/true));
    ACU_ASSIGN_OR_RETURN(DescribedRun described, ReadRun(reader->header()));
    const RunRequest& request = described.request;
    Part& part = parts_.emplace_back(Part{std::move(reader)});
    if (request.frame_limit > 0) part.range_end = request.skip_reference + request.frame_limit;
    part.next = part.reader->Next();
    result_.run.format = described.format;
    video_ = std::move(described.video);
    if (const auto rate = video_.find("fps"); rate != video_.end())
      result_.run.frame_rate = ParseFiniteDouble(rate->second);
    result_.run.knows_pairs = described.request.alignment_fingerprint.empty();
    result_.request = std::move(described.request);
    return {};
  }

  Status OpenSession() {
    SessionSpec spec;
    spec.models = result_.request.models;
    spec.features = result_.request.features;
    spec.threads = threads_;
    spec.subsample = result_.request.subsample;
    spec.distorted_count = static_cast<int>(result_.request.distorted.size());
    spec.format = result_.run.format;
    spec.video = video_;
    spec.restored = [this](FrameResults& frame) { return JoinFrame(frame); };
    ACU_ASSIGN_OR_RETURN(session_, Session::Open(std::move(spec)));
    return {};
  }

  /// False after the last frame of all parts.
  Result<bool> JoinFrame(FrameResults& frame) {
    ACU_ASSIGN_OR_RETURN(const Part* const part, PartWithNext());
    if (!part) return false;
    ACU_RETURN_IF_ERROR(RestoreFrame(*part->next, part->reader->path(), frame));
    for (Part& each : parts_)
      if (each.next && each.next->frame == frames_) each.next = each.reader->Next();
    ++frames_;
    return true;
  }

  /// A part that has frame `frames_`, after all that have it were compared; null at the end of all parts.
  Result<const Part*> PartWithNext() const {
    const Part* found = nullptr;
    std::optional<int64_t> later;
    for (const Part& part : parts_) {
      if (!part.next) continue;
      if (part.next->frame != frames_) later = std::min(later.value_or(part.next->frame), part.next->frame);
      else if (!found) found = &part;
      else if (found->next->words != part.next->words) return Disagree(*found, part);
    }
    if (!found && later) return Gap(*later);
    return found;
  }

  Status Disagree(const Part& a, const Part& b) const {
    return Error(StatusCode::kBadData, "{} and {} have different results for frame {}", a.reader->path(),
                 b.reader->path(), frames_);
  }

  Status Gap(int64_t later) const {
    const std::string frames = later == frames_ + 1 ? fmt::format("frame {} is", frames_)
                                                    : fmt::format("frames {} to {} are", frames_, later - 1);
    const auto stopped = [](const Part& part) { return !part.next && !part.reader->end(); };
    const auto found = std::ranges::find_if(parts_, stopped);
    return Error(StatusCode::kInvalidArgument, "{} in none of the journals{}", frames,
                 found == parts_.end()
                     ? ""
                     : fmt::format("; {} is not at its end: run its command again", found->reader->path()));
  }

  /// A journal that was not completed may lack the last frames of all.
  Status CheckEnd() const {
    const auto knows_end = [](const Part& part) {
      return part.reader->end() && (part.range_end == 0 || *part.reader->end() < part.range_end);
    };
    const auto lacks_frames = [&](const Part& part) {
      return !part.reader->end() && (part.range_end == 0 || part.range_end > frames_);
    };
    const auto found = std::ranges::find_if(parts_, lacks_frames);
    if (found == parts_.end() || std::ranges::any_of(parts_, knows_end)) return {};
    return Error(StatusCode::kInvalidArgument,
                 "journal {} is not at its end, and there are {} frames in all: run its command again",
                 found->reader->path(), frames_);
  }

  const std::vector<std::string>& paths_;
  const int threads_;
  JoinedRun result_;
  OptionTexts video_;  // what it declares
  std::vector<Part> parts_;
  std::unique_ptr<Session> session_;
  int64_t frames_ = 0;  // joined so far
};

}  // namespace

JoinedRun JoinJournals(const std::vector<std::string>& paths, int threads) { return Joining(paths, threads).Go(); }

}  // namespace acutance
