#include "report/ctc.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>

#include "base/csv.h"
#include "base/system/file.h"
#include "log/escape.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr CtcColumn kQuality[] = {{"PSNR_Y", "psnr_y"},
                                  {"PSNR_U", "psnr_cb"},
                                  {"PSNR_V", "psnr_cr"},
                                  {"SSIM_Y(dB)", "float_ssim", "dB", "enable_db=true:clip_db=true"},
                                  {"MS-SSIM_Y(dB)", "float_ms_ssim", "dB", "enable_db=true:clip_db=true"},
                                  {"VMAF_Y", "vmaf_v0.6.1"},
                                  {"VMAF_Y-NEG", "vmaf_v0.6.1neg"},
                                  {"PSNR-HVS", "psnr_hvs"},
                                  {"CIEDE2000", "ciede2000"},
                                  {"APSNR_Y", "apsnr_y"},
                                  {"APSNR_U", "apsnr_cb"},
                                  {"APSNR_V", "apsnr_cr"},
                                  {"CAMBI", "cambi"}};

bool HasUnit(const CtcColumn& wanted, const ScoreTable::Column& column) {
  return *wanted.unit == '\0' || wanted.unit == column.unit;
}

/// The mean of a score, or a number of the whole video; empty: there is none.
std::string Cell(const Summary& summary, const SummaryVideo& video, const CtcColumn& wanted) {
  for (const auto& [aggregate, value] : video.scores->aggregates())
    if (aggregate == wanted.score) return fmt::format("{:.6f}", value);
  const auto column = FindFrameScore(summary, video, wanted.score);
  if (!column.ok() || !HasUnit(wanted, **column)) return "";
  const auto scores = ScoresOf(summary, video, **column);
  return scores ? fmt::format("{:.6f}", Mean(*scores)) : "";
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// The size of a video's own pictures; empty: not known.
std::string OwnSize(const Summary& summary, size_t input) {
  if (input >= summary.inputs.size()) return "";
  const PictureFormat& format = summary.inputs[input].format;
  return fmt::format("{}x{}", format.width, format.height);
}

std::string FileName(const std::string& path) { return SystemPath(path).filename().string(); }

}  // namespace

std::span<const CtcColumn> CtcColumns() { return kQuality; }

std::string CtcTitles() {
  std::string text =
      "TestCfg,EncodeMethod,CodecName,EncodePreset,Class,Name,OrigRes,FPS,BitDepth,CodedRes,QP,Bitrate(kbps)";
  for (const CtcColumn& column : kQuality) text += fmt::format(",{}", column.title);
  return text + ",EncT[s],DecT[s]\n";
}

std::string QuantizerOf(const std::string& name) {
  for (const std::string_view word : {"qp", "crf", "cq"})
    for (size_t at = 0; at + word.size() < name.size(); ++at) {
      const bool is_word = std::ranges::equal(word, std::string_view(name).substr(at, word.size()), {}, {},
                                              [](char c) { return IsLetter(c) ? static_cast<char>(c | 0x20) : c; });
      if (!is_word || (at > 0 && IsLetter(name[at - 1]))) continue;
      size_t begin = at + word.size();
      if (std::string_view("_-=").find(name[begin]) != std::string_view::npos) ++begin;
      const size_t end = std::min(name.find_first_not_of("0123456789", begin), name.size());
      if (end > begin) return name.substr(begin, end - begin);
    }
  return "";
}

std::string CtcCsv(const Summary& summary, const std::vector<LadderCurve>& curves) {
  std::string text = CtcTitles();
  size_t next = 0;
  for (const LadderCurve& curve : curves)
    for (size_t i = 0; i < curve.encodes.size(); ++i, ++next) {
      const SummaryVideo& video = summary.videos[next];
      text += fmt::format(",,{},,,{},{},{:.4f},{},{},{},{:.6f}", CsvField(curve.name),
                          CsvField(FileName(summary.reference)), OwnSize(summary, 0), summary.frame_rate.value_or(0),
                          summary.bit_depth, OwnSize(summary, next + 1), QuantizerOf(FileName(curve.encodes[i])),
                          video.bit_rate.value_or(0) / 1000);
      for (const CtcColumn& column : kQuality) text += fmt::format(",{}", Cell(summary, video, column));
      text += ",,\n";
    }
  return text;
}

std::vector<std::string> CtcWarnings(const Summary& summary) {
  std::vector<std::string> warnings;
  for (const CtcColumn& wanted : kQuality)
    if (const auto column = FindFrameScore(summary, summary.videos.front(), wanted.score);
        column.ok() && !HasUnit(wanted, **column))
      warnings.push_back(
          fmt::format("the column of {0} stays empty: it needs -f {0}={1}", wanted.score, wanted.unit_options));
  return warnings;
}

}  // namespace acutance
