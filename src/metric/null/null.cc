#include "metric/null/null.h"

namespace acutance {
namespace {

class NullExtractor : public Extractor {
 public:
  NullExtractor() : Extractor({.stages = {}}) {}

  void RunBand(const FrameView&, int, RowBand, const Workspaces&, const BandResults&) const override {}
  Status Finish(const FrameTotals&, const FrameOutputs&) const override { return {}; }
};

}  // namespace

const Metric kNullMetric = {
    .name = "null",
    .summary = "nothing: it reads no picture and writes no value",
    .options = {},
    .outputs = {},
    .inputs = [](const Setup&) { return std::vector<InputSpec>(); },
    .make = [](const Setup&, const PictureFormat&) -> Result<std::unique_ptr<Extractor>> {
      return std::make_unique<NullExtractor>();
    },
};

}  // namespace acutance
