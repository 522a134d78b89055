#include "report/batch_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/number.h"
#include "base/score_direction.h"
#include "base/system/file.h"
#include "log/escape.h"
#include "report/comparison.h"
#include "report/page_parts.h"

namespace acutance {
namespace {

/// A second of a clip, and what is wrong there.
struct ClipSecond {
  double begin = 0, end = 0;  // frames begin to end - 1
  double mean = 0;
  std::string cause;
};

/// A pair that was scored.
struct Clip {
  const BatchPagePair* pair = nullptr;
  std::string by;     // the score that ranks its frames
  std::string score;  // that of the clip: its mean, or an aggregate
  ScoreDirection better = ScoreDirection::kHigher;
  std::optional<double> mean, frames, rate, bit_rate;
  std::optional<double> spatial, temporal;  // the greatest of all shots
  std::vector<ClipSecond> seconds;          // the worst first
};

const Json* Member(const Json* json, std::string_view key) { return json ? json->Find(key) : nullptr; }

std::optional<double> NumberIn(const Json* json, std::string_view key) {
  const Json* const number = Member(json, key);
  return number && number->kind == Json::Kind::kNumber ? ParseFiniteDouble(number->text) : std::nullopt;
}

std::string TextIn(const Json* json, std::string_view key) {
  const Json* const text = Member(json, key);
  return text && text->IsString() ? text->text : "";
}

std::optional<double> GreatestOfShots(const Json* result, std::string_view kind) {
  std::optional<double> greatest;
  const Json* const shots = Member(result, "shots");
  for (size_t s = 0; shots && s < shots->items.size(); ++s)
    if (const auto value = NumberIn(Member(&shots->items[s], kind), "max"))
      greatest = std::max(greatest.value_or(*value), *value);
  return greatest;
}

std::optional<Clip> ReadClip(const BatchPagePair& pair) {
  const Json* const results = pair.summary.IsObject() ? pair.summary.Find("results") : nullptr;
  if (!results || results->items.empty()) return std::nullopt;
  const Json* const result = &results->items.front();
  const Json* const worst = Member(result, "worst_seconds");
  Clip clip{.pair = &pair, .by = TextIn(worst, "by")};
  if (TextIn(worst, "better") == "lower") clip.better = ScoreDirection::kLower;
  for (const char* kind : {"models", "features"})
    if (const auto mean = NumberIn(Member(Member(result, kind), clip.by), "mean")) clip.mean = mean;
  clip.score = clip.by;
  if (const auto whole = NumberIn(Member(result, "aggregates"), TextIn(worst, "clip"))) {
    clip.score = TextIn(worst, "clip");
    clip.mean = whole;
  }
  clip.frames = NumberIn(result, "frames");
  clip.rate = NumberIn(pair.summary.Find("reference"), "frame_rate");
  clip.bit_rate = NumberIn(result, "bit_rate");
  clip.spatial = GreatestOfShots(result, "si");
  clip.temporal = GreatestOfShots(result, "ti");
  const Json* const seconds = Member(worst, "seconds");
  for (size_t s = 0; seconds && s < seconds->items.size(); ++s) {
    const Json* const second = &seconds->items[s];
    clip.seconds.push_back({NumberIn(second, "begin").value_or(0), NumberIn(second, "end").value_or(0),
                            NumberIn(second, "mean").value_or(0), TextIn(second, "cause")});
  }
  return clip;
}

/// Scores that can be compared: all versions of VMAF share a scale.
std::string_view ScaleOf(const Clip& clip) { return clip.by.starts_with("vmaf") ? "vmaf" : std::string_view(clip.by); }

bool IsWorseClip(const Clip& a, const Clip& b) {
  if (ScaleOf(a) != ScaleOf(b)) return ScaleOf(a) < ScaleOf(b);
  if (!a.mean || !b.mean) return a.mean.has_value() && !b.mean;
  return IsWorse(*a.mean, *b.mean, a.better);
}

std::string Numeric(const std::optional<double>& value, int digits) {
  return value ? fmt::format("<td>{:.{}f}</td>", *value, digits) : "<td>-</td>";
}

std::string Text(const std::string& text) { return "<td class=\"words\">" + EscapeXml(text) + "</td>"; }

/// The clip's name, which leads to its own page where there is one.
std::string NameCell(const BatchPagePair& pair) {
  const std::string name = EscapeXml(pair.name);
  const std::string link =
      pair.report.empty() ? name : fmt::format("<a href=\"{}\">{}</a>", EscapeXml(pair.report), name);
  return fmt::format("<th scope=\"row\" data-value=\"{}\">{}</th>", name, link);
}

/// "0:12.00", sorted by seconds; frames where the rate is not known.
std::string ClockCell(const Clip& clip, const ClipSecond& second) {
  if (!clip.rate || *clip.rate <= 0) return fmt::format("<td data-value=\"{0}\">frame {0}</td>", second.begin);
  const double time = second.begin / *clip.rate;
  return fmt::format("<td data-value=\"{:.3f}\">{}</td>", time, ClockOf(time));
}

std::string WorstSecondCells(const Clip& clip) {
  if (clip.seconds.empty()) return "<td>-</td><td>-</td>" + Text("");
  const ClipSecond& worst = clip.seconds.front();
  return ClockCell(clip, worst) + Numeric(worst.mean, 2) + Text(worst.cause);
}

/// The kind of a cause, without what it adds: "a wrong frame" of "a wrong frame (frame 12 shows ...)".
std::string KindOf(const std::string& cause) {
  return cause.substr(0, std::min(cause.find(" ("), cause.find(", and")));
}

bool HasOneScore(std::span<const Clip> clips) {
  return std::ranges::all_of(clips, [&](const Clip& clip) { return clip.score == clips.front().score; });
}

std::string HeadOfScores(const std::vector<Clip>& clips) {
  if (!HasOneScore(clips)) return "score";
  return clips.front().score + (clips.front().score == clips.front().by ? ", mean" : "");
}

std::string PairsPart(const std::vector<Clip>& clips) {
  const bool has_one_score = HasOneScore(clips);
  const auto has = [&](auto member) {
    return std::ranges::any_of(clips, [&](const Clip& clip) { return (clip.*member).has_value(); });
  };
  const bool has_rate = has(&Clip::bit_rate), has_information = has(&Clip::spatial);
  const bool has_missed =
      std::ranges::any_of(clips, [](const Clip& clip) { return clip.pair->status == "not_reached"; });
  std::vector<std::string> head = {"clip", HeadOfScores(clips), "worst second from", "its mean", "mostly for"};
  if (!has_one_score) head.emplace_back("of");
  if (has_rate) head.emplace_back("kbit/s");
  if (has_information) head.insert(head.end(), {"SI", "TI"});
  head.emplace_back("frames");
  if (has_missed) head.emplace_back("required");
  std::string rows;
  for (const Clip& clip : clips) {
    rows += "<tr>" + NameCell(*clip.pair) + Numeric(clip.mean, 2) + WorstSecondCells(clip);
    if (!has_one_score) rows += Text(clip.score);
    if (has_rate) rows += Numeric(clip.bit_rate ? std::optional(*clip.bit_rate / 1000) : std::nullopt, 0);
    if (has_information) rows += Numeric(clip.spatial, 1) + Numeric(clip.temporal, 1);
    rows += Numeric(clip.frames, 0);
    if (has_missed) rows += Text(clip.pair->status == "not_reached" ? "not reached" : "");
    rows += "</tr>\n";
  }
  return Section("clips", "Clips",
                 "<p class=\"note\">The worst first; a click on a head sorts.</p>\n" + SortableTable(head, rows));
}

/// Clips are in order.
std::vector<std::span<const Clip>> ByScale(std::span<const Clip> clips) {
  std::vector<std::span<const Clip>> scales;
  while (!clips.empty()) {
    const auto other =
        std::ranges::find_if(clips, [&](const Clip& clip) { return ScaleOf(clip) != ScaleOf(clips.front()); });
    scales.push_back(clips.first(static_cast<size_t>(other - clips.begin())));
    clips = clips.subspan(scales.back().size());
  }
  return scales;
}

std::string RowsOfWorstSeconds(std::span<const Clip> clips) {
  constexpr size_t kMost = 30;
  struct Entry {
    const Clip* clip;
    const ClipSecond* second;
  };
  std::vector<Entry> all;
  for (const Clip& clip : clips)
    for (const ClipSecond& second : clip.seconds) all.push_back({&clip, &second});
  const auto has_cause = [](const Entry& entry) { return !entry.second->cause.empty(); };
  if (std::ranges::any_of(all, has_cause)) std::erase_if(all, std::not_fn(has_cause));
  std::ranges::stable_sort(
      all, [](const Entry& a, const Entry& b) { return IsWorse(a.second->mean, b.second->mean, a.clip->better); });
  all.resize(std::min(all.size(), kMost));
  std::string rows;
  for (const auto& [clip, second] : all)
    rows += "<tr>" + NameCell(*clip->pair) + ClockCell(*clip, *second) +
            fmt::format("<td data-value=\"{0}\">{0} to {1}</td>", second->begin, second->end - 1) +
            Numeric(second->mean, 2) + Text(second->cause) + "</tr>\n";
  return rows;
}

std::string WorstSecondsOf(const std::vector<Clip>& clips) {
  std::string tables;
  for (const std::span<const Clip> scale : ByScale(clips)) {
    const std::string rows = RowsOfWorstSeconds(scale);
    if (rows.empty()) continue;
    const std::string mean = scale.front().by + (HasOneScore(scale) ? ", mean" : " and others, mean");
    tables += SortableTable({"clip", "from", "frames", mean, "mostly for"}, rows);
  }
  return tables.empty() ? "" : Section("seconds", "Worst seconds of all", tables);
}

/// How many clips have each cause in their worst second, and which of them is the worst.
std::string CausesPart(const std::vector<Clip>& clips) {
  struct Count {
    size_t clips = 0, seconds = 0;
    const Clip* worst = nullptr;
  };
  std::map<std::string, Count> causes;
  for (const Clip& clip : clips)
    for (const ClipSecond& second : clip.seconds) {
      if (second.cause.empty()) continue;
      Count& count = causes[KindOf(second.cause)];
      ++count.seconds;
      if (&second != &clip.seconds.front()) continue;
      ++count.clips;
      if (!count.worst || IsWorseClip(clip, *count.worst)) count.worst = &clip;
    }
  if (causes.empty()) return "";
  std::vector<std::pair<std::string, Count>> sorted(causes.begin(), causes.end());
  std::ranges::stable_sort(sorted, std::ranges::greater(),
                           [](const auto& entry) { return std::pair(entry.second.clips, entry.second.seconds); });
  std::string rows;
  for (const auto& [cause, count] : sorted)
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>{}</tr>\n", EscapeXml(cause), count.clips,
                        count.seconds, count.worst ? NameCell(*count.worst->pair) : "<td></td>");
  return Section("causes", "Causes",
                 SortableTable({"cause", "clips whose worst second it is", "worst seconds", "the worst clip"}, rows));
}

/// A row for each reference, where one has several encodes.
std::string TitlesPart(const std::vector<Clip>& clips) {
  std::map<std::pair<std::string, std::string_view>, std::vector<const Clip*>> titles;  // by reference and scale
  for (const Clip& clip : clips) titles[{clip.pair->reference, ScaleOf(clip)}].push_back(&clip);
  if (titles.size() == clips.size()) return "";
  std::string rows;
  for (auto& [title, encodes] : titles) {
    const Clip& worst = *encodes.front();  // clips are in order
    rows += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td>", EscapeXml(title.first), encodes.size()) +
            NameCell(*worst.pair) + Numeric(worst.mean, 2) + Numeric(encodes.back()->mean, 2) +
            WorstSecondCells(worst) + "</tr>\n";
  }
  return Section("titles", "Titles",
                 SortableTable({"reference", "encodes", "the worst", "its mean", "mean of the best",
                                "worst second from", "its mean", "mostly for"},
                               rows));
}

std::string FailuresPart(const std::vector<BatchPagePair>& pairs) {
  std::string rows;
  for (const BatchPagePair& pair : pairs)
    if (pair.status == "failed" || pair.status == "left")
      rows += "<tr>" + NameCell(pair) + Text(pair.status) + Text(pair.error) + "</tr>\n";
  return rows.empty() ? "" : Section("failures", "Not scored", SortableTable({"clip", "status", "message"}, rows));
}

std::string BatchVerdict(const std::vector<BatchPagePair>& pairs, const std::vector<Clip>& clips) {
  const auto missed = std::ranges::count(pairs, "not_reached", &BatchPagePair::status);
  const std::string miss =
      missed > 0 ? fmt::format(", {} of them {} not meet what is required", missed, missed == 1 ? "does" : "do") : "";
  std::string text = fmt::format("<p class=\"verdict\">{} of {} pairs are scored{}.", clips.size(), pairs.size(), miss);
  for (const std::span<const Clip> scale : ByScale(clips)) {
    const Clip& worst = scale.front();
    if (!worst.mean) continue;
    text +=
        fmt::format(" The worst is <strong>{}</strong> with {} <strong>{:.2f}</strong>{}", EscapeXml(worst.pair->name),
                    EscapeXml(worst.score), *worst.mean, worst.score == worst.by ? " on average" : "");
    if (!worst.seconds.empty())
      text += fmt::format(
          "; its worst second has {:.2f}{}", worst.seconds.front().mean,
          worst.seconds.front().cause.empty() ? "" : ", mostly for " + EscapeXml(worst.seconds.front().cause));
    text += ".";
  }
  return text + "</p>\n";
}

}  // namespace

