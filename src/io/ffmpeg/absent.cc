#include "base/shell_word.h"
#include "io/ffmpeg/motion_jpeg_writer.h"
#include "io/ffmpeg/source.h"

namespace acutance {

Result<std::unique_ptr<VideoSource>> OpenContainer(std::unique_ptr<ByteStream> stream, const OpenOptions&, FrameFit) {
  return Error(StatusCode::kUnsupported,
               "{} is neither y4m nor raw yuv, and this build cannot read containers: build for a 64-bit machine with "
               "-DACUTANCE_FFMPEG=ON, or convert it with: ffmpeg -i {} -strict -1 out.y4m",
               stream->name(), ShellWord(stream->name()));
}

Result<std::string> FfmpegVersion() { return Error(StatusCode::kUnsupported, "this build cannot read containers"); }

Result<std::unique_ptr<MotionJpegWriter>> OpenMotionJpegWriter(int, int, double,
                                                               std::function<void(std::string_view)>) {
  return Error(StatusCode::kUnsupported,
               "this build cannot write videos: build for a 64-bit machine with -DACUTANCE_FFMPEG=ON");
}

}  // namespace acutance
