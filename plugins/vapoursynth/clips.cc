#include "plugins/vapoursynth/clips.h"

#include <algorithm>
#include <iterator>

namespace acutance_vapoursynth {
namespace {

using acutance::Status;
using acutance::StatusCode;

// Numbers of H.273.
constexpr int kUnknown = 2;
constexpr int kRgb = 0, kBt709 = 1, kSt170M = 6;
constexpr int kLinear = 8, kSrgb = 13, kBt2020Transfer10 = 14, kBt2020Transfer12 = 15;
constexpr int kPropertyFull = 0, kPropertyLimited = 1;  // of _ColorRange
constexpr int kLeastHdHeight = 651;

bool IsTaken(const VSVideoFormat& format) {
  constexpr int kBits[] = {8, 9, 10, 12, 14, 16};
  if (format.colorFamily == cfGray) return false;
  return format.sampleType != stInteger || std::ranges::find(kBits, format.bitsPerSample) != std::end(kBits);
}

/// A property that is not `unknown`.
int Property(const Arguments& properties, const char* name, int unknown, int otherwise) {
  const int value = properties.Int(name, unknown);
  return value == unknown ? otherwise : value;
}

}  // namespace

std::optional<int> Arguments::Int(const char* name) const {
  int missing = 0;
  const int value = api_->mapGetIntSaturated(map_, name, 0, &missing);
  return missing ? std::nullopt : std::optional(value);
}

std::optional<double> Arguments::Float(const char* name) const {
  int missing = 0;
  const double value = api_->mapGetFloat(map_, name, 0, &missing);
  return missing ? std::nullopt : std::optional(value);
}

std::string Arguments::Text(const char* name, const char* otherwise) const {
  int missing = 0;
  const char* value = api_->mapGetData(map_, name, 0, &missing);
  return missing ? otherwise : std::string(value, api_->mapGetDataSize(map_, name, 0, nullptr));
}

std::vector<int> Arguments::Ints(const char* name) const {
  std::vector<int> values;
  for (int i = 0; i < api_->mapNumElements(map_, name); ++i)
    values.push_back(api_->mapGetIntSaturated(map_, name, i, nullptr));
  return values;
}

FrameData::FrameData(Frame shown, const VSAPI* api) : frame(std::move(shown)) {
  for (int p = 0; frame && p < api->getVideoFrameFormat(frame.get())->numPlanes; ++p)
    planes[p] = {api->getReadPtr(frame.get(), p), api->getStride(frame.get(), p)};
}

Clip::~Clip() { api_->freeNode(own_); }

double Clip::frames_per_second() const {
  constexpr double kUsual = 25;
  const VSVideoInfo& clip = info();
  if (clip.fpsDen <= 0 || clip.fpsNum <= 0) return kUsual;
  return static_cast<double>(clip.fpsNum) / static_cast<double>(clip.fpsDen);
}

Status Clip::Open(ColorRule rule, const Clip* tagged) {
  const VSVideoInfo& clip = info();
  if (clip.width == 0 || clip.height == 0 || clip.format.colorFamily == cfUndefined)
    return {StatusCode::kUnsupported, "clips must have one size and format throughout"};
  if (rule == ColorRule::kNumbers && (clip.format.colorFamily != cfYUV || clip.format.sampleType != stInteger))
    return {StatusCode::kUnsupported,
            "clips must be YUV in integers of 8 to 16 bits; convert them, such as by resize.Bicubic"};
  if (!IsTaken(clip.format))
    return {
        StatusCode::kUnsupported,
        "clips must be YUV or RGB in integers of 8, 9, 10, 12, 14 or 16 bits or in floats; convert them, such as by "
        "resize.Bicubic"};
  format_ = {.width = clip.width,
             .height = clip.height,
             .bits = clip.format.bitsPerSample,
             .is_float = clip.format.sampleType == stFloat,
             .subsampling_x = clip.format.subSamplingW,
             .subsampling_y = clip.format.subSamplingH};
  return ReadColors(rule, tagged ? *tagged : *this);
}

Status Clip::ReadColors(ColorRule rule, const Clip& tagged) {
  const int matrix_of_height = format_.height >= kLeastHdHeight ? kBt709 : kSt170M;
  format_.matrix = matrix_of_height;
  if (rule == ColorRule::kNumbers) return {};
  char message[1024] = "";
  const Frame frame(api_->getFrame(0, tagged.own_, message, sizeof message), FreeFrame{api_});
  if (!frame) return {StatusCode::kUnsupported, message};
  const Arguments properties(api_->getFramePropertiesRO(frame.get()), api_);
  const bool is_rgb = info().format.colorFamily == cfRGB;
  const bool has_srgb = rule == ColorRule::kVszip || is_rgb;
  format_.transfer = Property(properties, "_Transfer", kUnknown, has_srgb ? kSrgb : kBt709);
  if (format_.transfer == kBt2020Transfer10 || format_.transfer == kBt2020Transfer12) format_.transfer = kBt709;
  if (rule == ColorRule::kVszip && format_.transfer != kLinear) format_.transfer = kSrgb;
  if (is_rgb && rule == ColorRule::kRgb) format_.transfer = kSrgb;
  if (is_rgb && rule == ColorRule::kLinearRgb) format_.transfer = kLinear;
  if (rule != ColorRule::kVszip) {
    format_.matrix = Property(properties, "_Matrix", kUnknown, matrix_of_height);
  }
  format_.chroma_location = Property(properties, "_ChromaLocation", -1, 0);
  const int usual = is_rgb ? kPropertyFull : kPropertyLimited;
  format_.full_range = Property(properties, "_ColorRange", -1, usual) == kPropertyFull;
  if (is_rgb) format_.matrix = kRgb;
  return {};
}

Status OpenPair(Clip& reference, Clip& distorted, ColorRule rule) {
  const VSVideoInfo &first = reference.info(), &second = distorted.info();
  if (first.width != second.width || first.height != second.height)
    return {StatusCode::kInvalidArgument, "both clips must have the same size"};
  if (first.numFrames != second.numFrames)
    return {StatusCode::kInvalidArgument, "both clips must have the same length"};
  if (Status bad = reference.Open(rule, nullptr); !bad.ok()) return bad;
  return distorted.Open(rule, &reference);
}

}  // namespace acutance_vapoursynth
