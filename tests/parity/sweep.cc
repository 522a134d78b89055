#include "tests/parity/sweep.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <random>
#include <set>
#include <utility>
#include <variant>

#include "metric/plan_context.h"
#include "metric/test_size.h"

namespace acutance {
namespace {

constexpr std::array kDepths = {8, 10, 12, 16};
constexpr std::array kPixelFormats = {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444, PixelFormat::k400};
constexpr int kMixtures = 8;
constexpr double kLargestRange = 10'000;  // of an option without an upper limit

/// The smallest pictures, odd ones, narrow and flat ones, and some with several workgroups.
std::vector<std::pair<int, int>> Sizes(const Metric& metric) {
  constexpr std::pair<int, int> kBeyondSmallest[] = {{0, 0},   {14, 0},  {1, 14},  {29, 45},
                                                     {0, 197}, {297, 0}, {61, 29}, {169, 98}};
  std::vector<std::pair<int, int>> sizes;
  const PictureSize smallest = TestSizeOf(metric);
  for (const auto& [width, height] : kBeyondSmallest)
    sizes.emplace_back(smallest.width + width, smallest.height + height);
  return sizes;
}

/// The case of this turn.
ParityCase MakeCase(const Metric& metric, const OptionTexts& options, std::pair<int, int> size, int depth,
                    uint32_t turn) {
  const int batch = 1 + static_cast<int>(turn % 5);
  const bool large = size.first * size.second > 15'000;
  return {.metric = &metric,
          .options = options,
          .format = {size.first, size.second, depth, kPixelFormats[turn % kPixelFormats.size()]},
          .content = kContents[turn / 2 % std::size(kContents)],
          .frames = large ? 3 : batch + 3,
          .batch = batch,
          .seed = turn};
}

class CaseList {
 public:
  explicit CaseList(const Metric& metric) : metric_(metric) {}

  void Add(const OptionTexts& options, std::pair<int, int> size, int depth, std::vector<std::string> shapes = {""}) {
    ParityCase which = MakeCase(metric_, options, size, depth, turn_++);
    if (!Accepts(metric_, options, which.format)) which.format.pixel_format = PixelFormat::k420;
    if (Accepts(metric_, options, which.format)) cases_.push_back({std::move(which), std::move(shapes)});
  }

  /// Flat pictures, on which quotients have no value, as small as they may be.
  void AddFlat(const OptionTexts& options, std::pair<int, int> smallest, int depth) {
    ParityCase which = MakeCase(metric_, options, smallest, depth, turn_);
    which.content = Content::kFlips;
    if (Accepts(metric_, options, which.format)) cases_.push_back({std::move(which), {""}});
  }

  std::vector<SweepCase> Take() { return std::move(cases_); }

 private:
  const Metric& metric_;
  std::vector<SweepCase> cases_;
  uint32_t turn_ = 0;
};

std::vector<std::string> ValuesOf(const OptionSpec& option) {
  if (const bool* value = std::get_if<bool>(&option.default_value)) return {*value ? "false" : "true"};
  const double largest = std::min(option.max, option.min + kLargestRange), range = largest - option.min;
  if (std::holds_alternative<double>(option.default_value))
    return {fmt::format("{:g}", option.min), fmt::format("{:g}", option.min + range / 500),
            fmt::format("{:g}", option.min + range / 2), fmt::format("{:g}", largest)};
  if (!std::holds_alternative<int>(option.default_value)) return {};
  std::vector<std::string> values;
  const int low = static_cast<int>(option.min), high = static_cast<int>(largest);
  const int step = std::max(1, (high - low) / 3);
  for (int value = low; value <= high; value += step) values.push_back(std::to_string(value));
  return values;
}

OptionTexts Mixture(const Metric& metric, std::mt19937& random) {
  OptionTexts texts;
  for (const OptionSpec& option : metric.options) {
    const std::vector<std::string> values = ValuesOf(option);
    const size_t choice = random() % (2 * values.size() + 1);
    if (choice < values.size()) texts[std::string(option.name)] = values[choice];
  }
  return texts;
}

void AddLaunches(const Plan& plan, std::set<const KernelImage*>& launched) {
  for (const Plan::Launch& launch : plan.launches()) launched.insert(launch.kernel);
}

void AddLaunches(const SweepCase& which, std::string_view family, std::set<const KernelImage*>& launched) {
  const ParityCase& parity = which.parity;
  const OptionValues options = *OptionValues::Parse(parity.metric->options, parity.options);
  const std::vector<InputSpec> inputs = InputsOf(*parity.metric, options);
  for (const std::string& shape : which.shapes) {
    PlanContext context = MakePlanContext(inputs, parity.format, parity.batch, parity.Videos(), family);
    context.artifacts = true;
    const std::vector<TuningEntry> rows = RowsOfShape(shape);
    context.overrides = rows;
    if (const auto plan = MakePlan(*parity.metric, options, context); plan.ok()) AddLaunches(*plan, launched);
    if (const auto derive = MakeDerivePlan(inputs, context); derive.ok() && *derive) AddLaunches(**derive, launched);
  }
}

}  // namespace

std::vector<OptionTexts> OptionSweep(const Metric& metric) {
  std::vector<OptionTexts> sweep;
  for (const OptionSpec& option : metric.options)
    for (const std::string& value : ValuesOf(option)) sweep.push_back({{std::string(option.name), value}});
  std::mt19937 random(1);
  for (int i = 0; i < kMixtures && !metric.options.empty(); ++i) sweep.push_back(Mixture(metric, random));
  return sweep;
}

std::vector<SweepCase> SweepCases(const Metric& metric, SweepExtent extent) {
  CaseList list(metric);
  const std::vector<std::pair<int, int>> sizes = Sizes(metric);
  if (extent == SweepExtent::kSizes) {
    for (size_t i = 0; i < sizes.size(); ++i) list.Add({}, sizes[i], kDepths[i % kDepths.size()]);
    return list.Take();
  }
  for (const int depth : kDepths)
    for (const auto& size : sizes) list.Add({}, size, depth);
  uint32_t turn = 0;
  for (const OptionTexts& options : OptionSweep(metric)) {
    const int depth = kDepths[turn++ % kDepths.size()];
    list.Add(options, sizes[3], depth);
    list.AddFlat(options, sizes[0], depth);
  }
  for (const OptionTexts& options : OptionCases(metric))
    for (const int depth : {8, 10}) list.Add(options, sizes[6], depth, ShapesOf(metric, options));
  return list.Take();
}

std::vector<const KernelImage*> LaunchedKernels(std::span<const SweepCase> cases, std::string_view family) {
  std::set<const KernelImage*> launched;
  for (const SweepCase& which : cases) AddLaunches(which, family, launched);
  return {launched.begin(), launched.end()};
}

}  // namespace acutance
