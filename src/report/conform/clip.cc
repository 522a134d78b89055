#include "report/conform/clip.h"

#include <algorithm>
#include <array>

#include "log/output_file.h"

namespace acutance {
namespace {

constexpr std::string_view kContentNames[] = {"gradient", "noise", "edges", "banding", "text", "equal"};
constexpr std::string_view kChromaNames[] = {"400", "420", "422", "444"};

std::string_view ChromaName(PixelFormat format) {
  switch (format) {
    case PixelFormat::k400:
      return kChromaNames[0];
    case PixelFormat::k420:
      return kChromaNames[1];
    case PixelFormat::k422:
      return kChromaNames[2];
    default:
      return kChromaNames[3];
  }
}

constexpr ClipSpec kClips[] = {
    {ClipContent::kEdges, {320, 240, 8, PixelFormat::k420}},
    {ClipContent::kText, {640, 352, 10, PixelFormat::k420}},
    {ClipContent::kGradient, {320, 240, 8, PixelFormat::k420}},
    {ClipContent::kNoise, {320, 240, 8, PixelFormat::k420}},
    {ClipContent::kBanding, {336, 256, 10, PixelFormat::k420}},
    {ClipContent::kText, {320, 240, 8, PixelFormat::k422}},
    {ClipContent::kEdges, {304, 240, 12, PixelFormat::k444}},
    {ClipContent::kNoise, {320, 240, 16, PixelFormat::k420}},
    {ClipContent::kText, {321, 241, 8, PixelFormat::k420}},
    {ClipContent::kGradient, {235, 227, 10, PixelFormat::k444}},
    {ClipContent::kEdges, {399, 225, 10, PixelFormat::k422}},
    {ClipContent::kNoise, {320, 240, 10, PixelFormat::k422}},
    {ClipContent::kGradient, {320, 240, 12, PixelFormat::k422}},
    {ClipContent::kBanding, {320, 240, 8, PixelFormat::k444}},
    {ClipContent::kText, {320, 240, 16, PixelFormat::k444}},
    {ClipContent::kEdges, {320, 240, 8, PixelFormat::k400}},
    {ClipContent::kGradient, {320, 240, 10, PixelFormat::k400}},
    {ClipContent::kEqual, {320, 240, 8, PixelFormat::k420}},
    {ClipContent::kEdges, {640, 360, 8, PixelFormat::k420}},
    {ClipContent::kNoise, {241, 233, 12, PixelFormat::k420}},
};

/// Mixes the bits of a position: noise that is the same everywhere.
uint32_t Mix(uint32_t x, uint32_t y, uint32_t z) {
  uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ z * 0xc2b2ae3du;
  h = (h ^ (h >> 15)) * 0x2c1b3c6du;
  h = (h ^ (h >> 12)) * 0x297a2d39u;
  return h ^ (h >> 15);
}

/// A position of a plane's sample on the luma grid, with its frame and plane.
struct Place {
  int x, y, frame, plane;
};

// Contents have 16 bits, of which a clip's depth is the top.

int Gradient(const Place& p) { return 9000 + (p.x * 70 + p.y * 55 + p.frame * 410 + p.plane * 7000) % 46000; }

int Noise(const Place& p) {
  const uint32_t block = Mix(p.x / 24, p.y / 24, 77 + p.plane) % 30000;
  return static_cast<int>(12000 + block + Mix(p.x, p.y, p.frame * 3 + p.plane) % 14000);
}

/// Bars and discs that move at different speeds over a ramp.
int Edges(const Place& p) {
  const int bar = (p.x + 5 * p.frame + p.plane * 11) / 37 % 3, stripe = (p.y - 2 * p.frame + 4096) / 29 % 2;
  const int dx = (p.x + 3 * p.frame) % 96 - 48, dy = (p.y + p.frame) % 80 - 40;
  if (dx * dx + dy * dy < 700) return 52000 - p.plane * 9000;
  return 8000 + bar * 13000 + stripe * 6500 + (p.x + 2 * p.y) * 12 % 2500;
}

/// A ramp so slow that eight bits show its steps.
int Banding(const Place& p) { return 20000 + (p.x * 11 + p.y * 7 + p.frame * 90) % 9000 + p.plane * 5000; }

/// Strokes of glyphs, bright on dark, scrolling by one line a frame.
int Text(const Place& p) {
  const int y = p.y + p.frame, column = p.x / 9, line = y / 14;
  const bool is_space = Mix(column, line, 5) % 5 == 0 || p.x % 9 > 6 || y % 14 > 10;
  const uint32_t glyph = Mix(column, line, 9);
  const bool is_ink = !is_space && (glyph >> ((p.x % 9) / 2 + (y % 14) / 2 * 4) % 32 & 1) != 0;
  return (is_ink ? 55000 : 7000) - p.plane * 3000 * (is_ink ? 1 : -1);
}

int Sample16(ClipContent content, const Place& place) {
  switch (content) {
    case ClipContent::kGradient:
      return Gradient(place);
    case ClipContent::kNoise:
      return Noise(place);
    case ClipContent::kBanding:
      return Banding(place);
    case ClipContent::kText:
      return Text(place);
    default:
      return Edges(place);
  }
}

/// An encoder's losses: a blur that gets wider with time, coarse steps in every second block, ringing in the low bits.
int Distorted16(ClipContent content, const Place& p) {
  const auto at = [&](int dx, int dy) {
    return Sample16(content, {std::max(p.x + dx, 0), std::max(p.y + dy, 0), p.frame, p.plane});
  };
  const int reach = 1 + p.frame / 3;
  int value = (2 * at(0, 0) + at(-reach, 0) + at(reach, 0) + at(0, -reach) + at(0, reach) + 3) / 6;
  if ((p.x / 16 + p.y / 16 + p.frame) % 2 == 0) value = value / 1536 * 1536 + 700;
  value += static_cast<int>(Mix(p.x / 2, p.y / 2, 31 + p.frame + p.plane) % 1100) - 550;
  return std::clamp(value, 0, 65535);
}

struct PlaneSize {
  int width, height, x_step, y_step;
};

PlaneSize SizeOf(const PictureFormat& format, int plane) {
  const bool halves_x = plane > 0 && format.pixel_format != PixelFormat::k444;
  const bool halves_y = plane > 0 && format.pixel_format == PixelFormat::k420;
  return {(format.width + halves_x) >> halves_x, (format.height + halves_y) >> halves_y, 1 + halves_x, 1 + halves_y};
}

std::string Bytes(const ClipSpec& clip, bool distorted) {
  std::string bytes;
  const int depth = clip.format.bit_depth;
  bytes.reserve(size_t{kClipFrames} * clip.format.width * clip.format.height * (depth > 8 ? 6 : 3));
  for (int frame = 0; frame < kClipFrames; ++frame)
    for (int plane = 0; plane < clip.format.PlaneCount(); ++plane) {
      const PlaneSize size = SizeOf(clip.format, plane);
      for (int y = 0; y < size.height; ++y)
        for (int x = 0; x < size.width; ++x) {
          const Place place{x * size.x_step, y * size.y_step, frame, plane};
          const int value =
              (distorted ? Distorted16(clip.content, place) : Sample16(clip.content, place)) >> (16 - depth);
          bytes += static_cast<char>(value & 255);
          if (depth > 8) bytes += static_cast<char>(value >> 8);
        }
    }
  return bytes;
}

}  // namespace

std::string ClipSpec::Name() const {
  return fmt::format("{}_{}x{}_{}_{}", kContentNames[static_cast<int>(content)], format.width, format.height,
                     ChromaName(format.pixel_format), format.bit_depth);
}

bool ClipSpec::IsOdd() const {
  const bool halves_x = format.pixel_format == PixelFormat::k420 || format.pixel_format == PixelFormat::k422;
  return (halves_x && format.width % 2) || (format.pixel_format == PixelFormat::k420 && format.height % 2);
}

std::span<const ClipSpec> Clips() { return kClips; }

const ClipSpec* FindClip(std::string_view name) {
  const auto found = std::ranges::find_if(kClips, [&](const ClipSpec& clip) { return clip.Name() == name; });
  return found == std::end(kClips) ? nullptr : &*found;
}

Result<ClipFiles> WriteClip(const ClipSpec& clip, const std::string& folder) {
  const ClipFiles files{fmt::format("{}/{}_ref.yuv", folder, clip.Name()),
                        fmt::format("{}/{}_dis.yuv", folder, clip.Name())};
  ACU_RETURN_IF_ERROR(WriteFile(files.reference, Bytes(clip, false)));
  ACU_RETURN_IF_ERROR(WriteFile(files.distorted, Bytes(clip, clip.content != ClipContent::kEqual)));
  return files;
}

}  // namespace acutance
