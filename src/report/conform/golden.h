// Golden values of the conformance clips: what libvmaf 3.2.1's plain C code computes, with a log's six decimals.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "report/conform/tool.h"

namespace acutance {

/// Columns of an item on a clip, by ClipSpec::Name() and ConformItem::text.
class GoldenValues {
 public:
  /// Those in the program's data.
  static Result<GoldenValues> BuiltIn();
  /// A text of lines `clip|item|column|value value ...`, as Text() writes it.
  static Result<GoldenValues> Parse(std::string_view text);

  /// Null: the item is not defined on this clip.
  const ConformScores* Find(const ClipSpec& clip, const ConformItem& item) const;
  void Add(const ClipSpec& clip, const ConformItem& item, ConformScores scores);
  std::string Text() const;

 private:
  std::map<std::string, ConformScores, std::less<>> scores_;  // by "clip|item"
};

/// Golden values computed by a tool: each item of all runs by itself. An error names the item that the tool lacks.
Result<GoldenValues> RecordGoldenValues(const ConformTool& tool, const std::string& folder, int jobs);

extern const std::string_view kGoldenData;  // deflated Text(), after its size in decimals and a newline

}  // namespace acutance
