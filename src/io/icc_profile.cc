#include "io/icc_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "math/exact_math.h"

namespace acutance {
namespace {

using Bytes = std::span<const std::byte>;

constexpr size_t kHeader = 128;
constexpr double kUnit = 65536;  // s15Fixed16Number

/// Big-endian numbers; 0 where the bytes end before.
uint32_t Number(Bytes bytes, size_t at, size_t size = 4) {
  if (at > bytes.size() || size > bytes.size() - at) return 0;
  uint32_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8 | std::to_integer<uint32_t>(bytes[at + i]);
  return number;
}

double Fixed(Bytes bytes, size_t at) { return static_cast<int32_t>(Number(bytes, at)) / kUnit; }

bool HasName(Bytes bytes, size_t at, std::string_view name) {
  return at <= bytes.size() && name.size() <= bytes.size() - at &&
         std::memcmp(bytes.data() + at, name.data(), name.size()) == 0;
}

/// The data of a tag; empty: none.
Bytes TagOf(Bytes profile, std::string_view name) {
  const size_t most = profile.size() > kHeader + 4 ? (profile.size() - kHeader - 4) / 12 : 0;
  const size_t count = std::min<size_t>(Number(profile, kHeader), most);
  for (size_t i = 0; i < count; ++i) {
    const size_t entry = kHeader + 4 + 12 * i;
    if (!HasName(profile, entry, name)) continue;
    const size_t at = Number(profile, entry + 4), size = Number(profile, entry + 8);
    return at <= profile.size() && size <= profile.size() - at ? profile.subspan(at, size) : Bytes();
  }
  return {};
}

/// ASCII of version 2, or UTF-16 of version 4, of which other letters become question marks.
std::string DescriptionOf(Bytes profile) {
  const Bytes tag = TagOf(profile, "desc");
  const bool is_wide = HasName(tag, 0, "mluc");
  if (!is_wide && !HasName(tag, 0, "desc")) return "";
  constexpr size_t kMost = 80;
  const size_t start = is_wide ? Number(tag, 24) : 12, step = is_wide ? 2 : 1;
  const size_t length = is_wide ? Number(tag, 20) / 2 : Number(tag, 8);
  std::string text;
  for (size_t i = 0; i < std::min(length, kMost); ++i) {
    const uint32_t letter = Number(tag, start + step * i, step);
    if (letter == 0) break;
    text += letter >= ' ' && letter < 0x7f ? static_cast<char>(letter) : '?';
  }
  return text;
}

/// Light of a sample by a curve; nullopt: no curve that is known.
std::optional<double> LightOf(Bytes curve, double sample) {
  if (HasName(curve, 0, "curv")) {
    const size_t count = Number(curve, 8);
    if (count == 0) return sample;
    if (count == 1) return Pow(sample, Number(curve, 12, 2) / 256.0);
    if (count > (curve.size() - 12) / 2) return std::nullopt;
    const double place = sample * static_cast<double>(count - 1);
    const auto low = std::min(static_cast<size_t>(place), count - 2);
    const double below = Number(curve, 12 + 2 * low, 2), above = Number(curve, 14 + 2 * low, 2);
    return (below + (above - below) * (place - static_cast<double>(low))) / 65535;
  }
  if (!HasName(curve, 0, "para")) return std::nullopt;
  constexpr std::array<size_t, 5> kParameters = {1, 3, 4, 5, 7};
  const uint32_t kind = Number(curve, 8, 2);
  if (kind >= kParameters.size()) return std::nullopt;
  std::array<double, 7> p{};
  for (size_t i = 0; i < kParameters[kind]; ++i) p[i] = Fixed(curve, 12 + 4 * i);
  const auto [gamma, a, b, c, d, e, f] = p;
  const double power = Pow(std::max(a * sample + b, 0.0), gamma);
  if (kind == 0) return Pow(sample, gamma);
  if (kind <= 2) {
    const double rest = kind == 2 ? c : 0;
    return a * sample + b >= 0 ? power + rest : rest;
  }
  return sample >= d ? power + e : c * sample + f;
}

/// Curves between BT.709's camera and BT.1886 are as near as displays are.
bool IsUsualCurve(Bytes curve) {
  constexpr double kNear = 0.045;
  for (const double sample : {0.25, 0.5, 0.75}) {
    const std::optional<double> light = LightOf(curve, sample);
    if (!light || std::abs(*light - Pow((sample + 0.055) / 1.055, 2.4)) > kNear) return false;
  }
  return true;
}

/// X, Y and Z of red, green and blue, brought to the white of D50.
bool HasUsualPrimaries(Bytes profile) {
  constexpr double kNear = 0.012;
  constexpr struct {
    std::string_view tag;
    std::array<double, 3> xyz;
  } kColors[] = {
      {"rXYZ", {0.4361, 0.2225, 0.0139}}, {"gXYZ", {0.3851, 0.7169, 0.0971}}, {"bXYZ", {0.1431, 0.0606, 0.7141}}};
  for (const auto& [name, xyz] : kColors) {
    const Bytes tag = TagOf(profile, name);
    if (tag.size() < 20) return false;
    for (size_t i = 0; i < xyz.size(); ++i)
      if (std::abs(Fixed(tag, 8 + 4 * i) - xyz[i]) > kNear) return false;
  }
  return true;
}

}  // namespace

IccProfile ReadIccProfile(Bytes profile) {
  IccProfile read{.description = DescriptionOf(profile)};
  constexpr size_t kSpaceAt = 16;
  if (HasName(profile, kSpaceAt, "GRAY")) {
    read.is_srgb = IsUsualCurve(TagOf(profile, "kTRC"));
    return read;
  }
  read.is_srgb = HasName(profile, kSpaceAt, "RGB ") && HasUsualPrimaries(profile) &&
                 IsUsualCurve(TagOf(profile, "rTRC")) && IsUsualCurve(TagOf(profile, "gTRC")) &&
                 IsUsualCurve(TagOf(profile, "bTRC"));
  return read;
}

}  // namespace acutance
