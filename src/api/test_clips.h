// Pictures and files that tests of the C++ API score.
#pragma once

#include <acutance/acutance.h>

#include <cstdint>
#include <fstream>
#include <string>

namespace acutance::test {

inline constexpr PictureFormat kFormat{96, 80, 8, PixelFormat::k420};

inline uint8_t Sample(int x, int y, int frame, int noise) {
  return static_cast<uint8_t>(40 + (3 * x + 2 * y + 5 * frame) % 150 + (noise ? (x * 7 + y * 13 + frame) % noise : 0));
}

inline api::Picture MakePicture(int frame, int noise, const PictureFormat& format = kFormat) {
  api::Picture picture = *api::Picture::Allocate(format);
  for (int p = 0; p < format.PlaneCount(); ++p)
    for (int y = 0; y < format.PlaneHeight(p); ++y)
      for (int x = 0; x < format.PlaneWidth(p); ++x)
        static_cast<uint8_t*>(picture.mutable_data(p))[y * picture.stride(p) + x] = Sample(x, y, frame, noise);
  return picture;
}

inline api::SessionOptions VmafAndPsnr() {
  api::SessionOptions options;
  options.models = {*api::Model::Load("vmaf_v0.6.1")};
  options.features = {{"psnr", {{"enable_apsnr", "true"}}}};
  options.threads = 1;
  return options;
}

inline Expected<api::Result> ScoreFrames(const api::SessionOptions& options, int frames) {
  Expected<api::Session> session = api::Session::Create(options);
  if (!session) return session.status();
  for (int i = 0; i < frames; ++i)
    if (const auto status = session->Add(MakePicture(i, 0), MakePicture(i, 24)); !status.ok()) return status;
  return session->Finish();
}

/// Writes a y4m file with the frames of MakePicture.
inline void WriteClip(const std::string& path, int frames, int noise, const PictureFormat& format = kFormat) {
  std::ofstream file(path, std::ios::binary);
  file << "YUV4MPEG2 W" << format.width << " H" << format.height << " F25:1 Ip C420\n";
  for (int i = 0; i < frames; ++i) {
    file << "FRAME\n";
    for (int p = 0; p < 3; ++p)
      for (int y = 0; y < format.PlaneHeight(p); ++y)
        for (int x = 0; x < format.PlaneWidth(p); ++x) file.put(static_cast<char>(Sample(x, y, i, noise)));
  }
}

}  // namespace acutance::test
