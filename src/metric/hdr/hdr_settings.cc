#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "math/exact_math.h"
#include "metric/hdr/hdr.h"

namespace acutance {
namespace {

constexpr std::string_view kTransfers[] = {"auto", "pq", "hlg", "sdr"};

struct PeakRange {
  double usual, least, most;
};

/// Of PQ's light none is to be chosen: samples say what it is.
std::optional<PeakRange> PeaksOf(std::string_view transfer) {
  if (transfer == "hlg") return PeakRange{1000, 400, 2000};  // where ITU-R BT.2100's system gamma is meant for
  if (transfer == "sdr") return PeakRange{100, 1, 10000};
  return std::nullopt;
}

Result<double> ReadPeak(std::string_view transfer, const std::string& text) {
  const std::optional<PeakRange> range = PeaksOf(transfer);
  if (text.empty()) return range ? range->usual : HDR_NITS;
  if (!range)
    return Error(StatusCode::kInvalidArgument, "peak={}: PQ codes light itself, so that it has no peak to be chosen",
                 text);
  const std::optional<double> peak = ParseFiniteDouble(text);
  if (peak && *peak >= range->least && *peak <= range->most) return *peak;
  return Error(StatusCode::kInvalidArgument, "peak={} is not a luminance from {} to {} cd/m2, as transfer={} needs",
               text, range->least, range->most, transfer);
}

/// The display's contrast over the scene's (ITU-R BT.2100).
double SystemGamma(double peak) { return 1.2 + 0.42 * Log10(peak / 1000); }

Result<HdrSettings> ReadUnprefixed(const OptionValues& options) {
  const std::string& asked = options.String("transfer");
  if (std::ranges::find(kTransfers, asked) == std::end(kTransfers))
    return Error(StatusCode::kInvalidArgument, "transfer={} is none of {}", asked, fmt::join(kTransfers, ", "));
  const std::string_view transfer = asked == "auto" ? "pq" : std::string_view(asked);
  const bool is_sdr = transfer == "sdr";
  HdrSettings settings = {.key_suffix = options.KeySuffix()};
  ACU_ASSIGN_OR_RETURN(settings.rgb, ReadRgb(options, is_sdr ? "left" : "topleft"));
  ACU_ASSIGN_OR_RETURN(const double peak, ReadPeak(transfer, options.String("peak")));
  using Matrix = LinearRgbSettings::Matrix;
  settings.is_bt2020 = !is_sdr || settings.rgb.matrix == Matrix::kBt2020;
  if (!is_sdr && settings.rgb.matrix == Matrix::kAuto) settings.rgb.matrix = Matrix::kBt2020;
  if (is_sdr) settings.rgb.transfer = LINEAR_RGB_BT1886;
  const double gamma = transfer == "hlg" ? SystemGamma(peak) - 1 : 1;
  settings.curve = {.transfer = is_sdr              ? HDR_SDR
                                : transfer == "hlg" ? HDR_HLG
                                                    : HDR_PQ,
                    .scale = static_cast<float>(peak / HDR_NITS),
                    .gamma = float_exponent(static_cast<float>(gamma))};
  return settings;
}

}  // namespace

std::vector<OptionSpec> WithHdrOptions(std::vector<OptionSpec> own) {
  const OptionSpec shared[] = {
      {"transfer", "", "the transfer function: pq, hlg or sdr; auto: the one that the stream declares",
       std::string("auto"), 0, 0, false},
      {"range", "", "limited or full; auto: as the stream declares, or limited", std::string("auto"), 0, 0, false},
      {"matrix", "",
       "matrix of luma and chroma: bt601, bt709, bt2020; rgb: the planes are red, green and blue; auto: as the stream "
       "declares, or bt2020 of pq and hlg, and of sdr bt709 above 650 lines, otherwise bt601",
       std::string("auto"), 0, 0, false},
      {"chroma_location", "",
       "location of chroma samples: left, center, topleft, top; auto: as the stream declares, or topleft of pq and "
       "hlg, "
       "left of sdr",
       std::string("auto"), 0, 0, false},
      {"clip_rgb", "", "clip red, green and blue to 0 to 1 before they become light", true, 0, 1, false},
      {"peak", "", "the display's peak in cd/m2: of hlg 400 to 2000, or 1000; of sdr 1 to 10000, or 100", std::string(),
       0, 0, true},
  };
  own.insert(own.end(), std::begin(shared), std::end(shared));
  return own;
}

Result<HdrSettings> ReadHdrSettings(std::string_view metric, const OptionValues& options) {
  Result<HdrSettings> settings = ReadUnprefixed(options);
  if (!settings.ok()) return Prefixed(metric, settings.status());
  return settings;
}

HdrWeights::HdrWeights(const HdrSettings& settings)
    : red(settings.is_bt2020 ? 0.2627f : 0.2126f),
      green(settings.is_bt2020 ? 0.6780f : 0.7152f),
      blue(settings.is_bt2020 ? 0.0593f : 0.0722f) {}

}  // namespace acutance
