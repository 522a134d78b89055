// The metrics behind the handlers, except cvvdp.

#include "api/vship/handler.h"
#include "metric/registry.h"

namespace acutance::vship {
namespace {

constexpr std::string_view kSsimulacra2 = "ssimulacra2", kButteraugli = "butteraugli";

Outcome CheckMetric(std::string_view name) {
  if (FindMetric(name)) return {};
  return Failure(kNotSupported, "{} is not in this build", name);
}

/// The options of both metrics: the conversion to linear light.
Outcome LightOptions(const FramePair& pair, OptionTexts& options) {
  const char* transfer = nullptr;
  switch (pair.transfer) {
    case kTransferBt709:
    case kTransferBt470Bg:
    case kTransferBt601:
      transfer = "bt1886";
      break;
    case kTransferSrgb:
      transfer = "srgb";
      break;
    case kTransferLinear:
      transfer = "linear";
      break;
    default:
      return Failure(kNotSupported, "transfer function {}: there are 1, 5, 6, 8 and 13", pair.transfer);
  }
  options = pair.colors;
  options["transfer"] = transfer;
  return {};
}

class Ssimulacra2 : public Ssimulacra2Scorer {
 public:
  explicit Ssimulacra2(OptionTexts options) : options_(std::move(options)) {}
  StructType init_type() const override { return kInitSsimulacra2; }
  std::vector<FeatureRequest> requests() const override { return {{std::string(kSsimulacra2), options_}}; }
  void Take(std::span<const RunResult> results, bool) override {
    score = ValueOf(results.front(), kSsimulacra2, "ssimulacra2");
  }

 private:
  const OptionTexts options_;
};

class Butteraugli : public ButteraugliScorer {
 public:
  explicit Butteraugli(OptionTexts options) : options_(std::move(options)) {}
  StructType init_type() const override { return kInitButteraugli; }
  std::vector<FeatureRequest> requests() const override { return {{std::string(kButteraugli), options_}}; }
  void Take(std::span<const RunResult> results, bool) override {
    const RunResult& result = results.front();
    norms = {.norm_q = ValueOf(result, kButteraugli, "butteraugli_qnorm"),
             .norm_3 = ValueOf(result, kButteraugli, "butteraugli_p3"),
             .norm_inf = ValueOf(result, kButteraugli, "butteraugli_max")};
  }

 private:
  const OptionTexts options_;
};

}  // namespace

void FeatureScorer::Take(std::span<const RunResult> results, bool) {
  values_.clear();
  for (const RunResult& result : results) values_.insert(values_.end(), result.values.begin(), result.values.end());
}

std::vector<std::string> FeatureScorer::names() const {
  std::vector<std::string> names;
  for (const FeatureRequest& request : requests_)
    for (const OutputSpec& output : FindMetric(request.metric)->outputs)
      names.emplace_back(output.alias.empty() ? output.name : output.alias);
  return names;
}

double ValueOf(const RunResult& result, std::string_view metric, std::string_view output) {
  const auto& outputs = FindMetric(metric)->outputs;
  for (size_t i = 0; i < outputs.size(); ++i)
    if (outputs[i].name == output) return result.values[i];
  return std::nan("");
}

Outcome MakeSsimulacra2(const FramePair& pair, std::unique_ptr<Scorer>& scorer) {
  OptionTexts options;
  if (Outcome bad = LightOptions(pair, options); !bad.ok()) return bad;
  scorer = std::make_unique<Ssimulacra2>(std::move(options));
  return {};
}

Outcome MakeButteraugli(const FramePair& pair, int norm, float intensity, std::unique_ptr<Scorer>& scorer) {
  if (Outcome bad = CheckMetric(kButteraugli); !bad.ok()) return bad;
  OptionTexts options;
  if (Outcome bad = LightOptions(pair, options); !bad.ok()) return bad;
  options["qnorm"] = fmt::format("{}", norm);
  options["intensity_target"] = fmt::format("{}", intensity);
  scorer = std::make_unique<Butteraugli>(std::move(options));
  return {};
}

}  // namespace acutance::vship
