// What eyes follow over time and see at each frequency, in doubles that become floats once
// (docs/spec/cvvdp.md 3.2, 4.1, 4.3, 5.5).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/exact_math.h"
#include "metric/cvvdp/cvvdp.h"

namespace acutance {
namespace {

constexpr double kLogSensitivity[kCvvdpChannels][CVVDP_NODES][32] = {
#include "metric/cvvdp/cvvdp_sensitivity.inc"
};

constexpr double kFrequencies[32] = {0.1,
                                     0.12317481953148776,
                                     0.15172036166614578,
                                     0.1868812816747956,
                                     0.23019068144106075,
                                     0.2835369564433285,
                                     0.34924613440414276,
                                     0.4301832957730001,
                                     0.529877498222999,
                                     0.6526756521741413,
                                     0.8039320566914592,
                                     0.9902418599854828,
                                     1.2197286239623657,
                                     1.502398531339543,
                                     1.8505766796212044,
                                     2.279444485415217,
                                     2.807701631230643,
                                     3.4583814171509824,
                                     4.259855069409406,
                                     5.247068794047969,
                                     6.463067517761596,
                                     7.960871751201052,
                                     9.805789412675084,
                                     12.078263412700261,
                                     14.877379161131262,
                                     18.325184932738598,
                                     22.572013469712154,
                                     27.803036855941052,
                                     34.24634047157842,
                                     42.182868072005576,
                                     51.95867162089843,
                                     63.999999999999986};

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

}  // namespace acutance
