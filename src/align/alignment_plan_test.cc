#include "align/alignment_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "align/confirm_alignment.h"
#include "align/hold_frames.h"
#include "align/testing/tracks.h"

namespace acutance {
namespace {

using Basis = AlignmentPlan::Basis;
using Mode = AlignmentRequest::Mode;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr int kFrames = 120;

AlignedVideo File(const std::string& name) {
  return {.name = name, .frame_count = kFrames, .frame_rate = 25, .format = {64, 36, 8, PixelFormat::k420}};
}

AlignmentTask Task(Mode mode = Mode::kAuto, int distorted = 1) {
  AlignmentTask task{.request = {.mode = mode}, .videos = {File("ref")}};
  for (int d = 0; d < distorted; ++d) task.videos.push_back(File("dis" + std::to_string(d)));
  return task;
}

AlignmentPlan PlanOf(const AlignmentTask& task, const std::vector<FrameTrack>& tracks) {
  Result<AlignmentPlan> plan = PlanFromTracks(task, tracks, std::vector<Status>(tracks.size()));
  EXPECT_TRUE(plan.ok()) << plan.status().message();
  return plan.ok() ? *std::move(plan) : AlignmentPlan();
}

std::string RefusalOf(const AlignmentTask& task, const std::vector<FrameTrack>& tracks,
                      const std::vector<Status>& damages = {}) {
  const Result<AlignmentPlan> plan = PlanFromTracks(task, tracks, damages);
  EXPECT_FALSE(plan.ok());
  return plan.status().message();
}

TEST(FirstPlan, FollowsTheRequest) {
  EXPECT_FALSE(FirstPlan(Task(Mode::kIndex), {}).is_checked());
  EXPECT_EQ(FirstPlan(Task(), {}).basis, Basis::kAssumed);
  EXPECT_EQ(FirstPlan(Task(), {}).first_check, kFirstAlignmentCheck);
  EXPECT_TRUE(FirstPlan(Task(Mode::kTimes), {}).is_checked());
}

TEST(FirstPlan, OfAnOffsetSkipsTheFramesBeforeIt) {
  AlignmentTask task = Task(Mode::kOffset);
  task.request.late = 12;
  const AlignmentPlan late = FirstPlan(task, {});
  EXPECT_FALSE(late.is_checked());
  EXPECT_EQ(late.SkipOf(0), 0);
  EXPECT_EQ(late.SkipOf(1), 12);
  task.request.late = -3;
  EXPECT_EQ(FirstPlan(task, {}).SkipOf(0), 3);
  EXPECT_EQ(FirstPlan(task, {}).SkipOf(1), 0);
}

TEST(FirstPlan, OfGivenPairsSelectsThem) {
  const AlignmentPlan plan = FirstPlan(Task(Mode::kFile, 2), {{0, 1}, {2, 3}, {3, 5}});
  ASSERT_THAT(plan.selected, SizeIs(3));
  EXPECT_THAT(plan.selected[0], ElementsAre(0, 2, 3));
  EXPECT_THAT(plan.selected[2], ElementsAre(1, 3, 5));
  EXPECT_EQ(plan.ReferenceFrame(2), 3);
  ASSERT_THAT(plan.alignments, SizeIs(2));
  EXPECT_EQ(plan.alignments[1].by, Alignment::By::kGiven);
  EXPECT_THAT(plan.alignments[0].unmatched_reference, ElementsAre(1));
  EXPECT_THAT(plan.alignments[0].unmatched_distorted, ElementsAre(0, 2, 4));
  EXPECT_THAT(plan.fingerprint, SizeIs(16));
  EXPECT_NE(plan.fingerprint, FirstPlan(Task(Mode::kFile, 2), {{0, 1}, {2, 3}, {3, 6}}).fingerprint);
}

TEST(FirstPlan, OfPairsThatAreFrameByFrameReadsThemAlone) {
  const AlignmentPlan plan = FirstPlan(Task(Mode::kFile), {{0, 0}, {1, 1}});
  EXPECT_THAT(plan.selected, ElementsAre(ElementsAre(0, 1), ElementsAre(0, 1)));
  EXPECT_NE(plan.fingerprint, "");
}

TEST(NeedsFullAlignment, WhereFactsSayThatFramesDoNotFitOneByOne) {
  const AlignmentPlan plan = FirstPlan(Task(), {});
  EXPECT_FALSE(NeedsFullAlignment(Task(), plan));
  AlignmentTask task = Task();
  task.videos[1].frame_count = kFrames - 1;
  EXPECT_TRUE(NeedsFullAlignment(task, plan));
  task.frame_limit = 10;  // the lengths of the whole say nothing about a part
  EXPECT_FALSE(NeedsFullAlignment(task, plan));
  task.videos[1].frame_rate = 25 * 1000 / 1001.0;
  EXPECT_TRUE(NeedsFullAlignment(task, plan));
  task.videos[1].frame_rate = std::nullopt;
  EXPECT_FALSE(NeedsFullAlignment(task, plan));
  task.videos[0].orientation.transposed = true;
  EXPECT_TRUE(NeedsFullAlignment(task, plan));
}

TEST(NeedsFullAlignment, ForTimesAndForAJournal) {
  const AlignmentPlan plan = FirstPlan(Task(), {});
  EXPECT_TRUE(NeedsFullAlignment(Task(Mode::kTimes), plan));
  AlignmentTask task = Task();
  task.has_journal = true;
  EXPECT_TRUE(NeedsFullAlignment(task, plan));
  EXPECT_FALSE(NeedsFullAlignment(task, PlanWithOffset(3, 96)));
  EXPECT_FALSE(NeedsFullAlignment(task, FirstPlan(Task(Mode::kIndex), {})));
}

TEST(MayEstimateOffset, OfTwoFilesThatAreScoredWhole) {
  EXPECT_TRUE(MayEstimateOffset(Task()));
  EXPECT_FALSE(MayEstimateOffset(Task(Mode::kTimes)));
  EXPECT_FALSE(MayEstimateOffset(Task(Mode::kAuto, 2)));
  const auto refuses = [](auto&& change) {
    AlignmentTask task = Task();
    change(task);
    return !MayEstimateOffset(task);
  };
  EXPECT_TRUE(refuses([](AlignmentTask& task) { task.first_frame = 1; }));
  EXPECT_TRUE(refuses([](AlignmentTask& task) { task.frame_limit = 1; }));
  EXPECT_TRUE(refuses([](AlignmentTask& task) { task.has_journal = true; }));
  EXPECT_TRUE(refuses([](AlignmentTask& task) { task.may_estimate = false; }));
  EXPECT_TRUE(refuses([](AlignmentTask& task) { task.videos[1].is_file = false; }));
  EXPECT_TRUE(refuses([](AlignmentTask& task) { task.videos[1].orientation.mirrored_x = true; }));
  EXPECT_TRUE(refuses([](AlignmentTask& task) { task.videos[1].frame_rate = 30; }));
}

TEST(PlanFromStart, FrameByFrame) {
  const auto plan = PlanFromStart(Task(), Scene(0, 24), Scene(0, 24), 24);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->basis, Basis::kAssumed);
}

TEST(PlanFromStart, AtAPlainOffset) {
  const auto late = PlanFromStart(Task(), Scene(0, 96), Scene(-7, 89), 96);
  ASSERT_TRUE(late);
  EXPECT_EQ(late->basis, Basis::kEstimated);
  EXPECT_EQ(late->offset, 7);
  EXPECT_EQ(late->first_check, 4 * 96);
  const auto early = PlanFromStart(Task(), Scene(0, 96), Scene(5, 101), 96);
  ASSERT_TRUE(early);
  EXPECT_EQ(early->offset, -5);
}

TEST(PlanFromStart, IsUndecidedByTooFewFramesOrByOthers) {
  EXPECT_FALSE(PlanFromStart(Task(), Scene(0, 24), Scene(-7, 17), 24));
  EXPECT_FALSE(PlanFromStart(Task(), Scene(0, 96), Scene(1000, 1096), 96));
}

TEST(PlainOffset, IsNotTheOneThatWasRejected) {
  const Result<Alignment> found = AlignTracks(Scene(0, 96), Scene(-7, 89));
  EXPECT_EQ(PlainOffset(found, std::nullopt), 7);
  EXPECT_EQ(PlainOffset(found, 0), 7);
  EXPECT_FALSE(PlainOffset(found, 7));
  EXPECT_FALSE(PlainOffset(Error(StatusCode::kBadData, ""), std::nullopt));
}

TEST(PlanFromTracks, FrameByFrameReadsAll) {
  const AlignmentPlan plan = PlanOf(Task(), {Scene(0, kFrames), Scene(0, kFrames)});
  EXPECT_EQ(plan.basis, Basis::kMeasured);
  EXPECT_FALSE(plan.is_checked());
  EXPECT_THAT(plan.selected, IsEmpty());
  EXPECT_THAT(plan.warnings, IsEmpty());
  EXPECT_EQ(plan.fingerprint, "");
}

TEST(PlanFromTracks, LeavesOutDroppedFrames) {
  FrameTrack distorted = Scene(0, kFrames);
  distorted.fingerprints.erase(distorted.fingerprints.begin() + 60);
  const AlignmentPlan plan = PlanOf(Task(), {Scene(0, kFrames), distorted});
  ASSERT_THAT(plan.selected, SizeIs(2));
  EXPECT_EQ(std::ssize(plan.selected[0]), kFrames - 1);
  EXPECT_EQ(plan.ReferenceFrame(59), 59);
  EXPECT_EQ(plan.ReferenceFrame(60), 61);
  EXPECT_EQ(plan.selected[1][60], 60);
  EXPECT_EQ(plan.alignments[0].dropped(), 1);
  EXPECT_THAT(plan.fingerprint, SizeIs(16));
}

AlignmentTask Holding(Mode mode = Mode::kAuto, int distorted = 1) {
  AlignmentTask task = Task(mode, distorted);
  task.request.holds_frames = true;
  return task;
}

TEST(PlanFromTracks, HoldsTheFrameBeforeDroppedOnes) {
  FrameTrack distorted = Scene(0, kFrames);
  distorted.fingerprints.erase(distorted.fingerprints.begin() + 60, distorted.fingerprints.begin() + 62);
  const AlignmentPlan plan = PlanOf(Holding(), {Scene(0, kFrames), distorted});
  ASSERT_THAT(plan.selected, SizeIs(2));
  EXPECT_EQ(std::ssize(plan.selected[0]), kFrames);
  for (int64_t i = 0; i < kFrames; ++i) {
    EXPECT_EQ(plan.ReferenceFrame(i), i);
    EXPECT_EQ(plan.selected[1][i], i < 60 ? i : std::max<int64_t>(59, i - 2));
  }
  const Alignment& alignment = plan.alignments[0];
  EXPECT_EQ(alignment.held_count(), 2);
  EXPECT_EQ(alignment.dropped(), 0);
  EXPECT_THAT(alignment.unmatched_reference, IsEmpty());
  EXPECT_THAT(alignment.Describe(), HasSubstr("2 frames held"));
  EXPECT_NE(plan.fingerprint, PlanOf(Task(), {Scene(0, kFrames), distorted}).fingerprint);
}

TEST(PlanFromTracks, HoldsEachFrameOfHalfTheRate) {
  FrameTrack reference = Scene(0, kFrames), distorted = Scene(0, kFrames);
  for (int t = kFrames - 1; t > 0; t -= 2) distorted.fingerprints.erase(distorted.fingerprints.begin() + t);
  distorted.rate = 12.5;
  const AlignmentPlan plan = PlanOf(Holding(), {reference, distorted});
  EXPECT_EQ(std::ssize(plan.selected[0]), kFrames) << "the last frame is shown for as long as the others";
  for (int64_t i = 0; i < kFrames; ++i) EXPECT_EQ(plan.selected[1][i], i / 2);
  EXPECT_THAT(plan.alignments[0].Describe(), AllOf(HasSubstr("every second frame"), HasSubstr("60 frames held")));
}

TEST(PlanFromTracks, HoldsNothingBeforeTheFirstFrameAndAfterTheLast) {
  const AlignmentPlan plan = PlanOf(Holding(), {Scene(0, kFrames), Scene(5, kFrames - 20)});
  EXPECT_EQ(plan.alignments[0].held_count(), 0);
  EXPECT_EQ(plan.selected[0].front(), 5);
  EXPECT_EQ(plan.selected[0].back(), kFrames - 21);
}

TEST(PlanFromTracks, HoldsFramesForSeveralVideos) {
  FrameTrack whole = Scene(0, kFrames), dropped = Scene(0, kFrames);
  dropped.fingerprints.erase(dropped.fingerprints.begin() + 60);
  const AlignmentPlan plan = PlanOf(Holding(Mode::kAuto, 2), {Scene(0, kFrames), whole, dropped});
  EXPECT_EQ(std::ssize(plan.selected[0]), kFrames);
  EXPECT_EQ(plan.selected[1][60], 60);
  EXPECT_EQ(plan.selected[2][60], 59);
}

TEST(HoldFrames, ShowsWhatIsOnTheScreen) {
  const std::vector<double> all = {0, 0.04, 0.08, 0.12, 0.16, 0.2, 0.24, 0.28, 0.32, 0.36};
  Alignment frozen{.pairs = {{0, 0}, {3, 3}, {8, 8}}, .unmatched_distorted = {1, 2, 4, 5, 6, 7}, .doubtful = {2}};
  HoldFrames({10, all}, {10, all}, frozen);
  EXPECT_TRUE(frozen.is_identity());
  EXPECT_THAT(frozen.held, ElementsAre(1, 2, 4, 5, 6, 7, 9));
  EXPECT_THAT(frozen.doubtful, IsEmpty());
  EXPECT_EQ(frozen.repeated(), 0);
  const std::vector<double> some = {0, 0.119, 0.161, 0.32};  // in milliseconds
  Alignment dropped{.pairs = {{0, 0}, {8, 3}}, .unmatched_distorted = {1, 2}, .doubtful = {1, 2}};
  HoldFrames({10, all}, {4, some}, dropped);
  EXPECT_THAT(dropped.pairs, ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 0), Pair(3, 1), Pair(4, 2), Pair(5, 2),
                                         Pair(6, 2), Pair(7, 2), Pair(8, 3), Pair(9, 3)));
  Alignment untimed{.pairs = {{1, 0}, {6, 2}, {7, 3}}};
  HoldFrames({10}, {4}, untimed);
  EXPECT_THAT(untimed.pairs,
              ElementsAre(Pair(1, 0), Pair(2, 1), Pair(3, 1), Pair(4, 1), Pair(5, 1), Pair(6, 2), Pair(7, 3)));
}

