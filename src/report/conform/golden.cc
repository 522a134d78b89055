#include "report/conform/golden.h"

#include <fmt/ranges.h>
#include <libdeflate.h>

#include <memory>
#include <mutex>
#include <utility>

#include "base/number.h"
#include "base/threads/parallel_for.h"

namespace acutance {
namespace {

std::string KeyOf(const ClipSpec& clip, const ConformItem& item) { return clip.Name() + "|" + item.text; }

/// What stands before `separator`, which is removed with it.
std::string_view Take(std::string_view& text, char separator) {
  const std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), taken.size() + 1));
  return taken;
}

std::string ValueText(const std::optional<double>& value) {
  if (!value) return "-";
  std::string text = fmt::format("{:.6f}", *value);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

Result<GoldenValues> GoldenValues::BuiltIn() {
  std::string_view data = kGoldenData;
  const std::optional<long long> size = ParseInteger(Take(data, '\n'));
  if (!size) return Error(StatusCode::kBadData, "the golden values have no size");
  std::string text(static_cast<size_t>(*size), '\0');
  const std::unique_ptr<libdeflate_decompressor, decltype(&libdeflate_free_decompressor)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor || libdeflate_deflate_decompress(decompressor.get(), data.data(), data.size(), text.data(),
                                                     text.size(), nullptr) != LIBDEFLATE_SUCCESS)
    return Error(StatusCode::kBadData, "the golden values are damaged");
  return Parse(text);
}

Result<GoldenValues> GoldenValues::Parse(std::string_view text) {
  GoldenValues golden;
  while (!text.empty()) {
    std::string_view line = Take(text, '\n');
    if (line.empty() || line[0] == '#') continue;
    const std::string_view clip = Take(line, '|'), item = Take(line, '|'), column = Take(line, '|');
    if (line.empty()) return Error(StatusCode::kBadData, "golden values: {}|{}|{} has none", clip, item, column);
    auto& values = golden.scores_[fmt::format("{}|{}", clip, item)][std::string(column)];
    while (!line.empty()) {
      const std::string_view value = Take(line, ' ');
      values.push_back(ParseFiniteDouble(value));
      if (!values.back() && value != "-")
        return Error(StatusCode::kBadData, "golden values: {}|{}|{}: '{}' is no number", clip, item, column, value);
    }
  }
  return golden;
}

const ConformScores* GoldenValues::Find(const ClipSpec& clip, const ConformItem& item) const {
  const auto found = scores_.find(KeyOf(clip, item));
  return found == scores_.end() ? nullptr : &found->second;
}

void GoldenValues::Add(const ClipSpec& clip, const ConformItem& item, ConformScores scores) {
  scores_[KeyOf(clip, item)] = std::move(scores);
}

std::string GoldenValues::Text() const {
  std::string text;
  for (const auto& [key, columns] : scores_)
    for (const auto& [column, values] : columns) {
      std::vector<std::string> texts;
      for (const std::optional<double>& value : values) texts.push_back(ValueText(value));
      text += fmt::format("{}|{}|{}\n", key, column, fmt::join(texts, " "));
    }
  return text;
}

Result<GoldenValues> RecordGoldenValues(const ConformTool& tool, const std::string& folder, int jobs) {
  std::vector<ClipFiles> files;
  for (const ClipSpec& clip : Clips()) {
    ACU_ASSIGN_OR_RETURN(ClipFiles written, WriteClip(clip, folder));
    files.push_back(std::move(written));
  }
  const std::vector<ConformRun>& runs = ConformRuns();
  GoldenValues golden;
  std::mutex mutex;
  ACU_RETURN_IF_ERROR(ParallelFor(jobs, static_cast<int>(runs.size()), [&](int r) -> Status {
    const ConformRun& run = runs[r];
    for (const ConformItem& item : run.items) {
      Result<ConformScores> scores = tool.Run(*run.clip, files[run.clip - Clips().data()], {&item, 1}, folder,
                                              fmt::format("run{}", r), /*predict=*/false);
      if (!scores.ok()) return Prefixed(fmt::format("{} on {}", item.text, run.clip->Name()), scores.status());
      const std::lock_guard lock(mutex);
      golden.Add(*run.clip, item, std::move(scores).value());
    }
    return {};
  }));
  return golden;
}

}  // namespace acutance
