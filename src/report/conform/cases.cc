#include "report/conform/cases.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <sstream>

namespace acutance {
namespace {

/// A metric of libvmaf, and option sets that are tested in a run of its own each.
struct MetricCases {
  std::string name;
  std::set<std::string> properties;
  std::vector<std::string> options;
};

struct Cases {
  std::vector<MetricCases> metrics;
  std::vector<std::string> models;
};

std::vector<std::string> Words(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

MetricCases MetricOf(const std::vector<std::string>& words) {
  const auto colon = std::ranges::find(words, ":");
  return {words[1], {words.begin() + 2, colon}, {colon + 1, words.end()}};
}

/// The cases of cases.txt.
const Cases& AllCases() {
  static const auto* cases = new Cases([] {
    Cases read;
    std::istringstream lines{std::string(kCasesText)};
    for (std::string line; std::getline(lines, line);) {
      const std::vector<std::string> words = Words(line);
      if (words[0] == "metric") read.metrics.push_back(MetricOf(words));
      if (words[0] == "model") read.models.insert(read.models.end(), words.begin() + 1, words.end());
    }
    return read;
  }());
  return *cases;
}

/// The smallest of the clips that all models take: some compute SpEED of pictures scaled down.
constexpr int kModelWidth = 640;

bool IsDefined(const MetricCases& metric, const ClipSpec& clip) {
  if (metric.properties.contains("chroma") && clip.format.pixel_format == PixelFormat::k400) return false;
  if (metric.properties.contains("even") && clip.IsOdd()) return false;
  return !metric.properties.contains("below16") || clip.format.bit_depth < 16;
}

ConformItem Model(std::string_view name) { return {fmt::format("version={}:name={}", name, name), true}; }

ConformRun Defaults(const ClipSpec& clip) {
  ConformRun run{&clip, {Model(AllCases().models[0])}};
  for (const MetricCases& metric : AllCases().metrics)
    if (IsDefined(metric, clip)) run.items.push_back({metric.name});
  return run;
}

/// Run `round` has the option set of that number of each metric that has one.
ConformRun Options(const ClipSpec& clip, size_t round) {
  ConformRun run{&clip, {}};
  for (const MetricCases& metric : AllCases().metrics)
    if (round < metric.options.size() && IsDefined(metric, clip))
      run.items.push_back({fmt::format("{}={}", metric.name, metric.options[round])});
  return run;
}

std::vector<ConformRun> MakeRuns() {
  std::vector<ConformRun> runs;
  for (const ClipSpec& clip : Clips()) runs.push_back(Defaults(clip));
  const std::span<const ClipSpec> with_options = Clips().first(2);  // 8 and 10 bits
  for (const ClipSpec& clip : with_options) {
    for (size_t round = 0; !Options(clip, round).items.empty(); ++round) runs.push_back(Options(clip, round));
  }
  for (const ClipSpec& clip : Clips())
    if (clip.format.width >= kModelWidth)
      for (const std::string& model : std::span(AllCases().models).subspan(1)) runs.push_back({&clip, {Model(model)}});
  return runs;
}

}  // namespace

std::string_view ConformItem::Group() const {
  return is_model ? "model" : std::string_view(text).substr(0, text.find('='));
}

bool ConformItem::IsExact() const {
  const auto metric = std::ranges::find(AllCases().metrics, Group(), &MetricCases::name);
  return metric != AllCases().metrics.end() && metric->properties.contains("exact");
}

const std::vector<ConformRun>& ConformRuns() {
  static const auto* runs = new std::vector<ConformRun>(MakeRuns());
  return *runs;
}

}  // namespace acutance