TEST(FirstPlan, HoldsFramesBetweenGivenPairs) {
  const AlignmentPlan plan = FirstPlan(Holding(Mode::kFile), {{0, 1}, {2, 3}, {4, 3}, {6, 4}});
  EXPECT_THAT(plan.selected[0], ElementsAre(0, 1, 2, 3, 4, 5, 6));
  EXPECT_THAT(plan.selected[1], ElementsAre(1, 2, 3, 3, 3, 3, 4));
}

TEST(PlanFromTracks, ByTimes) {
  FrameTrack reference = Scene(0, 50), distorted = Scene(0, 25);
  distorted.rate = 12.5;
  const AlignmentPlan plan = PlanOf(Task(Mode::kTimes), {reference, distorted});
  EXPECT_EQ(plan.alignments[0].by, Alignment::By::kTimes);
  EXPECT_THAT(plan.selected[0], SizeIs(25));
  EXPECT_EQ(plan.selected[0][10], 20);
}

TEST(PlanFromTracks, RefusesVideosWithoutFramesAndPicturesNextToVideos) {
  EXPECT_THAT(RefusalOf(Task(), {Scene(0, 0), Scene(0, 9)}), "ref has no frames");
  EXPECT_THAT(RefusalOf(Task(), {Scene(0, 9), Scene(0, 0)}), "dis0 has no frames");
  EXPECT_THAT(RefusalOf(Task(), {Scene(0, 1), Scene(0, 9)}), HasSubstr("ref has one frame, and dis0 has 9"));
  EXPECT_EQ(PlanOf(Task(), {Scene(0, 1), Scene(0, 1)}).alignments[0].pairs.size(), 1u);
}

