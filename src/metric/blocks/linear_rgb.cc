#include "metric/blocks/linear_rgb.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/did_you_mean.h"
#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/linear_rgb_args.h"

namespace acutance {
namespace {

constexpr std::string_view kMatrices[] = {"auto", "bt601", "bt709", "bt2020", "rgb"};
constexpr std::string_view kRanges[] = {"limited", "full"};
constexpr std::string_view kTransfers[] = {"linear", "bt1886", "srgb"};
constexpr std::string_view kSitings[] = {"left", "center", "topleft", "top"};

/// `usual`: what "auto" stands for; empty: it is no value.
Result<int> IndexOf(const OptionValues& options, std::string_view option, std::span<const std::string_view> names,
                    std::string_view usual = {}) {
  const std::string_view text = options.String(option), value = text == "auto" && !usual.empty() ? usual : text;
  const auto found = std::ranges::find(names, value);
  if (found != names.end()) return static_cast<int>(found - names.begin());
  return Error(StatusCode::kInvalidArgument, "{}={} is none of {}{}", option, value, usual.empty() ? "" : "auto, ",
               fmt::join(names, ", "));
}

struct Weights {
  double red, blue;
};

Weights WeightsOf(LinearRgbSettings::Matrix matrix, int height) {
  constexpr int kMostLinesOf601 = 650;
  using enum LinearRgbSettings::Matrix;
  if (matrix == kAuto) matrix = height > kMostLinesOf601 ? kBt709 : kBt601;
  if (matrix == kBt709) return {0.2126, 0.0722};
  if (matrix == kBt2020) return {0.2627, 0.0593};
  return {0.299, 0.114};
}

}  // namespace

std::vector<OptionSpec> WithRgbOptions(std::vector<OptionSpec> own) {
  const OptionSpec shared[] = {
      {"matrix", "",
       "matrix of luma and chroma: auto, bt601, bt709, bt2020; auto: bt709 above 650 lines; rgb: the "
       "planes are red, green and blue",
       std::string("auto"), 0, 0, false},
      {"range", "", "limited or full", std::string("limited"), 0, 0, false},
      {"chroma_location", "", "location of chroma samples: left, center, topleft, top", std::string("left"), 0, 0,
       false},
      {"clip_rgb", "", "clip red, green and blue to 0 to 1 before the transfer function", true, 0, 1, false},
  };
  own.insert(own.end(), std::begin(shared), std::end(shared));
  return own;
}

std::vector<OptionSpec> WithLinearRgbOptions(std::vector<OptionSpec> own) {
  std::vector<OptionSpec> options = WithRgbOptions(std::move(own));
  options.push_back(
      {"transfer", "", "transfer function: bt1886 (power 2.4), srgb, linear", std::string("bt1886"), 0, 0, false});
  return options;
}

Result<LinearRgbSettings> ReadRgb(const OptionValues& options, std::string_view siting_by_default) {
  ACU_ASSIGN_OR_RETURN(const int matrix, IndexOf(options, "matrix", kMatrices));
  ACU_ASSIGN_OR_RETURN(const int range, IndexOf(options, "range", kRanges, siting_by_default.empty() ? "" : "limited"));
  ACU_ASSIGN_OR_RETURN(const int siting, IndexOf(options, "chroma_location", kSitings, siting_by_default));
  return LinearRgbSettings{.matrix = static_cast<LinearRgbSettings::Matrix>(matrix),
                           .full_range = range == 1,
                           .transfer = LINEAR_RGB_NONE,
                           .siting = static_cast<LinearRgbSettings::Siting>(siting),
                           .clips = options.Bool("clip_rgb")};
}

Result<LinearRgbSettings> ReadLinearRgb(std::string_view metric, const OptionValues& options) {
  Result<LinearRgbSettings> settings = ReadRgb(options);
  const Result<int> transfer = IndexOf(options, "transfer", kTransfers);
  for (const Status& status : {settings.status(), transfer.status()})
    if (!status.ok()) return Prefixed(metric, status);
  settings->transfer = *transfer;
  return settings;
}

Status CheckLinearRgb(std::string_view metric, const LinearRgbSettings& settings, const PictureFormat& format) {
  const bool is_rgb = settings.matrix == LinearRgbSettings::Matrix::kRgb;
  if (is_rgb && format.pixel_format != PixelFormat::k444)
    return Error(StatusCode::kInvalidArgument, "{}: matrix=rgb needs pictures in 444, these are in {}", metric,
                 PixelFormatName(format.pixel_format));
  if (!is_rgb && format.bit_depth == kFloatDepth)
    return Error(StatusCode::kInvalidArgument, "{}: pictures of floats are red, green and blue: matrix=rgb", metric);
  if (format.PlaneCount() > 1 && (format.PlaneWidth(1) == 0 || format.PlaneHeight(1) == 0))
    return Error(StatusCode::kInvalidArgument, "{}: a {}x{} picture in {} has no chroma samples", metric, format.width,
                 format.height, PixelFormatName(format.pixel_format));
  return {};
}

std::vector<InputSpec> LinearRgbInputs(const LinearRgbSettings& settings) {
  const auto derived = std::make_shared<LinearRgbInput>(settings);
  return {{.video = Video::kReference, .planes = kAllPlanes, .derived = derived},
          {.video = Video::kDistorted, .planes = kAllPlanes, .derived = derived}};
}

/// Catmull and Rom's cubic at quarters and halves (docs/spec/beyond.md 1.3).
ChromaTaps ChromaAxis::TapsAt(int position) const {
  if (!doubled) return {position, {1, 0, 0, 0}};
  const bool is_odd = position % 2 != 0;
  if (centred) {
    if (is_odd) return {(position - 1) / 2 - 1, {-9, 111, 29, -3}};
    return {position / 2 - 2, {-3, 29, 111, -9}};
  }
  if (is_odd) return {position / 2 - 1, {-1, 9, 9, -1}};
  return {position / 2 - 1, {0, 16, 0, 0}};
}

int ChromaAxis::kind() const {
  if (!doubled) return CHROMA_AS_LUMA;
  return centred ? CHROMA_DOUBLED_CENTRED : CHROMA_DOUBLED;
}

LinearRgbConversion::LinearRgbConversion(const LinearRgbSettings& settings, const PictureFormat& format)
    : source(format) {
  using enum LinearRgbSettings::Siting;
  across.doubled = format.pixel_format == PixelFormat::k420 || format.pixel_format == PixelFormat::k422;
  down.doubled = format.pixel_format == PixelFormat::k420;
  across.centred = settings.siting == kCenter || settings.siting == kTop;
  down.centred = settings.siting == kCenter || settings.siting == kLeft;
  factors = {.transfer = settings.transfer, .clips = settings.clips ? 1 : 0};
  if (format.bit_depth == kFloatDepth) return;
  const int unit = 1 << (format.bit_depth - 8), peak = (1 << format.bit_depth) - 1;
  const int scale = across.scale() * down.scale();
  const int luma_offset = settings.full_range ? 0 : 16 * unit, luma_steps = settings.full_range ? peak : 219 * unit;
  const auto one_by = [](int64_t steps) { return static_cast<float>(1.0 / static_cast<double>(steps)); };
  factors.luma_offset = factors.chroma_offset = luma_offset;
  factors.luma_scale = factors.chroma_scale = one_by(luma_steps);
  factors.is_rgb = settings.matrix == LinearRgbSettings::Matrix::kRgb ? 1 : 0;
  if (factors.is_rgb != 0) return;
  const auto [red, blue] = WeightsOf(settings.matrix, format.height);
  const double green = 1.0 - red - blue;
  factors.chroma_offset = 128 * unit * scale;
  factors.chroma_scale = one_by(int64_t{settings.full_range ? peak : 224 * unit} * scale);
  factors.cr_red = static_cast<float>(2 * (1 - red));
  factors.cb_blue = static_cast<float>(2 * (1 - blue));
  factors.cb_green = static_cast<float>(2 * blue * (1 - blue) / green);
  factors.cr_green = static_cast<float>(2 * red * (1 - red) / green);
}

namespace {

int SampleAt(const Plane& plane, int bit_depth, int x, int y) {
  x = std::clamp(x, 0, plane.width - 1);
  y = std::clamp(y, 0, plane.height - 1);
  return bit_depth > 8 ? plane.Row<uint16_t>(y)[x] : plane.Row<uint8_t>(y)[x];
}

int ChromaAt(const LinearRgbConversion& conversion, const Plane& plane, int x, int y) {
  const ChromaTaps across = conversion.across.TapsAt(x), down = conversion.down.TapsAt(y);
  int sum = 0;
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i)
      if (const int weight = across.weights[i] * down.weights[j]; weight != 0)
        sum += weight * SampleAt(plane, conversion.source.bit_depth, across.first + i, down.first + j);
  return sum;
}

}  // namespace

