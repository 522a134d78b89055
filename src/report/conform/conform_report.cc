#include "report/conform/conform_report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "log/escape.h"

namespace acutance {
namespace {

std::string_view StateName(ConformState state) {
  constexpr std::string_view kNames[] = {"equal", "differs", "failed", "not offered"};
  return kNames[static_cast<int>(state)];
}

/// "6.1e-05 from frame 0", or "scores missing from frame 3".
std::string Describe(const ConformDifference& difference) {
  if (std::isinf(difference.largest)) return fmt::format("scores missing from frame {}", difference.first_frame);
  return fmt::format("{:.2g} from frame {}", difference.largest, difference.first_frame);
}

/// The outcomes of an item, over all clips.
struct ItemSummary {
  int compared = 0;
  std::vector<const ConformOutcome*> differs, failed, refused;
};

using Summaries = std::vector<std::pair<std::string, ItemSummary>>;  // in the order of the runs

Summaries Summarize(const ConformResult& result) {
  Summaries summaries;
  for (const ConformOutcome& outcome : result.outcomes) {
    auto found = std::ranges::find(summaries, outcome.item.text, &Summaries::value_type::first);
    if (found == summaries.end()) found = summaries.emplace(summaries.end(), outcome.item.text, ItemSummary{});
    ItemSummary& summary = found->second;
    if (outcome.state == ConformState::kNotOffered) summary.refused.push_back(&outcome);
    else ++summary.compared;
    if (outcome.state == ConformState::kDiffers) summary.differs.push_back(&outcome);
    if (outcome.state == ConformState::kFailed) summary.failed.push_back(&outcome);
  }
  return summaries;
}

/// What the clips that differ have in common and the others do not: ", all of 8 bits"; "" where it is nothing.
std::string CommonTrait(const std::vector<const ConformOutcome*>& differs, const ConformResult& result) {
  const auto trait = [&](std::string_view words, auto has) -> std::string {
    const bool all = std::ranges::all_of(differs, [&](const ConformOutcome* each) { return has(*each->clip); });
    const bool no_other = std::ranges::none_of(result.outcomes, [&](const ConformOutcome& each) {
      return each.item == differs[0]->item && each.state == ConformState::kEqual && has(*each.clip);
    });
    return all && no_other ? fmt::format(", those of {}", words) : "";
  };
  const PictureFormat& first = differs[0]->clip->format;
  for (const std::string& words :
       {trait("odd sizes", [](const ClipSpec& clip) { return clip.IsOdd(); }),
        trait(fmt::format("{} bits", first.bit_depth),
              [&](const ClipSpec& clip) { return clip.format.bit_depth == first.bit_depth; }),
        trait("this chroma format",
              [&](const ClipSpec& clip) { return clip.format.pixel_format == first.pixel_format; }),
        trait("this content", [&](const ClipSpec& clip) { return clip.content == differs[0]->clip->content; })})
    if (!words.empty()) return words;
  return "";
}

std::string DifferenceLines(const std::string& item, const ItemSummary& summary, const ConformResult& result) {
  const bool everywhere = static_cast<int>(summary.differs.size()) == summary.compared;
  std::string text = fmt::format("{}: differs on {} of {} clips{}\n", item, summary.differs.size(), summary.compared,
                                 everywhere ? "" : CommonTrait(summary.differs, result));
  std::map<std::string, std::pair<ConformDifference, const ConformOutcome*>> worst;  // by column
  for (const ConformOutcome* outcome : summary.differs)
    for (const ConformDifference& difference : outcome->differences) {
      const auto [entry, added] = worst.try_emplace(difference.column, difference, outcome);
      if (!added && difference.largest > entry->second.first.largest) entry->second = {difference, outcome};
    }
  for (const auto& [column, entry] : worst)
    text += fmt::format("  {:<28} {} of {}\n", column, Describe(entry.first), entry.second->clip->Name());
  return text;
}

/// Reason and clips, with the items that were refused for it there.
using Refusals = std::map<std::pair<std::string, std::string>, std::vector<std::string>>;

/// "  psnr_hvs, cambi: exit status 1: ..." and "  all on noise_...: exit status 1: ...".
std::string RefusalLines(const Summaries& summaries, const ConformResult& result) {
  Refusals refusals;
  for (const auto& [item, summary] : summaries) {
    std::map<std::string, std::vector<std::string>> clips;  // by reason
    for (const ConformOutcome* outcome : summary.refused) {
      clips[outcome->reason].push_back(outcome->clip->Name());
    }
    for (const auto& [reason, names] : clips)
      refusals[{reason, summary.compared == 0 ? "" : fmt::format(" on {}", fmt::join(names, ", "))}].push_back(item);
  }
  const bool is_all = result.Count(ConformState::kNotOffered) == static_cast<int>(result.outcomes.size());
  std::string text;
  for (const auto& [key, items] : refusals)
    text +=
        fmt::format("  {}{}: {}\n", is_all && refusals.size() == 1 ? "all" : fmt::format("{}", fmt::join(items, ", ")),
                    key.second, key.first);
  return text;
}

Json OutcomeJson(const ConformOutcome& outcome) {
  Json differences = Json::Array();
  for (const ConformDifference& each : outcome.differences)
    differences.Append({{"column", each.column},
                        {"largest", each.largest},
                        {"first_frame", each.first_frame},
                        {"frames", each.frames}});
  Json json = {{"clip", outcome.clip->Name()},
               {outcome.item.is_model ? "model" : "feature", outcome.item.text},
               {"state", StateName(outcome.state)}};
  if (!outcome.differences.empty()) json["differences"] = std::move(differences);
  if (!outcome.missing_columns.empty()) json["missing_columns"] = outcome.missing_columns;
  if (!outcome.reason.empty()) json["reason"] = outcome.reason;
  return json;
}

std::string JunitCase(const ConformOutcome& outcome) {
  const std::string name = fmt::format(R"(    <testcase classname="{}" name="{}")", EscapeXml(outcome.clip->Name()),
                                       EscapeXml(outcome.item.text));
  std::vector<std::string> parts;
  for (const ConformDifference& each : outcome.differences)
    parts.push_back(fmt::format("{}: {}", each.column, Describe(each)));
  switch (outcome.state) {
    case ConformState::kEqual:
      return name + "/>\n";
    case ConformState::kDiffers:
      return fmt::format("{}>\n      <failure type=\"difference\" message=\"{}\"/>\n    </testcase>\n", name,
                         EscapeXml(fmt::format("{}", fmt::join(parts, "; "))));
    case ConformState::kFailed:
      return fmt::format("{}>\n      <error type=\"failure\" message=\"{}\"/>\n    </testcase>\n", name,
                         EscapeXml(outcome.reason));
    case ConformState::kNotOffered:
      break;
  }
  return fmt::format("{}>\n      <skipped message=\"not offered: {}\"/>\n    </testcase>\n", name,
                     EscapeXml(outcome.reason));
}

std::string JunitCounts(const ConformResult& result, const std::string* clip) {
  const auto count = [&](std::optional<ConformState> state) {
    return std::ranges::count_if(result.outcomes, [&](const ConformOutcome& each) {
      return (!clip || each.clip->Name() == *clip) && (!state || each.state == *state);
    });
  };
  return fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="{}")", count(std::nullopt),
                     count(ConformState::kDiffers), count(ConformState::kFailed), count(ConformState::kNotOffered));
}

}  // namespace

