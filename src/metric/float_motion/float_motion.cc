#include "metric/float_motion/float_motion.h"

#include <algorithm>
#include <bit>

#include "metric/float_motion/float_motion_cpu.h"
#include "metric/float_motion/float_motion_parts.h"
#include "metric/float_motion/float_motion_plan.h"

namespace acutance {
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

enum Output { kMotion2, kMotion, kMotion3, kOutputCount };

const OutputSpec kOutputs[kOutputCount] = {
    {.name = "VMAF_feature_motion2_score", .alias = "motion2", .phase = OutputPhase::kSequence},
    {.name = "VMAF_feature_motion_score",
     .alias = "motion",
     .enabled = [](const OptionValues& options, const PictureFormat&) { return options.Bool("debug"); }},
    {.name = "VMAF_feature_motion3_score", .alias = "motion3", .phase = OutputPhase::kEarlyFlush},
};

/// A frame's sums are the bits of floats: the sum of each part.
int64_t SumFromFloat(float sum) { return std::bit_cast<uint32_t>(sum); }
float FloatFromSum(int64_t sum) { return std::bit_cast<float>(static_cast<uint32_t>(sum)); }

struct Settings {
  std::vector<FloatMotionPart> parts;
  FloatMotionTaps taps;
  double fps_weight;
  double blend_factor;
  double blend_offset;
  double max_value;
  bool debug;

  /// What the frame's sums say, before weights and limits. A plane's means are added as floats, planes as doubles.
  double Score(std::span<const int64_t> sums) const {
    double score = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
      float mean = Mean(i, sums[i]);
      if (i + 1 < parts.size() && parts[i + 1].half) {
        ++i;
        mean += Mean(i, sums[i]);
      }
      score += static_cast<double>(mean);
    }
    return score;
  }

  double Limit(double value) const { return std::min(value, max_value); }

  double Blend(double value) const {
    return Limit(value * blend_factor + (1 - blend_factor) * std::min(blend_offset, value));
  }

 private:
  float Mean(size_t part, int64_t sum) const {
    return FloatFromSum(sum) / static_cast<float>(parts[part].width * parts[part].height);
  }
};

Settings ReadSettings(const OptionValues& options, const PictureFormat& format) {
  return {.parts = FloatMotionParts(options, format),
          .taps = MakeFloatMotionTaps(options.Int("motion_filter_size")),
          .fps_weight = options.Double("motion_fps_weight"),
          .blend_factor = options.Double("motion_blend_factor"),
          .blend_offset = options.Double("motion_blend_offset"),
          .max_value = options.Double("motion_max_val"),
          .debug = options.Bool("debug")};
}

/// motion2 and motion3, each as soon as the frames seen determine it: frame i looks ahead to i + 1, and frame 0 takes
/// motion3 from frame 1.
class FloatMotionSequence : public Sequence {
 public:
  explicit FloatMotionSequence(const Settings& settings) : settings_(settings) {}

  void Push(int64_t frame, std::span<const int64_t> sums, std::span<const double>, ScoreSink& sink) override {
    const double value = settings_.Score(sums) * settings_.fps_weight;
    if (frame == 0) sink.Set(kMotion2, 0, 0.0);
    if (frame == 1) sink.Set(kMotion3, 0, settings_.Blend(value));
    if (frame > 1) Settle(frame - 1, std::min(previous_, value), sink);
    previous_ = value;
    frames_ = frame + 1;
  }

  void Flush(ScoreSink& sink) override {
    if (frames_ == 1) sink.Set(kMotion3, 0, 0.0);
    if (frames_ > 1) Settle(frames_ - 1, previous_, sink);
  }

 private:
  void Settle(int64_t frame, double value, ScoreSink& sink) {
    sink.Set(kMotion2, frame, settings_.Limit(value));
    sink.Set(kMotion3, frame, settings_.Blend(value));
  }

  const Settings settings_;
  int64_t frames_ = 0;
  double previous_ = 0;  // weighted, not limited
};

/// Of every part, the sums of its rows.
struct RowSumBuffers : Workspace {
  std::vector<std::vector<float>> parts;
};

