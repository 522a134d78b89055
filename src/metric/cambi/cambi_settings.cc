#include <algorithm>

#include "base/int_math.h"
#include "math/exact_math.h"
#include "metric/cambi/cambi.h"

namespace acutance {
namespace {

constexpr int kFoot = 64, kHead = 940;  // black and white of 10-bit limited range

double Normalized(int code) { return (std::clamp(code, kFoot, kHead) - kFoot) / static_cast<double>(kHead - kFoot); }

/// cd/m^2 of a display by BT.1886, with 300 for white and 0.01 for black.
double LuminanceBt1886(double signal) {
  constexpr double kGamma = 2.4, kWhite = 300, kBlack = 0.01;
  const double white = Pow(kWhite, 1 / kGamma), black = Pow(kBlack, 1 / kGamma);
  const double gain = Pow(white - black, kGamma), lift = black / (white - black);
  return gain * Pow(std::max(signal + lift, 0.0), kGamma);
}

/// cd/m^2 by SMPTE ST 2084.
double LuminancePq(double signal) {
  const double p = Pow(signal, 1 / 78.84375);
  return 10000 * Pow(std::max(p - 0.8359375, 0.0) / (18.8515625 - 18.6875 * p), 1 / 0.1593017578125);
}

/// The light that a display makes of a 10-bit code.
struct Display {
  double (*luminance)(double signal);

