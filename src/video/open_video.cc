#include "video/open_video.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/files.h"
#include "io/byte_stream.h"
#include "io/ffmpeg/source.h"
#include "io/planar_source.h"
#include "io/y4m_header.h"
#include "video/filters.h"
#include "video/fit_frames.h"

namespace acutance {
namespace {

bool LooksLikeRawYuv(std::string_view path) {
  const size_t dot = path.rfind('.');
  if (dot == path.npos || path.find('/', dot) != path.npos) return false;
  std::string extension(path.substr(dot + 1));
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension.starts_with("yuv") || extension == "i420";
}

constexpr size_t kContainerStart = 12;

/// Recognises MP4 and QuickTime, Matroska and WebM, AVI and IVF by bytes with which no picture
/// begins.
bool LooksLikeContainer(std::string_view start) {
  return start.substr(std::min<size_t>(4, start.size())).starts_with("ftyp") || start.starts_with("\x1a\x45\xdf\xa3") ||
         start.starts_with("RIFF") || start.starts_with("DKIF");
}

}  // namespace

Result<std::unique_ptr<VideoSource>> OpenVideo(const std::string& path, const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<ByteStream> stream, ByteStream::Open(path, options.cancellation));
  ACU_ASSIGN_OR_RETURN(const std::string_view start, stream->Peek(kContainerStart));
  if (start.empty()) return Error(StatusCode::kBadData, "{} is empty", stream->name());
  if (start.starts_with(kY4mMagic)) {
    ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenY4m(std::move(stream), options));
    return video->has_misaligned_samples() ? AlignSamples(std::move(video)) : std::move(video);
  }
  if (options.raw && !LooksLikeContainer(start)) return OpenRawYuv(std::move(stream), options);
  if (LooksLikeRawYuv(path))
    return Error(StatusCode::kInvalidArgument,
                 "{}: raw yuv declares no size: give it, for example with --size 1920x1080 --pixel-format 420 "
                 "--bit-depth 8 (acutance), -w 1920 -h 1080 -p 420 -b 8 (vmaf) or size=(1920, 1080) (Python)",
                 stream->name());
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenContainer(std::move(stream), options, MakeFrameFit()));
  if (video->facts().is_rgb) video = ConvertRgb(std::move(video));
  return CropAsDeclared(std::move(video));
}

Result<std::unique_ptr<VideoSource>> OpenAsDisplayed(const std::string& path, const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<VideoSource> video, OpenVideo(path, options));
  if (video->facts().orientation == Orientation()) return video;
  return AutoRotate(std::move(video));
}

namespace {

/// Null where OpenVideo would not read it as raw yuv. A pipe that is opened and closed would lose its writer.
std::unique_ptr<ByteStream> OpenRawFile(const std::string& path, const OpenOptions& options) {
  if (!options.raw || !CheckPictureFormat(*options.raw).ok() || !IsRegularFile(path)) return nullptr;
  Result<std::unique_ptr<ByteStream>> stream = ByteStream::Open(path, options.cancellation);
  if (!stream.ok()) return nullptr;
  const Result<std::string_view> start = (*stream)->Peek(kContainerStart);
  if (!start.ok() || start->starts_with(kY4mMagic) || LooksLikeContainer(*start)) return nullptr;
  return std::move(stream).value();
}

}  // namespace

bool IsRawFile(const std::string& path, const OpenOptions& options) { return OpenRawFile(path, options) != nullptr; }

std::optional<RawFormatDoubt> DoubtRawFile(const std::string& path, const OpenOptions& options) {
  const std::unique_ptr<ByteStream> stream = OpenRawFile(path, options);
  if (!stream) return std::nullopt;
  stream->Map(true);
  return DoubtRawFormat(stream->mapped_bytes(), *options.raw, options.raw_is_semi_planar);
}

}  // namespace acutance
