#include "run/doctor/colors.h"

#include <fmt/format.h>

#include "base/shell_word.h"

namespace acutance {
namespace {

/// FFmpeg's name of a matrix; "": it is none that its scaler converts.
std::string_view NameForScale(Matrix matrix) {
  switch (matrix) {
    case Matrix::kBt709:
      return "bt709";
    case Matrix::kBt601:
      return "smpte170m";
    case Matrix::kBt2020:
      return "bt2020nc";
    case Matrix::kSmpte240:
      return "smpte240m";
    case Matrix::kFcc:
      return "fcc";
    default:
      return "";
  }
}

/// FFmpeg's scaler has another name for BT.2020 than its streams.
std::string_view NameForMatrixOption(Matrix matrix) {
  return matrix == Matrix::kBt2020 ? "bt2020" : NameForScale(matrix);
}

bool IsUsual(Primaries primaries) {
  return primaries == Primaries::kBt709 || primaries == Primaries::kNtsc || primaries == Primaries::kPal;
}

std::string ConvertMatrix(const std::string& path, Matrix from, Matrix to, const std::string& otherwise) {
  if (NameForScale(from).empty() || NameForScale(to).empty()) return otherwise;
  return fmt::format(
      "ffmpeg -i {} -vf scale=in_color_matrix={}:out_color_matrix={},setparams=colorspace={} -c:v ffv1 converted.mkv",
      ShellWord(path), NameForMatrixOption(from), NameForMatrixOption(to), NameForScale(to));
}

}  // namespace

std::optional<Finding> DifferentColors(const VideoProbe& reference, const VideoProbe& distorted,
                                       const std::string& otherwise) {
  constexpr double kTold = 0.93;
  if (reference.facts.is_rgb || distorted.facts.is_rgb) return std::nullopt;
  const VideoColor &a = reference.color, &b = distorted.color;
  if (a.matrix != Matrix::kUnknown && b.matrix != Matrix::kUnknown && a.matrix != b.matrix)
    return Finding{"color", kTold,
                   fmt::format("{} tells the matrix of {} and {} that of {}: their samples mean different colors, or "
                               "one of the streams is wrong.",
                               reference.name, NameOf(a.matrix), distorted.name, NameOf(b.matrix)),
                   ConvertMatrix(distorted.name, b.matrix, a.matrix, otherwise)};
  if (a.primaries == Primaries::kUnknown || b.primaries == Primaries::kUnknown || a.primaries == b.primaries ||
      (IsUsual(a.primaries) && IsUsual(b.primaries)))
    return std::nullopt;
  return Finding{"color", kTold,
                 fmt::format("{} tells the primaries of {} and {} those of {}: their samples mean different colors, or "
                             "one of the streams is wrong.",
                             reference.name, NameOf(a.primaries), distorted.name, NameOf(b.primaries)),
                 otherwise};
}

}  // namespace acutance
