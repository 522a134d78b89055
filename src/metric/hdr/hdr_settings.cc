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

bool Shows(const Display& display, std::string_view transfer) {
  using enum Display::Curve;
  if (transfer == "pq") return display.curve == kPq;
  if (transfer == "hlg") return display.curve == kHlg;
  return display.curve == kSrgb || display.curve == kPower;
}

Result<std::optional<Display>> ReadDisplay(std::string_view transfer, const OptionValues& options) {
  const DisplayChoice choice = {.name = options.String("display"), .file = options.String("display_file")};
  if (choice.name == "reference") return std::optional<Display>();
  ACU_ASSIGN_OR_RETURN(const Display display, FindDisplay(choice));
  if (!Shows(display, transfer))
    return Error(StatusCode::kInvalidArgument, "display={} has another curve than transfer={}", choice.name, transfer);
  if (!options.String("peak").empty())
    return Error(StatusCode::kInvalidArgument, "display={} has a peak of its own: leave out peak={}", choice.name,
                 options.String("peak"));
  return std::optional(display);
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

std::string_view TransferOf(const HdrSettings& settings) {
  if (settings.curve.transfer == HDR_PQ) return "pq";
  return settings.curve.transfer == HDR_HLG ? "hlg" : "sdr";
}

Status ReadShown(const OptionValues& options, HdrSettings& settings) {
  const std::string& conversion = options.String("conversion");
  if (conversion != "common" && conversion != "reader")
    return Error(StatusCode::kInvalidArgument, "conversion={} is none of common, reader", conversion);
  settings.reads_as_cvvdp = conversion == "reader" && settings.rgb.matrix != LinearRgbSettings::Matrix::kRgb;
  ACU_ASSIGN_OR_RETURN(settings.display, ReadDisplay(TransferOf(settings), options));
  if (settings.display) settings.rgb.transfer = LINEAR_RGB_NONE;
  if (settings.reads_as_cvvdp && !settings.display && settings.curve.transfer == HDR_SDR)
    return Error(StatusCode::kInvalidArgument, "conversion=reader of transfer=sdr is for a display: set display=");
  return {};
}

}  // namespace

std::vector<OptionSpec> PuOptions() {
  return WithHdrOptions({
      {"display", "",
       "reference: light as samples code it; or a display of cvvdp's, by name, whose curve is that of the transfer "
       "function",
       std::string("reference"), 0, 0, true},
      {"display_file", "", "a JSON file of displays, in addition to those that are built in; or the JSON itself",
       std::string(), 0, 0, false},
      {"conversion", "",
       "common: red, green and blue by range, chroma_location and clip_rgb; reader: as ColorVideoVDP's own reader "
       "makes "
       "them",
       std::string("common"), 0, 0, true},
  });
}

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

Result<HdrSettings> ReadPuSettings(std::string_view metric, const OptionValues& options) {
  Result<HdrSettings> settings = ReadHdrSettings(metric, options);
  if (!settings.ok()) return settings;
  if (const Status status = ReadShown(options, *settings); !status.ok()) return Prefixed(metric, status);
  return settings;
}

bool HdrStaysOnCpu(const HdrSettings& settings) { return settings.display || settings.reads_as_cvvdp; }

HdrWeights::HdrWeights(const HdrSettings& settings)
    : red(settings.is_bt2020 ? 0.2627f : 0.2126f),
      green(settings.is_bt2020 ? 0.6780f : 0.7152f),
      blue(settings.is_bt2020 ? 0.0593f : 0.0722f) {
  if (!settings.display) return;
  const auto& [of_red, of_green, of_blue] = settings.display->to_xyz[1];
  red = static_cast<float>(of_red);
  green = static_cast<float>(of_green);
  blue = static_cast<float>(of_blue);
}

}  // namespace acutance