  double operator()(int code) const { return luminance(Normalized(code)); }
};

Result<Display> FindDisplay(const OptionValues& options) {
  const std::string& later = options.String("cambi_eotf");
  const std::string& eotf = later != "bt1886" ? later : options.String("eotf");
  if (eotf == "bt1886") return Display{LuminanceBt1886};
  if (eotf == "pq") return Display{LuminancePq};
  return Error(StatusCode::kInvalidArgument, "cambi: eotf '{}' is not bt1886 or pq", eotf);
}

/// The largest code from which a step is visible, by bisection: docs/spec/siblings.md 1.2.
int StepLimit(const Display& luminance, double threshold, int step) {
  const auto visible = [&](int code) {
    const double low = luminance(code), high = luminance(code + step);
    return high - low > threshold * low;
  };
  const int top = kHead - step - 1;
  if (!visible(kFoot)) return 0;
  if (!visible(kFoot + 1)) return kFoot;
  if (visible(top)) return visible(top + 1) ? kCambiCodes - 2 : top;
  for (int low = kFoot, high = top;;) {
    const int middle = low + (high - low) / 2;
    if (!visible(middle)) high = middle;
    else if (visible(middle + 1)) low = middle;
    else return middle;
  }
}

/// The smallest code that is at least this bright; 0: all are.
int LowLimit(const Display& luminance, double threshold) {
  int code = kFoot;
  while (code < kHead && luminance(code) < threshold) ++code;
  return code == kFoot ? 0 : code;
}

Result<int> WindowSide(int window_size, PictureSize size, bool half_size) {
  unsigned side = ((static_cast<unsigned>(window_size) * static_cast<unsigned>(size.width + size.height)) / 375) >> 4;
  if (half_size) side = (side + 1) >> 1;
  side |= 1;
  if (side > kCambiMaxWindow)
    return Error(StatusCode::kInvalidArgument,
                 "cambi: window_size={} is {} pixels at {}x{}, more than {}: set a smaller window_size", window_size,
                 side, size.width, size.height, kCambiMaxWindow);
  return static_cast<int>(side);
}

int MaskMinimum(PictureSize size) {
  return (49 + 3 * (CeilLog2(static_cast<uint64_t>(size.width >> 6) * (size.height >> 6)) - 11) - 1) >> 1;
}

bool HalvesSize(int option, PictureSize size) {
  const int64_t pixels = int64_t{size.width} * size.height;
  for (const auto& [width, height] : {PictureSize{1920, 1080}, {2560, 1440}, {3840, 2160}})
    if (option == height) return pixels >= int64_t{width} * height;
  return false;
}

PictureSize SizeOr(PictureSize size, PictureSize input) { return size.width == 0 || size.height == 0 ? input : size; }

Status CheckSizes(PictureSize encode, PictureSize source) {
  constexpr int kMinSide = 216;
  for (const auto& [what, size] : {std::pair{"encode", encode}, {"source", source}})
    if (size.width < kMinSide && size.height < kMinSide)
      return Error(StatusCode::kInvalidArgument, "cambi needs a width or height of {} at least, the {} is {}x{}",
                   kMinSide, what, size.width, size.height);
  if ((source.width > encode.width && source.height < encode.height) ||
      (source.width < encode.width && source.height > encode.height))
    return Error(StatusCode::kInvalidArgument,
                 "cambi: the source {}x{} is wider and lower than the encode {}x{}, "
                 "or narrower and higher",
                 source.width, source.height, encode.width, encode.height);
  return {};
}

/// `topk`, unless cambi_topk alone was given.
double TopShare(const OptionValues& options) {
  constexpr double kDefault = 0.6;
  const double topk = options.Double("topk");
  return topk != kDefault ? topk : options.Double("cambi_topk");
}

Status AddPasses(CambiSettings& settings) {
  const PictureSize input = {settings.format.width, settings.format.height};
  PictureSize encode = SizeOr(settings.encode, input);
  if (encode.width > input.width || encode.height > input.height) encode = input;
  const PictureSize source = SizeOr(settings.source, input);
  ACU_RETURN_IF_ERROR(CheckSizes(encode, source));
  settings.half_size = HalvesSize(settings.half_from, encode);
  const int passes = settings.full_reference ? 2 : 1;
  for (int i = 0; i < 2; ++i) {
    const PictureSize size = i == 0 ? encode : source;
    ACU_ASSIGN_OR_RETURN(const int window, WindowSide(settings.window_size, size, settings.half_size));
    if (i < passes) settings.passes.push_back({i, size.width, size.height, window, MaskMinimum(size)});
  }
  return {};
}

}  // namespace

Result<CambiOptions> ReadCambiOptions(const OptionValues& options) {
  ACU_ASSIGN_OR_RETURN(const Display display, FindDisplay(options));
  CambiOptions read = {.encode = {options.Int("enc_width"), options.Int("enc_height")},
                       .source = {options.Int("src_width"), options.Int("src_height")},
                       .half_from = options.Int("cambi_high_res_speedup"),
                       .window_size = options.Int("window_size"),
                       .full_reference = options.Bool("full_ref"),
                       .encoded_depth = options.Int("enc_bitdepth"),
                       .top_share = TopShare(options),
                       .max_value = options.Double("cambi_max_val"),
                       .contrasts = 1 << options.Int("max_log_contrast"),
                       .low_limit = LowLimit(display, options.Double("cambi_vis_lum_threshold")),
                       .heatmaps_path = options.String("heatmaps_path")};
  for (int step = 1; step <= read.contrasts; ++step)
    read.steps_limit.push_back(StepLimit(display, options.Double("tvi_threshold"), step));
  return read;
}

Result<CambiSettings> MakeCambiSettings(const CambiOptions& options, const PictureFormat& format) {
  CambiSettings settings = {options, format, {}};
  ACU_RETURN_IF_ERROR(AddPasses(settings));
  settings.filter_dither = (options.encoded_depth == 0 ? format.bit_depth : options.encoded_depth) < 10;
  return settings;
}

int CambiWeight(int d) {
  constexpr int8_t kWeights[kCambiMaxContrasts] = {1, 2, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8,
                                                   8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
  return kWeights[d];
}

double CambiHeatScale(const CambiPass& pass, int contrasts) {
  const int largest = CambiWeight(contrasts - 1) * pass.window * pass.window / 4;  // half the window has each value
  return 65535.0 / largest;
}

PictureSize CambiScaleSize(const CambiSettings& settings, const CambiPass& pass, int scale) {
  PictureSize size = {pass.width, pass.height};
  for (int i = settings.half_size ? -1 : 0; i < scale; ++i) size = {(size.width + 1) / 2, (size.height + 1) / 2};
  return size;
}

namespace {

std::vector<float> MakeReciprocals() {
  std::vector<float> table(kCambiMaxWindow * kCambiMaxWindow + 1);
  for (int64_t i = 1; i < std::ssize(table); ++i) {
    int64_t scale = 100'000'000;  // 10^8 <= digits < 10^9
    while (scale < i * 100'000'000) scale *= 10;
    const int64_t digits = (2 * scale + i) / (2 * i);
    table[i] = static_cast<float>(static_cast<double>(digits) / static_cast<double>(scale));
  }
  return table;
}

}  // namespace

std::span<const float> CambiReciprocals() {
  static const std::vector<float> table = MakeReciprocals();
  return table;
}

std::vector<int> CambiNearest(int from, int size) {
  std::vector<int> nearest(size);
  const float ratio = static_cast<float>(from) / static_cast<float>(size);
  float at = static_cast<float>(static_cast<double>(ratio / 2.0f) - 0.5);
  for (int& index : nearest) {
    index = std::clamp(static_cast<int>(static_cast<double>(at) + 0.5), 0, from - 1);
    at += ratio;
  }
  return nearest;
}

int64_t CambiTopCount(double share, PictureSize size) {
  const int64_t pixels = int64_t{size.width} * size.height;
  return std::clamp(static_cast<int64_t>(share * static_cast<double>(pixels)), int64_t{1}, pixels);
}

}  // namespace acutance