std::string ConformText(const ConformTool& tool, const ConformResult& result) {
  const Summaries summaries = Summarize(result);
  std::string text, refused = RefusalLines(summaries, result);
  for (const auto& [item, summary] : summaries) {
    if (!summary.differs.empty()) text += DifferenceLines(item, summary, result);
    if (!summary.failed.empty())
      text += fmt::format("{}: failed on {} of {} clips; {}: {}\n", item, summary.failed.size(), summary.compared,
                          summary.failed[0]->clip->Name(), summary.failed[0]->reason);
  }
  std::set<std::string> missing;
  for (const ConformOutcome& outcome : result.outcomes)
    if (outcome.state != ConformState::kNotOffered)
      missing.insert(outcome.missing_columns.begin(), outcome.missing_columns.end());
  if (!missing.empty()) refused += fmt::format("  columns: {}\n", fmt::join(missing, ", "));
  if (!refused.empty()) text += "not offered:\n" + refused;
  return text + fmt::format("{}: {} equal, {} different, {} failed, {} not offered, in {:.0f} s\n",
                            fmt::join(tool.words, " "), result.Count(ConformState::kEqual),
                            result.Count(ConformState::kDiffers), result.Count(ConformState::kFailed),
                            result.Count(ConformState::kNotOffered), result.seconds);
}

Json ConformJson(const ConformTool& tool, const ConformResult& result) {
  Json outcomes = Json::Array();
  for (const ConformOutcome& outcome : result.outcomes) outcomes.Append(OutcomeJson(outcome));
  return {{"tool", tool.words},
          {"conforms", result.Conforms()},
          {"equal", result.Count(ConformState::kEqual)},
          {"different", result.Count(ConformState::kDiffers)},
          {"failed", result.Count(ConformState::kFailed)},
          {"not_offered", result.Count(ConformState::kNotOffered)},
          {"seconds", result.seconds},
          {"outcomes", std::move(outcomes)}};
}

std::string ConformJunit(const ConformTool& tool, const ConformResult& result) {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {} time=\"{:.3f}\">\n",
      EscapeXml(fmt::format("{}", fmt::join(tool.words, " "))), JunitCounts(result, nullptr), result.seconds);
  for (const ClipSpec& clip : Clips()) {
    const std::string name = clip.Name();
    text += fmt::format("  <testsuite name=\"{}\" {}>\n", name, JunitCounts(result, &name));
    for (const ConformOutcome& outcome : result.outcomes)
      if (outcome.clip == &clip) text += JunitCase(outcome);
    text += "  </testsuite>\n";
  }
  return text + "</testsuites>\n";
}

}  // namespace acutance
