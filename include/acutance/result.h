// Result: the scores of a finished session.
#pragma once

#include <acutance/alignment.h>
#include <acutance/facts.h>
#include <acutance/format.h>
#include <acutance/pooling.h>
#include <acutance/status.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acutance::api {

/// Frames first..last, both included; last < 0: to the end.
struct FrameRange {
  int64_t first = 0;
  int64_t last = -1;
};

/// The optional parts of a summary, in the syntax of `acutance score`.
struct SummaryOptions {
  std::string require;   // "vmaf.p5>=90, psnr_y.mean>38"
  std::string segments;  // "4s"
  std::string pool;      // "mean,p5"; empty: the default poolings
};

/// A comparison of encodes, in three forms.
struct Encodes {
  std::string text;  // a table, as the command prints it
  std::string json;  // the field `comparison` or `ladder` of docs/schema/acutance-1.json
  std::string page;  // HTML, for Result::WriteReport
  /// Of Result::Ladder: its points in the columns of the AOM's common test conditions (docs/use/decisions.md).
  std::string ctc_csv{};
};

/// A rate-quality curve: the next `videos` of a Result's videos, after those of the curves before it.
struct Curve {
  std::string name;
  int videos = 0;
};

/// A rate-quality curve of known points (rate, quality); the rates of all curves have one unit.
struct KnownCurve {
  std::string name;
  std::vector<std::pair<double, double>> points;
};

/// The report of `acutance bd`: hulls, and BD-rates against the first curve, or the reason why one is missing.
/// kInvalidArgument for a curve without points.
Expected<Encodes> CompareCurves(const std::vector<KnownCurve>& curves);

/// Scores by name: of models ("vmaf", usually 0 to 100) and of features ("integer_adm2", "psnr_y" in dB), as logs
/// print them; the longer stored names of libvmaf's C API work too. `video` counts the distorted videos from 0.
/// A copy shares its content. A Result may be read by several threads.
class Result {
 public:
  int64_t frames() const;  // scored pairs of the video that has the most
  /// Scored pairs of a distorted video: other videos have no effect on its frames and scores. 0: there is no such
  /// video.
  int64_t frames(int video) const;
  int videos() const;
  const PictureFormat& format() const;
  double seconds() const;                            // elapsed, from the first picture to the end
  const std::string& device() const;                 // "NVIDIA H200 (cuda)"; empty: the CPU
  const std::vector<std::string>& warnings() const;  // such as: a device failed and was replaced

  /// The reference first; empty if pictures were scored instead of files.
  const std::vector<Input>& inputs() const;

  /// Why these models were chosen for the videos: human-readable sentences (ScoreOptions::choose_models).
  const std::vector<std::string>& model_reasons() const;

  /// Not set where frames were paired by their order without comparing them.
  std::optional<Alignment> alignment(int video = 0) const;

  /// The names of all scores in the order of a log's columns: features, then models.
  std::vector<std::string> names(int video = 0) const;

  /// The names of the models' scores, in the order of the models; a collection's own names precede its members'.
  const std::vector<std::string>& models() const;

  /// One score for each frame, NaN where there is none (subsampling). The message of kNotFound suggests the nearest
  /// name.
  Expected<std::vector<double>> Scores(std::string_view name, int video = 0) const;

  /// The pooled score of the frames of a range. kInvalidArgument where the range is empty or a score is missing.
  Expected<double> Pool(std::string_view name, Pooling pooling = Pooling::kMean, FrameRange range = {},
                        int video = 0) const;

  /// The pooled score by the pooling's name: also median, stddev, percentiles ("p5"), worst_percent and worst_second,
  /// which needs the videos' frame rate in frames/s (docs/use/decisions.md). kInvalidArgument for another name.
  Expected<double> Pool(std::string_view name, std::string_view pooling, FrameRange range = {}, int video = 0,
                        double frame_rate = 0) const;

  /// An interval for the mean, by resampling blocks of two seconds (50 frames where the rate is not given); the same
  /// scores give the same interval. confidence: above 0 and below 1. kInvalidArgument where there are too few frames.
  Expected<Interval> MeanInterval(std::string_view name, double confidence = 0.95, FrameRange range = {}, int video = 0,
                                  double frame_rate = 0) const;

  /// Numbers of the whole clip that are not pooled scores: "apsnr_y".
  std::vector<std::pair<std::string, double>> Aggregates(int video = 0) const;

  /// A log as libvmaf writes it; format: "xml", "json", "csv" or "sub". `precision`: "legacy" (libvmaf's six decimal
  /// places), "max" (round-trip) or 1 to 17 significant digits. "parquet" and "arrow" write a row a frame for queries,
  /// of 64-bit numbers: paths, frames of both videos, seconds, shot, and each score. The file is written completely or
  /// not at all.
  Status WriteLog(const std::string& path, std::string_view format, int video = 0,
                  std::string_view precision = "legacy") const;

  /// The page of `acutance score --report` with all videos, in one self-contained file. It shows the worst frames if
  /// ScoreOptions::worst_frames retained them, and shot boundaries if ScoreOptions::shots found them. encodes: shown
  /// above them.
  Status WriteReport(const std::string& path, const Encodes& encodes = {}) const;

  /// The same page as a string; is_small: without pictures and with fewer points, for a notebook.
  std::string Report(bool is_small = false, const Encodes& encodes = {}) const;

  /// The report of `acutance compare` on the videos: bytes, bit rates, means with intervals, and the difference of each
  /// pair. by: the score that is compared; empty: the first model's. kNotFound or kInvalidArgument where there is no
  /// such score.
  Expected<Encodes> Compare(std::string_view by = "") const;

  /// The report of `acutance ladder`: rate-quality curves of the videos, their hulls, and BD-rates against the first.
  /// kInvalidArgument where the curves have more or fewer videos than the Result, or a video has no bit rate.
  Expected<Encodes> Ladder(const std::vector<Curve>& curves, std::string_view by = "") const;

  /// The document of `acutance score --json`, which docs/schema/acutance-1.json describes. kInvalidArgument for options
  /// that cannot be parsed, and for requirements on unknown scores.
  Expected<std::string> Summary(const SummaryOptions& options = {}) const;

  /// Writes where the worst frames (ScoreOptions::worst_frames) lost points, by feature: PNG and NPY files in a folder.
  Status WriteMaps(const std::string& folder) const;

 private:
  friend struct ResultAccess;
  struct Content;
  explicit Result(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

}  // namespace acutance::api
