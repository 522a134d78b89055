#include "report/jpeg.h"

#include <turbojpeg.h>

#include <memory>
#include <new>
#include <stdexcept>

namespace acutance {

std::string Jpeg(const RgbImage& image, int quality) {
  const std::unique_ptr<void, decltype(&tjDestroy)> encoder(tjInitCompress(), tjDestroy);
  if (!encoder) throw std::bad_alloc();
  std::string file(tjBufSize(image.width, image.height, TJSAMP_420), '\0');
  auto* bytes = reinterpret_cast<unsigned char*>(file.data());
  unsigned long size = file.size();
  if (tjCompress2(encoder.get(), image.rgb.data(), image.width, 0, image.height, TJPF_RGB, &bytes, &size, TJSAMP_420,
                  quality, TJFLAG_NOREALLOC) != 0)
    throw std::runtime_error(tjGetErrorStr2(encoder.get()));
  file.resize(size);
  return file;
}

}  // namespace acutance
