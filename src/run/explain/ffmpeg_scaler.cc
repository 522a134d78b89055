#include "run/explain/ffmpeg_scaler.h"

#include <memory>
#include <string>

#include "base/system/shared_library.h"

namespace acutance {
namespace {

constexpr int kNewestVersion = 11, kOldestVersion = 6;
constexpr int kDefaultColors = 5;  // SWS_CS_DEFAULT
constexpr int kUnity = 1 << 16;

/// The functions that are called, with opaque pointers for structs.
struct Swscale {
  int (*pixel_format)(const char* name) = nullptr;
  void* (*context)(int, int, int, int, int, int, int, void*, void*, const double*) = nullptr;
  int (*scale)(void*, const uint8_t* const[], const int[], int, int, uint8_t* const[], const int[]) = nullptr;
  const int* (*coefficients)(int) = nullptr;
  int (*set_colors)(void*, const int*, int, const int*, int, int, int, int) = nullptr;
  void (*free_context)(void*) = nullptr;
};

Result<Swscale> Load() {
  std::vector<std::string> names;
  for (int version = kNewestVersion; version >= kOldestVersion; --version)
    names.push_back(fmt::format("libswscale.so.{}", version));
  ACU_ASSIGN_OR_RETURN(SharedLibrary library, SharedLibrary::Open(names));
  Swscale found;
  library.Require("av_get_pix_fmt", found.pixel_format);
  library.Require("sws_getContext", found.context);
  library.Require("sws_scale", found.scale);
  library.Require("sws_getCoefficients", found.coefficients);
  library.Require("sws_setColorspaceDetails", found.set_colors);
  library.Require("sws_freeContext", found.free_context);
  if (library.missing().empty()) return found;
  return Error(StatusCode::kUnsupported, "{} has no {}", library.name(), library.missing());
}

const Result<Swscale>& Library() {
  static const auto* library = new Result<Swscale>(Load());
  return *library;
}

std::string FormatName(const PictureFormat& format) {
  const std::string depth = format.bit_depth > 8 ? fmt::format("{}le", format.bit_depth) : "";
  if (format.pixel_format == PixelFormat::k400) return "gray" + depth;
  return fmt::format("yuv{}p{}", PixelFormatName(format.pixel_format), depth);
}

}  // namespace

Status CheckFfmpegScaler() { return Library().status(); }

Result<Picture> ConvertByFfmpeg(const Picture& from, const PictureFormat& to, const SwsConversion& conversion) {
  ACU_RETURN_IF_ERROR(CheckFfmpegScaler());
  const Swscale& sws = *Library();
  const std::string from_name = FormatName(from.format), to_name = FormatName(to);
  const std::unique_ptr<void, void (*)(void*)> context(
      sws.context(from.format.width, from.format.height, sws.pixel_format(from_name.c_str()), to.width, to.height,
                  sws.pixel_format(to_name.c_str()), conversion.flags, nullptr, nullptr, nullptr),
      sws.free_context);
  if (!context) return Error(StatusCode::kUnsupported, "libswscale does not convert {} to {}", from_name, to_name);
  const int* colors = sws.coefficients(kDefaultColors);
  sws.set_colors(context.get(), colors, conversion.from_full_range, colors, conversion.to_full_range, 0, kUnity,
                 kUnity);
  ACU_ASSIGN_OR_RETURN(const MutablePicture scaled, AllocatePicture(to));
  const uint8_t* sources[4] = {};
  uint8_t* targets[4] = {};
  int source_strides[4] = {}, target_strides[4] = {};
  for (int p = 0; p < 3; ++p) {
    sources[p] = reinterpret_cast<const uint8_t*>(from.planes[p].data);
    source_strides[p] = static_cast<int>(from.planes[p].stride);
    targets[p] = reinterpret_cast<uint8_t*>(scaled.data[p]);
    target_strides[p] = static_cast<int>(scaled.stride[p]);
  }
  if (sws.scale(context.get(), sources, source_strides, 0, from.format.height, targets, target_strides) != to.height)
    return Error(StatusCode::kUnsupported, "libswscale could not scale a picture to {}x{}", to.width, to.height);
  return scaled.Share();
}

}  // namespace acutance
