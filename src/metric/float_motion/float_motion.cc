#include "metric/float_motion/float_motion.h"

#include <utility>

#include "base/int_math.h"
#include "exec/plan.h"
#include "metric/blocks/words.h"
#include "metric/float_motion/float_motion_args.h"
#include "metric/float_motion/float_motion_blur_args.h"

namespace acutance {

HalfTables MakeHalfTables(int plane_width, int plane_height) {
  HalfTables tables;
  for (int x = 0; x < HalfLength(plane_width); ++x) tables.columns.push_back(HalfSampleAt(x, plane_width));
  for (int y = 0; y < HalfLength(plane_height); ++y) tables.rows.push_back(HalfSampleAt(y, plane_height));
  return tables;
}

namespace {

const OptionSpec kOptions[] = {
    {"debug", "", "also write motion, the value of the frame alone", true, 0, 1, false},
    {"motion_force_zero", "force_0", "write 0 for every frame, without looking at the pictures", false, 0, 1, true},
    {"motion_fps_weight", "mfw", "factor on the per-frame value, to make up for the frame rate", 1.0, 0, 5, true},
    {"motion_blend_factor", "mbf", "weight of motion2 in motion3; the rest goes to min(motion2, blend offset)", 1.0, 0,
     1, true},
    {"motion_blend_offset", "mbo", "above this value motion3 follows motion2 by the blend factor only", 40.0, 0, 1000,
     true},
    {"motion_add_scale1", "mdc", "add the difference of the blurred pictures at half size", false, 0, 1, true},
    {"motion_filter_size", "mfs", "taps of the blur: 1 (none), 3, or 5 for any other number", 5, 0, 9, true},
    {"motion_add_uv", "mau", "add the differences of the chroma planes", false, 0, 1, true},
    {"motion_max_val", "mmxv", "upper limit of all values", 10000.0, 0, 10000, true},
};

enum Output { kMotion2, kMotion3, kMotion, kOutputCount };

/// libvmaf writes the zeros of motion_force_zero frame by frame.
OutputPhase Motion3Phase(const OptionValues& options) {
  return options.Bool("motion_force_zero") ? OutputPhase::kSequence : OutputPhase::kEarlyFlush;
}

const OutputSpec kOutputs[kOutputCount] = {
    {.name = "VMAF_feature_motion2_score",
     .alias = "motion2",
     .phase = OutputPhase::kSequence,
     .better = ScoreDirection::kNeither},
    {.name = "VMAF_feature_motion3_score",
     .alias = "motion3",
     .phase = OutputPhase::kEarlyFlush,
     .phase_with = Motion3Phase,
     .better = ScoreDirection::kNeither},
    {.name = "VMAF_feature_motion_score",
     .alias = "motion",
     .enabled = [](const OptionValues& options, const PictureFormat&) { return options.Bool("debug"); },
     .better = ScoreDirection::kNeither},
};

FloatMotionSettings ReadSettings(const OptionValues& options) {
  return {.force_zero = options.Bool("motion_force_zero"),
          .add_scale1 = options.Bool("motion_add_scale1"),
          .add_uv = options.Bool("motion_add_uv"),
          .taps = MakeFloatMotionTaps(options.Int("motion_filter_size")),
          .fps_weight = options.Double("motion_fps_weight"),
          .blend = {.factor = options.Double("motion_blend_factor"),
                    .offset = options.Double("motion_blend_offset"),
                    .max_value = options.Double("motion_max_val")},
          .debug = options.Bool("debug")};
}

/// The rows of all parts.
int FloatMotionRows(const std::vector<FloatMotionPart>& parts) {
  return parts.empty() ? 0 : parts.back().first_row + parts.back().height;
}

/// None where motion_force_zero says that no picture is read.
std::vector<FloatMotionPart> FloatMotionParts(const FloatMotionSettings& settings, const PictureFormat& format) {
  std::vector<FloatMotionPart> parts;
  if (settings.force_zero) return parts;
  const auto add = [&](int plane, bool half, int width, int height) {
    parts.push_back({plane, half, width, height, FloatMotionRows(parts)});
  };
  const int planes = settings.add_uv ? format.PlaneCount() : 1;
  for (int p = 0; p < planes; ++p) {
    const int width = format.PlaneWidth(p), height = format.PlaneHeight(p);
    add(p, false, width, height);
    if (settings.add_scale1) add(p, true, HalfLength(width), HalfLength(height));
  }
  return parts;
}

/// A stage and a word for each row of each part: running sums of floats, which Finish adds up.
class FloatMotionExtractor : public Extractor {
 public:
  FloatMotionExtractor(const FloatMotionSettings& settings, std::vector<FloatMotionPart> parts,
                       const PictureFormat& format)
      : Extractor({.stages = StagesOf(parts, &FloatMotionPart::height), .words = FloatMotionRows(parts), .kept = 1}),
        settings_(settings),
        parts_(std::move(parts)),
        bit_depth_(format.bit_depth) {
    for (const FloatMotionPart& part : parts_)
      half_tables_.push_back(part.half ? MakeHalfTables(format.PlaneWidth(part.plane), format.PlaneHeight(part.plane))
                                       : HalfTables{});
  }

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return parts_.empty() ? nullptr : std::make_unique<FloatMotionTile>();
  }

