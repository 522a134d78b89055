// Tests of the crops that containers declare.
#include "io/ffmpeg/container_facts.h"

#include <gtest/gtest.h>

#include <string>

#include "base/temp_dir.h"
#include "tests/io/io_test_util.h"

namespace acutance {
namespace {

using namespace test;

std::string Big(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string Box(const std::string& name, const std::string& content) {
  return Big(content.size() + 8, 4) + name + content;
}

std::string Mp4(const std::string& boxes_of_entry) {
  const std::string entry = std::string(24, '\0') + Big(640, 2) + Big(360, 2) + std::string(50, '\0') + boxes_of_entry;
  const std::string table = Box("stsd", std::string(8, '\0') + Box("avc1", entry));
  return Box("ftyp", "qt  ") + Box("mdat", std::string(40, '\1')) +
         Box("moov", Box("trak", Box("mdia", Box("minf", Box("stbl", table)))));
}

std::string Aperture(int width, int height, int x, int y) {
  std::string numbers;
  for (const int value : {width, height, x, y}) numbers += Big(static_cast<uint32_t>(value), 4) + Big(1, 4);
  return Box("clap", numbers);
}

std::string Element(const std::string& id, const std::string& content) {
  return id + Big(content.size() | uint64_t{1} << 28, 4) + content;
}

std::string Matroska(const std::string& sides) {
  const std::string video = Element("\xe0", Element("\xb0", Big(640, 2)) + sides);
  const std::string tracks = Element("\x16\x54\xae\x6b", Element("\xae", Element("\xd7", "\1") + video));
  return Element("\x1a\x45\xdf\xa3", "") + Element("\x18\x53\x80\x67", tracks + Element("\x1f\x43\xb6\x75", "cluster"));
}

std::optional<ContainerCrop> CropOf(const std::string& content) {
  const TempDir dir;
  WriteFile(dir / "video", content);
  auto stream = ByteStream::Open(dir / "video");
  const std::optional<ContainerCrop> crop = FindContainerCrop(**stream);
  EXPECT_EQ((*stream)->position(), 0);
  return crop;
}

TEST(ContainerCrop, ReadsMp4sCleanAperture) {
  EXPECT_EQ(CropOf(Mp4(Aperture(608, 344, 0, 0))), (ContainerCrop{16, 16, 8, 8}));
  EXPECT_EQ(CropOf(Mp4(Box("pasp", Big(1, 8)) + Aperture(600, 300, 20, -30))), (ContainerCrop{40, 0, 0, 60}));
  EXPECT_EQ(CropOf(Mp4("")), std::nullopt);
}

TEST(ContainerCrop, ReadsMatroskasPixelCrop) {
  EXPECT_EQ(CropOf(Matroska(Element("\x54\xaa", Big(8, 1)) + Element("\x54\xcc", Big(300, 2)))),
            (ContainerCrop{300, 0, 0, 8}));
  EXPECT_EQ(CropOf(Matroska("")), std::nullopt);
}

TEST(ContainerCrop, SurvivesDamage) {
  for (const std::string& whole : {Mp4(Aperture(608, 344, 0, 0)), Matroska(Element("\x54\xaa", Big(8, 1)))})
    for (size_t at = 0; at < whole.size(); ++at) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(~damaged[at]);
      CropOf(damaged);
      CropOf(whole.substr(0, at));
    }
  EXPECT_EQ(CropOf(Mp4(Aperture(700, 344, 0, 0))), std::nullopt) << "wider than the picture";
}

}  // namespace
}  // namespace acutance
