// Frames as NVDEC lays them out, unpacked by the emulator, whose memory is the host's.
#include "exec/surface_splitter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "backend/emu/emu.h"

namespace acutance {
namespace {

struct Layout {
  const char* name;
  PixelFormat pixel_format;
  int bit_depth;
  int shift;         // in all planes
  bool interleaved;  // Cb and Cr
};

constexpr Layout kLayouts[] = {
    {"nv12", PixelFormat::k420, 8, 0, true},        {"p010", PixelFormat::k420, 10, 6, true},
    {"p016", PixelFormat::k420, 12, 4, true},       {"yuv444p", PixelFormat::k444, 8, 0, false},
    {"yuv444p16", PixelFormat::k444, 10, 6, false}, {"gray as nv12", PixelFormat::k400, 8, 0, true},
};

/// A decoder's surface: rows are further apart than they are long, and hold noise around the samples.
class Surface {
 public:
  Surface(const Layout& layout, int width, int height, unsigned seed) : random_(seed) {
    frame_.format = {width, height, layout.bit_depth, layout.pixel_format};
    const int bytes = frame_.format.BytesPerSample();
    for (int p = 0; p < frame_.format.PlaneCount(); ++p) {
      const bool second = layout.interleaved && p == 2;
      const int step = layout.interleaved && p > 0 ? 2 : 1;
      const int columns = frame_.format.PlaneWidth(p), rows = frame_.format.PlaneHeight(p);
      const size_t stride = static_cast<size_t>(columns * step + 5) * bytes;
      std::vector<std::byte>& memory = memory_[second ? 1 : p];
      if (!second) memory.resize(stride * rows);
      if (!second) std::ranges::generate(memory, [this] { return static_cast<std::byte>(random_()); });
      std::byte* first = memory.data() + (second ? bytes : 0);
      frame_.components[p] = {{reinterpret_cast<uint64_t>(first), stride}, step, layout.shift};
      for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) {
          const uint16_t value = static_cast<uint16_t>(random_() & ((1u << layout.bit_depth) - 1));
          const uint16_t stored = static_cast<uint16_t>(value << layout.shift);
          std::memcpy(first + y * stride + static_cast<size_t>(x) * step * bytes, &stored, bytes);
          values_[p].push_back(value);
        }
    }
  }

  DeviceFrame& frame() { return frame_; }

  void ExpectIn(const Picture& picture) const {
    EXPECT_EQ(picture.format, frame_.format);
    const int bytes = frame_.format.BytesPerSample();
    for (int p = 0; p < frame_.format.PlaneCount(); ++p) {
      const DevicePlane& plane = picture.device_planes[p];
      int different = 0;
      size_t i = 0;
      for (int y = 0; y < frame_.format.PlaneHeight(p); ++y)
        for (int x = 0; x < frame_.format.PlaneWidth(p); ++x, ++i) {
          uint16_t found = 0;
          std::memcpy(&found, reinterpret_cast<const std::byte*>(plane.address) + y * plane.stride + x * bytes, bytes);
          different += found != values_[p][i];
        }
      EXPECT_EQ(different, 0) << "plane " << p;
      EXPECT_EQ(picture.planes[p].data, nullptr);
    }
  }

 private:
  std::mt19937 random_;
  DeviceFrame frame_;
  std::array<std::vector<std::byte>, 3> memory_;
  std::array<std::vector<uint16_t>, 3> values_;
};

std::shared_ptr<Device> Emulator() { return kEmuBackend.open(0).value(); }

TEST(SurfaceSplitter, GivesTheSamplesOfEveryLayout) {
  for (const Layout& layout : kLayouts)
    for (const auto& [width, height] : {std::pair{150, 22}, std::pair{65, 9}, std::pair{1, 1}}) {
      SCOPED_TRACE(fmt::format("{} {}x{}", layout.name, width, height));
      SurfaceSplitter unpacker(Emulator());
      std::vector<std::pair<Surface, Picture>> kept;
      for (unsigned i = 0; i < 3; ++i) {
        Surface surface(layout, width, height, i);
        Result<Picture> picture = unpacker.Unpack(surface.frame());
        ASSERT_TRUE(picture.ok()) << picture.status().message();
        kept.emplace_back(std::move(surface), *std::move(picture));
      }
      for (const auto& [surface, picture] : kept) surface.ExpectIn(picture);
    }
}

TEST(SurfaceSplitter, LeavesOutUnusedPlanes) {
  SurfaceSplitter unpacker(Emulator());
  Surface surface(kLayouts[0], 64, 32, 1);
  surface.frame().components[1] = surface.frame().components[2] = {};
  const Picture picture = unpacker.Unpack(surface.frame()).value();
  EXPECT_NE(picture.device_planes[0].address, 0u);
  EXPECT_EQ(picture.device_planes[1].address, 0u);
  EXPECT_EQ(picture.device_planes[2].address, 0u);
}

TEST(SurfaceSplitter, UsesTheMemoryOfPicturesThatAreGone) {
  auto unpacker = std::make_unique<SurfaceSplitter>(Emulator());
  std::set<uint64_t> places;
  Surface surface(kLayouts[1], 64, 32, 1);
  for (int i = 0; i < 10; ++i) {
    const Picture one = unpacker->Unpack(surface.frame()).value(), two = unpacker->Unpack(surface.frame()).value();
    places.insert({one.device_planes[0].address, two.device_planes[0].address});
  }
  EXPECT_EQ(places.size(), 2u);
  const Picture last = unpacker->Unpack(surface.frame()).value();
  unpacker = nullptr;
  surface.ExpectIn(last);
}

TEST(SurfaceSplitter, RefusesFramesThatChange) {
  for (size_t other : {0, 2, 3}) {
    SurfaceSplitter unpacker(Emulator());
    ASSERT_TRUE(unpacker.Unpack(Surface(kLayouts[1], 64, 32, 1).frame()).ok());
    const Result<Picture> picture = unpacker.Unpack(Surface(kLayouts[other], 64, 32, 1).frame());
    ASSERT_FALSE(picture.ok());
    EXPECT_EQ(picture.status().message(), "the decoder's frames changed");
  }
}

}  // namespace
}  // namespace acutance
