// `acutance ctc`: AVM's tables of BD-rates from files of rate points.
#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/files.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/terminal.h"
#include "log/json_text.h"
#include "log/output_file.h"
#include "report/avm_summary.h"

#include "base/system/file.h"

namespace acutance::cli {
namespace {

/// "TAG=DIR", or "DIR", whose tag is its name; a folder whose path has an equals sign is one.
std::pair<std::string, std::string> TagAndFolder(const std::string& text) {
  if (const size_t equals = text.find('='); equals != text.npos && !Exists(text))
    return {text.substr(0, equals), text.substr(equals + 1)};
  const std::filesystem::path folder = SystemPath(text).lexically_normal();
  return {(folder.has_filename() ? folder : folder.parent_path()).filename().string(), text};
}

/// The folder of a release's anchor: of `--anchor TAG=DIR` with its tag, or of `--anchor DIR`.
Result<std::string> AnchorOf(const std::string& tag, const std::vector<std::string>& anchors) {
  const std::string* of_all = nullptr;
  for (const std::string& text : anchors) {
    if (text.find('=') == text.npos || Exists(text)) of_all = &text;
    else if (text.starts_with(tag + "=")) return text.substr(tag.size() + 1);
  }
  if (of_all != nullptr) return *of_all;
  return Error(StatusCode::kInvalidArgument, "{} has no anchor: give --anchor DIR, or --anchor {}=DIR", tag, tag);
}

Result<std::vector<AvmComparison>> ReadComparisons(const CtcTexts& texts) {
  std::vector<AvmComparison> comparisons;
  for (const std::string& text : texts.releases) {
    auto [tag, folder] = TagAndFolder(text);
    ACU_ASSIGN_OR_RETURN(const std::string anchor, AnchorOf(tag, texts.anchors));
    AvmComparison comparison{std::move(tag), {}, {}};
    ACU_ASSIGN_OR_RETURN(comparison.anchor, ReadAvmRelease(anchor));
    ACU_ASSIGN_OR_RETURN(comparison.test, ReadAvmRelease(folder));
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

}  // namespace

int RunCtcCommand(const CtcTexts& texts) {
  const Result<std::vector<AvmComparison>> comparisons = ReadComparisons(texts);
  if (!comparisons.ok()) return Fail("ctc", comparisons.status());
  const AvmSummary summary = CompareAvmReleases(*comparisons);
  for (const std::string& note : summary.notes) PrintWarning(note);
  (void)MakeFolder(texts.output);  // writing says what went wrong
  const auto refused = texts.refused == "zero" ? AvmRefused::kZero : AvmRefused::kEmpty;
  for (const auto& [name, text] : AvmTables(summary, refused)) {
    const std::string path = Join(texts.output, fmt::format("{}-{}.csv", name, texts.name));
    if (const Status status = WriteFile(path, text); !status.ok()) return Fail("ctc", status);
    fmt::print("{}\n", path);
  }
  return kOk;
}

}  // namespace acutance::cli
