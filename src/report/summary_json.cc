#include "report/summary_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "log/escape.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr int kPercentiles[] = {1, 5, 10, 25, 75, 90, 95, 99};

}  // namespace

Json PoolsJson(std::span<const double> scores, const std::vector<NamedPool>& pools, const PoolContext& context) {
  Json result = Json::Object();
  for (const NamedPool& pool : pools) {
    result[pool.name] = PoolScores(scores, pool, context);
  }
  return result;
}

Json IntervalJson(const std::optional<Interval>& interval, double confidence) {
  if (!interval) return {};
  return {{"low", interval->low}, {"high", interval->high}, {"confidence", confidence}};
}

Json StatisticsJson(std::span<const double> scores, const std::vector<NamedPool>& pools, const PoolContext& context) {
  const std::vector<double> sorted = Sorted(scores);
  Json result;
  result["mean"] = context.clip_mean.value_or(Mean(scores));
  result["harmonic_mean"] = HarmonicMean(scores);
  result["min"] = Minimum(scores);
  result["max"] = Maximum(scores);
  result["median"] = Percentile(sorted, 50);
  result["stddev"] = StandardDeviation(scores);
  for (const int p : kPercentiles) result["percentiles"][std::to_string(p)] = Percentile(sorted, p);
  result["pools"] = PoolsJson(scores, pools, context);
  const size_t block = BlockLength(scores.size(), context.scores_per_second);
  const BootstrapOptions options;
  Json interval = IntervalJson(MeanInterval(scores, block, options), options.confidence);
  if (interval.IsObject()) interval["block"] = block;
  result["mean_interval"] = std::move(interval);
  return result;
}

Json VerdictsJson(const std::vector<Verdict>& verdicts) {
  Json requirements = Json::Array();
  for (const Verdict& verdict : verdicts)
    requirements.Append({{"requirement", verdict.requirement.text},
                         {"distorted", verdict.video},
                         {"value", verdict.value},
                         {"bound", verdict.requirement.bound},
                         {"holds", verdict.holds},
                         {"text", verdict.Sentence()}});
  return {{"holds", std::ranges::all_of(verdicts, &Verdict::holds)}, {"requirements", std::move(requirements)}};
}

namespace {

Json TextOrNull(std::string_view text) { return text.empty() ? Json() : Json(std::string(text)); }

Json DamageJson(const StreamDamage& damage) {
  if (damage.reason.empty()) return {};
  Json frames = Json::Array();
  for (const int64_t frame : damage.frames) frames.Append(frame);
  return {{"reason", damage.reason}, {"decoded", damage.decoded}, {"lost", damage.lost}, {"frames", std::move(frames)}};
}

Json DecodingJson(const Input& input) {
  if (input.facts.codec.empty()) return {};
  return {{"decoder", input.decoding.decoder},
          {"segments", input.decoding.segments},
          {"one_decoder", TextOrNull(input.decoding.one_decoder)}};
}

Json InputJson(const Input& input) {
  const auto& [path, format, frame_rate, color, facts, changes, damage, decoding] = input;
  Json json = {{"path", path},
               {"width", format.width},
               {"height", format.height},
               {"bit_depth", format.bit_depth},
               {"pixel_format", PixelFormatName(format.pixel_format)},
               {"codec", TextOrNull(facts.codec)},
               {"frame_rate", frame_rate},
               {"range", TextOrNull(input.range())},
               {"transfer", TextOrNull(input.transfer())},
               {"matrix", TextOrNull(input.matrix())},
               {"primaries", TextOrNull(input.primaries())},
               {"rgb", facts.is_rgb},
               {"interlaced", facts.is_interlaced},
               {"pixel_aspect", facts.pixel_aspect},
               {"dolby_vision_profile", facts.dolby_vision_profile > 0 ? Json(facts.dolby_vision_profile) : Json()},
               {"mastering", nullptr},
               {"light_level", nullptr},
               {"bit_rate", facts.bit_rate},
               {"changes", Json::Array()},
               {"damage", DamageJson(input.damage)},
               {"decoding", DecodingJson(input)}};
  if (const auto& display = facts.mastering)
    json["mastering"] = {{"least", display->min_luminance}, {"most", display->max_luminance}};
  if (const auto& light = facts.light_level)
    json["light_level"] = {{"max_cll", light->max_cll}, {"max_fall", light->max_fall}};
  for (const auto& [change, text] : changes)
    json["changes"].Append({{"change", std::string(NameOf(change))}, {"text", text}});
  return json;
}

}  // namespace

