#include "run/doctor/commands.h"

#include <fmt/format.h>

#include "base/shell_word.h"

namespace acutance {
namespace {

const char* NameForZscale(Transfer transfer) { return transfer == Transfer::kHlg ? "arib-std-b67" : "smpte2084"; }

}  // namespace

std::string Deinterlace(const std::string& path) {
  return fmt::format("ffmpeg -i {} -vf bwdif=mode=send_frame -c:v ffv1 progressive.mkv", ShellWord(path));
}

std::string Retime(const std::string& path, double slower, const std::string& reference) {
  return fmt::format(
      "ffmpeg -itsscale {:.6g} -i {} -map 0:v:0 -c copy retimed.mkv && acutance score {} retimed.mkv --align time",
      slower, ShellWord(path), ShellWord(reference));
}

std::string LimitRange(const std::string& path) {
  return fmt::format("ffmpeg -i {} -vf scale=in_range=full:out_range=limited -c:v ffv1 limited.mkv", ShellWord(path));
}

std::string ToneMap(const std::string& path, Transfer transfer) {
  return fmt::format(
      "ffmpeg -i {} -vf "
      "setparams=color_trc={}:color_primaries=bt2020:colorspace=bt2020nc,zscale=t=linear:npl=100,format=gbrpf32le,"
      "zscale=p=bt709,tonemap=hable,"
      "zscale=t=bt709:m=bt709:p=bt709:r=limited,format=yuv420p -c:v ffv1 sdr.mkv",
      ShellWord(path), NameForZscale(transfer));
}

std::string DeclareTransfer(const VideoProbe& video, Transfer transfer) {
  const int number = transfer == Transfer::kHlg ? 18 : 16;  // ITU-T H.273
  const std::string& codec = video.facts.codec;
  if (codec == "h264" || codec == "hevc" || codec == "av1")
    return fmt::format(
        "ffmpeg -i {} -map 0:v:0 -c copy -bsf:v {}_metadata={}_primaries=9:transfer_characteristics={}:"
        "matrix_coefficients=9 told.mkv",
        ShellWord(video.name), codec, codec == "av1" ? "color" : "colour", number);
  return fmt::format(
      "ffmpeg -i {} -vf setparams=color_trc={}:color_primaries=bt2020:colorspace=bt2020nc -c:v ffv1 told.mkv",
      ShellWord(video.name), NameForZscale(transfer));
}

}  // namespace acutance
