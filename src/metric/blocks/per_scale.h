// Outputs that a metric has for each of its scales.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "metric/metric.h"

namespace acutance {

/// An output's name with a '#' where the scale's number stands: "vif_num_scale#".
template <size_t kSize>
struct ScaleName {
  consteval ScaleName(const char (&text)[kSize]) { std::copy_n(text, kSize, characters); }  // a literal becomes one
  constexpr std::string_view view() const { return {characters, kSize - 1}; }

  char characters[kSize];
};

/// The name with the number, below 10.
template <ScaleName kName, int kScale>
inline constexpr auto kNameOfScale = [] {
  auto name = kName;
  std::ranges::replace(name.characters, '#', static_cast<char>('0' + kScale));
  return name;
}();

/// Outputs that differ from `spec` by their name alone. PerScale<2, "num#", "den#">: num0, den0, num1, den1.
template <int kScales, ScaleName... kNames>
constexpr auto PerScale(const OutputSpec& spec) {
  std::array<OutputSpec, kScales * sizeof...(kNames)> outputs;
  outputs.fill(spec);
  auto* next = outputs.data();
  const auto add = [&]<int kScale> { ((next++->name = kNameOfScale<kNames, kScale>.view()), ...); };
  [&]<int... kScale>(std::integer_sequence<int, kScale...>) { (add.template operator()<kScale>(), ...); }
  (std::make_integer_sequence<int, kScales>());
  return outputs;
}

template <size_t... kCounts>
constexpr auto JoinOutputs(const std::array<OutputSpec, kCounts>&... parts) {
  std::array<OutputSpec, (kCounts + ...)> outputs;
  auto* next = outputs.data();
  ((next = std::ranges::copy(parts, next).out), ...);
  return outputs;
}

}  // namespace acutance