std::string Describe(const Input& input) {
  const VideoFacts& facts = input.facts;
  std::vector<std::string> parts;
  const auto add = [&](std::string_view text) {
    if (!text.empty()) parts.emplace_back(text);
  };
  add(facts.codec);
  if (input.frame_rate) add(fmt::format("{:.6g} frames/s", *input.frame_rate));
  if (facts.is_interlaced) add("interlaced");
  add(input.transfer());
  add(input.matrix());
  if (const auto primaries = input.primaries(); !primaries.empty() && primaries != input.matrix())
    add(fmt::format("primaries of {}", primaries));
  if (const auto range = input.range(); !range.empty()) add(fmt::format("{} range", range));
  if (facts.dolby_vision_profile > 0) add(fmt::format("Dolby Vision profile {}", facts.dolby_vision_profile));
  if (const auto& display = facts.mastering)
    add(fmt::format("mastered for {:.4g} to {:.4g} cd/m2", display->min_luminance, display->max_luminance));
  if (const auto& light = facts.light_level) add(fmt::format("MaxCLL {}, MaxFALL {}", light->max_cll, light->max_fall));
  return fmt::format("{}", fmt::join(parts, ", "));
}

Json InputsJson(const std::vector<Input>& inputs) {
  Json list = Json::Array();
  for (const Input& input : inputs) list.Append(InputJson(input));
  return list;
}

std::string JunitXml(const Summary& summary) {
  const auto failures = std::ranges::count(summary.verdicts, false, &Verdict::holds);
  const std::string counts = fmt::format(R"(tests="{}" failures="{}" errors="0" time="{:.3f}")",
                                         summary.verdicts.size(), failures, summary.seconds);
  std::string text =
      fmt::format("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"acutance\" {}>\n",
                  counts, counts);
  for (const Verdict& verdict : summary.verdicts) {
    text += fmt::format(R"(    <testcase classname="{}" name="{}" time="0")", EscapeXml(verdict.video),
                        EscapeXml(verdict.requirement.text));
    const std::string sentence = EscapeXml(verdict.Sentence());
    if (verdict.holds) text += fmt::format(">\n      <system-out>{}</system-out>\n    </testcase>\n", sentence);
    else text += fmt::format(">\n      <failure type=\"requirement\" message=\"{}\"/>\n    </testcase>\n", sentence);
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

Json MeanVerdictJson(const MeanVerdict& verdict) {
  return {{"schema", kSchemaName},
          {"kind", "mean"},
          {"version", ACUTANCE_VERSION},
          {"reference", verdict.reference},
          {"distorted", verdict.distorted},
          {"score", verdict.score},
          {"relation", verdict.gate.at_least ? "at_least" : "at_most"},
          {"bound", verdict.gate.bound},
          {"holds", verdict.holds},
          {"certain", verdict.certain},
          {"confidence", verdict.confidence},
          {"mean_of_read", verdict.mean_of_read},
          {"least_mean", verdict.least_mean},
          {"greatest_mean", verdict.greatest_mean},
          {"frames", verdict.frames},
          {"frames_read", verdict.frames_read},
          {"seed", verdict.gate.seed},
          {"text", verdict.text},
          {"warnings", verdict.warnings}};
}

}  // namespace acutance
