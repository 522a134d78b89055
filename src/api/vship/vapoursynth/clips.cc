#include "api/vship/vapoursynth/clips.h"

namespace acutance::vship {
namespace {

constexpr int kUnknown = 2;  // in numbers of H.273
constexpr int kBt2020Transfer10 = 14, kBt2020Transfer12 = 15;
constexpr int kPropertyFull = 0, kPropertyLimited = 1;  // of _ColorRange
constexpr int kLeastHdHeight = 651;

std::optional<int> SampleOf(const VSVideoFormat& format) {
  if (format.sampleType != stInteger) return std::nullopt;
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

Clip::~Clip() {
  api_->freeNode(own_);
  api_->freeNode(converted_);
}

double Clip::frames_a_second() const {
  constexpr double kUsual = 25;
  const VSVideoInfo& clip = info();
  if (clip.fpsDen <= 0 || clip.fpsNum <= 0) return kUsual;
  return static_cast<double>(clip.fpsNum) / static_cast<double>(clip.fpsDen);
}

Outcome Clip::Open(ColorRule rule, const Clip* tagged, VSCore* core) {
  const VSVideoInfo& clip = info();
  if (clip.width == 0 || clip.height == 0 || clip.format.colorFamily == cfUndefined)
    return {kNotSupported, "clips must have one size and format throughout"};
  const bool is_rgb = clip.format.colorFamily == cfRGB;
  const std::optional<int> sample = is_rgb ? kUint16 : SampleOf(clip.format);
  if (!sample || clip.format.colorFamily == cfGray || (is_rgb && rule == ColorRule::kMeansNothing))
    return Failure(kNotSupported,
                   "clips must be YUV in integers of 8 to 16 bits{}; convert them, such as by "
                   "resize.Bicubic",
                   rule == ColorRule::kMeansNothing ? "" : ", or RGB");
  colors_ = {.width = clip.width, .height = clip.height, .target_width = -1, .target_height = -1};
  colors_.sample = *sample;
  colors_.sub_width = clip.format.subSamplingW;
  colors_.sub_height = clip.format.subSamplingH;
  if (Outcome bad = ReadColors(rule, tagged ? *tagged : *this); !bad.ok()) return bad;
  return is_rgb ? ConvertRgb(colors_.transfer == kTransferLinear, core) : Outcome();
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
  colors_.range = Property(properties, "_ColorRange", -1, kPropertyLimited) == kPropertyFull ? kFull : kLimited;
  return {};
}

/// By VapourSynth's own resizer, which keeps more digits in 16 bits than any source has. Linear light gets sRGB's curve
/// meanwhile, or dark colors would lose theirs.
Outcome Clip::ConvertRgb(bool is_linear, VSCore* core) {
  VSPlugin* resizer = api_->getPluginByNamespace("resize", core);
  if (!resizer) return {kNotSupported, "RGB needs VapourSynth's resizer"};
  VSMap* arguments = api_->createMap();
  api_->mapSetNode(arguments, "clip", own_, maReplace);
  api_->mapSetInt(arguments, "format", pfYUV444P16, maReplace);
  api_->mapSetData(arguments, "matrix_s", "709", -1, dtUtf8, maReplace);
  api_->mapSetData(arguments, "range_s", "full", -1, dtUtf8, maReplace);
  if (is_linear) {
    for (const char* name : {"primaries_in_s", "primaries_s"})
      api_->mapSetData(arguments, name, "709", -1, dtUtf8, maReplace);
    api_->mapSetInt(arguments, "transfer_in", kTransferLinear, maReplace);
    api_->mapSetInt(arguments, "transfer", kTransferSrgb, maReplace);
  }
  VSMap* result = api_->invoke(resizer, "Bicubic", arguments);
  api_->freeMap(arguments);
  Outcome outcome;
  if (const char* error = api_->mapGetError(result)) outcome = {kNotSupported, error};
  else converted_ = api_->mapGetNode(result, "clip", 0, nullptr);
  api_->freeMap(result);
  if (is_linear) colors_.transfer = kTransferSrgb;
  colors_.matrix = kMatrixBt709;
  colors_.range = kFull;
  colors_.sub_width = colors_.sub_height = 0;
  return outcome;
}

void Clip::Request(int n, VSFrameContext* context) const {
  api_->requestFrameFilter(n, own_, context);
  if (converted_) api_->requestFrameFilter(n, converted_, context);
}

FramePlanes Clip::Read(int n, VSFrameContext* context) const {
  return {Frame(api_->getFrameFilter(n, converted_ ? converted_ : own_, context), FreeFrame{api_}), api_};
}

void Clip::AddNodes(int pattern, std::vector<VSFilterDependency>& nodes) const {
  nodes.push_back({own_, pattern});
  if (converted_) nodes.push_back({converted_, pattern});
}

Outcome OpenPair(Clip& reference, Clip& distorted, ColorRule rule, VSCore* core) {
  const VSVideoInfo &first = reference.info(), &second = distorted.info();
  if (first.width != second.width || first.height != second.height)
    return {kDifferingInputType, "both clips must have the same size"};
  if (first.numFrames != second.numFrames) return {kDifferingInputType, "both clips must have the same length"};
  if (Outcome bad = reference.Open(rule, nullptr, core); !bad.ok()) return bad;
  return distorted.Open(rule, &reference, core);
}

}  // namespace acutance::vship
