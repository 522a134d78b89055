// From sums to distances and JOD, in doubles (docs/spec/cvvdp.md 4.5, 4.6).
#include <cmath>

#include "math/exact_math.h"
#include "metric/blocks/words.h"
#include "metric/cvvdp/cvvdp.h"

namespace acutance {
namespace {

constexpr double kSmall = 1e-5;
constexpr double kFactor = 0.0439569391310215, kPower = 0.9302042722702026, kStraight = 0.1;

double Square(double x) { return x * x; }
double FourthPower(double x) { return Square(Square(x)); }
double SoftFourthPower(double x) { return FourthPower(x + kSmall) - FourthPower(kSmall); }
double SoftFourthRoot(double x) { return std::sqrt(std::sqrt(x + kSmall)) - std::sqrt(std::sqrt(kSmall)); }

}  // namespace

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
          .exponent = cvvdp::cvvdp_exponent(static_cast<float>(kPower))};
}

float CvvdpHeat(float distance) {
  static const CvvdpHeatCurve curve = MakeCvvdpHeatCurve();
  if (distance <= static_cast<float>(kStraight)) return curve.straight * distance;
  return curve.factor * cvvdp::cvvdp_pow(distance, curve.exponent);
}

std::array<float, kCvvdpChannels> CvvdpHeatWeights(bool is_image, bool is_base) {
  std::array<float, kCvvdpChannels> weights;
  for (int c = 0; c < kCvvdpChannels; ++c)
    weights[c] =
        static_cast<float>(kCvvdpWeights[c] * (is_image ? kCvvdpImage : 1.0) * (is_base ? kCvvdpBaseWeights[c] : 1.0));
  return weights;
}

}  // namespace acutance
