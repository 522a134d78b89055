// Extractors that share their work with others of the same metric that have other options.
#pragma once

#include <span>

#include "metric/metric.h"

namespace acutance {

/// An Extractor that can do the work of others of its metric along with its own.
class JoinedOptions {
 public:
  virtual ~JoinedOptions() = default;

  /// Whether RunJoined can do the work of `other`, of the same metric and the same format.
  virtual bool CanJoin(const Extractor& other) const = 0;

  /// Extractor::RunBands of this extractor and of `joined` ones over the same frames, with this one's workspaces:
  /// results of this one's videos come first, then those of the first joined one's, and so on.
  virtual void RunJoined(std::span<const Extractor* const> joined, std::span<const FrameView> frames, int stage,
                         RowBand band, std::span<const Workspaces> workspaces,
                         std::span<const BandResults> results) const = 0;
};

}  // namespace acutance
