#include "video/raw_format_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace acutance {
namespace {

/// The value from 0 to 1 of a plane's sample, by its place in the picture from 0 to 1 and the frame.
using Content = std::function<double(int plane, double x, double y, int frame)>;

double Natural(int plane, double x, double y, int frame) {
  const double t = 0.01 * frame;
  if (plane == 0)
    return 0.5 + 0.2 * std::sin(7 * x + 11 * y * y + t) + 0.15 * std::sin(31 * x * y + 5 * y) +
           0.1 * std::cos(47 * y - 23 * x);
  return plane == 1 ? 0.42 + 0.08 * std::sin(5 * x + 3 * y + t) : 0.58 + 0.07 * std::cos(4 * x - 6 * y + t);
}

double Noise(int plane, double x, double y, int frame) {
  const auto hash = static_cast<uint32_t>(plane * 7919 + frame * 104729 + static_cast<int>(x * 4096) * 31 +
                                          static_cast<int>(y * 4096) * 65537);
  uint32_t mixed = (hash ^ (hash >> 15)) * 2246822519U;
  mixed = (mixed ^ (mixed >> 13)) * 3266489917U;
  return static_cast<double>(mixed >> 8) / (1 << 24);
}

double NoisyNatural(int plane, double x, double y, int frame) {
  return Natural(plane, x, y, frame) + 0.04 * (Noise(plane, x, y, frame) - 0.5);
}

enum class Order { kPlanes, kPaired };

struct FileFormat {
  PictureFormat picture;
  Order order = Order::kPlanes;
  bool is_big_endian = false;
  bool is_at_top = false;
};

std::vector<std::byte> MakeFile(const FileFormat& format, const Content& content, int frames) {
  const PictureFormat& picture = format.picture;
  std::vector<std::byte> file;
  const auto add = [&](int plane, int x, int y, int frame) {
    const double value =
        content(plane, (x + 0.5) / picture.PlaneWidth(plane), (y + 0.5) / picture.PlaneHeight(plane), frame);
    auto sample = static_cast<unsigned>(std::lround(std::clamp(value, 0.0, 1.0) * ((1 << picture.bit_depth) - 1)));
    if (format.is_at_top) sample <<= 16 - picture.bit_depth;
    const auto low = std::byte(sample & 255), high = std::byte(sample >> 8);
    if (picture.bit_depth == 8) file.push_back(low);
    else if (format.is_big_endian) file.insert(file.end(), {high, low});
    else file.insert(file.end(), {low, high});
  };
  for (int frame = 0; frame < frames; ++frame)
    for (int plane = 0; plane < (format.order == Order::kPaired ? 2 : picture.PlaneCount()); ++plane)
      for (int y = 0; y < picture.PlaneHeight(plane); ++y)
        for (int x = 0; x < picture.PlaneWidth(plane); ++x) {
          add(plane, x, y, frame);
          if (plane == 1 && format.order == Order::kPaired) add(2, x, y, frame);
        }
  return file;
}

std::string OptionsFor(const FileFormat& format, const PictureFormat& told, bool is_semi_planar = false,
                       const Content& content = NoisyNatural) {
  const auto doubt = DoubtRawFormat(MakeFile(format, content, 6), told, is_semi_planar);
  return !doubt ? "" : doubt->options.empty() ? doubt->format : doubt->options;
}

constexpr PictureFormat Format(int width, int height, int bit_depth = 8, PixelFormat pixel_format = PixelFormat::k420) {
  return {width, height, bit_depth, pixel_format};
}

TEST(RawFormatCheck, FindsOtherDepths) {
  for (const Content& content : {Content(Natural), Content(NoisyNatural)})
    for (const PixelFormat chroma : {PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
      for (const int is : {8, 10, 12, 16})
        for (const int told : {8, 10, 12, 16})
          EXPECT_EQ(OptionsFor({Format(176, 144, is, chroma)}, Format(176, 144, told, chroma), false, content),
                    is == told ? "" : fmt::format("--bit-depth {}", is))
              << is << " bits told as " << told;
}

TEST(RawFormatCheck, FindsBigEndianSamples) {
  EXPECT_EQ(OptionsFor({Format(176, 144, 10), Order::kPlanes, true}, Format(176, 144, 10)), "yuv420p10be");
  EXPECT_EQ(OptionsFor({Format(176, 144, 10), Order::kPlanes, true}, Format(176, 144, 8)), "yuv420p10be");
  EXPECT_EQ(OptionsFor({Format(176, 144, 16), Order::kPlanes, true}, Format(176, 144, 16)), "yuv420p16be");
}

TEST(RawFormatCheck, FindsPairedChroma) {
  const FileFormat nv12 = {Format(176, 144), Order::kPaired}, planes = {Format(176, 144)};
  const FileFormat p010 = {Format(176, 144, 10), Order::kPaired, false, true};
  EXPECT_EQ(OptionsFor(nv12, Format(176, 144)), "--pixel-format nv12");
  EXPECT_EQ(OptionsFor(planes, Format(176, 144), true), "--pixel-format 420");
  for (const int told : {8, 10, 16}) EXPECT_EQ(OptionsFor(p010, Format(176, 144, told)), "--pixel-format p010") << told;
  EXPECT_EQ(OptionsFor({Format(176, 144, 10)}, Format(176, 144, 10), true), "--bit-depth 10 --pixel-format 420");
  EXPECT_EQ(OptionsFor(nv12, Format(176, 144), true), "");
  EXPECT_EQ(OptionsFor(p010, Format(176, 144, 10), true), "");
}

TEST(RawFormatCheck, FindsOtherChroma) {
  constexpr PixelFormat kSampled[] = {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444};
  for (const int bit_depth : {8, 10})
    for (const PixelFormat is : kSampled)
      for (const PixelFormat told : kSampled) {
        if (is == PixelFormat::k400 && told == PixelFormat::k444) continue;  // planes of RGB resemble each other, too
        EXPECT_EQ(OptionsFor({Format(176, 144, bit_depth, is)}, Format(176, 144, bit_depth, told)),
                  is == told ? "" : fmt::format("--pixel-format {}", PixelFormatName(is)))
            << PixelFormatName(is) << " told as " << PixelFormatName(told);
      }
}

TEST(RawFormatCheck, FindsOtherSizes) {
  const FileFormat is = {Format(176, 144)};
  for (const PictureFormat& told : {Format(352, 144), Format(352, 72), Format(144, 176), Format(176, 145),
                                    Format(176, 142), Format(174, 144), Format(192, 144), Format(176, 288)})
    EXPECT_EQ(OptionsFor(is, told), "--size 176x144") << told.width << "x" << told.height;
  const auto doubt = DoubtRawFormat(MakeFile(is, NoisyNatural, 6), Format(352, 144), false);
  ASSERT_TRUE(doubt);
  EXPECT_EQ(Describe("r.yuv", *doubt), "r.yuv: its bytes fit a width of 176 better than one of 352: --size 176x144");
}

double FlatGray(int plane, double, double, int) { return plane == 0 ? 0.06 : 0.5; }
double Dark(int plane, double x, double y, int frame) {
  return plane == 0 ? 0.06 + 0.05 * NoisyNatural(0, x, y, frame) : 0.5 + 0.01 * Natural(plane, x, y, frame);
}
double Gray(int plane, double x, double y, int frame) { return plane == 0 ? NoisyNatural(0, x, y, frame) : 0.5; }
double Rows(int plane, double, double y, int) { return plane == 0 ? static_cast<int>(y * 144) % 2 : 0.5; }
double Columns(int plane, double x, double, int) { return plane == 0 ? static_cast<int>(x * 176) % 2 : 0.5; }
double Diagonals(int plane, double x, double y, int frame) {
  const int at = static_cast<int>(x * 176) + static_cast<int>(y * 144) + frame;
  return plane == 0 ? at % 8 < 4 : 0.5;
}
double Strobe(int plane, double x, double y, int frame) {
  const double value = NoisyNatural(plane, x, y, frame);
  return frame % 2 ? 1 - value : value;
}
double SideBySide(int plane, double x, double y, int frame) {
  return NoisyNatural(plane, x < 0.5 ? 2 * x : 2 * x - 1, y, frame);
}
double OverUnder(int plane, double x, double y, int frame) {
  return NoisyNatural(plane, x, y < 0.5 ? 2 * y : 2 * y - 1, frame);
}
double Scrolling(int plane, double x, double y, int frame) { return Natural(plane, x, y + frame * 2 / 144.0, 0); }
double Text(int plane, double x, double y, int) {
  const int column = static_cast<int>(x * 176), row = static_cast<int>(y * 144);
  return plane == 0 && (column * 7 + row * 13 + column / 8 * 37) % 11 > 5 && row % 12 < 8 ? 0.06
         : plane == 0                                                                     ? 0.9
                                                                                          : 0.5;
}
double Cuts(int plane, double x, double y, int frame) { return Natural(plane, x * (1 + frame), y + 0.3 * frame, 0); }

TEST(RawFormatCheck, DoubtsNoRightFormat) {
  const Content contents[] = {Natural, NoisyNatural, Noise, FlatGray, Dark,       Gray,      Rows,     Columns,
                              Strobe,  Diagonals,    Text,  Cuts,     SideBySide, OverUnder, Scrolling};
  int index = 0;
  for (const Content& content : contents) {
    for (const int frames : {1, 2, 6})
      for (const int bit_depth : {8, 10, 16})
        for (const PixelFormat chroma : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444}) {
          const PictureFormat format = Format(176, 144, bit_depth, chroma);
          const auto doubt = DoubtRawFormat(MakeFile({format}, content, frames), format, false);
          EXPECT_FALSE(doubt) << "content " << index << ", " << frames << " frames, " << bit_depth << " bits, "
                              << PixelFormatName(chroma) << (doubt ? Describe("", *doubt) : "");
        }
    for (const int bit_depth : {8, 10}) {
      const FileFormat paired = {Format(176, 144, bit_depth), Order::kPaired, false, bit_depth > 8};
      const auto doubt = DoubtRawFormat(MakeFile(paired, content, 4), paired.picture, true);
      EXPECT_FALSE(doubt) << "content " << index << ", paired, " << bit_depth << " bits"
                          << (doubt ? Describe("", *doubt) : "");
    }
    ++index;
  }
}

TEST(RawFormatCheck, DoubtsNoRightSize) {
  for (const auto& [width, height] :
       {std::pair{64, 64}, {16, 16}, {190, 110}, {101, 57}, {352, 72}, {96, 160}, {426, 240}})
    for (const int frames : {1, 3}) {
      const PictureFormat format = Format(width, height, 8, width % 2 ? PixelFormat::k444 : PixelFormat::k420);
      EXPECT_FALSE(DoubtRawFormat(MakeFile({format}, NoisyNatural, frames), format, false)) << width << "x" << height;
    }
}

TEST(RawFormatCheck, ReadsNothingOutsideTheFile) {
  const std::vector<std::byte> file = MakeFile({Format(64, 48)}, NoisyNatural, 2);
  for (size_t bytes = 0; bytes <= file.size(); bytes += 61)
    for (const int bit_depth : {8, 10, 16})
      for (const PixelFormat chroma : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k444}) {
        const std::vector<std::byte> part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(bytes));
        (void)DoubtRawFormat(part, Format(64, 48, bit_depth, chroma), chroma == PixelFormat::k420);
      }
}

}  // namespace
}  // namespace acutance
