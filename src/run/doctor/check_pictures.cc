// Checks of pictures and their samples.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "align/placement.h"
#include "base/shell_word.h"
#include "run/doctor/checks.h"

namespace acutance {
namespace {

constexpr double kSameShape = 0.03;  // of aspect ratios, as scores accept

bool Differ(double a, double b, double tolerance) { return std::abs(a - b) > tolerance * std::max(a, b); }

PlacedParts PartsOf(const Probe& probe) {
  return PartsOf(probe.placement->placement, ShownBy(probe.reference), ShownBy(probe.distorted));
}

std::string CropOption(const Rectangle& reference, const Rectangle& distorted) {
  return fmt::format(" --crop {},{}", ToText(reference), ToText(distorted));
}

/// Whether the contents within black bars lie at other places of their pictures.
bool BarsDiffer(const VideoProbe& reference, const VideoProbe& distorted) {
  constexpr double kSame = 0.015;  // of the picture
  if (!reference.content || !distorted.content) return false;
  const auto differ = [](int a, int size, int b, int other) {
    return std::abs(static_cast<double>(a) / size - static_cast<double>(b) / other) > kSame;
  };
  const Rectangle &a = *reference.content, &b = *distorted.content;
  const PictureFormat &one = reference.format, &other = distorted.format;
  return differ(a.width, one.width, b.width, other.width) || differ(a.height, one.height, b.height, other.height) ||
         differ(a.x, one.width, b.x, other.width) || differ(a.y, one.height, b.y, other.height);
}

/// Where contents within bars have other shapes, one shows a part of the other, or is squashed.
std::string CropWithinBars(const Probe& probe) {
  if (!Differ(ShapedOf(probe.reference).shape(), ShapedOf(probe.distorted).shape(), kSameShape)) return " --crop auto";
  if (probe.shape_parts) return CropOption(probe.shape_parts->reference, probe.shape_parts->distorted);
  if (probe.placement) return fmt::format(" {}", PartsOf(probe).options);
  return CropOption(ContentOf(probe.reference), ContentOf(probe.distorted)) + " --force";
}

Finding BarsFinding(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  return {"crop", 0.93,
          fmt::format("The picture of {} is {} within {}x{}, that of {} {} within {}x{}: black bars differ.", ref.name,
                      ToText(ContentOf(ref)), ref.format.width, ref.format.height, dis.name, ToText(ContentOf(dis)),
                      dis.format.width, dis.format.height),
          probe.Score(CropWithinBars(probe))};
}

Finding ShapeFinding(const Probe& probe) {
  const auto& [reference, distorted] = *probe.shape_parts;
  const bool is_of_reference = reference != ContentOf(probe.reference);
  const auto& [whole, part] =
      is_of_reference ? std::tie(probe.reference, probe.distorted) : std::tie(probe.distorted, probe.reference);
  return {"crop", 0.93,
          fmt::format("{} shows only the part {} of {}.", part.name, ToText(is_of_reference ? reference : distorted),
                      whole.name),
          probe.Score(CropOption(reference, distorted))};
}

Finding PlacementFinding(const Probe& probe) {
  const PlacedParts parts = PartsOf(probe);
  const bool is_sure = probe.placement->is_sure;
  return {"crop", is_sure ? 0.92 : 0.6,
          parts.sentence + (is_sure ? "." : ", or nearly that: others fit as well at other times."),
          probe.Score(fmt::format(" {}", parts.options))};
}

/// Fields of different times show combing at edges, and differ in time even where the picture is smooth.
bool HoldsFields(const VideoProbe& video, const VideoProbe& other) {
  constexpr double kCombed = 0.15, kMore = 1.8, kUneven = 0.35, kEven = 0.1;
  if (video.combing > kCombed && video.combing > kMore * other.combing) return true;
  return video.unevenness > kUneven && other.unevenness < kEven;
}

const char* NameForZscale(Transfer transfer) { return transfer == Transfer::kHlg ? "arib-std-b67" : "smpte2084"; }

std::string LimitRange(const std::string& path) {
  return fmt::format("ffmpeg -i {} -vf scale=in_range=full:out_range=limited -c:v ffv1 limited.mkv", ShellWord(path));
}

/// Converts HDR to SDR. `transfer` is given to FFmpeg, since the stream may not declare it.
std::string ToneMap(const std::string& path, Transfer transfer) {
  return fmt::format(
      "ffmpeg -i {} -vf "
      "setparams=color_trc={}:color_primaries=bt2020:colorspace=bt2020nc,zscale=t=linear:npl=100,format=gbrpf32le,"
      "zscale=p=bt709,tonemap=hable,"
      "zscale=t=bt709:m=bt709:p=bt709:r=limited,format=yuv420p -c:v ffv1 sdr.mkv",
      ShellWord(path), NameForZscale(transfer));
}

/// Declares the transfer in a stream, without encoding it again where its codec allows that.
std::string DeclareTransfer(const VideoProbe& video, Transfer transfer) {
  const int number = transfer == Transfer::kHlg ? 18 : 16;  // ITU-T H.273
  const std::string& codec = video.facts.codec;
  if (codec == "h264" || codec == "hevc" || codec == "av1")
    return fmt::format(
        "ffmpeg -i {} -map 0:v:0 -c copy -bsf:v {}_metadata={}_primaries=9:transfer_characteristics={}:"
        "matrix_coefficients=9 tagged.mkv",
        ShellWord(video.name), codec, codec == "av1" ? "color" : "colour", number);
  return fmt::format(
      "ffmpeg -i {} -vf setparams=color_trc={}:color_primaries=bt2020:colorspace=bt2020nc -c:v ffv1 tagged.mkv",
      ShellWord(video.name), NameForZscale(transfer));
}

/// PQ and HLG spread dark tones, so that luma lies on a curve over that of the same video in SDR. After tone mapping
/// the curve is weaker.
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
  constexpr std::pair<Matrix, std::string_view> kNames[] = {{Matrix::kBt709, "bt709"},
                                                            {Matrix::kBt601, "smpte170m"},
                                                            {Matrix::kBt2020, "bt2020nc"},
                                                            {Matrix::kSmpte240, "smpte240m"},
                                                            {Matrix::kFcc, "fcc"}};
  const auto* const found = std::ranges::find(kNames, matrix, &std::pair<Matrix, std::string_view>::first);
  return found == std::end(kNames) ? "" : found->second;
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

/// Those of HD and SD, which are close to each other.
bool IsUsual(Primaries primaries) {
  return primaries == Primaries::kBt709 || primaries == Primaries::kNtsc || primaries == Primaries::kPal;
}

template <class Value>
bool DeclareOther(Value a, Value b) {
  return a != Value::kUnknown && b != Value::kUnknown && a != b;
}

bool IsFull(const VideoProbe& video) { return video.color.full_range.value_or(false); }

}  // namespace

std::string Deinterlace(const std::string& path) {
  return fmt::format("ffmpeg -i {} -vf bwdif=mode=send_frame -c:v ffv1 progressive.mkv", ShellWord(path));
}

std::optional<Finding> CheckOrientation(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if (ref.facts.orientation == dis.facts.orientation || probe.alignment || !probe.are_unlike) return std::nullopt;
  const bool is_reference = ref.facts.orientation != Orientation();
  const VideoProbe &turned = is_reference ? ref : dis, &other = is_reference ? dis : ref;
  return Finding{
      "turned", 0.9,
      fmt::format("{} is rotated as its stream declares, and {} is {}: in one of them this was lost, or done already.",
                  turned.name, other.name, other.facts.orientation == Orientation() ? "not" : "rotated differently"),
      fmt::format("ffmpeg -noautorotate -i {} -strict -1 unrotated.y4m", ShellWord(turned.name))};
}

std::optional<Finding> CheckRotatedStill(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if (ref.facts.orientation == dis.facts.orientation || probe.are_unlike || ref.frames != 1 || dis.frames != 1)
    return std::nullopt;
  const bool is_reference = ref.facts.orientation != Orientation();
  const VideoProbe &rotated = is_reference ? ref : dis, &other = is_reference ? dis : ref;
  return Finding{
      "turned", 0.7,
      fmt::format("{} is rotated as it declares (by EXIF), and {} is {}: they are alike as they are shown, and a "
                  "program that ignores the rotation compares other pictures.",
                  rotated.name, other.name,
                  other.facts.orientation == Orientation() ? "stored upright" : "rotated differently"),
      probe.Score()};
}

std::optional<Finding> CheckCrop(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  if (BarsDiffer(ref, dis)) return BarsFinding(probe);
  if (probe.shape_parts) return ShapeFinding(probe);
  if (probe.placement) return PlacementFinding(probe);
  const double shape = ref.format.width * ref.facts.pixel_aspect / ref.format.height;
  const double other = dis.format.width * dis.facts.pixel_aspect / dis.format.height;
  if (!Differ(shape, other, kSameShape)) return std::nullopt;
  return Finding{
      "crop", 0.9,
      fmt::format("{} is displayed with an aspect ratio of {:.3f} and {} with {:.3f}: one was {}.", ref.name, shape,
                  dis.name, other,
                  probe.alignment ? "squashed, or declares a wrong pixel aspect ratio" : "cropped or squashed"),
      probe.Score(probe.alignment ? " --force" : " --crop auto")};
}

std::optional<Finding> CheckSize(const Probe& probe) {
  const PictureFormat &a = probe.reference.format, &b = probe.distorted.format;
  if ((a.width == b.width && a.height == b.height) || CheckCrop(probe)) return std::nullopt;
  return Finding{"size", 0.55,
                 fmt::format("{} is {}x{} and {} {}x{}; acutance score scales that.", probe.reference.name, a.width,
                             a.height, probe.distorted.name, b.width, b.height),
                 probe.Score()};
}

std::optional<Finding> CheckInterlacing(const Probe& probe) {
  const VideoProbe &ref = probe.reference, &dis = probe.distorted;
  const bool in_reference = HoldsFields(ref, dis), in_distorted = HoldsFields(dis, ref);
  if (in_reference == in_distorted && ref.facts.is_interlaced == dis.facts.is_interlaced) return std::nullopt;
  const bool is_reference = in_reference || (!in_distorted && ref.facts.is_interlaced);
  const VideoProbe& video = is_reference ? ref : dis;
  // Scaled fine lines can look like combing.
  constexpr double kUneven = 0.35, kStrong = 0.3;
  const double combing = std::max(ref.combing, dis.combing);
  const bool is_scaled = ref.format.height != dis.format.height;
  const double seen = is_scaled && combing < kStrong ? 0.5 : 0.83 + 0.3 * std::min(combing, 0.4);
  const bool is_seen = in_reference != in_distorted;
  return Finding{"interlaced",
                 !is_seen                     ? 0.7
                 : video.unevenness > kUneven ? std::max(seen, 0.92)
                                              : seen,
                 fmt::format("{} is interlaced and the other video is not{}.", video.name,
                             is_seen ? "" : ", as its stream says, though few moving frames show it"),
                 Deinterlace(video.name)};
}

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
  // Tone mapping converts colors, too.
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
