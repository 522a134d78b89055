#include "run/explain/ffmpeg_scaler.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/system/shared_library.h"

namespace acutance {
namespace {

constexpr int kNewestVersion = 11, kOldestVersion = 6;

/// The functions that are called, with opaque pointers for structs.
struct Swscale {
  int (*pixel_format)(const char* name) = nullptr;
  void* (*make_context)() = nullptr;
  int (*set_option)(void* context, const char* name, int64_t value, int flags) = nullptr;
  int (*init_context)(void*, void*, void*) = nullptr;
  int (*scale)(void*, const uint8_t* const[], const int[], int, int, uint8_t* const[], const int[]) = nullptr;
  void (*free_context)(void*) = nullptr;
};

Result<Swscale> Load() {
  std::vector<std::string> names;
  for (int version = kNewestVersion; version >= kOldestVersion; --version)
    names.push_back(fmt::format("libswscale.so.{}", version));
  ACU_ASSIGN_OR_RETURN(SharedLibrary library, SharedLibrary::Open(names));
  Swscale found;
  library.Require("av_get_pix_fmt", found.pixel_format);
  library.Require("sws_alloc_context", found.make_context);
  library.Require("av_opt_set_int", found.set_option);
  library.Require("sws_init_context", found.init_context);
  library.Require("sws_scale", found.scale);
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

using Context = std::unique_ptr<void, void (*)(void*)>;

/// A context for these formats; null: libswscale refuses them. The ranges are set before it chooses its code.
Context MakeContext(const Swscale& sws, const PictureFormat& from, const PictureFormat& to,
                    const SwsConversion& conversion) {
  Context context(sws.make_context(), sws.free_context);
  if (!context) return context;
  const std::pair<const char*, int> options[] = {{"srcw", from.width},
                                                 {"srch", from.height},
                                                 {"src_format", sws.pixel_format(FormatName(from).c_str())},
                                                 {"src_range", conversion.from_full_range},
                                                 {"dstw", to.width},
                                                 {"dsth", to.height},
                                                 {"dst_format", sws.pixel_format(FormatName(to).c_str())},
                                                 {"dst_range", conversion.to_full_range},
                                                 {"sws_flags", conversion.flags}};
  for (const auto& [name, value] : options)
    if (sws.set_option(context.get(), name, value, 0) < 0) return {nullptr, sws.free_context};
  if (sws.init_context(context.get(), nullptr, nullptr) < 0) context.reset();
  return context;
}

/// A format whose chroma has the samples of the other's, rounded up as libswscale does.
PictureFormat RoundedUp(PictureFormat format) {
  format.width += format.width % 2;
  format.height += format.height % 2;
  return format;
}

/// The picture with the chroma that libswscale reads: of odd sizes, the last column and row again where there is none.
Result<Picture> WithWholeChroma(const Picture& picture) {
  const PictureFormat whole = RoundedUp(picture.format);
  if (whole == picture.format) return picture;
  ACU_ASSIGN_OR_RETURN(const MutablePicture copy, AllocatePicture(whole));
  const size_t bytes = static_cast<size_t>(picture.format.BytesPerSample());
  for (int p = 0; p < whole.PlaneCount(); ++p) {
    const Plane from = picture.planes[p].Whole();
    for (int y = 0; y < whole.PlaneHeight(p); ++y) {
      const std::byte* const row = from.data + std::min(y, from.height - 1) * from.stride;
      std::byte* const to = copy.data[p] + y * copy.stride[p];
      const size_t count = bytes * static_cast<size_t>(std::min(from.width, whole.PlaneWidth(p)));
      std::memcpy(to, row, count);
      if (from.width < whole.PlaneWidth(p)) std::memcpy(to + count, to + count - bytes, bytes);
    }
  }
  return copy.Share();
}

/// The picture without what RoundedUp added.
Picture RoundedDown(Picture picture, const PictureFormat& format) {
  picture.format = format;
  for (int p = 0; p < format.PlaneCount(); ++p) {
    picture.planes[p].width = format.PlaneWidth(p);
    picture.planes[p].height = format.PlaneHeight(p);
  }
  return picture;
}

}  // namespace

Status CheckFfmpegScaler() { return Library().status(); }

Result<Picture> ConvertByFfmpeg(const Picture& from, const PictureFormat& to, const SwsConversion& conversion) {
  ACU_RETURN_IF_ERROR(CheckFfmpegScaler());
  const Swscale& sws = *Library();
  const Context context = MakeContext(sws, from.format, to, conversion);
  if (!context)
    return Error(StatusCode::kUnsupported, "libswscale does not convert {} to {}", FormatName(from.format),
                 FormatName(to));
  ACU_ASSIGN_OR_RETURN(const Picture source, WithWholeChroma(from));
  ACU_ASSIGN_OR_RETURN(const MutablePicture scaled, AllocatePicture(RoundedUp(to)));
  const uint8_t* sources[4] = {};
  uint8_t* targets[4] = {};
  int source_strides[4] = {}, target_strides[4] = {};
  for (int p = 0; p < 3; ++p) {
    sources[p] = reinterpret_cast<const uint8_t*>(source.planes[p].data);
    source_strides[p] = static_cast<int>(source.planes[p].stride);
    targets[p] = reinterpret_cast<uint8_t*>(scaled.data[p]);
    target_strides[p] = static_cast<int>(scaled.stride[p]);
  }
  if (sws.scale(context.get(), sources, source_strides, 0, from.format.height, targets, target_strides) != to.height)
    return Error(StatusCode::kUnsupported, "libswscale could not scale a picture to {}x{}", to.width, to.height);
  return RoundedDown(scaled.Share(), to);
}

}  // namespace acutance
