#include "align/confirm_alignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "align/testing/tracks.h"

namespace acutance {
namespace {

using Mode = AlignmentRequest::Mode;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr int kFrames = 120;

/// What a run recorded of frames begin to end - 1 of one scene.
class Recorded {
 public:
  Recorded(int begin, int end) {
    track_.Begin(25);
    track_.LeaveToSession();
    for (int k = begin; k < end; ++k) {
      track_.Add(Picture(), std::nullopt);
      track_.Put(CropWindowAt(k));
    }
  }
  operator FingerprintTrack&() { return track_; }

 private:
  FingerprintTrack track_ = FingerprintTrack(std::make_shared<ThreadPool>(0));
};

AlignmentTask Task(Mode mode = Mode::kAuto) {
  return {.request = {.mode = mode}, .videos = {{.name = "ref"}, {.name = "dis"}}};
}

std::optional<Misalignment> Check(const AlignmentPlan& plan, Recorded reference, Recorded distorted, int64_t frames) {
  return CheckFirstPairs(plan, reference, distorted, frames);
}

std::optional<ConfirmedAlignment> Confirm(const AlignmentTask& task, Recorded reference, Recorded distorted,
                                          int64_t frames) {
  return ConfirmAssumed(task, 1, reference, distorted, frames);
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

TEST(ConfirmAssumed, RefusesOffsetsAndPicturesBesideVideos) {
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
  EXPECT_THAT(alignments[0].pairs, ::testing::ElementsAre(Pair(2, 3), Pair(4, 4)));
  EXPECT_THAT(AlignmentsOfScored(Task(Mode::kIndex), {}, 20), IsEmpty());
}

}  // namespace
}  // namespace acutance