TEST(PlanFromTracks, NamesTheVideosThatShareNoFrames) {
  AlignmentTask task = Task();
  const std::vector<FrameTrack> tracks = {Scene(0, kFrames), Scene(2000, 2000 + kFrames)};
  EXPECT_THAT(RefusalOf(task, tracks), AllOf(HasSubstr("ref and dis0: "), Not(HasSubstr("rotated"))));
  task.videos[1].orientation.mirrored_y = true;
  EXPECT_THAT(RefusalOf(task, tracks), HasSubstr("; dis0 is rotated as its stream declares, and ref is not"));
}

TEST(PlanFromTracks, ReportsADamageThatNoPairShows) {
  const Status broken = Error(StatusCode::kBadData, "dis0 breaks off");
  const std::vector<FrameTrack> tracks = {Scene(0, kFrames), Scene(0, 80)};
  const Result<AlignmentPlan> plan = PlanFromTracks(Task(), tracks, {Status(), broken});
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  EXPECT_EQ(plan->damage.message(), broken.message());
  EXPECT_TRUE(PlanFromTracks(Task(), tracks, {broken, Status()})->damage.ok());  // it has all frames of the other
  AlignmentTask part = Task();
  part.frame_limit = 80;
  EXPECT_TRUE(PlanFromTracks(part, tracks, {Status(), broken})->damage.ok());  // the damage comes after the part
  part.frame_limit = 81;
  EXPECT_FALSE(PlanFromTracks(part, tracks, {Status(), broken})->damage.ok());
}