std::string AddressFrom(const std::string& page, const std::string& file) {
  namespace fs = std::filesystem;
  const auto whole = [](const std::string& path) {
    std::error_code error;
    const fs::path absolute = fs::absolute(SystemPath(path), error);
    return (error ? SystemPath(path) : absolute).lexically_normal();
  };
  const std::u8string address = whole(file).lexically_relative(whole(page).parent_path()).generic_u8string();
  std::string text;
  for (const char8_t c : address) {
    const char letter = static_cast<char>(c);
    const bool is_plain = (letter >= '0' && letter <= '9') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= 'a' && letter <= 'z') ||
                          std::string_view("/-._~").find(letter) != std::string::npos;
    text += is_plain ? std::string(1, letter) : fmt::format("%{:02X}", static_cast<unsigned>(c));
  }
  return text;
}

std::string MakeBatchPage(const std::vector<BatchPagePair>& pairs) {
  std::vector<Clip> clips;
  for (const BatchPagePair& pair : pairs)
    if (auto clip = ReadClip(pair)) clips.push_back(*std::move(clip));
  std::ranges::stable_sort(clips, IsWorseClip);
  const std::string title = fmt::format("Batch of {} pair{}", pairs.size(), pairs.size() == 1 ? "" : "s");
  std::string text =
      PageHead(title) + "<header><h1>" + title + "</h1>\n" + BatchVerdict(pairs, clips) + "</header>\n<main>\n";
  text += FailuresPart(pairs);
  if (!clips.empty()) text += PairsPart(clips) + WorstSecondsOf(clips) + CausesPart(clips) + TitlesPart(clips);
  text += "</main>\n<script>\n";
  text += kSortScript;
  return text + "</script>\n</body></html>\n";
}

}  // namespace acutance