  void RunBand(const FrameView& frame, int stage, RowBand band, const Workspaces& workspaces,
               const BandResults& results) const override {
    if (!frame.at(0, 1)) return;
    const FloatMotionPart& part = parts_[stage];
    FloatMotionRowSums({.earlier = frame.plane(0, part.plane, 1),
                        .current = frame.plane(0, part.plane),
                        .bit_depth = bit_depth_,
                        .taps = settings_.taps,
                        .half = part.half ? &half_tables_[stage] : nullptr},
                       band, static_cast<FloatMotionTile&>(*workspaces.thread),
                       results.words.subspan(part.first_row, part.height).data());
  }

  Status Finish(const FrameTotals& totals, const FrameOutputs& outputs) const override {
    const double value = totals.history > 0 ? Score(totals.words) : 0.0;
    outputs.kept[0] = WordFromDouble(value);
    if (settings_.debug) outputs.values[kMotion] = settings_.blend.Limit(value);
    return {};
  }

  std::unique_ptr<Sequence> MakeSequence() const override {
    const auto value = [](const FrameOutputs& outputs) { return DoubleFromWord(outputs.kept[0]); };
    return std::make_unique<MotionSequence>(settings_.blend, value, kMotion2, kMotion3);
  }

 private:
  /// The frame's value before the limit, from the sums of rows. A plane's means are added as floats, planes as doubles.
  double Score(std::span<const int64_t> rows) const {
    double score = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      float mean = MeanOf(parts_[i], rows);
      if (i + 1 < parts_.size() && parts_[i + 1].half) mean += MeanOf(parts_[++i], rows);
      score += static_cast<double>(mean);
    }
    return score * settings_.fps_weight;
  }

  /// The rows of a part are added in their order.
  static float MeanOf(const FloatMotionPart& part, std::span<const int64_t> rows) {
    float sum = 0;
    for (const int64_t row : rows.subspan(part.first_row, part.height)) sum += FloatFromWord(row);
    return sum / static_cast<float>(part.width * part.height);
  }

  const FloatMotionSettings settings_;
  const std::vector<FloatMotionPart> parts_;
  const int bit_depth_;
  std::vector<HalfTables> half_tables_;  // [part]; of those that are halved
};

Status CheckChroma(const PictureFormat& format) {
  if (format.pixel_format == PixelFormat::k400)
    return Error(StatusCode::kInvalidArgument,
                 "motion_add_uv=true needs chroma planes, pictures in 400 have none: set motion_add_uv=false");
  if (format.PlaneWidth(1) < kFloatMotionMinSide || format.PlaneHeight(1) < kFloatMotionMinSide)
    return Error(StatusCode::kInvalidArgument,
                 "motion_add_uv=true needs chroma planes of at least {0}x{0}, these are {1}x{2}: set "
                 "motion_add_uv=false",
                 kFloatMotionMinSide, format.PlaneWidth(1), format.PlaneHeight(1));
  return {};
}

Result<std::unique_ptr<Extractor>> Make(const FloatMotionSettings& settings, const PictureFormat& format) {
  if (settings.add_uv) ACU_RETURN_IF_ERROR(CheckChroma(format));
  return std::make_unique<FloatMotionExtractor>(settings, FloatMotionParts(settings, format), format);
}

std::vector<InputSpec> Inputs(const FloatMotionSettings& settings) {
  if (settings.force_zero) return {};
  const unsigned planes = settings.add_uv ? kAllPlanes : kLuma;
  return {{.video = Video::kReference, .planes = planes, .history = 1}};
}

// --- On devices.

constexpr int kMargin = 2;        // columns at both ends of a workgroup that are filtered for their neighbours only
constexpr int kRowMultiple = 32;  // floats: rows begin at 128 bytes

constexpr TuningEntry kTuning[] = {
    {"float_motion_blur", "", "64x4r4"},
    {"float_motion_blur", "", "64x4r8", WorkloadClass::kMedium},
    {"float_motion_blur", "", "128x2r8", WorkloadClass::kLarge},
    {"float_motion_blur", "sm_", "128x2r8"},
    {"float_motion_blur", "nvidia", "128x2r8"},
    {"float_motion_half", "", "64x4r2"},
    {"float_motion_rows", "", "32x8r4"},
    {"float_motion_rows", "sm_", "32x4r2"},
    {"float_motion_rows", "sm_", "64x4r1", WorkloadClass::kMedium},
    {"float_motion_rows", "nvidia", "32x4r2"},
    {"float_motion_rows", "nvidia", "64x4r1", WorkloadClass::kMedium},
};

class PlanMaker {
 public:
  PlanMaker(const FloatMotionSettings& settings, const PlanContext& context)
      : context_(context),
        parts_(FloatMotionParts(settings, context.format)),
        taps_(settings.taps),
        rows_(FloatMotionRows(parts_)),
        plan_(context, context.frames, 0, rows_) {}

