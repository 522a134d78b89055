#include "report/conform/tool.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/files.h"
#include "base/system/child_process.h"
#include "base/system/file.h"
#include "log/read/json_file.h"
#include "log/read/score_log.h"

namespace acutance {
namespace {

/// The first line of a program's output that says something.
std::string FirstLine(const std::string& path) {
  const std::string text = ReadText(path);
  const size_t begin = text.find_first_not_of(" \r\n");
  if (begin == text.npos) return "it says nothing";
  return text.substr(begin, std::min(text.find_first_of("\r\n", begin), begin + 300) - begin);
}

std::string_view ChromaOf(const ClipSpec& clip) {
  switch (clip.format.pixel_format) {
    case PixelFormat::k400:
      return "400";
    case PixelFormat::k422:
      return "422";
    case PixelFormat::k444:
      return "444";
    default:
      return "420";
  }
}

std::string FfmpegFormat(const ClipSpec& clip) {
  const std::string_view chroma = ChromaOf(clip);
  const std::string depth = clip.format.bit_depth > 8 ? fmt::format("{}le", clip.format.bit_depth) : "";
  return chroma == "400" ? "gray" + depth : fmt::format("yuv{}p{}", chroma, depth);
}

/// A value within a list of the filter's options.
std::string Escaped(std::string text, bool is_feature) {
  if (is_feature && text.find('=') != text.npos) text[text.find('=')] = ':';
  std::string escaped = is_feature ? "name=" : "";
  for (const char c : text) escaped += c == ':' ? std::string("\\:") : std::string(1, c);
  return escaped;
}

std::string FilterList(std::span<const ConformItem> items, bool models) {
  std::vector<std::string> parts;
  for (const ConformItem& item : items)
    if (item.is_model == models) parts.push_back(Escaped(item.text, !models));
  if (parts.empty()) return "";
  return fmt::format(":{}='{}'", models ? "model" : "feature", fmt::join(parts, "|"));
}

std::vector<std::string> FfmpegArguments(const ClipSpec& clip, const ClipFiles& files,
                                         std::span<const ConformItem> items, const std::string& log) {
  // A format that the filter does not take is an error instead of a conversion.
  std::vector<std::string> words = {"-nostdin", "-hide_banner", "-v", "error", "-noauto_conversion_filters"};
  for (const std::string& file : {files.distorted, files.reference})
    for (const std::string& word :
         {std::string("-f"), std::string("rawvideo"), std::string("-pix_fmt"), FfmpegFormat(clip), std::string("-s"),
          fmt::format("{}x{}", clip.format.width, clip.format.height), std::string("-r"), std::string("25"),
          std::string("-i"), file})
      words.push_back(word);
  words.insert(words.end(), {"-lavfi",
                             fmt::format("[0:v][1:v]libvmaf=log_fmt=json:log_path={}{}{}", log, FilterList(items, true),
                                         FilterList(items, false)),
                             "-f", "null", "-"});
  return words;
}

std::vector<std::string> VmafArguments(const ClipSpec& clip, const ClipFiles& files, std::span<const ConformItem> items,
                                       const std::string& log, bool predict) {
  std::vector<std::string> words = {"-r", files.reference, "-d", files.distorted};
  words.insert(words.end(),
               {"-w", std::to_string(clip.format.width), "-h", std::to_string(clip.format.height), "-p",
                std::string(ChromaOf(clip)), "-b", std::to_string(clip.format.bit_depth), "--json", "-o", log});
  for (const ConformItem& item : items) words.insert(words.end(), {item.is_model ? "-m" : "--feature", item.text});
  if (!predict && std::ranges::none_of(items, &ConformItem::is_model)) words.push_back("--no_prediction");
  return words;
}

}  // namespace

ConformTool ConformTool::Of(std::vector<std::string> words) {
  const std::string name = SystemPath(words.front()).filename().string();
  const bool is_ffmpeg = std::ranges::any_of(
      words, [](const std::string& word) { return SystemPath(word).filename().string().starts_with("ffmpeg"); });
  return {std::move(words), is_ffmpeg ? ToolSyntax::kFfmpeg : ToolSyntax::kVmaf};
}

std::vector<std::string> ConformTool::Command(const ClipSpec& clip, const ClipFiles& files,
                                              std::span<const ConformItem> items, const std::string& log,
                                              bool predict) const {
  std::vector<std::string> command = words;
  const std::vector<std::string> arguments = syntax == ToolSyntax::kFfmpeg
                                                 ? FfmpegArguments(clip, files, items, log)
                                                 : VmafArguments(clip, files, items, log, predict);
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

Result<ConformScores> ConformTool::Run(const ClipSpec& clip, const ClipFiles& files, std::span<const ConformItem> items,
                                       const std::string& folder, const std::string& name, bool predict) const {
  const std::string log = fmt::format("{}/{}.json", folder, name), output = fmt::format("{}/{}.txt", folder, name);
  RemoveFile(log);
  ACU_ASSIGN_OR_RETURN(const int status, RunChild(Command(clip, files, items, log, predict), output, seconds));
  if (status < 0) return Error(StatusCode::kIo, "it ended with signal {}: {}", -status, FirstLine(output));
  if (status != 0) return Error(StatusCode::kIo, "exit status {}: {}", status, FirstLine(output));
  if (!Exists(log)) return Error(StatusCode::kIo, "it wrote no log: {}", FirstLine(output));
  return ReadConformLog(log);
}

Result<ConformScores> ReadConformLog(const std::string& path) {
  ACU_ASSIGN_OR_RETURN(ScoreLog log, ReadScoreLog(path));
  ConformScores scores;
  for (LoggedColumn& column : log.columns) {
    column.scores.resize(log.frames.size());
    for (std::optional<double>& score : column.scores)
      if (score && !std::isfinite(*score)) score.reset();  // JSON cannot spell it
    scores[column.name] = std::move(column.scores);
  }
  return scores;
}

}  // namespace acutance
