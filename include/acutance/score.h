// Score: from files to a Result in one call.
#pragma once

#include <acutance/format.h>
#include <acutance/result.h>
#include <acutance/run.h>
#include <acutance/session.h>
#include <acutance/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace acutance::api {

struct ScoreOptions {
  SessionOptions session;            // its `videos` is the number of distorted files
  int64_t first_frame = 0;           // of every file
  int64_t frame_count = 0;           // 0: to the end of the shorter file of each pair
  std::optional<PictureFormat> raw;  // set: the files are headerless yuv
  bool raw_is_semi_planar = false;   // NV12, P010: Cb and Cr alternate in one plane, bits stand at the top of 16
  /// Common size for videos of different sizes: "ref" (the reference's), "dis" or "1920x1080"; and the filter:
  /// "bicubic", "lanczos", "bilinear" or "area".
  std::string scale = "ref";
  std::string scale_filter = "bicubic";
  /// The part of the pictures that is compared: "none" (all), "auto" (without black bars), "W:H:X:Y", or one rectangle
  /// of the reference and one of the distorted videos with a comma between them.
  std::string crop = "none";
  /// Videos to deinterlace: "auto" (interlaced ones, if the other is progressive), "on" (all that declare to be
  /// interlaced), "ref", "dis", "both" (even if they declare nothing) or "off".
  std::string deinterlace = "auto";
  bool film_grain = true;  // false: AV1 is decoded without film grain synthesis
  bool force = false;      // score despite other transfer, primaries or shapes, with a warning
  /// Frame alignment: "auto" (content, then timestamps), "time", "index" (frame k with frame k), a fixed offset ("+12":
  /// the distorted videos start 12 frames late), or the path of a CSV of pairs. Result::alignment has what was found;
  /// videos that share no frames are kBadData (docs/use/alignment.md).
  std::string align = "auto";
  /// Where the videos are watched: "auto" (on a television, of 4K where the pictures are larger than 1440p), "tv",
  /// "phone", "4k" or "4k-3h". Models that suit them are added before those of `session` (docs/use/two-videos.md), or
  /// features for HDR, which no model knows (docs/use/hdr.md), and Result::model_reasons() says why. Empty: "auto"
  /// where `session` has no models, else none are added.
  std::string choose_models;
  bool no_model = false;  // choose no models if none are named: features alone
  /// The number of worst frames whose pictures are retained for Result's report and maps.
  int worst_frames = 0;
  /// A folder for maps of where each feature loses points in all frames: videos (NAME.mkv) and arrays of frames x rows
  /// x columns (NAME.npy). Takes several times as long as the scores. Empty: none are made.
  std::string maps_video;
  bool shots = false;  // detect shots of the reference, for Result's report and summary
  /// A file that stores the results of frames: Score with the same options continues after the last of them. Where
  /// first_frame is not 0 the run is a part: its Result has no scores; Join computes them from all parts. Empty: none.
  std::string journal;
  /// Called on the caller's thread after each frame read.
  std::function<FrameAction(const Progress&)> on_progress;
  /// Called once, before the videos are opened, with a function that stops the run with kCancelled from any thread,
  /// also while it waits for a pipe or for the writer of a FIFO. That function may be called as long as the returned
  /// object exists, which the run holds until its end.
  std::function<std::shared_ptr<void>(std::function<void()> cancel)> watch_cancel;

  /// Sets an option of `acutance score` by its name, with hyphens or underscores, to what the command takes:
  /// Set("film-grain", "off"), Set("max_device_memory", "2G"). Names of the Python API are accepted, too. The text
  /// overrides the field; "model" and "feature" add one. kInvalidArgument for an unknown name or value.
  Status Set(std::string_view name, std::string_view text);
  std::vector<std::pair<std::string, std::string>> texts;  // what Set() took
};

/// Files are y4m, raw yuv, or any container where FFmpeg's libraries are installed; "-" is standard input.
/// Distorted videos of another size, range or chroma format are converted to the reference's, all videos to the
/// highest bit depth, and RGB to YUV, each with a warning in the Result (docs/use/two-videos.md). HDR against SDR is
/// kUnsupported. A file that ends early is a warning of the Result; one that is damaged is kBadData.
Expected<Result> Score(const std::string& reference, const std::vector<std::string>& distorted,
                       const ScoreOptions& options);

/// A reference whose decoded pictures stay in memory from one Score to the next, for encodes that are made one after
/// another. Copies share the pictures. Any thread may use it; of several simultaneous runs one uses the pictures,
/// and the others decode the file. A changed file is decoded again; y4m and raw yuv files are mapped and take no memory
/// here. Devices of its runs stay open and retain the pictures in their memory.
class CachedReference {
 public:
  /// Reads nothing yet. most_bytes: limit for its pictures, all of which or none are retained; not set: half of the
  /// available memory. most_device_bytes: limit for the pictures that each device retains; not set: half of its free
  /// memory.
  explicit CachedReference(std::string path, std::optional<size_t> most_bytes = std::nullopt,
                           std::optional<size_t> most_device_bytes = std::nullopt);

  const std::string& path() const;
  /// What is retained now.
  int64_t frames() const;
  size_t bytes() const;
  /// The pictures in a device's memory; 0 while a run uses it.
  int64_t device_frames() const;

 private:
  struct State;
  friend Expected<Result> Score(const CachedReference& reference, const std::vector<std::string>& distorted,
                                const ScoreOptions& options);
  std::shared_ptr<State> state_;
};

Expected<Result> Score(const CachedReference& reference, const std::vector<std::string>& distorted,
                       const ScoreOptions& options);

/// Lets devices stay open, with their kernels and memory, from one Score of this process to the next, as long as the
/// returned object or another exists: for many files, also several at a time.
std::shared_ptr<void> KeepDevices();

/// Whether the mean reaches a bound, from as few frames as settle it: `acutance score --at-least`
/// (docs/use/decisions.md). options.on_progress is called after each step with the frames read so far; kStop, too, ends
/// it with kCancelled. kInvalidArgument without a model, and with a journal, maps or subsampling; kUnsupported for a
/// model without a range of scores, and where frames have no fixed partner.
Expected<MeanVerdict> JudgeMean(const std::string& reference, const std::string& distorted, const MeanGate& gate,
                                const ScoreOptions& options);

/// The videos of a folder except hidden ones, such as encodes for Result::Ladder. Files without a header are opened by
/// options.raw. kNotFound where there is no video.
Expected<FolderVideos> FindVideos(const std::string& folder, const ScoreOptions& options = {});

/// The scores of one run from its journals, in any order, without its videos. Frames in several journals must agree to
/// the bit. kInvalidArgument where a frame is missing, or the journals are of different runs.
Expected<Result> Join(const std::vector<std::string>& journals, int threads = 0);

}  // namespace acutance::api
