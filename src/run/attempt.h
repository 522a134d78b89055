// One attempt at a run: a decoder and an alignment plan in, scores or the reason for another attempt out.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "align/alignment_plan.h"
#include "align/confirm_alignment.h"
#include "run/score_run.h"
#include "run/video_cache.h"

namespace acutance {

struct Attempt {
  Decoder decoder = Decoder::kCpu;
  AlignmentPlan alignment{};
};

struct AttemptResult {
  enum class Outcome {
    kDone,     // the run ends: it has scores or an error
    kRealign,  // the frames are not aligned as planned
    kNoNvdec,  // an error, where NVDEC decoded: FFmpeg's own decoders may do
  };
  Outcome outcome = Outcome::kDone;
  ScoredRun run{};
  std::vector<std::string> alignment_warnings{};  // the last of the run's
  Misalignment misalignment{};                    // kRealign
  AlignmentTask task{};                           // kRealign: with the videos as they were opened
};

/// kCancelled is the error of a run that its user cancelled, and of no other.
AttemptResult RunAttempt(const RunRequest& request, const Attempt& attempt, VideoCache& videos);

}  // namespace acutance
