// Compares several distorted videos of one reference, and several sets of options, computed together with each computed
// alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "metric/joined_options.h"
#include "metric/offline_frames.h"

namespace acutance {

/// The sums and partial results of each distorted picture in bands of `band_rows` rows: by Extractor::RunBands, or by
/// JoinedOptions::RunJoined of the extractor and others.
inline std::vector<std::vector<int64_t>> ResultsTogether(const Metric& metric, const OptionValues& options,
                                                         const Extractor& extractor, const Picture& reference,
                                                         std::span<const Picture> distorted, int band_rows,
                                                         std::span<const Extractor* const> joined = {}) {
  const auto thread = extractor.MakeThreadWorkspace();
  const size_t sums = extractor.spec().sums, words = extractor.spec().words;
  std::vector<std::vector<int64_t>> all((1 + joined.size()) * distorted.size(), std::vector<int64_t>(sums + words));
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
  }
  for (std::vector<int64_t>& one : all)
    results.push_back({.sums = std::span(one).first(sums), .words = std::span(one).last(words)});
  const auto run = [&](RowBand band, int stage) {
    if (joined.empty()) extractor.RunBands(views, stage, band, workspaces, results);
    else dynamic_cast<const JoinedOptions&>(extractor).RunJoined(joined, views, stage, band, workspaces, results);
  };
  for (int stage = 0; stage < std::ssize(extractor.spec().stages); ++stage)
    for (int begin = 0, rows = extractor.spec().stages[stage].rows; begin < rows; begin += band_rows)
      run({begin, std::min(begin + band_rows, rows)}, stage);
  return all;
}

/// The same of one picture by Extractor::RunBand.
inline std::vector<int64_t> ResultAlone(const Metric& metric, const OptionValues& options, const Extractor& extractor,
                                        const Picture& reference, const Picture& distorted) {
  const auto frame = ComputeFrame(metric, extractor, {metric, options, {&reference, 1}, {&distorted, 1}}, 0);
  std::vector<int64_t> all = frame->sums;
  all.insert(all.end(), frame->words.begin(), frame->words.end());
  return all;
}

/// Expects pictures by several sets of options to have the results of each alone.
inline void ExpectJoinedAsAlone(const Metric& metric, std::span<const OptionTexts> sets, const Picture& reference,
                                std::span<const Picture> distorted, int band_rows) {
  std::vector<std::unique_ptr<Extractor>> extractors;
  std::vector<const Extractor*> joined;
  std::vector<std::vector<int64_t>> alone;
  for (const OptionTexts& texts : sets) {
    const OptionValues options = OptionValues::Parse(metric.options, texts).value();
    extractors.push_back(MakeExtractor(metric, options, reference.format).value());
    if (extractors.size() > 1) joined.push_back(extractors.back().get());
    for (const Picture& picture : distorted)
      alone.push_back(ResultAlone(metric, options, *extractors.back(), reference, picture));
  }
  const OptionValues first = OptionValues::Parse(metric.options, sets[0]).value();
  EXPECT_EQ(ResultsTogether(metric, first, *extractors[0], reference, distorted, band_rows, joined), alone)
      << reference.format.width << "x" << reference.format.height << ", " << reference.format.bit_depth << " bit, "
      << band_rows << " rows a band";
}

/// Expects them to equal those of Extractor::RunBand, for 1, 2, 3, 6 and 9 of the pictures in turn.
inline void ExpectTogetherAsAlone(const Metric& metric, const OptionTexts& texts, const Picture& reference,
                                  std::span<const Picture> distorted, int band_rows) {
  const OptionValues options = OptionValues::Parse(metric.options, texts).value();
  const auto extractor = MakeExtractor(metric, options, reference.format).value();
  std::vector<std::vector<int64_t>> alone;
  for (const Picture& picture : distorted)
    alone.push_back(ResultAlone(metric, options, *extractor, reference, picture));
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
