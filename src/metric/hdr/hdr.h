// What pu_psnr, pu_ssim and delta_e_itp share: from samples to the light of a display, and from light to numbers that
// follow what people see (README.md).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernel/kernel.h"
#include "metric/blocks/display.h"
#include "metric/blocks/float_colors.h"
#include "metric/blocks/float_power.h"
#include "metric/blocks/float_rows.h"
#include "metric/blocks/linear_rgb.h"
#include "metric/metric.h"

namespace acutance {

namespace hdr {
#include "metric/hdr/hdr_math.kernel.h"
#include "metric/hdr/pu_ssim_math.kernel.h"
}  // namespace hdr

// --- Options

/// Their options, read: what samples mean, and how they become light.
struct HdrSettings {
  LinearRgbSettings rgb{};  // up to encoded colors; of SDR, up to light
  hdr::HdrCurve curve{};
  bool is_bt2020 = true;             // the primaries of light
  std::optional<Display> display{};  // whose light it is, in place of the curve's
  bool reads_as_cvvdp = false;       // colors as ColorVideoVDP's command reads them (reader_rgb.h)
  std::string key_suffix{};
};

/// The options that the three share, after a metric's own; and in front of them those that pu_psnr and pu_ssim share.
std::vector<OptionSpec> WithHdrOptions(std::vector<OptionSpec> own);
std::vector<OptionSpec> PuOptions();

/// Fails where an option has a value that it does not know, or one that others exclude. An undeclared transfer function
/// is taken as PQ (Metric::must_be_declared). `metric`: how messages begin.
Result<HdrSettings> ReadHdrSettings(std::string_view metric, const OptionValues& options);
Result<HdrSettings> ReadPuSettings(std::string_view metric, const OptionValues& options);

/// Displays and the reader have no kernels.
bool HdrStaysOnCpu(const HdrSettings& settings);

// --- Light

/// Light of both videos' pictures: a derived input that the three metrics share.
std::vector<InputSpec> HdrInputs(const HdrSettings& settings);
std::string HdrLightKey(const HdrSettings& settings);

/// Makes light of encoded red, green and blue with SIMD (Highway), which may be in the same place; and in plain loops,
/// where it is.
void HdrLightRow(const hdr::HdrCurve& curve, int width, const std::array<float*, 3>& encoded,
                 const std::array<float*, 3>& light);
void HdrLightRowRef(const hdr::HdrCurve& curve, int width, const std::array<float*, 3>& row);

/// Weights of light's red, green and blue in luminance.
struct HdrWeights {
  explicit HdrWeights(const HdrSettings& settings);
  float red, green, blue;
};

// --- Sums. A partial result is one of a strip of rows, in the order of docs/spec/beyond.md 5.3.

inline constexpr int kHdrStrip = 64;

struct HdrPair {
  FloatColors reference, distorted;
};

/// Sums of columns, of which each strip's are folded into one number.
class HdrColumns {
 public:
  HdrColumns(int sums, int width) : rows_(sums, width), width_(width) {}

  double* Row(int sum) { return rows_.Row(sum); }
  /// The sum of a row's numbers; sets them to 0.
  double Fold(int sum);

 private:
  PaddedRows<double> rows_;
  int width_;
  std::vector<double> folded_;
};

/// Row buffers of one thread.
struct HdrBuffers : Workspace {
  HdrBuffers(int sums, int width) : columns(sums, width) {}
  HdrColumns columns;
};

inline constexpr int kPuPsnrWords = 4;  // squared differences of luminance, red, green and blue
inline constexpr int kDeltaEWords = 2;  // the sum of differences; the largest

/// Strips [begin, end), with SIMD (Highway); and in plain loops.
void PuPsnrStrips(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words,
                  HdrBuffers& buffers);
void PuPsnrStripsRef(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words);

/// A map of differences, or none.
struct DeltaEMap {
  const MutablePicture* picture = nullptr;
  float* Row(int y) const { return picture ? picture->Row<float>(0, y) : nullptr; }
};
void DeltaEStrips(const HdrPair& pair, bool is_bt2020, RowBand strips, std::span<int64_t> words, const DeltaEMap& map,
                  HdrBuffers& buffers);
void DeltaEStripsRef(const HdrPair& pair, bool is_bt2020, RowBand strips, std::span<int64_t> words,
                     const DeltaEMap& map);

inline constexpr int kPuFields = 4;  // the reference, the difference, its square, the sum of both videos' squares

/// Row buffers of one thread.
struct PuSsimBuffers : HdrBuffers {
  static constexpr int kRing = 16;  // rows; a power of two above the blur's 11

  explicit PuSsimBuffers(int width) : HdrBuffers(1, width), fields(kPuFields, width), ring(kPuFields * kRing, width) {}

  PaddedRows<float> fields;  // a row, with what lies beyond its ends
  PaddedRows<float> ring;    // rows blurred across: row y of field f at f * kRing + y % kRing
};

void PuSsimStrips(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words,
                  PuSsimBuffers& buffers);
void PuSsimStripsRef(const HdrPair& pair, const HdrWeights& weights, RowBand strips, std::span<int64_t> words);

/// The sum of every `step`-th word from `first` on, in order.
double HdrTotal(std::span<const int64_t> words, int first, int step);

extern const Metric kPuPsnrMetric, kPuSsimMetric, kDeltaEItpMetric;

}  // namespace acutance