/// Two stages: the rows of all parts, then the sum of each part's rows. A running sum of floats goes from the first row
/// to the last, so the second stage has one row, which no band splits.
class FloatMotionExtractor : public Extractor {
 public:
  FloatMotionExtractor(Settings settings, const PictureFormat& format)
      : settings_(std::move(settings)), format_(format) {
    for (const FloatMotionPart& part : settings_.parts)
      half_tables_.push_back(part.half ? MakeHalfTables(format.PlaneWidth(part.plane), format.PlaneHeight(part.plane))
                                       : HalfTables{});
  }

  int Lag() const override { return settings_.parts.empty() ? 0 : 1; }
  int SumCount() const override { return std::max(static_cast<int>(settings_.parts.size()), 1); }
  int StageCount() const override { return settings_.parts.empty() ? 0 : 2; }
  int StageRows(int stage) const override { return stage == 0 ? format_.height : 1; }

  std::unique_ptr<Workspace> MakeFrameWorkspace() const override {
    auto buffers = std::make_unique<RowSumBuffers>();
    for (const FloatMotionPart& part : settings_.parts) buffers->parts.emplace_back(part.height);
    return buffers;
  }

  std::unique_ptr<Workspace> MakeThreadWorkspace() const override {
    return settings_.parts.empty() ? nullptr : std::make_unique<FloatMotionTile>();
  }

  void RunBand(const FrameInput& input, int stage, RowBand band, Workspace* frame, Workspace* thread,
               std::span<int64_t> sums) const override {
    auto& rows = static_cast<RowSumBuffers&>(*frame).parts;
    for (size_t i = 0; i < settings_.parts.size(); ++i) {
      if (stage == 0) SumRows(input, i, band, static_cast<FloatMotionTile&>(*thread), rows[i].data());
      else sums[i] += SumFromFloat(AddUp(rows[i]));
    }
  }

  void Finish(std::span<const int64_t> sums, std::span<double> values) const override {
    if (settings_.debug) values[kMotion] = settings_.Limit(settings_.Score(sums) * settings_.fps_weight);
  }

  std::unique_ptr<Sequence> MakeSequence() const override { return std::make_unique<FloatMotionSequence>(settings_); }

 private:
  void SumRows(const FrameInput& input, size_t i, RowBand band, FloatMotionTile& tile, float* sums) const {
    const FloatMotionPart& part = settings_.parts[i];
    FloatMotionRowSums({.earlier = input.earlier_reference->planes[part.plane],
                        .current = input.reference->planes[part.plane],
                        .bit_depth = format_.bit_depth,
                        .taps = settings_.taps,
                        .half = part.half ? &half_tables_[i] : nullptr},
                       {PartRow(part, band.begin), PartRow(part, band.end)}, tile, sums);
  }

  /// The row of a part at which the band boundary `row` of luma falls: monotone, 0 to 0 and height to height, so that
  /// any split of luma rows covers each row of the part once.
  int PartRow(const FloatMotionPart& part, int row) const {
    return static_cast<int>(int64_t{row} * part.height / format_.height);
  }

  static float AddUp(const std::vector<float>& rows) {
    float sum = 0;
    for (const float row : rows) sum += row;
    return sum;
  }

  const Settings settings_;
  const PictureFormat format_;
  std::vector<HalfTables> half_tables_;  // of the parts that are halved
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

Result<std::unique_ptr<Extractor>> Make(const OptionValues& options, const PictureFormat& format) {
  ACU_RETURN_IF_ERROR(CheckPictureFormat(format));
  if (format.width < kFloatMotionMinSide || format.height < kFloatMotionMinSide)
    return Error(StatusCode::kInvalidArgument, "float_motion needs pictures of at least {0}x{0}, these are {1}x{2}",
                 kFloatMotionMinSide, format.width, format.height);
  if (options.Bool("motion_add_uv")) ACU_RETURN_IF_ERROR(CheckChroma(format));
  return std::unique_ptr<Extractor>(std::make_unique<FloatMotionExtractor>(ReadSettings(options, format), format));
}

}  // namespace

const Metric kFloatMotionMetric = {
    .name = "float_motion",
    .summary = "mean absolute difference of consecutive blurred reference frames, in floats",
    .options = kOptions,
    .outputs = kOutputs,
    .every_frame = true,
    .reference_only = true,
    .needs_chroma = [](const OptionValues& options) { return options.Bool("motion_add_uv"); },
    .make = Make,
    .make_plan = MakeFloatMotionPlan,
};

}  // namespace acutance