  Result<Plan> Make() {
    for (const FloatMotionPart& part : parts_) {
      if (part.half) ACU_RETURN_IF_ERROR(AddHalf(part));
      else ACU_RETURN_IF_ERROR(AddBlur(part));
      ACU_RETURN_IF_ERROR(AddRows(part));
    }
    return std::move(plan_);
  }

 private:
  /// Memory for float pictures of the batch and the one before it.
  PlaneView AddPictures(const std::string& name, int plane, int width, int height) {
    constexpr const char* kPlanes[] = {"Y", "Cb", "Cr"};
    const int row = CeilDiv(width, kRowMultiple) * kRowMultiple;
    const int64_t stride = static_cast<int64_t>(row) * height;
    const size_t bytes = static_cast<size_t>(stride) * (context_.frames + 1) * sizeof(float);
    return {plan_.AddScratch(name + " " + kPlanes[plane], bytes), width, height, row, stride};
  }

  /// Each picture is blurred once, also the one before the batch.
  Status AddBlur(const FloatMotionPart& part) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "float_motion_blur", context_));
    pictures_ = AddPictures("blurred", part.plane, part.width, part.height);
    const FloatMotionTaps first = ScaleForSamples(taps_, context_.format.bit_depth);
    const PlaneView samples = context_.Input(Video::kReference, part.plane, 1);
    const FloatMotionBlurArgs args = {.samples = samples.data,
                                      .blurred = pictures_.data,
                                      .picture_stride = samples.picture_stride,
                                      .blurred_stride = pictures_.picture_stride,
                                      .row_stride = samples.row_stride,
                                      .blurred_row = pictures_.row_stride,
                                      .width = part.width,
                                      .height = part.height,
                                      .middle = FloatMotionMiddleSample(context_.format.bit_depth),
                                      .sample_outer = first.outer,
                                      .sample_inner = first.inner,
                                      .sample_middle = first.middle,
                                      .outer = taps_.outer,
                                      .inner = taps_.inner,
                                      .center = taps_.middle};
    const Grid grid = {CeilDiv(part.width, kernel->group_x - 2 * kMargin),
                       CeilDiv(part.height, kernel->group_y * kernel->rows), context_.frames + 1};
    return plan_.AddLaunch(*kernel, grid, args, "mirror 2");
  }

  /// Halves the pictures that were blurred last.
  Status AddHalf(const FloatMotionPart& part) {
    const PlaneView blurred = pictures_;
    pictures_ = AddPictures("halved", part.plane, part.width, part.height);
    std::vector<int32_t> first;
    std::vector<float> weight;
    const HalfTables tables = MakeHalfTables(blurred.width, blurred.height);
    for (const auto& table : {tables.columns, tables.rows})
      for (const HalfSample& sample : table) {
        first.push_back(sample.first);
        weight.push_back(sample.weight);
      }
    const FloatMotionHalfArgs args = {.blurred = blurred.data,
                                      .halved = pictures_.data,
                                      .first = plan_.AddTable("first samples", first),
                                      .weight = plan_.AddTable("weights of the next", weight),
                                      .blurred_stride = blurred.picture_stride,
                                      .halved_stride = pictures_.picture_stride,
                                      .blurred_row = blurred.row_stride,
                                      .halved_row = pictures_.row_stride,
                                      .width = part.width,
                                      .height = part.height};
    return plan_.AddWork(kTuning, "float_motion_half", {part.width, part.height, context_.frames + 1}, args, "none");
  }

  Status AddRows(const FloatMotionPart& part) {
    ACU_ASSIGN_OR_RETURN(const KernelImage* kernel, ChooseVariant(kTuning, "float_motion_rows", context_));
    const FloatMotionRowsArgs args = {.pictures = pictures_.data,
                                      .words = plan_.Words(),
                                      .picture_stride = pictures_.picture_stride,
                                      .row_stride = pictures_.row_stride,
                                      .width = part.width,
                                      .height = part.height,
                                      .rows_per_frame = rows_,
                                      .first_row = part.first_row};
    return plan_.AddLaunch(*kernel, {1, CeilDiv(part.height, kernel->group_x), context_.frames}, args, "none");
  }

  const PlanContext& context_;
  const std::vector<FloatMotionPart> parts_;
  const FloatMotionTaps taps_;
  const int rows_;
  Plan plan_;
  PlaneView pictures_{};  // of the part at hand
};

Result<Plan> MakePlan(const FloatMotionSettings& settings, const PlanContext& context) {
  return PlanMaker(settings, context).Make();
}

}  // namespace

const Metric kFloatMotionMetric = {
    .name = "float_motion",
    .summary = "mean absolute difference of consecutive blurred reference frames, in floats",
    .options = kOptions,
    .outputs = kOutputs,
    .prepare = PrepareBy<ReadSettings>,
    .inputs = OfSettings<Inputs>,
    .every_frame = true,
    .smallest = {kFloatMotionMinSide, kFloatMotionMinSide},
    .make = OfSettings<Make>,
    .make_plan = OfSettings<MakePlan>,
};

}  // namespace acutance