TEST(PlanFromTracks, DamageIsTheReasonWhereNothingFits) {
  const Status broken = Error(StatusCode::kBadData, "dis0 breaks off");
  EXPECT_EQ(RefusalOf(Task(), {Scene(0, kFrames), Scene(2000, 2000 + kFrames)}, {Status(), broken}), "dis0 breaks off");
}

TEST(RangeWarning, WhereStreamsDeclareOneRangeAndSamplesShowTwo) {
  AlignmentTask task = Task();
  FrameTrack reference = Scene(0, 12), distorted = reference;
  for (FrameFingerprint& frame : distorted.fingerprints)
    for (uint16_t& cell : frame.cells) cell = static_cast<uint16_t>(cell * 219 / 255 + 16 * 256);
  EXPECT_FALSE(RangeWarning(task, 1, reference, distorted)) << "no range is declared";
  task.videos[0].full_range = task.videos[1].full_range = false;
  EXPECT_TRUE(RangeWarning(task, 1, reference, distorted));
  EXPECT_FALSE(RangeWarning(task, 1, reference, reference));
  task.videos[0].full_range = true;
  EXPECT_FALSE(RangeWarning(task, 1, reference, distorted));
}

/// What a run recorded of frames begin to end - 1 of one scene.
class Recorded {
 public:
  Recorded(int begin, int end) {
    track_.Begin(25);
    track_.LeaveToSession();
    for (int k = begin; k < end; ++k) {
      track_.Add(Picture(), std::nullopt);
      track_.Put(SpotAt(k));
    }
  }
  operator FingerprintTrack&() { return track_; }

