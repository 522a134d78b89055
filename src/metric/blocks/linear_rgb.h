// A video's pictures as linear light of red, green and blue, by BT.709's primaries, for metrics that see colors.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "exec/plan.h"
#include "kernel/kernel.h"
#include "metric/derived_input.h"
#include "metric/metric.h"
#include "metric/options.h"

namespace acutance {

#include "kernel/fused.kernel.h"

namespace light {
#include "metric/blocks/linear_rgb_math.kernel.h"
}  // namespace light

/// What samples mean (docs/spec/beyond.md 1.2).
struct LinearRgbSettings {
  enum class Matrix { kAuto, kBt601, kBt709, kBt2020, kRgb };
  enum class Siting { kLeft, kCenter, kTopLeft, kTop };

  Matrix matrix = Matrix::kAuto;
  bool full_range = false;
  int transfer = LINEAR_RGB_BT1886;
  Siting siting = Siting::kLeft;
  bool clips = true;
};

/// A metric's own options and those of the conversion: matrix, range, chroma_location, clip_rgb; and transfer.
std::vector<OptionSpec> WithLinearRgbOptions(std::vector<OptionSpec> own);
/// The same without transfer, for metrics that have displays make light.
std::vector<OptionSpec> WithRgbOptions(std::vector<OptionSpec> own);

/// Both fail where an option has a value that it does not know. ReadRgb leaves red, green and blue as they are encoded.
/// `metric`, here and below: how messages begin.
Result<LinearRgbSettings> ReadLinearRgb(std::string_view metric, const OptionValues& options);
/// `siting`: the location of chroma samples by default, for a metric whose range and chroma_location may be auto.
Result<LinearRgbSettings> ReadRgb(const OptionValues& options, std::string_view siting = {});

/// What a metric that reads such pictures checks: there are chroma samples; red, green and blue have one size; pictures
/// of floats are red, green and blue.
Status CheckLinearRgb(std::string_view metric, const LinearRgbSettings& settings, const PictureFormat& format);

/// Weights of four neighbouring chroma samples, from `first` on; they stand for `first` clamped to the plane.
struct ChromaTaps {
  int first;
  std::array<int, 4> weights;
};

/// How chroma becomes as large as luma along one axis.
struct ChromaAxis {
  bool doubled = false;
  bool centred = false;  // chroma lies in the middle of two samples

  int scale() const { return !doubled ? 1 : centred ? 128 : 16; }
  ChromaTaps TapsAt(int position) const;
  int kind() const;  // CHROMA_... of linear_rgb_args.h
};

/// The conversion of pictures of one format. Floats are red, green and blue as they are encoded, 0 to 1.
struct LinearRgbConversion {
  LinearRgbConversion(const LinearRgbSettings& settings, const PictureFormat& source);

  PictureFormat source;
  ChromaAxis across, down;
  light::LinearRgbFactors factors;
};

/// Columns of row y of the three planes, the first of which, an even one, goes to where `row` points. With SIMD
/// (Highway).
void LinearRgbRow(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
                  std::array<float*, 3> row);

/// The same in plain loops, the reference implementation.
void LinearRgbRowRef(const LinearRgbConversion& conversion, const Picture& source, int y, RowBand columns,
                     std::array<float*, 3> row);

class LinearRgbInput : public DerivedInput {
 public:
  explicit LinearRgbInput(const LinearRgbSettings& settings) : settings_(settings) {}

  std::string key() const override;
  unsigned planes() const override { return 7; }
  PictureFormat Format(const PictureFormat& source) const override;
  void Compute(const Picture& source, const MutablePicture& derived) const override;
  Status AddLaunches(Plan& plan, const PlanContext& context, Video video) const override;

 private:
  const LinearRgbSettings settings_;
};

/// A kernel that takes LinearRgbArgs, and makes three planes of a derived input.
struct ColorKernel {
  std::string_view name;
  std::span<const TuningEntry> tuning;
  std::string key;    // of the derived input
  BufferRef factors;  // LinearRgbFactors, and what else the kernel reads
};

/// Launches it for all pictures of a video.
Status AddColorLaunch(Plan& plan, const PlanContext& context, Video video, const LinearRgbConversion& conversion,
                      const ColorKernel& kernel);

/// Metric::inputs of a metric that reads linear light of both videos.
std::vector<InputSpec> LinearRgbInputs(const LinearRgbSettings& settings);

}  // namespace acutance
