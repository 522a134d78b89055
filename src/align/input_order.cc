#include "align/input_order.h"

#include <fmt/format.h>

namespace acutance {

std::optional<std::string> CheckInputOrder(const PairReaderInput& reference, const PairReaderInput& encode) {
  constexpr double kFar = 0.6;
  const VideoFacts facts = reference.video->facts(), other_facts = encode.video->facts();
  const std::optional<int64_t> bits = facts.bit_rate, others = other_facts.bit_rate;
  if (!bits || !others || !IsLossy(facts) || !IsLossy(other_facts)) return std::nullopt;
  const PictureFormat &own = reference.video->format(), &other = encode.video->format();
  if (own.width > other.width || own.height > other.height) return std::nullopt;
  if (static_cast<double>(*bits) >= kFar * static_cast<double>(*others)) return std::nullopt;
  return fmt::format(
      "{} has fewer bits a second than {}: if it is the encode, name it last (`acutance doctor` looks closer)",
      reference.name, encode.name);
}

}  // namespace acutance
