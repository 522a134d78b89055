// The streaming logic over time against a literal transcript of docs/spec/core.md 3.4.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "metric/motion/motion.h"
#include "metric/testing/metric_run.h"
#include "metric/testing/recorder.h"

namespace acutance {
namespace {

struct Parameters {
  double blend_factor = 1.0;
  double blend_offset = 40.0;
  double max_value = 10000.0;
  bool five_frames = false;
  bool moving_average = false;
};

struct Series {
  std::vector<double> motion2, motion3;
};

Series FlushLiterally(const std::vector<double>& sad, const Parameters& p) {
  const auto blend = [&](double x) { return x * p.blend_factor + (1 - p.blend_factor) * std::min(p.blend_offset, x); };
  const int n = static_cast<int>(sad.size()), s = p.five_frames ? 2 : 1;
  const double stamp = n > s ? std::min(blend(sad[s]), p.max_value) : 0.0;
  double previous = 0;
  Series series;
  for (int i = 0; i < n; ++i) {
    double motion2;
    if (i < s) motion2 = 0;
    else if (i + 1 >= n) motion2 = sad[i];
    else if (i - (s - 1) >= s) motion2 = std::min(sad[i - (s - 1)], sad[i + 1]);
    else motion2 = sad[i + 1];
    double motion3 = stamp, unaveraged = stamp;
    if (i >= s) {
      unaveraged = std::min(blend(motion2), p.max_value);
      motion3 = p.moving_average ? (unaveraged + previous) / 2.0 : unaveraged;
    }
    previous = unaveraged;
    series.motion2.push_back(motion2);
    series.motion3.push_back(motion3);
  }
  return series;
}

OptionTexts Texts(const Parameters& p) {
  return {{"motion_blend_factor", std::to_string(p.blend_factor)},
          {"motion_blend_offset", std::to_string(p.blend_offset)},
          {"motion_max_val", std::to_string(p.max_value)},
          {"motion_five_frame_window", p.five_frames ? "true" : "false"},
          {"motion_moving_average", p.moving_average ? "true" : "false"}};
}

std::unique_ptr<Sequence> MakeSequence(const OptionTexts& texts) {
  return TestMetric(kMotionMetric, texts, {.width = 16, .height = 16}).extractor().MakeSequence();
}

void Push(Sequence& sequence, int64_t frame, double sad, ScoreSink& sink) {
  std::vector<double> values = {sad, sad, -1, -1};
  sequence.Push(frame, {values, {}}, sink);
}

void ExpectAsFlushed(const std::vector<double>& sad, const Parameters& p) {
  const auto sequence = MakeSequence(Texts(p));
  ScoreRecorder sink;
  for (size_t i = 0; i < sad.size(); ++i) Push(*sequence, static_cast<int64_t>(i), sad[i], sink);
  sequence->Flush(sink);
  const Series expected = FlushLiterally(sad, p);
  EXPECT_EQ(sink.Column(2), expected.motion2);
  EXPECT_EQ(sink.Column(3), expected.motion3);
  EXPECT_EQ(sink.size(), 2 * sad.size());
}

std::vector<double> RandomSeries(int length, const Parameters& p, std::mt19937& random) {
  std::uniform_real_distribution<double> values(0.0, 60.0);
  std::vector<double> sad;
  for (int i = 0; i < length; ++i)
    sad.push_back(i < (p.five_frames ? 2 : 1) ? 0.0 : std::min(values(random), p.max_value));
  return sad;
}

TEST(MotionSequence, EqualsTheFlushArithmetic) {
  std::mt19937 random(3);
  for (int length = 0; length <= 8; ++length)
    for (const bool five_frames : {false, true})
      for (const bool moving_average : {false, true})
        for (const double blend_factor : {1.0, 0.5, 0.25, 0.0})
          for (const double blend_offset : {40.0, 3.0, 0.0})
            for (const double max_value : {10000.0, 18.0, 0.0})
              for (int repeat = 0; repeat < 5; ++repeat) {
                const Parameters p = {blend_factor, blend_offset, max_value, five_frames, moving_average};
                SCOPED_TRACE(testing::Message()
                             << length << " frames, mbf " << blend_factor << ", mbo " << blend_offset << ", mmxv "
                             << max_value << ", five " << five_frames << ", average " << moving_average);
                ExpectAsFlushed(RandomSeries(length, p, random), p);
              }
}

TEST(MotionSequence, WritesAScoreOnceTheNextFrameIsKnown) {
  const auto sequence = MakeSequence({});
  ScoreRecorder sink;
  Push(*sequence, 0, 0.0, sink);
  EXPECT_EQ(sink.Column(2), (std::vector{0.0}));
  Push(*sequence, 1, 7.0, sink);
  EXPECT_EQ(sink.Column(3), (std::vector{7.0}));
  Push(*sequence, 2, 5.0, sink);
  EXPECT_EQ(sink.Column(2), (std::vector{0.0, 5.0}));
  EXPECT_EQ(sink.Column(3), (std::vector{7.0, 5.0}));
  Push(*sequence, 3, 6.0, sink);
  EXPECT_EQ(sink.Column(2), (std::vector{0.0, 5.0, 5.0}));
}

TEST(MotionSequence, KnownAnswers) {
  const std::vector<double> sad = {0, 6.2875607808430987, 6.2828343709309893, 6.3645871480305987};
  const Series plain = FlushLiterally(sad, {});
  EXPECT_EQ(plain.motion2, (std::vector<double>{0, 6.2828343709309893, 6.2828343709309893, 6.3645871480305987}));
  EXPECT_EQ(plain.motion3,
            (std::vector{6.2875607808430987, 6.2828343709309893, 6.2828343709309893, 6.3645871480305987}));
  ExpectAsFlushed(sad, {});

  const Parameters window = {.five_frames = true, .moving_average = true};
  const std::vector<double> wide = {0, 0, 11.434158325195312, 11.48293431599935};
  EXPECT_EQ(FlushLiterally(wide, window).motion2, (std::vector<double>{0, 0, 11.48293431599935, 11.48293431599935}));
  EXPECT_EQ(FlushLiterally(wide, window).motion3,
            (std::vector{11.434158325195312, 11.434158325195312, 11.458546320597332, 11.48293431599935}));
  ExpectAsFlushed(wide, window);
}

TEST(MotionSequence, ForceZeroIsZeroEverywhere) {
  const auto sequence = MakeSequence({{"motion_force_zero", "true"}, {"motion_blend_factor", "0.5"}});
  ScoreRecorder sink;
  for (int64_t i = 0; i < 4; ++i) Push(*sequence, i, 0.0, sink);
  sequence->Flush(sink);
  EXPECT_EQ(sink.Column(2), std::vector<double>(4, 0.0));
  EXPECT_EQ(sink.Column(3), std::vector<double>(4, 0.0));
}

}  // namespace
}  // namespace acutance
