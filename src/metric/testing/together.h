// Compares several distorted videos of one reference computed together with each computed alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "metric/offline_frames.h"

namespace acutance {

/// The sums and partial results of each distorted picture by Extractor::RunBands, in bands of `band_rows` rows.
inline std::vector<std::vector<int64_t>> ResultsTogether(const Metric& metric, const OptionValues& options,
                                                         const Extractor& extractor, const Picture& reference,
                                                         std::span<const Picture> distorted, int band_rows) {
  const auto thread = extractor.MakeThreadWorkspace();
  const size_t sums = extractor.spec().sums, words = extractor.spec().words;
  std::vector<std::vector<int64_t>> all(distorted.size(), std::vector<int64_t>(sums + words));
  std::vector<std::unique_ptr<OfflineFrames>> clips;
  std::vector<std::unique_ptr<Workspace>> frames;
  std::vector<FrameView> views;
  std::vector<Workspaces> workspaces;
  std::vector<BandResults> results;
  for (size_t i = 0; i < distorted.size(); ++i) {
    clips.push_back(
        std::make_unique<OfflineFrames>(metric, options, std::span(&reference, 1), distorted.subspan(i, 1)));
    frames.push_back(extractor.MakeFrameWorkspace());
    views.push_back(clips[i]->at(0));
    EXPECT_TRUE(views[i].Prepare().ok());
    workspaces.push_back({frames[i].get(), thread.get()});
    results.push_back({.sums = std::span(all[i]).first(sums), .words = std::span(all[i]).last(words)});
  }
  for (int stage = 0; stage < std::ssize(extractor.spec().stages); ++stage)
    for (int begin = 0, rows = extractor.spec().stages[stage].rows; begin < rows; begin += band_rows)
      extractor.RunBands(views, stage, {begin, std::min(begin + band_rows, rows)}, workspaces, results);
  return all;
}

/// Expects them to equal those of Extractor::RunBand, for 1, 2, 3, 6 and 9 of the pictures in turn.
inline void ExpectTogetherAsAlone(const Metric& metric, const OptionTexts& texts, const Picture& reference,
                                  std::span<const Picture> distorted, int band_rows) {
  const OptionValues options = OptionValues::Parse(metric.options, texts).value();
  const auto extractor = MakeExtractor(metric, options, reference.format).value();
  std::vector<std::vector<int64_t>> alone;
  for (const Picture& picture : distorted) {
    const auto frame = ComputeFrame(metric, *extractor, {metric, options, {&reference, 1}, {&picture, 1}}, 0);
    alone.push_back(frame->sums);
    alone.back().insert(alone.back().end(), frame->words.begin(), frame->words.end());
  }
  for (const size_t count : {1, 2, 3, 6, 9}) {
    std::vector<Picture> pictures;
    std::vector<std::vector<int64_t>> expected;
    for (size_t i = 0; i < count; ++i) {
      pictures.push_back(distorted[i % distorted.size()]);
      expected.push_back(alone[i % distorted.size()]);
    }
    EXPECT_EQ(ResultsTogether(metric, options, *extractor, reference, pictures, band_rows), expected)
        << count << " videos, " << reference.format.width << "x" << reference.format.height << ", "
        << reference.format.bit_depth << " bit, " << band_rows << " rows a band";
  }
}

}  // namespace acutance
