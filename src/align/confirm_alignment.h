// Checks of an alignment plan by the frames that were scored with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "align/alignment_plan.h"
#include "align/record_fingerprints.h"

namespace acutance {

/// What an attempt with a plan that does not hold leaves behind for the next plan.
struct Misalignment {
  std::optional<int64_t> rejected{};  // the plan's offset, where frames were compared
  int64_t frames = 0;                 // pairs that were compared
  std::optional<int64_t> offset{};    // that they show plainly
  int64_t next_check = 0;             // pairs after which the next comparison is due
  std::vector<FrameTrack> whole{};    // by video, where all frames were read; else empty
};

/// The pairs of a long run that are confirmed, of which both videos forgot the frames.
struct PassedPairs {
  int64_t count = 0;
  double confidence = 1;
  int64_t window = 0;  // Alignment::window
};

/// Compares the first `frames` pairs of two videos, without those that passed. nullopt: they are aligned as planned, or
/// nothing was read.
std::optional<Misalignment> CheckFirstPairs(const AlignmentPlan& plan, FingerprintTrack& reference,
                                            FingerprintTrack& distorted, int64_t frames,
                                            const PassedPairs& passed = {});

/// The result of a run for one distorted video's frames.
struct ConfirmedAlignment {
  Alignment alignment;
  std::vector<std::string> warnings{};
};

/// After `frames` pairs that were scored frame by frame; nullopt: they are not aligned so.
std::optional<ConfirmedAlignment> ConfirmAssumed(const AlignmentTask& task, size_t video, FingerprintTrack& reference,
                                                 FingerprintTrack& distorted, int64_t frames,
                                                 const PassedPairs& passed = {});

/// After `frames` pairs that were scored at an estimated offset: all frames decide, as they do without an estimate.
/// nullopt: they are aligned in another way. tracks: both videos, without the frames of passed pairs.
std::optional<ConfirmedAlignment> ConfirmEstimated(const AlignmentTask& task, const AlignmentPlan& plan,
                                                   const std::vector<FrameTrack>& tracks, int64_t frames,
                                                   const PassedPairs& passed = {});

/// The alignments of `frames` pairs that were scored by a plan that is not checked, by distorted video.
std::vector<Alignment> AlignmentsOfScored(const AlignmentTask& task, const AlignmentPlan& plan, int64_t frames);

}  // namespace acutance