 private:
  FingerprintTrack track_ = FingerprintTrack(std::make_shared<ThreadPool>(0));
};

std::optional<Misalignment> Check(const AlignmentPlan& plan, Recorded reference, Recorded distorted, int64_t frames) {
  return CheckFirstPairs(plan, reference, distorted, frames);
}

std::optional<ConfirmedAlignment> Confirm(const AlignmentTask& task, Recorded reference, Recorded distorted,
                                          int64_t frames) {
  return ConfirmAssumed(task, 1, reference, distorted, frames);
}

TEST(ReachesEnd, CountsFramesThatFitTwoPlacesAndNotThoseThatStandStill) {
  Alignment alignment = AlignByOffset(40, 32, 0);
  EXPECT_TRUE(ReachesEnd(alignment, 32));
  EXPECT_FALSE(ReachesEnd(alignment, 39));
  alignment.doubtful = {32, 33, 34, 35};
  EXPECT_TRUE(ReachesEnd(alignment, 36));
  EXPECT_FALSE(ReachesEnd(alignment, 39));  // the last three are the fourth again
}

TEST(CheckFirstPairs, AcceptsWhatIsPlanned) {
  EXPECT_FALSE(Check(FirstPlan(Task(), {}), {0, 96}, {0, 96}, 96));
  EXPECT_FALSE(Check(PlanWithOffset(7, 384), {0, 103}, {-7, 96}, 96));
  EXPECT_FALSE(Check(PlanWithOffset(-4, 384), {0, 100}, {4, 104}, 96));
}

TEST(CheckFirstPairs, SaysAtWhichOffsetFramesLieInstead) {
  const auto misalignment = Check(FirstPlan(Task(), {}), {0, 96}, {-7, 89}, 96);
  ASSERT_TRUE(misalignment);
  EXPECT_EQ(misalignment->frames, 96);
  EXPECT_EQ(misalignment->offset, 7);
  EXPECT_TRUE(Check(PlanWithOffset(7, 384), {0, 103}, {-3, 100}, 96));
}