void LinearRgbRowRef(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
                     std::array<float*, 3> row) {
  const light::LinearRgbFactors& factors = conversion.factors;
  for (float*& plane : row) plane -= columns.begin;
  if (conversion.source.bit_depth == kFloatDepth) {
    for (int p = 0; p < 3; ++p)
      for (int x = columns.begin; x < columns.end; ++x)
        row[p][x] = light::linear_light(source.planes[p].Row<float>(y)[x], factors);
    return;
  }
  const bool has_chroma = conversion.source.PlaneCount() > 1;
  for (int x = columns.begin; x < columns.end; ++x) {
    const int luma = SampleAt(source.planes[0], conversion.source.bit_depth, x, y);
    const int cb = has_chroma ? ChromaAt(conversion, source.planes[1].Whole(), x, y) : factors.chroma_offset;
    const int cr = has_chroma ? ChromaAt(conversion, source.planes[2].Whole(), x, y) : factors.chroma_offset;
    const light::LinearRgb rgb = light::linear_rgb(luma, cb, cr, factors);
    row[0][x] = rgb.red;
    row[1][x] = rgb.green;
    row[2][x] = rgb.blue;
  }
}

std::string LinearRgbInput::key() const {
  return fmt::format("linear RGB {} {} {} {} {}", kMatrices[static_cast<int>(settings_.matrix)],
                     kRanges[settings_.full_range ? 1 : 0], kTransfers[settings_.transfer],
                     kSitings[static_cast<int>(settings_.siting)], settings_.clips ? "clipped" : "whole");
}

