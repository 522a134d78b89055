#include "tests/parity/scaling.h"

#include <fmt/format.h>

#include <array>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "devices/scaling_selftest.h"

namespace acutance {
namespace {

struct Sizes {
  int width, height, to_width, to_height;
};

constexpr Sizes kSizes[] = {{64, 36, 128, 72}, {128, 72, 64, 36}, {61, 35, 97, 23},   {4, 4, 67, 61},
                            {100, 50, 33, 50}, {3, 200, 3, 17},   {640, 8, 20, 300},  {97, 23, 61, 35},
                            {301, 9, 150, 18}, {2, 2, 2, 2},      {262, 3, 131, 10},  {67, 2, 135, 3},
                            {2, 2, 128, 128},  {256, 256, 4, 4},  {130, 66, 260, 132}};
constexpr Sizes kLarge[] = {{960, 540, 1920, 1080},   {1280, 720, 1920, 1080}, {640, 360, 1920, 1080},
                            {3840, 2160, 1920, 1080}, {426, 240, 3840, 2160},  {1919, 1079, 1281, 721}};
/// A depth, and that of the result.
constexpr std::pair<int, int> kDepths[] = {{8, 8}, {10, 10}, {8, 10}, {12, 12}, {16, 16}, {10, 12}, {8, 16}};
constexpr std::array kFormats = {PixelFormat::k420, PixelFormat::k444, PixelFormat::k422, PixelFormat::k400};
constexpr std::array kFilters = {ScaleFilter::kBicubic, ScaleFilter::kLanczos, ScaleFilter::kBilinear,
                                 ScaleFilter::kArea, ScaleFilter::kAom};

/// Chroma lies where `turn` says: left, top left or in the middle.
ChromaSiting SitingOf(uint32_t turn) {
  constexpr std::array<ChromaSiting, 3> kSitings = {{{0, 0.5}, {0, 0}, {0.5, 0.5}}};
  return kSitings[turn % kSitings.size()];
}

constexpr std::pair<PixelFormat, PixelFormat> kChromaChanges[] = {
    {PixelFormat::k444, PixelFormat::k420}, {PixelFormat::k422, PixelFormat::k420},
    {PixelFormat::k420, PixelFormat::k444}, {PixelFormat::k420, PixelFormat::k422},
    {PixelFormat::k444, PixelFormat::k422}, {PixelFormat::k422, PixelFormat::k444}};
constexpr Sizes kUnscaled[] = {{61, 35, 61, 35}, {2, 2, 2, 2}, {130, 66, 130, 66}, {3, 200, 3, 200}, {64, 36, 64, 36}};
constexpr Sizes kChromaSizes[] = {{61, 35, 61, 35},  {2, 2, 2, 2},      {130, 66, 130, 66},
                                  {3, 200, 3, 200},  {64, 36, 64, 36},  {61, 35, 128, 72},
                                  {128, 72, 61, 35}, {640, 8, 20, 300}, {2, 2, 67, 61}};

ScalingCase MakeCase(const Sizes& sizes, std::pair<int, int> depths, PixelFormat format, ScaleFilter filter,
                     uint32_t turn) {
  return {.from = {sizes.width, sizes.height, depths.first, format},
          .to = {sizes.to_width, sizes.to_height, depths.second, format},
          .options = {.filter = filter, .siting = SitingOf(turn)},
          .content = kContents[turn % std::size(kContents)],
          .frames = 1 + static_cast<int>(turn % 3),
          .seed = turn};
}

/// Chroma lies elsewhere before and after, in all ways in turn.
ScalingCase MakeChromaCase(const Sizes& sizes, std::pair<int, int> depths, ScaleFilter filter, uint32_t turn) {
  const auto [from, to] = kChromaChanges[turn % std::size(kChromaChanges)];
  ScalingCase made = MakeCase(sizes, depths, from, filter, turn);
  made.to.pixel_format = to;
  made.to_siting = SitingOf(turn / 3);
  return made;
}

/// Sizes one after another take turns with the other properties.
void AddChromaCases(SweepExtent extent, std::vector<ScalingCase>& cases) {
  uint32_t turn = 0;
  for (const Sizes& sizes : kChromaSizes) {
    if (extent == SweepExtent::kSizes)
      cases.push_back(
          MakeChromaCase(sizes, kDepths[turn % std::size(kDepths)], kFilters[turn % kFilters.size()], turn));
    else
      for (const auto& depths : kDepths)
        for (const ScaleFilter filter : kFilters) cases.push_back(MakeChromaCase(sizes, depths, filter, turn++));
    ++turn;
  }
}

/// Samples of more bits, and no other change.
void AddRaisedCases(std::vector<ScalingCase>& cases) {
  uint32_t turn = 0;
  for (const PixelFormat format : kFormats)
    for (const auto& depths : kDepths) {
      if (depths.first == depths.second) continue;
      cases.push_back(MakeCase(kUnscaled[turn % std::size(kUnscaled)], depths, format, ScaleFilter::kBicubic, turn));
      ++turn;
    }
}

constexpr std::array kColors = {Colors::kRgbToLimited, Colors::kRgbToFull, Colors::kFullToLimited,
                                Colors::kLimitedToFull, Colors::kFullToFull};
constexpr std::string_view kColorNames[] = {"colors that stay", "RGB to limited",  "RGB to full",
                                            "full to limited",  "limited to full", "full to full"};

bool IsRgb(Colors colors) { return colors == Colors::kRgbToLimited || colors == Colors::kRgbToFull; }

std::optional<ColorWeights> WeightsOf(const ScalingCase& which) {
  constexpr LumaShares kBt709 = {2126, 722};
  const Colors colors = which.colors;
  if (colors == Colors::kStay) return std::nullopt;
  const int from = which.from.bit_depth;
  const bool to_limited = colors == Colors::kRgbToLimited || colors == Colors::kFullToLimited;
  const SampleRange to = {!to_limited, which.deepens_colors ? which.to.bit_depth : from};
  return IsRgb(colors) ? WeightsOfRgb(kBt709, from, to) : WeightsOfRange({colors != Colors::kLimitedToFull, from}, to);
}

/// Red, green and blue become 4:4:4 and perhaps other chroma; the rest has each format, and in every third case another
/// one then.
void SetColors(Colors colors, uint32_t turn, ScalingCase& which) {
  which.colors = colors;
  which.deepens_colors = turn % 2 == 0;
  which.from.pixel_format = IsRgb(colors) ? PixelFormat::k444 : kFormats[turn % kFormats.size()];
  const PixelFormat to = kFormats[turn / 3 % kFormats.size()];
  const bool may_change = which.from.pixel_format != PixelFormat::k400 && to != PixelFormat::k400;
  which.to.pixel_format = may_change && turn % 3 == 2 ? to : which.from.pixel_format;
  which.to_siting = SitingOf(turn / 3);
}

void AddColorCases(SweepExtent extent, std::vector<ScalingCase>& cases) {
  uint32_t turn = 0;
  for (const Colors colors : kColors)
    for (const Sizes& sizes : kChromaSizes)
      for (const auto& depths : kDepths) {
        ++turn;
        if (extent == SweepExtent::kSizes && depths != kDepths[turn / std::size(kDepths) % std::size(kDepths)])
          continue;
        ScalingCase made = MakeCase(sizes, depths, PixelFormat::k444, kFilters[turn % kFilters.size()], turn);
        SetColors(colors, turn, made);
        cases.push_back(made);
      }
}

}  // namespace

std::string ScalingCase::Name() const {
  return fmt::format(
      "{}{}, {} {} {} bit from {}x{} to {} {}x{}, {} bit, chroma at {}, {} and {}, {}; {}, {} frames, seed {}",
      kColorNames[static_cast<int>(colors)], deepens_colors ? " with all bits" : "",
      kScaleFilterNames[static_cast<int>(options.filter)], PixelFormatName(from.pixel_format), from.bit_depth,
      from.width, from.height, PixelFormatName(to.pixel_format), to.width, to.height, to.bit_depth,
      options.siting.horizontal, options.siting.vertical, to_siting.horizontal, to_siting.vertical,
      ContentName(content), frames, seed);
}

std::vector<ScalingCase> ScalingCases(SweepExtent extent) {
  std::vector<ScalingCase> cases;
  uint32_t turn = 0;
  for (const Sizes& sizes : kSizes) {
    for (const auto& depths : kDepths)
      for (const ScaleFilter filter : kFilters) {
        if (extent == SweepExtent::kSizes && depths != kDepths[turn % std::size(kDepths)]) continue;
        cases.push_back(MakeCase(sizes, depths, kFormats[turn % kFormats.size()], filter, turn));
        turn += extent == SweepExtent::kFull ? 1 : 0;
      }
    ++turn;
  }
  AddChromaCases(extent, cases);
  AddRaisedCases(cases);
  AddColorCases(extent, cases);
  return cases;
}

std::vector<ScalingCase> LargeScalingCases() {
  std::vector<ScalingCase> cases;
  uint32_t turn = 0;
  for (const Sizes& sizes : kLarge)
    for (const auto& depths : {kDepths[0], kDepths[1], kDepths[2]}) {
      cases.push_back(
          MakeCase(sizes, depths, kFormats[turn % kFormats.size()], kFilters[turn % kFilters.size()], turn));
      cases.push_back(MakeChromaCase(sizes, depths, kFilters[turn % kFilters.size()], turn));
      cases.push_back(cases.back());
      SetColors(kColors[turn % kColors.size()], turn, cases.back());
      ++turn;
    }
  return cases;
}

Status CheckScalingCase(Device& device, const ScalingCase& which) {
  const std::optional<ColorWeights> colors = WeightsOf(which);
  ACU_ASSIGN_OR_RETURN(const auto scaling, MakeScaling(which.from, which.to, which.options, which.to_siting, colors));
  const std::vector<Picture> sources = MakeClip(which.from, which.content, which.frames, which.seed);
  const Status status = CheckScaling(device, scaling, sources);
  return status.ok() ? status : Error(status.code(), "{}: {}", which.Name(), status.message());
}

}  // namespace acutance