TEST(CheckFirstPairs, RefusesFramesOfAnotherVideo) {
  const auto misalignment = Check(FirstPlan(Task(), {}), {0, 96}, {1000, 1096}, 96);
  ASSERT_TRUE(misalignment);
  EXPECT_FALSE(misalignment->offset);
}

TEST(CheckFirstPairs, HasNothingAgainstAVideoThatIsNotRead) {
  EXPECT_FALSE(Check(FirstPlan(Task(), {}), {0, 96}, {0, 0}, 96));
}

TEST(ConfirmAssumed, ReportsTheScoredPairs) {
  const auto confirmed = Confirm(Task(), {0, kFrames}, {0, kFrames}, kFrames);
  ASSERT_TRUE(confirmed);
  EXPECT_THAT(confirmed->alignment.pairs, SizeIs(kFrames));
  EXPECT_THAT(confirmed->warnings, IsEmpty());
}

TEST(ConfirmAssumed, CountsAPartFromTheWholeVideosFirstFrame) {
  AlignmentTask task = Task();
  task.first_frame = 10;
  task.frame_limit = 40;
  const auto confirmed = Confirm(task, {10, 53}, {10, 51}, 40);  // some more were read ahead
  ASSERT_TRUE(confirmed);
  EXPECT_THAT(confirmed->alignment.pairs, SizeIs(40));
  EXPECT_THAT(confirmed->alignment.pairs.front(), Pair(10, 10));
}

TEST(ConfirmAssumed, RefusesOffsetsAndPicturesNextToVideos) {
  EXPECT_FALSE(Confirm(Task(), {0, kFrames}, {-3, kFrames - 3}, kFrames));
  EXPECT_FALSE(Confirm(Task(), {0, kFrames}, {0, 1}, 1));
}

std::vector<FrameTrack> Whole(Recorded reference, Recorded distorted) {
  FingerprintTrack &one = reference, &other = distorted;
  return {one.Copy(kFrames), other.Copy(kFrames)};
}

TEST(ConfirmEstimated, WhereAllFramesLieAtTheOffset) {
  const AlignmentPlan plan = PlanWithOffset(5, 384);
  const std::vector<FrameTrack> tracks = Whole({0, kFrames}, {-5, kFrames - 5});
  const auto confirmed = ConfirmEstimated(Task(), plan, tracks, kFrames - 5);
  ASSERT_TRUE(confirmed);
  EXPECT_EQ(confirmed->alignment.late(), 5);
  EXPECT_FALSE(ConfirmEstimated(Task(), plan, tracks, kFrames - 6)) << "a pair was not scored";
}

TEST(ConfirmEstimated, RefusesWhereLaterFramesLieElsewhere) {
  std::vector<FrameTrack> tracks = Whole({0, kFrames}, {-5, kFrames - 5});
  tracks[1].fingerprints.erase(tracks[1].fingerprints.begin() + 80);
  EXPECT_FALSE(ConfirmEstimated(Task(), PlanWithOffset(5, 384), tracks, kFrames - 6));
}

TEST(AlignmentsOfScored, AreThoseOfTheOffset) {
  AlignmentTask task = Task(Mode::kOffset);
  task.request.late = -3;
  task.first_frame = 10;
  const std::vector<Alignment> alignments = AlignmentsOfScored(task, FirstPlan(task, {}), 20);
  ASSERT_THAT(alignments, SizeIs(1));
  EXPECT_THAT(alignments[0].pairs, SizeIs(20));
  EXPECT_THAT(alignments[0].pairs.front(), Pair(13, 10));
}

TEST(AlignmentsOfScored, AreTheScoredOnesOfAPlan) {
  AlignmentTask task = Task(Mode::kFile);
  task.first_frame = 1;
  const AlignmentPlan plan = FirstPlan(task, {{0, 1}, {2, 3}, {4, 4}, {6, 6}});
  const std::vector<Alignment> alignments = AlignmentsOfScored(task, plan, 2);
  EXPECT_THAT(alignments[0].pairs, ElementsAre(Pair(2, 3), Pair(4, 4)));
  EXPECT_THAT(AlignmentsOfScored(Task(Mode::kIndex), {}, 20), IsEmpty());
}

}  // namespace
}  // namespace acutance