PictureFormat LinearRgbInput::Format(const PictureFormat& source) const {
  return {source.width, source.height, kFloatDepth, PixelFormat::k444};
}

void LinearRgbInput::Compute(const Picture& source, const MutablePicture& derived) const {
  const LinearRgbConversion conversion(settings_, source.format);
  for (int y = 0; y < source.format.height; ++y)
    LinearRgbRow(conversion, source, y, {0, source.format.width},
                 {derived.Row<float>(0, y), derived.Row<float>(1, y), derived.Row<float>(2, y)});
}

namespace {

constexpr TuningEntry kTuning[] = {{"linear_rgb", "", "32x4"}};

}  // namespace

Status AddColorLaunch(Plan& plan, const PlanContext& context, Video video, const LinearRgbConversion& conversion,
                      const ColorKernel& kernel) {
  const bool has_chroma = context.format.PlaneCount() > 1;
  const PlaneView luma = context.AllPictures(video, 0), cb = context.AllPictures(video, has_chroma ? 1 : 0);
  const PlaneView red = context.AllPictures(video, 0, kernel.key);
  const LinearRgbArgs args = {.luma = luma.data,
                              .cb = cb.data,
                              .cr = context.AllPictures(video, has_chroma ? 2 : 0).data,
                              .red = red.data,
                              .green = context.AllPictures(video, 1, kernel.key).data,
                              .blue = context.AllPictures(video, 2, kernel.key).data,
                              .factors = kernel.factors,
                              .luma_picture = luma.picture_stride,
                              .chroma_picture = cb.picture_stride,
                              .rgb_picture = red.picture_stride,
                              .luma_row = luma.row_stride,
                              .chroma_row = cb.row_stride,
                              .rgb_row = red.row_stride,
                              .width = luma.width,
                              .height = luma.height,
                              .chroma_width = has_chroma ? cb.width : 0,
                              .chroma_height = cb.height,
                              .across = conversion.across.kind(),
                              .down = conversion.down.kind()};
  return plan.AddWork(kernel.tuning, kernel.name,
                      {CeilDiv(luma.width, 2), CeilDiv(luma.height, 2), context.pictures(video)}, args, "nearest 2");
}

Status LinearRgbInput::AddLaunches(Plan& plan, const PlanContext& context, Video video) const {
  const LinearRgbConversion conversion(settings_, context.format);
  const BufferRef factors = plan.AddTable("factors of colors", std::span(&conversion.factors, 1));
  return AddColorLaunch(plan, context, video, conversion, {"linear_rgb", kTuning, key(), factors});
}

}  // namespace acutance
