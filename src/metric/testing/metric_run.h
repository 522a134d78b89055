// Runs a metric in a test, over pictures in memory.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "metric/metric.h"
#include "metric/offline_frames.h"
#include "metric/plan_context.h"

namespace acutance {

/// Divides the rows of a stage into bands, in the order in which they run.
using Split = std::function<std::vector<RowBand>(int rows)>;

inline std::vector<RowBand> OneBand(int rows) { return {{0, rows}}; }

/// Bands of `height` rows, the last one first.
inline Split BandsOf(int height) {
  return [height](int rows) {
    std::vector<RowBand> bands;
    for (int y = 0; y < rows; y += height) bands.push_back({y, std::min(y + height, rows)});
    std::ranges::reverse(bands);
    return bands;
  };
}

/// Bands of 1 to `most` rows in any order.
inline Split RandomBands(std::mt19937& random, int most) {
  return [&random, most](int rows) {
    std::vector<RowBand> bands;
    for (int y = 0; y < rows; y = bands.back().end)
      bands.push_back({y, std::min(y + 1 + static_cast<int>(random() % most), rows)});
    std::shuffle(bands.begin(), bands.end(), random);
    return bands;
  };
}

/// A metric with options, for pictures of one format.
class TestMetric {
 public:
  TestMetric(const Metric& metric, const OptionTexts& texts, const PictureFormat& format)
      : metric_(metric), options_(OptionValues::Parse(metric.options, texts).value()) {
    auto made = MakeExtractor(metric, options_, format);
    EXPECT_TRUE(made.ok()) << made.status().message();
    extractor_ = std::move(made).value();
    thread_workspace_ = extractor_->MakeThreadWorkspace();
  }

  const Extractor& extractor() const { return *extractor_; }
  const OptionValues& options() const { return options_; }

  /// The last frame of the clips. The thread's workspace is reused, dirty, by later runs.
  ComputedFrame Run(const std::vector<Picture>& reference, const std::vector<Picture>& distorted,
                    const Split& split = OneBand) const {
    const OfflineFrames clip(metric_, options_, reference, distorted);
    const int frame = static_cast<int>(std::max(reference.size(), distorted.size())) - 1;
    const FrameView view = clip.at(frame);
    EXPECT_TRUE(view.Prepare().ok());
    const ExtractorSpec& spec = extractor_->spec();
    ComputedFrame computed;
    computed.sums.resize(spec.sums);
    computed.words.resize(spec.words);
    const auto frame_workspace = extractor_->MakeFrameWorkspace();
    for (int stage = 0; stage < std::ssize(spec.stages); ++stage)
      for (const RowBand band :
           spec.stages[stage].splittable ? split(spec.stages[stage].rows) : OneBand(spec.stages[stage].rows)) {
        std::vector<int64_t> sums(spec.sums);
        extractor_->RunBand(view, stage, band, {frame_workspace.get(), thread_workspace_.get()},
                            {sums, computed.words, {}});
        std::ranges::transform(computed.sums, sums, computed.sums.begin(), std::plus());
      }
    Finish(frame, computed);
    return computed;
  }

  std::vector<int64_t> Sums(const Picture& reference, const Picture& distorted, const Split& split = OneBand) const {
    return Run({reference}, {distorted}, split).sums;
  }

  /// The values of frame 0.
  std::vector<double> Values(const Picture& reference, const Picture& distorted) const {
    return Run({reference}, {distorted}).values;
  }

  /// What Finish makes of these sums of frame `frame`.
  ComputedFrame Finish(std::vector<int64_t> sums, int frame = 0) const {
    ComputedFrame computed;
    computed.sums = std::move(sums);
    Finish(frame, computed);
    return computed;
  }

  /// Values by output name. Those that Finish has left alone are absent.
  std::map<std::string, double> Named(const std::vector<double>& values) const {
    std::map<std::string, double> named;
    for (size_t i = 0; i < values.size(); ++i)
      if (!std::isnan(values[i])) named[std::string(metric_.outputs[i].name)] = values[i];
    return named;
  }

 private:
  void Finish(int frame, ComputedFrame& computed) const {
    const Status status = FinishFrame(metric_, *extractor_, frame, computed);
    EXPECT_TRUE(status.ok()) << status.message();
  }

  const Metric& metric_;
  const OptionValues options_;
  std::unique_ptr<Extractor> extractor_;
  std::unique_ptr<Workspace> thread_workspace_;
};

/// Why a metric refuses these options and pictures; empty: it does not.
inline std::string RefusalOf(const Metric& metric, const OptionTexts& texts, const PictureFormat& format) {
  const auto options = OptionValues::Parse(metric.options, texts);
  if (!options.ok()) return options.status().message();
  const auto extractor = MakeExtractor(metric, *options, format);
  return extractor.ok() ? "" : extractor.status().message();
}

/// A metric's plan for a batch, with the shapes that a test names.
inline Result<Plan> MakeTestPlan(const Metric& metric, const OptionTexts& texts, const PictureFormat& format,
                                 int frames, int videos, std::span<const TuningEntry> shapes) {
  const OptionValues options = OptionValues::Parse(metric.options, texts).value();
  PlanContext context = MakePlanContext(InputsOf(metric, options), format, frames, videos, "");
  context.overrides = shapes;
  return MakePlan(metric, options, context);
}

}  // namespace acutance
