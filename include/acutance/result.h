// Result: the scores of a finished session.
#pragma once

#include <acutance/picture.h>
#include <acutance/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acutance::api {

enum class Pooling { kMean, kHarmonicMean, kMin, kMax };

/// Frames first..last, both included; last < 0: to the end.
struct FrameRange {
  int64_t first = 0;
  int64_t last = -1;
};

/// Where a number lies, by the confidence that was asked for.
struct Interval {
  double low = 0;
  double high = 0;
};

/// Which frames of two files were paired, and how sure that is.
struct Alignment {
  std::string text;                  // "distorted starts 12 frames late; 3 frames repeated; confidence 0.99"
  std::string by;                    // "signatures", "times", "index" or "given"
  std::optional<double> confidence;  // of signatures: 0 to 1
  std::vector<std::pair<int64_t, int64_t>> pairs;  // reference frame, distorted frame: one for each scored frame
  std::vector<int64_t> unmatched_reference, unmatched_distorted;
};

/// Scores by name: of models ("vmaf", usually 0 to 100) and of features ("integer_adm2", "psnr_y" in dB), as logs
/// print them; the longer stored names of libvmaf's C API work too. `video` counts the distorted videos from 0.
/// A copy shares its content. A Result may be read by several threads.
class Result {
 public:
  int64_t frames() const;
  int videos() const;
  const PictureFormat& format() const;
  double seconds() const;                            // on the clock, from the first picture to the end
  const std::string& device() const;                 // "NVIDIA H200 (cuda)"; empty: the CPU
  const std::vector<std::string>& warnings() const;  // for example of a device that failed and was replaced

  /// Nothing where frames were paired by their order, unlooked at.
  std::optional<Alignment> alignment(int video = 0) const;

  /// The names of all scores in the order of a log's columns: features, then models.
  std::vector<std::string> names(int video = 0) const;

  /// The names of the models' scores, in the order of the models; of a collection first its own, then its members'.
  const std::vector<std::string>& models() const;

  /// One score for each frame, NaN where there is none (subsampling). kNotFound names the nearest
  /// name.
  Expected<std::vector<double>> Scores(std::string_view name, int video = 0) const;

  /// The pooled score of the frames of a range. kInvalidArgument where the range is empty or a
  /// score is missing.
  Expected<double> Pool(std::string_view name, Pooling pooling = Pooling::kMean, FrameRange range = {},
                        int video = 0) const;

  /// By the pooling's name: also median, stddev, percentiles ("p5"), worst_percent and worst_second, which needs the
  /// videos' frame rate (docs/decisions.md). kInvalidArgument for another name.
  Expected<double> Pool(std::string_view name, std::string_view pooling, FrameRange range = {}, int video = 0,
                        double frame_rate = 0) const;

  /// Where the mean lies, by resampling blocks of two seconds (50 frames where the rate is not given); the same scores
  /// give the same interval. kInvalidArgument where there are too few frames.
  Expected<Interval> MeanInterval(std::string_view name, double confidence = 0.95, FrameRange range = {}, int video = 0,
                                  double frame_rate = 0) const;

  /// The aggregates, numbers of the whole clip that are not pooled scores: "apsnr_y".
  std::vector<std::pair<std::string, double>> Aggregates(int video = 0) const;

  /// A log as libvmaf writes it; format: "xml", "json", "csv" or "sub". `precision`: "legacy" (libvmaf's six decimal
  /// places), "max" (round-trip) or 1 to 17 significant digits. The file is there whole or not at all.
  Status WriteLog(const std::string& path, std::string_view format, int video = 0,
                  std::string_view precision = "legacy") const;

 private:
  friend struct ResultAccess;
  struct Content;
  explicit Result(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

}  // namespace acutance::api
