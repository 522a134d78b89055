#include "engine/frame_results.h"

#include <limits>
#include <new>

#include "base/threads/exception_barrier.h"

namespace acutance {
namespace {

struct Sizes {
  size_t results = 0, words = 0, kept = 0, values = 0;
};

Sizes CountResults(const FeatureSet& features, const std::vector<int>& which, int distorted_count) {
  Sizes sizes;
  for (int r : which) {
    const MetricRun& run = features.runs()[r];
    const ExtractorSpec& spec = run.extractor->spec();
    const auto copies = static_cast<size_t>(run.Results(distorted_count));
    sizes.results += copies;
    sizes.words += copies * (spec.sums + spec.words);
    sizes.kept += copies * spec.kept;
    sizes.values += copies * run.metric->outputs.size();
  }
  return sizes;
}

}  // namespace

Status OutOfMemory(int64_t frame) {
  return Error(StatusCode::kOutOfMemory, "frame {}: not enough memory for its metrics; use fewer --threads", frame);
}

FrameRuns::FrameRuns(const FeatureSet& features, int subsample) : subsample_(subsample) {
  for (int r = 0; r < static_cast<int>(features.runs().size()); ++r) {
    all_.push_back(r);
    if (features.runs()[r].metric->every_frame) every_frame_.push_back(r);
  }
}

void FrameResults::Assign(const FeatureSet& features, const std::vector<int>& which, int64_t frame,
                          int distorted_count) {
  const Sizes sizes = CountResults(features, which, distorted_count);
  index = frame;
  status = {};
  words.assign(sizes.words, 0);
  kept.assign(sizes.kept, 0);
  values.assign(sizes.values, std::numeric_limits<double>::quiet_NaN());
  runs.clear();
  runs.reserve(sizes.results);
  std::span<int64_t> words_left = words, kept_left = kept;
  std::span<double> values_left = values;
  for (int r : which) {
    const MetricRun& run = features.runs()[r];
    const ExtractorSpec& spec = run.extractor->spec();
    for (int i = 0; i < run.Results(distorted_count); ++i)
      runs.push_back({.run = r,
                      .distorted = run.VideoOf(i),
                      .sums = TakeFront(words_left, spec.sums),
                      .words = TakeFront(words_left, spec.words),
                      .kept = TakeFront(kept_left, spec.kept),
                      .values = TakeFront(values_left, run.metric->outputs.size())});
  }
}

void FrameResults::Finish(const FeatureSet& features) {
  try {
    for (size_t i = 0; i < runs.size() && status.ok(); ++i)
      status = features.runs()[runs[i].run].extractor->Finish({index, history, runs[i].sums, runs[i].words},
                                                              {runs[i].values, runs[i].kept});
  } catch (const std::bad_alloc&) {
    status = CatchExceptions([&] { return OutOfMemory(index); });
  }
}

}  // namespace acutance
