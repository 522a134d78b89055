// What eyes follow over time and see at each frequency, in doubles that become floats once
// (docs/spec/cvvdp.md 3.2, 4.1, 4.3, 5.5); and from sums to distances and JOD, in doubles (4.5, 4.6).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/exact_math.h"
#include "metric/blocks/words.h"
#include "metric/cvvdp/cvvdp.h"

namespace acutance {
namespace {

#include "metric/cvvdp/cvvdp_sensitivity.inc"

constexpr double kCorrection = -0.2797423303127289 / 20;
constexpr double kGains[kCvvdpChannels] = {1.0, 1.45, 1.0, 1.0};
constexpr double kSigma[kCvvdpChannels] = {5.79336, 14.1255, 6.63661, 0.12314};
constexpr double kBeta[kCvvdpChannels] = {1.3314, 1.1196, 0.947901, 0.1898};

/// How much of a change of `frequency` (in Hz) a channel follows.
double Response(int channel, double frequency) {
  constexpr double kPeak = 5;  // of the channel of changing light
  double x = Pow(frequency, kBeta[channel]);
  if (channel == 3) {
    x -= Pow(kPeak, kBeta[channel]);
    x *= x;
  }
  return Exp(-x / kSigma[channel]);
}

/// The level before the base has the first frequency from this on downwards, in cycles per degree.
constexpr double kLowest = 0.2, kOfBase = 0.1;

double Frequency(int level, double pixels_per_degree) {
  if (level == 0) return pixels_per_degree / 2;
  return pixels_per_degree / 2 * (0.3228 * std::ldexp(1.0, 1 - level));
}

// --- Scores

constexpr double kSmall = 1e-5;
constexpr double kFactor = 0.0439569391310215, kPower = 0.9302042722702026, kStraight = 0.1;

double Square(double x) { return x * x; }
double FourthPower(double x) { return Square(Square(x)); }
double SoftFourthPower(double x) { return FourthPower(x + kSmall) - FourthPower(kSmall); }
double SoftFourthRoot(double x) { return std::sqrt(std::sqrt(x + kSmall)) - std::sqrt(std::sqrt(kSmall)); }

}  // namespace

CvvdpFilter CvvdpVideoFilter(double frames_per_second) {
  const int length = static_cast<int>(std::ceil(0.250 * frames_per_second / 2) * 2) + 1, half = length / 2;
  const double step = frames_per_second / 2 / half;
  CvvdpFilter filter = {.channels = kCvvdpChannels};
  for (int c = 0; c < kCvvdpChannels; ++c)
    for (int k = -half; k <= half; ++k) {
      double sum = 0.0;
      for (int j = 1; j <= half; ++j) sum += Response(c, j * step) * Cos(2 * std::numbers::pi * j * k / length);
      filter.taps[c].push_back(static_cast<float>((Response(c, 0.0) + 2 * sum) / length));
    }
  return filter;
}

CvvdpFilter CvvdpImageFilter() {
  CvvdpFilter filter = {.channels = 3};
  for (int c = 0; c < filter.channels; ++c) filter.taps[c] = {1.0f};
  return filter;
}

CvvdpScales::CvvdpScales(int width, int height, double pixels_per_degree) {
  int most = 0;
  while (Frequency(most, pixels_per_degree) > kLowest) ++most;
  ++most;
  int by_size = -1;  // log2 of the smaller side, rounded down, less 1
  for (int side = std::min(width, height); side > 1; side /= 2) ++by_size;
  const int bands = std::max(std::min(most, by_size), 0);
  for (int b = 0; b <= bands; ++b) {
    sizes.push_back({width, height});
    frequencies.push_back(b == bands ? kOfBase : Frequency(b, pixels_per_degree));
    width = (width + 1) / 2;
    height = (height + 1) / 2;
  }
}

CvvdpSensitivity MakeCvvdpSensitivity(const CvvdpScales& scales, int band) {
  const double x = Log10(scales.frequencies[band]);
  int cell = 0;
  while (cell < 30 && Log10(kFrequencies[cell + 1]) < x) ++cell;
  const double left = Log10(kFrequencies[cell]), right = Log10(kFrequencies[cell + 1]);
  const bool is_base = band == scales.bands();
  CvvdpSensitivity sensitivity;
  for (int c = 0; c < kCvvdpChannels; ++c)
    for (int i = 0; i < CVVDP_NODES; ++i) {
      const double* row = kLogSensitivity[c][i];
      const double log10 = row[cell] + (row[cell + 1] - row[cell]) / (right - left) * (x - left);
      const double gain = is_base ? 1.0 : band == 0 ? kGains[c] : kGains[c] * 2.0;
      sensitivity.nodes[c][i] = static_cast<float>((log10 + kCorrection) * Log2(10.0) + Log2(gain));
    }
  return sensitivity;
}

// --- Scores

double CvvdpSquare(double distance) { return Square(distance + kSmall) - Square(kSmall); }
double CvvdpRoot(double mean) { return std::sqrt(mean + kSmall) - std::sqrt(kSmall); }

double CvvdpFrameDistance(const CvvdpScales& scales, int channels, std::span<const int64_t> words) {
  double total = 0.0;
  for (int c = 0; c < channels; ++c) {
    double of_channel = 0.0;
    size_t word = c;
    for (int b = 0; b <= scales.bands(); ++b) {
      const bool is_base = b == scales.bands();
      double sum = 0.0;
      for (int strip = 0; strip < (is_base ? 1 : scales.Strips(b)); ++strip, word += kCvvdpChannels)
        sum += DoubleFromWord(words[word]);
      const double samples = static_cast<double>(int64_t{scales.sizes[b].width} * scales.sizes[b].height);
      of_channel +=
          SoftFourthPower(CvvdpRoot(sum / samples) * kCvvdpWeights[c] * (is_base ? kCvvdpBaseWeights[c] : 1.0));
    }
    total += SoftFourthPower(SoftFourthRoot(of_channel));
  }
  return SoftFourthRoot(total);
}

/// A power, and a straight line to 0 below it.
double CvvdpJod(double distance) {
  if (distance <= kStraight) return 10 - kFactor * Pow(kStraight, kPower - 1) * distance;
  return 10 - kFactor * Pow(distance, kPower);
}

CvvdpHeatCurve MakeCvvdpHeatCurve() {
  return {.straight = static_cast<float>(kFactor * Pow(kStraight, kPower - 1) / 10),
          .factor = static_cast<float>(kFactor / 10),
          .exponent = float_exponent(static_cast<float>(kPower))};
}

float CvvdpHeat(float distance) {
  static const CvvdpHeatCurve curve = MakeCvvdpHeatCurve();
  if (distance <= static_cast<float>(kStraight)) return curve.straight * distance;
  return curve.factor * float_power(distance, curve.exponent);
}

std::array<float, kCvvdpChannels> CvvdpHeatWeights(bool is_image, bool is_base) {
  std::array<float, kCvvdpChannels> weights;
  for (int c = 0; c < kCvvdpChannels; ++c)
    weights[c] =
        static_cast<float>(kCvvdpWeights[c] * (is_image ? kCvvdpImage : 1.0) * (is_base ? kCvvdpBaseWeights[c] : 1.0));
  return weights;
}

}  // namespace acutance
