#include "encoders.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

namespace acutance::test {
namespace {

constexpr const char* kEncoders[] = {
    "-c:v libx264 -preset ultrafast -crf 24",
    "-c:v libx264 -preset superfast -crf 31",
    "-c:v libx264 -preset superfast -bf 3 -crf 38",
    "-c:v libx265 -preset ultrafast -x265-params log-level=none -crf 27",
    "-c:v libx265 -preset superfast -x265-params log-level=none -crf 36",
    "-c:v libsvtav1 -preset 12 -crf 35",
    "-c:v libsvtav1 -preset 12 -crf 52",
    "-c:v mpeg2video -q:v 8",
    "-c:v mpeg4 -q:v 10",
};
constexpr int kSizes[][2] = {{kWidth, kHeight}, {kWidth, kHeight}, {320, 180}, {128, 72}};

bool Write(const std::string& path, const std::vector<const Frame*>& frames) {
  std::ofstream file(path, std::ios::binary);
  const std::vector<char> chroma(kWidth * kHeight / 2, static_cast<char>(128));
  for (const Frame* frame : frames) {
    file.write(reinterpret_cast<const char*>(frame->data()), static_cast<std::streamsize>(frame->size()));
    file.write(chroma.data(), static_cast<std::streamsize>(chroma.size()));
  }
  return file.good();
}

std::vector<Frame> ReadLuma(const std::string& path, int width, int height) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
  const size_t luma = static_cast<size_t>(width) * static_cast<size_t>(height), all = luma * 3 / 2;
  std::vector<Frame> frames;
  for (size_t at = 0; at + all <= bytes.size(); at += all) {
    const auto begin = bytes.begin() + static_cast<ptrdiff_t>(at);
    frames.emplace_back(begin, begin + static_cast<ptrdiff_t>(luma));
  }
  return frames;
}

}  // namespace

std::optional<Encoded> EncodeFrames(const std::string& ffmpeg, const std::string& folder, double rate,
                                    const std::vector<const Frame*>& frames, Random& random) {
  const char* encoder = kEncoders[random() % std::size(kEncoders)];
  const auto& size = kSizes[random() % std::size(kSizes)];
  const std::string raw = folder + "/raw.yuv", coded = folder + "/coded.mkv", own = folder + "/own.yuv",
                    back = folder + "/back.yuv";
  if (!Write(raw, frames)) return std::nullopt;
  const std::string command = fmt::format(
      "{0} -nostdin -v error -y -f rawvideo -pix_fmt yuv420p -s {1}x{2} -r {3} -i {4} -vf scale={5}:{6} {7} {8} "
      "2>{8}.log && {0} -nostdin -v error -y -i {8} -map 0:v -fps_mode passthrough -pix_fmt yuv420p -f rawvideo {9} "
      "-map 0:v -fps_mode passthrough -vf scale={1}:{2} -pix_fmt yuv420p -f rawvideo {10} 2>>{8}.log",
      ffmpeg, kWidth, kHeight, rate, raw, size[0], size[1], encoder, coded, own, back);
  if (std::system(command.c_str()) != 0) return std::nullopt;
  Encoded encoded{{}, ReadLuma(back, kWidth, kHeight), fmt::format(", {} at {}x{}", encoder + 5, size[0], size[1])};
  for (const Frame& frame : ReadLuma(own, size[0], size[1]))
    encoded.fingerprints.push_back(FingerprintOf(frame.data(), size[0], size[1]));
  if (encoded.fingerprints.size() != frames.size() || encoded.frames.size() != frames.size()) return std::nullopt;
  return encoded;
}

FrameFingerprint FingerprintOf(const uint8_t* luma, int width, int height) {
  Picture picture;
  picture.format = {width, height, 8, PixelFormat::k400};
  picture.planes[0] = {reinterpret_cast<const std::byte*>(luma), width, width, height};
  return acutance::FingerprintOf(picture);
}

}  // namespace acutance::test
