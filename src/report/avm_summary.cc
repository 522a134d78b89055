#include "report/avm_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "log/escape.h"
#include "stats/avm_bd_rate.h"

namespace acutance {
namespace {

constexpr size_t kPointsOfAClip = 6;

const AvmClip* FindClip(const AvmRelease& release, const std::string& configuration, const std::string& name) {
  const auto clips = release.find(configuration);
  if (clips == release.end()) return nullptr;
  const auto clip = std::ranges::find(clips->second, name, &AvmClip::name);
  return clip == clips->second.end() ? nullptr : &*clip;
}

std::map<std::string, size_t> PointsBySize(const AvmClip& clip) {
  std::map<std::string, size_t> counts;
  for (const auto& [key, point] : clip.points) ++counts[key.first];
  return counts;
}

bool HasAllPoints(const AvmClip& anchor, const AvmClip& test, bool over_sizes) {
  if (!over_sizes) return anchor.points.size() == kPointsOfAClip && test.points.size() == kPointsOfAClip;
  const auto of_anchor = PointsBySize(anchor), of_test = PointsBySize(test);
  bool has_any = false;
  for (const auto& [size, count] : of_anchor) {
    const auto other = of_test.find(size);
    if (other == of_test.end()) continue;
    if (count != kPointsOfAClip || other->second != kPointsOfAClip) return false;
    has_any = true;
  }
  return has_any;
}

AvmSummaryRow CompareClips(const std::string& tag, const std::string& configuration, const AvmClip& anchor,
                           const AvmClip& test, std::vector<std::string>& notes) {
  AvmSummaryRow row{tag, configuration, anchor.test_class, anchor.name, {}};
  const bool over_sizes = configuration == "AS";
  for (size_t i = 0; i < std::size(kAvmQualities); ++i) {
    const Result<double> rate =
        AvmBdRate(anchor.CurveOf(i, over_sizes), test.CurveOf(i, over_sizes), SaturatesByAvm(kAvmQualities[i]));
    if (rate.ok()) row.values[i] = *rate;
    else
      notes.push_back(
          fmt::format("{} {} {} {}: {}", tag, configuration, anchor.name, kAvmQualities[i], rate.status().message()));
  }
  return row;
}

/// Kahan's sum in the order of the rows: what AVM's averages are, to the last digit.
class KahanAverage {
 public:
  void Add(double value) {
    value -= lost_;
    const double sum = sum_ + value;
    lost_ = (sum - sum_) - value;
    sum_ = sum;
    ++count_;
  }
  std::optional<double> value() const { return count_ == 0 ? std::nullopt : std::optional(sum_ / count_); }

 private:
  double sum_ = 0, lost_ = 0;
  int count_ = 0;
};

/// The shortest decimals that read back to the double, one at least.
std::string PercentCell(const std::optional<double>& value) {
  if (!value) return "";
  std::string text = fmt::format("{}", *value);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text;
}

std::string PercentCells(const std::optional<double>* values) {
  std::string text;
  for (size_t i = 0; i < std::size(kAvmQualities); ++i) text.append(",").append(PercentCell(values[i]));
  return text + "\n";
}

std::string AvmTitles(std::string_view keys) { return fmt::format("{},{}\n", keys, fmt::join(kAvmQualities, ",")); }

std::string RowsText(const std::vector<AvmSummaryRow>& rows) {
  std::string text = AvmTitles("tag,cfg,class,video");
  for (const AvmSummaryRow& row : rows)
    text +=
        fmt::format("{},{},{},{}", CsvField(row.tag), row.configuration, CsvField(row.test_class), CsvField(row.clip)) +
        PercentCells(row.values);
  return text;
}

std::string PerVideoText(std::vector<AvmSummaryRow> rows) {
  std::ranges::stable_sort(rows, {}, [](const AvmSummaryRow& row) {
    return std::tie(row.configuration, row.test_class, row.clip, row.tag);
  });
  std::string text = AvmTitles("cfg,class,video,tag");
  for (const AvmSummaryRow& row : rows)
    text +=
        fmt::format("{},{},{},{}", row.configuration, CsvField(row.test_class), CsvField(row.clip), CsvField(row.tag)) +
        PercentCells(row.values);
  return text;
}

std::string AveragesText(const std::vector<AvmSummaryRow>& rows, bool by_class) {
  std::map<std::string, std::vector<KahanAverage>> groups;
  for (const AvmSummaryRow& row : rows) {
    std::string key = CsvField(row.tag) + "," + row.configuration;
    if (by_class) key += "," + CsvField(row.test_class);
    auto& averages = groups[key];
    averages.resize(std::size(kAvmQualities));
    for (size_t i = 0; i < averages.size(); ++i)
      if (row.values[i]) averages[i].Add(*row.values[i]);
  }
  std::string text = AvmTitles(by_class ? "tag,cfg,class" : "tag,cfg");
  for (const auto& [key, averages] : groups) {
    std::optional<double> values[std::size(kAvmQualities)];
    std::ranges::transform(averages, values, &KahanAverage::value);
    text += key + PercentCells(values);
  }
  return text;
}

}  // namespace

AvmSummary CompareAvmReleases(const std::vector<AvmComparison>& comparisons) {
  AvmSummary summary;
  for (const char* configuration : kAvmConfigurations) {
    std::vector<std::string> names;
    for (const AvmComparison& comparison : comparisons) {
      const auto clips = comparison.anchor.find(configuration);
      if (clips == comparison.anchor.end()) continue;
      for (const AvmClip& clip : clips->second)
        if (std::ranges::find(names, clip.name) == names.end()) names.push_back(clip.name);
    }
    for (const std::string& name : names)
      for (const AvmComparison& comparison : comparisons) {
        const AvmClip* anchor = FindClip(comparison.anchor, configuration, name);
        const AvmClip* test = FindClip(comparison.test, configuration, name);
        if (anchor == nullptr || test == nullptr) continue;
        if (HasAllPoints(*anchor, *test, std::string_view(configuration) == "AS"))
          summary.rows.push_back(CompareClips(comparison.tag, configuration, *anchor, *test, summary.notes));
        else
          summary.notes.push_back(fmt::format("{} {} {}: left out, since anchor and release do not have {} points each",
                                              comparison.tag, configuration, name, kPointsOfAClip));
      }
  }
  return summary;
}

std::vector<AvmTable> AvmTables(const AvmSummary& summary, AvmRefused refused) {
  std::vector<AvmSummaryRow> zeros = summary.rows;
  for (AvmSummaryRow& row : zeros)
    for (std::optional<double>& value : row.values) value = value.value_or(0);
  const std::vector<AvmSummaryRow>& rows = refused == AvmRefused::kZero ? zeros : summary.rows;
  std::vector<AvmTable> tables = {{"Bdrate-Summary", RowsText(rows)},
                                  {"PerVideoBdrate-Summary", PerVideoText(rows)},
                                  {"AverageBdrateByTag-Summary", AveragesText(rows, false)},
                                  {"AverageBdrateByTagClass-Summary", AveragesText(rows, true)}};
  if (RowsText(rows) != RowsText(zeros)) {
    tables.emplace_back("AverageBdrateByTag-Summary-refused-as-zero", AveragesText(zeros, false));
    tables.emplace_back("AverageBdrateByTagClass-Summary-refused-as-zero", AveragesText(zeros, true));
  }
  return tables;
}

}  // namespace acutance
