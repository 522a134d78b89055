#include "api/vship/vapoursynth/clips.h"

namespace acutance::vship {
namespace {

constexpr int kUnknown = 2;  // in numbers of H.273
constexpr int kBt2020Transfer10 = 14, kBt2020Transfer12 = 15;
constexpr int kPropertyFull = 0, kPropertyLimited = 1;  // of _ColorRange
constexpr int kLeastHdHeight = 651;

std::optional<int> SampleOf(const VSVideoFormat& format) {
  if (format.sampleType != stInteger) return format.bitsPerSample == 32 ? kFloat : kHalf;
  switch (format.bitsPerSample) {
    case 8:
      return kUint8;
    case 9:
      return kUint9;
    case 10:
      return kUint10;
    case 12:
      return kUint12;
    case 14:
      return kUint14;
    case 16:
      return kUint16;
    default:
      return std::nullopt;
  }
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

FramePlanes::FramePlanes(Frame frame, const VSAPI* api) : frame_(std::move(frame)) {
  for (int p = 0; frame_ && p < api->getVideoFrameFormat(frame_.get())->numPlanes; ++p) {
    data_[p] = api->getReadPtr(frame_.get(), p);
    strides_[p] = api->getStride(frame_.get(), p);
  }
}

Clip::~Clip() { api_->freeNode(own_); }

double Clip::frames_a_second() const {
  constexpr double kUsual = 25;
  const VSVideoInfo& clip = info();
  if (clip.fpsDen <= 0 || clip.fpsNum <= 0) return kUsual;
  return static_cast<double>(clip.fpsNum) / static_cast<double>(clip.fpsDen);
}

Outcome Clip::Open(ColorRule rule, const Clip* tagged) {
  const VSVideoInfo& clip = info();
  if (clip.width == 0 || clip.height == 0 || clip.format.colorFamily == cfUndefined)
    return {kNotSupported, "clips must have one size and format throughout"};
  const std::optional<int> sample = SampleOf(clip.format);
  if (rule == ColorRule::kMeansNothing && (clip.format.colorFamily != cfYUV || clip.format.sampleType != stInteger))
    return {kNotSupported, "clips must be YUV in integers of 8 to 16 bits; convert them, such as by resize.Bicubic"};
  if (!sample || clip.format.colorFamily == cfGray)
    return {
        kNotSupported,
        "clips must be YUV or RGB in integers of 8, 9, 10, 12, 14 or 16 bits or in floats; convert them, such as by "
        "resize.Bicubic"};
  colors_ = {.width = clip.width, .height = clip.height, .target_width = -1, .target_height = -1};
  colors_.sample = *sample;
  colors_.sub_width = clip.format.subSamplingW;
  colors_.sub_height = clip.format.subSamplingH;
  return ReadColors(rule, tagged ? *tagged : *this);
}

Outcome Clip::ReadColors(ColorRule rule, const Clip& tagged) {
  const int matrix_of_height = colors_.height >= kLeastHdHeight ? kMatrixBt709 : kMatrixSt170M;
  colors_.matrix = matrix_of_height;
  colors_.transfer = kTransferBt709;
  colors_.primaries = 1;
  if (rule == ColorRule::kMeansNothing) return {};
  char message[1024] = "";
  const Frame frame(api_->getFrame(0, tagged.own_, message, sizeof message), FreeFrame{api_});
  if (!frame) return {kNotSupported, message};
  const Arguments properties(api_->getFramePropertiesRO(frame.get()), api_);
  const bool is_rgb = info().format.colorFamily == cfRGB;
  const bool has_srgb = rule == ColorRule::kVszip || is_rgb;
  colors_.transfer = Property(properties, "_Transfer", kUnknown, has_srgb ? kTransferSrgb : kTransferBt709);
  if (colors_.transfer == kBt2020Transfer10 || colors_.transfer == kBt2020Transfer12) colors_.transfer = kTransferBt709;
  if (rule == ColorRule::kVszip && colors_.transfer != kTransferLinear) colors_.transfer = kTransferSrgb;
  if (is_rgb && rule == ColorRule::kRgb) colors_.transfer = kTransferSrgb;
  if (is_rgb && rule == ColorRule::kLinearRgb) colors_.transfer = kTransferLinear;
  if (rule != ColorRule::kVszip) {
    colors_.matrix = Property(properties, "_Matrix", kUnknown, matrix_of_height);
    colors_.primaries = Property(properties, "_Primaries", kUnknown, 1);
  }
  colors_.chroma_location = Property(properties, "_ChromaLocation", -1, kLeft);
  const int untold = is_rgb ? kPropertyFull : kPropertyLimited;
  colors_.range = Property(properties, "_ColorRange", -1, untold) == kPropertyFull ? kFull : kLimited;
  if (is_rgb) colors_.matrix = kRgb;
  return {};
}

void Clip::Request(int n, VSFrameContext* context) const { api_->requestFrameFilter(n, own_, context); }

FramePlanes Clip::Read(int n, VSFrameContext* context) const { return {Get(n, context), api_}; }

Outcome OpenPair(Clip& reference, Clip& distorted, ColorRule rule) {
  const VSVideoInfo &first = reference.info(), &second = distorted.info();
  if (first.width != second.width || first.height != second.height)
    return {kDifferingInputType, "both clips must have the same size"};
  if (first.numFrames != second.numFrames) return {kDifferingInputType, "both clips must have the same length"};
  if (Outcome bad = reference.Open(rule, nullptr); !bad.ok()) return bad;
  return distorted.Open(rule, &reference);
}

}  // namespace acutance::vship
