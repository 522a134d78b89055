// Light of a video's pictures, a derived input.
#include "exec/plan.h"
#include "metric/blocks/display_light.h"
#include "metric/blocks/reader_rgb.h"
#include "metric/hdr/hdr.h"

namespace acutance {
namespace {

constexpr TuningEntry kLightTuning[] = {{"hdr_light", "", "32x4"}};

/// What the kernel reads: LinearRgbFactors, then the curve.
struct LightTable {
  light::LinearRgbFactors factors;
  hdr::HdrCurve curve;
};

void ShowOn(const DisplayLight& display, int width, const std::array<float*, 3>& row) {
  DisplayLightRow(display, width, row);
  for (float* color : row)
    for (int x = 0; x < width; ++x) color[x] *= 1e-4f;  // of the unit
}

class HdrLightInput : public DerivedInput {
 public:
  explicit HdrLightInput(const HdrSettings& settings)
      : settings_(settings), encoded_(settings.rgb), key_(HdrLightKey(settings)) {
    if (settings.display) display_.emplace(*settings.display);
  }

  std::string key() const override { return key_; }
  unsigned planes() const override { return kAllPlanes; }
  PictureFormat Format(const PictureFormat& source) const override { return encoded_.Format(source); }

  void Compute(const Picture& source, const MutablePicture& derived) const override {
    const LinearRgbConversion conversion(settings_.rgb, source.format);
    std::optional<ReaderRgb> reader;
    if (settings_.reads_as_cvvdp)
      reader.emplace(source.format, settings_.rgb.matrix == LinearRgbSettings::Matrix::kBt2020);
    // Encoded colors stay in the processor's caches, so that only light goes to memory, while curves are computed.
    FloatRows colors(3, source.format.width);
    for (int y = 0; y < source.format.height; ++y) {
      const std::array<float*, 3> light = {derived.Row<float>(0, y), derived.Row<float>(1, y),
                                           derived.Row<float>(2, y)};
      const std::array<float*, 3> encoded =
          display_ ? light : std::array<float*, 3>{colors.Row(0), colors.Row(1), colors.Row(2)};
      if (reader) ReaderRgbRow(*reader, source, y, encoded);
      else LinearRgbRow(conversion, source, y, {0, source.format.width}, encoded);
      if (display_) ShowOn(*display_, source.format.width, light);
      else HdrLightRow(settings_.curve, source.format.width, encoded, light);
    }
  }

  Status AddLaunches(Plan& plan, const PlanContext& context, Video video) const override {
    const LinearRgbConversion conversion(settings_.rgb, context.format);
    const LightTable table = {conversion.factors, settings_.curve};
    const BufferRef factors = plan.AddTable("factors of light", std::span(&table, 1));
    return AddColorLaunch(plan, context, video, conversion, {"hdr_light", kLightTuning, key_, factors});
  }

 private:
  const HdrSettings settings_;
  const LinearRgbInput encoded_;
  const std::string key_;
  std::optional<DisplayLight> display_;
};

}  // namespace

std::string HdrLightKey(const HdrSettings& settings) {
  const hdr::HdrCurve& curve = settings.curve;
  const std::string light = settings.display ? DisplayLightKey(*settings.display)
                                             : fmt::format("{} {} {}", curve.transfer, curve.scale, curve.gamma.value);
  return fmt::format("light of {} of {}{}", light, settings.reads_as_cvvdp ? "reader's " : "",
                     LinearRgbInput(settings.rgb).key());
}

std::vector<InputSpec> HdrInputs(const HdrSettings& settings) {
  const auto derived = std::make_shared<HdrLightInput>(settings);
  return {{.video = Video::kReference, .planes = kAllPlanes, .derived = derived},
          {.video = Video::kDistorted, .planes = kAllPlanes, .derived = derived}};
}

void HdrLightRowRef(const hdr::HdrCurve& curve, int width, const std::array<float*, 3>& row) {
  for (int x = 0; x < width; ++x) {
    const hdr::HdrColor light = hdr::hdr_light({row[0][x], row[1][x], row[2][x]}, curve);
    row[0][x] = light.red;
    row[1][x] = light.green;
    row[2][x] = light.blue;
  }
}

}  // namespace acutance
