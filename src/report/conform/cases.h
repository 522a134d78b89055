// The runs of a conformance test: which features, with which options, and which models are computed on which clips.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/conform/clip.h"

namespace acutance {

/// A feature with options or a model, in the syntax of libvmaf's tool.
struct ConformItem {
  std::string text;  // "psnr=enable_mse=true"; of a model "version=vmaf_v0.6.1neg"
  bool is_model = false;

  /// The metric's name, or "model".
  std::string_view Group() const;
  /// A metric of integers. Others call functions of the C library, whose last digits differ between systems.
  bool IsExact() const;
  bool operator==(const ConformItem&) const = default;
};

/// Items that one run of a tool computes together: no two write a column with different values.
struct ConformRun {
  const ClipSpec* clip;
  std::vector<ConformItem> items;
};

/// All runs. The first has every feature with its defaults.
const std::vector<ConformRun>& ConformRuns();

extern const std::string_view kCasesText;  // cases.txt

}  // namespace acutance
