#include "report/avm_release.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>

#include "base/csv.h"
#include "base/files.h"
#include "base/number.h"
#include "base/system/file.h"
#include "math/exact_math.h"
#include "stats/avm_bd_rate.h"

namespace acutance {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();

/// One column for a quality; none: it is a sum of others. VMAF's with NEG has been spelt in several ways.
struct AvmColumn {
  const char* title;
  const char* other = "";
};
constexpr AvmColumn kAvmColumns[] = {{"PSNR_Y"},     {"PSNR_U"},
                                     {"PSNR_V"},     {""},
                                     {"SSIM_Y(dB)"}, {"MS-SSIM_Y(dB)"},
                                     {"VMAF_Y"},     {"VMAF_Y-NEG", "VMAF_NEG"},
                                     {"PSNR-HVS"},   {"CIEDE2000"},
                                     {"APSNR_Y"},    {"APSNR_U"},
                                     {"APSNR_V"},    {""}};
static_assert(std::size(kAvmColumns) == std::size(kAvmQualities));

size_t QualityIndex(std::string_view name) {
  return static_cast<size_t>(std::ranges::find(kAvmQualities, name) - std::begin(kAvmQualities));
}

/// Means of decibels, as they stand.
double OverallPsnr(const AvmRatePoint& point) {
  const double* q = point.qualities + QualityIndex("psnr_y");
  return (14 * q[0] + q[1] + q[2]) / 16;
}

/// Of mean squared errors.
double OverallApsnr(const AvmRatePoint& point) {
  const double* q = point.qualities + QualityIndex("apsnr_y");
  const double error = 4 / Pow(10, q[0] / 10) + 1 / Pow(10, q[1] / 10) + 1 / Pow(10, q[2] / 10);
  return 10 * Log10(1 / (error / 6));
}

struct AvmColumns {
  size_t name, test_class, size, qp, rate;
  size_t qualities[std::size(kAvmQualities)];  // SIZE_MAX: none
};

Result<AvmColumns> FindColumns(const std::string& path, const std::vector<std::string>& titles) {
  const auto find = [&](std::string_view title) {
    const auto at = std::ranges::find(titles, title);
    return at == titles.end() || title.empty() ? SIZE_MAX : static_cast<size_t>(at - titles.begin());
  };
  AvmColumns columns{find("Name"), find("Class"), find("CodedRes"), find("QP"), find("Bitrate(kbps)"), {}};
  for (const size_t column : {columns.name, columns.test_class, columns.size, columns.qp, columns.rate})
    if (column == SIZE_MAX)
      return Error(StatusCode::kBadData,
                   "{} is no RD file of AVM: its first line lacks one of Name, Class, CodedRes, QP, Bitrate(kbps)",
                   path);
  for (size_t i = 0; i < std::size(kAvmColumns); ++i) {
    columns.qualities[i] = find(kAvmColumns[i].title);
    if (columns.qualities[i] == SIZE_MAX) columns.qualities[i] = find(kAvmColumns[i].other);
  }
  return columns;
}

/// A number, infinity, or NaN for an empty cell; not set for anything else.
std::optional<double> ReadCell(const std::string& text) {
  if (text.empty()) return kNoNumber;
  if (text == "inf") return std::numeric_limits<double>::infinity();
  return ParseFiniteDouble(text);
}

Result<AvmRatePoint> ReadRatePoint(const AvmColumns& columns, const std::vector<std::string>& cells) {
  AvmRatePoint point;
  const auto read = [&](size_t column, double& value) {
    const std::optional<double> cell = column == SIZE_MAX ? kNoNumber : ReadCell(cells[column]);
    value = cell.value_or(kNoNumber);
    return cell.has_value();
  };
  bool good = read(columns.rate, point.rate);
  for (size_t i = 0; i < std::size(kAvmQualities); ++i) good = read(columns.qualities[i], point.qualities[i]) && good;
  if (!good) return Error(StatusCode::kBadData, "a cell that should be a number is none");
  point.qualities[QualityIndex("overall_psnr")] = OverallPsnr(point);
  point.qualities[QualityIndex("overall_apsnr")] = OverallApsnr(point);
  return point;
}

}  // namespace

std::vector<RatePoint> AvmClip::CurveOf(size_t quality, bool over_sizes) const {
  std::map<std::string, std::vector<RatePoint>> sizes;
  for (const auto& [key, point] : points) {
    const RatePoint cell{point.rate, point.qualities[quality]};
    if (!std::isnan(cell.rate) && !std::isnan(cell.quality)) sizes[over_sizes ? key.first : ""].push_back(cell);
  }
  std::vector<std::vector<RatePoint>> curves;
  for (auto& [size, curve] : sizes) curves.push_back(std::move(curve));
  if (over_sizes) return AvmHullOverSizes(curves);
  return curves.empty() ? std::vector<RatePoint>() : std::move(curves.front());
}

Result<std::vector<AvmClip>> ReadAvmFile(const std::string& path) {
  std::ifstream file(SystemPath(path));
  if (!file) return Error(StatusCode::kIo, "could not open {}", path);
  std::vector<AvmClip> clips;
  std::optional<AvmColumns> columns;
  size_t width = 0;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    ACU_ASSIGN_OR_RETURN(const std::vector<std::string> cells, SplitCsv(line));
    if (!columns) {
      ACU_ASSIGN_OR_RETURN(columns, FindColumns(path, cells));
      width = cells.size();
      continue;
    }
    if (cells.size() != width)
      return Error(StatusCode::kBadData, "{}, line {}: {} cells under {} titles", path, number, cells.size(), width);
    const Result<AvmRatePoint> point = ReadRatePoint(*columns, cells);
    if (!point.ok()) return Error(StatusCode::kBadData, "{}, line {}: {}", path, number, point.status().message());
    const std::string& name = cells[columns->name];
    auto clip = std::ranges::find(clips, name, &AvmClip::name);
    if (clip == clips.end()) clip = clips.insert(clips.end(), {name, cells[columns->test_class], {}});
    clip->points[{cells[columns->size], cells[columns->qp]}] = *point;
  }
  if (clips.empty()) return Error(StatusCode::kBadData, "{} has no rate points", path);
  return clips;
}

Result<std::map<std::string, std::vector<AvmClip>>> ReadAvmRelease(const std::string& folder) {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(folder));
  std::map<std::string, std::vector<AvmClip>> release;
  for (const char* configuration : kAvmConfigurations) {
    // RD files have STILL where summaries have Still.
    const std::string in_name =
        fmt::format("_{}_Preset_", std::string_view(configuration) == "Still" ? "STILL" : configuration);
    for (const std::string& name : names) {
      if (!name.starts_with("RDResults_") || !name.ends_with(".csv") || name.find(in_name) == name.npos) continue;
      if (release.contains(configuration))
        return Error(StatusCode::kBadData, "{} has two files of rate points for {}", folder, configuration);
      ACU_ASSIGN_OR_RETURN(release[configuration], ReadAvmFile(Join(folder, name)));
    }
  }
  if (release.empty())
    return Error(StatusCode::kBadData, "{} has no RDResults_*_<AI, LD, RA, STILL or AS>_Preset_*.csv", folder);
  return release;
}

}  // namespace acutance
