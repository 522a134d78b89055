#include <cmath>
#include <limits>

#include "math/exact_math.h"
#include "metric/blocks/words.h"
#include "metric/ssim/ssim.h"

namespace acutance {

SsimMeans MeansOfSsimRows(std::span<const int64_t> words, int width, int height) {
  const double windows = static_cast<double>(int64_t{width - kSsimLoss} * (height - kSsimLoss));
  SsimMeans means = {};
  for (int s = 0; s < kSsimSums; ++s) {
    double sum = 0;
    for (size_t i = static_cast<size_t>(s); i < words.size(); i += kSsimSums) sum += DoubleFromWord(words[i]);
    means.mean[s] = static_cast<float>(sum / windows);
  }
  return means;
}

std::string_view SsimUnit(const OptionValues& options) { return options.Bool("enable_db") ? "dB" : ""; }

SsimSettings ReadSsimSettings(const OptionValues& options) {
  return {options.Bool("enable_lcs"), options.Bool("enable_db"), options.Bool("clip_db")};
}

SsimDecibels::SsimDecibels(const SsimSettings& settings, const PictureFormat& format)
    : enabled_(settings.decibels), limit_(std::numeric_limits<double>::infinity()) {
  if (!settings.clips) return;
  const double peak = (1 << format.bit_depth) - 1;
  const double pixels = static_cast<double>(int64_t{format.width} * format.height);
  limit_ = std::ceil(10 * Log10(peak * peak / (0.5 / pixels)));
}

double SsimDecibels::Convert(double score) const {
  if (!enabled_) return score;
  const double decibels = -10 * Log10(1 - score);
  return decibels < limit_ ? decibels : limit_;
}

}  // namespace acutance
