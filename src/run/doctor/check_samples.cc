#include <fmt/format.h>

#include <cmath>

#include "base/shell_word.h"
#include "run/doctor/checks.h"
#include "run/doctor/commands.h"

namespace acutance {
namespace {

/// PQ and HLG spread dark tones, so that luma lies on a curve of that of the same video as SDR. What tone mapping
/// leaves of a curve is less.
bool IsBent(const Probe& probe) {
  constexpr double kBent = 0.03, kExplained = 0.35;
  const bool is_sdr = !probe.reference.color.is_hdr() && !probe.distorted.color.is_hdr();
  return is_sdr && probe.alignment && std::abs(probe.curve.bend) >= kBent && probe.curve.explained >= kExplained;
}

std::optional<Finding> CheckUndeclaredTransfer(const Probe& probe) {
  constexpr double kMostOfPq = 0.68;
  if (!IsBent(probe)) return std::nullopt;
  const bool is_distorted = probe.curve.bend > 0;
  const VideoProbe &hdr = is_distorted ? probe.distorted : probe.reference,
                   &other = is_distorted ? probe.reference : probe.distorted;
  if (hdr.color.transfer == Transfer::kSdr) return std::nullopt;  // such as what was tone-mapped
  const double slope = is_distorted ? probe.line.slope : 1 / probe.line.slope;
  return Finding{"transfer", 0.85,
                 fmt::format("The brightness of {} lies on a curve of that of {}, as that of PQ or HLG does, though no "
                             "stream declares it.",
                             hdr.name, other.name),
                 ToneMap(hdr.name, slope < kMostOfPq ? Transfer::kPq : Transfer::kHlg)};
}

/// FFmpeg's name of a matrix; "": its scaler does not convert it.
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

std::string ConvertMatrix(const Probe& probe) {
  const Matrix from = probe.distorted.color.matrix, to = probe.reference.color.matrix;
  if (NameForScale(from).empty() || NameForScale(to).empty()) return probe.Score(" --force");
  return fmt::format(
      "ffmpeg -i {} -vf scale=in_color_matrix={}:out_color_matrix={},setparams=colorspace={} -c:v ffv1 converted.mkv",
      ShellWord(probe.distorted.name), NameForMatrixOption(from), NameForMatrixOption(to), NameForScale(to));
}

/// Those of HD and SD, which lie close together.
bool IsUsual(Primaries primaries) {
  return primaries == Primaries::kBt709 || primaries == Primaries::kNtsc || primaries == Primaries::kPal;
}

template <class Value>
bool DeclareOther(Value a, Value b) {
  return a != Value::kUnknown && b != Value::kUnknown && a != b;
}

bool IsFull(const VideoProbe& video) { return video.color.full_range.value_or(false); }

}  // namespace

std::optional<Finding> CheckTransfer(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if (!ref.color.is_hdr() && !dis.color.is_hdr()) return CheckUndeclaredTransfer(probe);
  if (ref.color.transfer == dis.color.transfer) return std::nullopt;
  const VideoProbe &hdr = ref.color.is_hdr() ? ref : dis, &other = ref.color.is_hdr() ? dis : ref;
  constexpr double kStraight = 0.02, kAlike = 0.06;
  const bool is_alike =
      probe.alignment && std::abs(probe.curve.bend) < kStraight && std::abs(probe.line.slope - 1) < kAlike;
  if (other.color.transfer == Transfer::kUnknown && is_alike)
    return Finding{
        "transfer", 0.96,
        fmt::format("{} is {} and {} has the same brightness, though its stream does not declare a transfer.", hdr.name,
                    NameOf(hdr.color.transfer), other.name),
        DeclareTransfer(other, hdr.color.transfer)};
  return Finding{"transfer", 0.96,
                 fmt::format("{} is {} and {} {}: one of them was tone-mapped.", ref.name, NameOf(ref.color.transfer),
                             dis.name, NameOf(dis.color.transfer)),
                 ToneMap(hdr.name, hdr.color.transfer)};
}

std::optional<Finding> CheckColor(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  constexpr const char* kEffect = "their samples mean different colors, or one of the streams is wrong";
  // What maps the tones of HDR converts its colors, too.
  if (ref.facts.is_rgb || dis.facts.is_rgb || CheckTransfer(probe)) return std::nullopt;
  const VideoColor &a = ref.color, &b = dis.color;
  if (DeclareOther(a.matrix, b.matrix))
    return Finding{"color", 0.93,
                   fmt::format("{} declares the matrix of {} and {} that of {}: {}.", ref.name, NameOf(a.matrix),
                               dis.name, NameOf(b.matrix), kEffect),
                   ConvertMatrix(probe)};
  if (!DeclareOther(a.primaries, b.primaries) || (IsUsual(a.primaries) && IsUsual(b.primaries))) return std::nullopt;
  return Finding{"color", 0.93,
                 fmt::format("{} declares the primaries of {} and {} those of {}: {}.", ref.name, NameOf(a.primaries),
                             dis.name, NameOf(b.primaries), kEffect),
                 probe.Score(" --force")};
}

std::optional<Finding> CheckRange(const Probe& probe) {
  using Kind = RangeMismatch::Kind;
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  // Other colors and curves change luma, and RGB gets the other's range: there, only what the streams declare counts.
  const bool is_rgb = ref.facts.is_rgb || dis.facts.is_rgb;
  const bool is_comparable = !is_rgb && !IsBent(probe) && !CheckColor(probe);
  const std::optional<RangeMismatch> found = is_comparable
                                                 ? FindRangeMismatch({ref.name, probe.reference_frames, IsFull(ref)},
                                                                     {dis.name, probe.distorted_frames, IsFull(dis)})
                                                 : std::nullopt;
  if (!found && (IsFull(ref) == IsFull(dis) || IsBent(probe))) return std::nullopt;
  const bool is_reference =
      found && found->kind != Kind::kOneRange ? found->kind == Kind::kReferenceIsFull : IsFull(ref);
  const auto& [full, limited] = is_reference ? std::tie(ref.name, dis.name) : std::tie(dis.name, ref.name);
  if (!found)
    return Finding{"range", 0.4,
                   fmt::format("{} has full range and {} limited; acutance score converts that.", full, limited),
                   probe.Score()};
  const bool is_declared = found->kind == Kind::kOneRange;
  return Finding{
      "range", 0.91,
      fmt::format("{} {} full range of samples and {} the limited one (brightness fits with {:.2f} x {:+.0f}), "
                  "{}.",
                  full, is_declared ? "declares the" : "uses the", limited, found->line.slope, found->line.shift,
                  is_declared ? "but the pictures have one range" : "which no stream declares"),
      LimitRange(full)};
}

}  // namespace acutance
