// Clips and files for the tests of the readers.
#pragma once

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/system/process.h"
#include "base/temp_dir.h"
#include "io/video_source.h"
#include "video/open_video.h"

namespace acutance::test {

/// These tests are a program of their own: files are mapped as the commands map them.
inline const bool kOwnsProcess = (SetMainProgram(), true);

inline void WriteFile(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Every pixel format and depth of YUV files, in even, odd and tiny sizes.
inline std::vector<PictureFormat> AllFormats() {
  std::vector<PictureFormat> formats;
  for (const auto& [width, height] : {std::pair{16, 8}, {17, 9}, {1, 1}, {3, 2}, {2, 3}, {64, 1}, {64, 3}})
    for (const PixelFormat pixels : {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444})
      for (const int depth : {8, 10, 12, 16}) formats.push_back({width, height, depth, pixels});
  return formats;
}

/// The y4m tag of a format.
inline std::string TagOf(const PictureFormat& format) {
  const std::string depth = format.bit_depth == 8 ? "" : std::to_string(format.bit_depth);
  if (format.pixel_format == PixelFormat::k400) return "Cmono" + depth;
  return fmt::format("C{}{}{}", PixelFormatName(format.pixel_format), depth.empty() ? "" : "p", depth);
}

/// Makes a FIFO of that path.
inline std::string MakeFifo(const std::string& path) {
  EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
  return path;
}

/// Writes a file from another thread, so that a FIFO can be read by the test.
class FifoWriter {
 public:
  FifoWriter(std::string path, std::string bytes)
      : thread_([path = std::move(path), bytes = std::move(bytes)] { WriteFile(path, bytes); }) {}
  ~FifoWriter() { thread_.join(); }

 private:
  std::thread thread_;
};

/// The samples of a file: chroma planes of ceil size.
struct Clip {
  PictureFormat format;
  std::vector<std::array<std::vector<uint16_t>, 3>> frames;

  int FileWidth(int p) const {
    const bool halved = format.pixel_format == PixelFormat::k420 || format.pixel_format == PixelFormat::k422;
    return p == 0 || !halved ? format.width : (format.width + 1) / 2;
  }
  int FileHeight(int p) const {
    return p == 0 || format.pixel_format != PixelFormat::k420 ? format.height : (format.height + 1) / 2;
  }
  std::string FrameBytes(size_t index) const {
    std::string bytes;
    for (int p = 0; p < format.PlaneCount(); ++p) {
      for (uint16_t sample : frames[index][p]) {
        bytes += static_cast<char>(sample & 0xff);
        if (format.bit_depth > 8) bytes += static_cast<char>(sample >> 8);
      }
    }
    return bytes;
  }
  std::string Yuv() const {
    std::string bytes;
    for (size_t i = 0; i < frames.size(); ++i) bytes += FrameBytes(i);
    return bytes;
  }
  std::string Y4m(const std::string& chroma_tag, const std::string& marker = "FRAME\n") const {
    std::string bytes = fmt::format("YUV4MPEG2 W{} H{} F25:1 Ip A1:1 {}\n", format.width, format.height, chroma_tag);
    for (size_t i = 0; i < frames.size(); ++i) bytes += marker + FrameBytes(i);
    return bytes;
  }
};

inline Clip MakeClip(const PictureFormat& format, int frames, unsigned seed = 1) {
  Clip clip{format, {}};
  std::mt19937 random(seed);
  for (int i = 0; i < frames; ++i) {
    auto& planes = clip.frames.emplace_back();
    for (int p = 0; p < format.PlaneCount(); ++p) {
      planes[p].resize(static_cast<size_t>(clip.FileWidth(p)) * clip.FileHeight(p));
      for (uint16_t& sample : planes[p]) sample = static_cast<uint16_t>(random() & ((1u << format.bit_depth) - 1));
    }
  }
  return clip;
}

inline int SampleAt(const Picture& picture, int p, int x, int y) {
  const Plane& plane = picture.planes[p];
  return picture.format.bit_depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
}

/// Number of samples of plane `p` that differ from frame `index` of the clip.
inline int CountDifferent(const Picture& picture, const Clip& clip, size_t index, int p) {
  int different = 0;
  for (int y = 0; y < picture.planes[p].height; ++y)
    for (int x = 0; x < picture.planes[p].width; ++x)
      different += SampleAt(picture, p, x, y) != clip.frames[index][p][static_cast<size_t>(y) * clip.FileWidth(p) + x];
  return different;
}

inline void ExpectFrame(const Picture& picture, const Clip& clip, size_t index, bool luma_only = false) {
  EXPECT_EQ(picture.format, clip.format);
  for (int p = 0; p < 3; ++p) {
    const Plane& plane = picture.planes[p];
    if (p >= (luma_only ? 1 : clip.format.PlaneCount())) {
      EXPECT_TRUE(plane.data == nullptr || luma_only);
      continue;
    }
    ASSERT_NE(plane.data, nullptr) << "plane " << p;
    EXPECT_EQ(plane.width, clip.format.PlaneWidth(p));
    EXPECT_EQ(plane.height, clip.format.PlaneHeight(p));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(plane.data) % clip.format.BytesPerSample(), 0u);
    EXPECT_EQ(CountDifferent(picture, clip, index, p), 0) << "plane " << p << " of frame " << index;
  }
}

/// The next picture, which must exist.
inline Picture MustNext(VideoSource& source) {
  Result<std::optional<Picture>> next = source.Next();
  EXPECT_TRUE(next.ok() && *next) << next.status().message();
  return next.ok() && *next ? **next : Picture();
}

/// Reads to the end, and holds all frames until then, so that reused memory would show.
inline void ExpectClip(VideoSource& source, const Clip& clip, bool luma_only = false) {
  std::vector<Picture> pictures;
  for (;;) {
    Result<std::optional<Picture>> next = source.Next();
    ASSERT_TRUE(next.ok()) << next.status().message();
    if (!*next) break;
    pictures.push_back(**next);
  }
  ASSERT_EQ(pictures.size(), clip.frames.size());
  for (size_t i = 0; i < pictures.size(); ++i) ExpectFrame(pictures[i], clip, i, luma_only);
  Result<std::optional<Picture>> after = source.Next();
  EXPECT_TRUE(after.ok() && !*after) << "the end stays the end";
}

inline std::unique_ptr<VideoSource> MustOpen(const std::string& path, const OpenOptions& options = {}) {
  Result<std::unique_ptr<VideoSource>> opened = OpenVideo(path, options);
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  return opened.ok() ? std::move(*opened) : nullptr;
}

/// Opens the clip's file twice, the second time without chroma.
inline void ExpectFile(const std::string& path, const Clip& clip, const OpenOptions& options = {}) {
  for (const bool luma_only : {false, true}) {
    const auto source = MustOpen(path, options);
    ASSERT_NE(source, nullptr);
    EXPECT_TRUE(source->warnings().empty());
    if (luma_only) source->SkipChroma();
    ExpectClip(*source, clip, luma_only);
  }
}

/// The message of the error with which opening, or else reading, fails; "" if neither does. Counts whole frames.
inline std::string ErrorOf(const std::string& path, int* frames = nullptr, const OpenOptions& options = {}) {
  int count = 0;
  std::string message;
  if (Result<std::unique_ptr<VideoSource>> opened = OpenVideo(path, options); !opened.ok()) {
    message = opened.status().message();
  } else {
    for (;; ++count) {
      Result<std::optional<Picture>> next = (*opened)->Next();
      if (!next.ok()) message = next.status().message();
      if (!next.ok() || !*next) break;
    }
  }
  if (frames) *frames = count;
  return message;
}

}  // namespace acutance::test
