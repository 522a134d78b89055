// Frame scorer: scores of single frame pairs in any order, for filter graphs and encoders that hold frames in formats
// of their own.
#pragma once

#include <acutance/picture.h>
#include <acutance/session.h>
#include <acutance/status.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace acutance {

/// Memory layout and color of a video's frames. Planes are luma and two of chroma, or red, green and blue; planes of
/// chroma have ceil(size / 2^subsampling) samples. Frames are resized to the target size, if there is one, then
/// cropped.
struct FrameFormat {
  int width = 0, height = 0;  // of luma
  int bits = 8;               // of a sample: 8, 9, 10, 12, 14 or 16, in the low bits; of a float 16 or 32
  bool is_float = false;      // 0 to 1, chroma -0.5 to 0.5
  int subsampling_x = 1, subsampling_y = 1;  // of chroma: 0 to 2
  int matrix = 1;                            // H.273's number: 0 (red, green and blue), 1, 5, 6 or 9
  int transfer = 1;                          // H.273's number: 1, 5, 6 (a power of 2.4), 8 (linear) or 13 (sRGB)
  bool full_range = false;                   // of integers
  int chroma_location = 0;                   // 0: left, 1: center, 2: top left, 3: top
  int target_width = 0, target_height = 0;   // 0: the frame's own
  int crop_left = 0, crop_right = 0, crop_top = 0, crop_bottom = 0;

  int scored_width() const { return (target_width > 0 ? target_width : width) - crop_left - crop_right; }
  int scored_height() const { return (target_height > 0 ? target_height : height) - crop_top - crop_bottom; }
};

}  // namespace acutance

namespace acutance::api {

/// The planes of one frame; their addresses and strides need no alignment.
using FramePlanes = std::array<PlaneView, 3>;

/// Memory for a feature's map: rows of floats, `stride` bytes apart. Null data: no map is wanted.
struct FrameMap {
  void* data = nullptr;
  ptrdiff_t stride = 0;
};

struct FrameScores {
  std::vector<double> values;              // in the order of FrameScorer::names(); NaN where there is none
  std::shared_ptr<const void> partials{};  // what FrameScorer::Aggregates reads
};

struct FrameScorerOptions {
  FrameFormat reference, distorted;
  /// Options that describe color (matrix, range, chroma_location, clip_rgb, transfer) are set by the formats where a
  /// feature has them.
  std::vector<Feature> features;
  /// Whether the features compare samples as numbers: both videos must be YUV integers of one format, and only their
  /// bit depths may differ. Otherwise videos of different formats are converted to red, green and blue.
  bool compares_samples = false;
  int threads = 0;  // 0: one for each usable CPU; 1: all work is done inside the calls, unless a device does it
  /// "cpu", or the backend and the number of one of ListFrameDevices. Scores are the same. The CPU does what the device
  /// cannot, and all after the device failed.
  std::string backend = "cpu";
  int device = 0;
  std::function<void(const std::string&)>
      on_warning{};  // called when the device failed, with the reason, on any thread
};

/// A GPU that passed its self-tests.
struct FrameDevice {
  std::string backend;  // "cuda"
  int index = 0;        // among the backend's devices
  std::string name;
  uint64_t memory_bytes = 0;
  int wave_size = 0;           // work items that run in step
  bool is_integrated = false;  // a part of the processor, where the driver says so
};

/// The devices that compute these features to the bit, which each of them proves when it is first asked for: by the
/// self-tests of `acutance selftest`, unless it passed them before. backend: "auto" (the first that has any), "cpu"
/// (none), or a backend's name, which may name software for tests. Devices stay open until the process ends; later
/// calls return the same list.
std::vector<FrameDevice> ListFrameDevices(const std::string& backend, const std::vector<std::string>& features);

/// Calls of several threads wait for each other; a graph that scores frames in parallel has a scorer
/// for each thread; scorers of one device and equal options share its kernels, memory and batches. A failed pair leaves
/// the frames before it out of the history.
class FrameScorer {
 public:
  /// kUnsupported for a format that is not listed above; kInvalidArgument for formats whose scored sizes differ and
  /// for an option that a feature refuses.
  static Expected<FrameScorer> Create(const FrameScorerOptions& options);
  FrameScorer(FrameScorer&&) noexcept;
  FrameScorer& operator=(FrameScorer&&) noexcept;
  ~FrameScorer();

  /// The names of the outputs of all features, without options.
  const std::vector<std::string>& names() const;
  /// The place of a name in FrameScores::values; nullopt where no feature has such an output.
  std::optional<size_t> IndexOf(std::string_view name) const;

  /// Scores the next pair. A feature over time gives its value for the clip so far. The first feature fills `map`,
  /// from the first frame on where the feature reads earlier frames. kInvalidArgument for a null plane or a stride
  /// that is less than a row.
  Expected<FrameScores> Score(const FramePlanes& reference, const FramePlanes& distorted, const FrameMap& map = {});

  /// Scores a pair that follows these frames of the reference, the earliest first, and no others.
  Expected<FrameScores> ScoreAfter(std::span<const FramePlanes> before, const FramePlanes& reference,
                                   const FramePlanes& distorted);

  /// Adds a pair to the history without scoring it.
  Status Load(const FramePlanes& reference, const FramePlanes& distorted);
  /// The next pair is scored without earlier frames; the values of the clip so far continue.
  void ResetHistory();
  /// Restarts the values of the clip so far; the next pair is still scored with earlier frames.
  void ResetScores();

  /// The size of the map.
  int map_width() const;
  int map_height() const;

  /// Values of the clip that consists of these frames, as in Result::Aggregates; the frames may come from other
  /// scorers with the same options.
  Expected<std::vector<std::pair<std::string, double>>> Aggregates(std::span<const FrameScores> frames) const;

 private:
  struct State;
  explicit FrameScorer(std::unique_ptr<State> state);
  void Leave();

  std::unique_ptr<State> state_;
};

/// The processors and the memory that this process may use.
struct CpuInfo {
  int threads = 1;                         // by its affinity and its control group
  std::optional<uint64_t> memory_bytes{};  // that is left; not set: the system does not report it
};
CpuInfo DescribeCpu();

}  // namespace acutance::api
