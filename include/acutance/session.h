// Session: scores one reference video against one or more distorted videos, picture by picture.
#pragma once

#include <acutance/format.h>
#include <acutance/model.h>
#include <acutance/picture.h>
#include <acutance/result.h>
#include <acutance/status.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace acutance::api {

/// A feature by its name, "psnr", with options by theirs: {"enable_mse", "true"} (ListFeatures).
struct Feature {
  std::string name;
  std::map<std::string, std::string> options;
};

/// A picture that a feature hands out beside its scores: a heatmap of cambi.
struct Artifact {
  std::string name;  // with the options that are not the defaults: "cambi_heatmap_scale_0_ws_31"
  int64_t frame = 0;
  int video = -1;  // the distorted video; -1: the feature reads the reference alone
  int width = 0;
  int height = 0;
  int bits = 0;                // of a sample: 8; 16, an integer of which bit_depth bits count; 32, a float
  int bit_depth = 0;           // 8 to 16, or 32 for floats
  const void* data = nullptr;  // only until the call returns
  ptrdiff_t stride = 0;        // bytes from row to row
};

struct SessionOptions {
  std::vector<Model> models;
  std::vector<Feature> features;  // beside those that the models need
  int threads = 0;                // 0: as many as the machine has; 1: all work is done inside Add and Finish
  int subsample = 1;              // score only frames whose index it divides
  int videos = 1;                 // distorted videos
  /// "cpu", "auto" (a GPU where there is one that works) or a backend: "cuda", "hip", "vulkan", "sycl". The scores are
  /// the same bits everywhere.
  std::string backend = "cpu";
  std::optional<int> device;  // which of the backend's; not set: the first that works
  /// Called for each artifact of the features, in the order of frames, by one thread at a time; not the same always.
  /// Its error ends the session. Not set: none are made. Start fails where no feature has any.
  std::function<Status(const Artifact&)> on_artifact;
  /// A folder for the artifacts instead, a TIFF file each: "cambi_heatmap_scale_0_000012.tif". Empty: none.
  std::string maps;
  /// Bytes for pictures in flight and features; not set: $ACUTANCE_MAX_MEMORY, or half of what the machine has left.
  std::optional<size_t> max_memory;
  /// Bytes of each device; not set: $ACUTANCE_MAX_VRAM, or 1 GB up to 4K, growing with the area.
  std::optional<size_t> max_device_memory;
};

/// Start, Add and Finish of several threads wait for each other; any thread may ask for the rest. Memory is bounded by
/// the pictures in flight, a few per thread. Destroying a session that was not finished drops its work.
class Session {
 public:
  /// Makes a session. kInvalidArgument for names and values that do not exist, or nothing to
  /// compute.
  static Expected<Session> Create(const SessionOptions& options);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Whether a feature reads chroma; pictures may be luma alone otherwise.
  bool NeedsChroma() const;

  /// Fixes the format of all pictures; else the first Add does. kInvalidArgument where a feature cannot work at this
  /// size or two models have one name, kNoDevice where the backend has no device that works.
  Status Start(const PictureFormat& format);

  /// Adds the next frame; waits while many are in flight. The samples are not copied: they are released when the
  /// frame is done. Pictures that do not fit those before them are refused, and the session goes on; after any other
  /// error it takes no more.
  Status Add(const Picture& reference, const Picture& distorted);
  Status Add(const Picture& reference, const std::vector<Picture>& distorted);  // one a distorted video

  int64_t frames_added() const;
  /// The number of frames that are scored; features that look ahead (motion) and models come with
  /// Finish.
  int64_t frames_done() const;

  /// A score so far; nullopt where it does not exist yet.
  std::optional<double> Score(std::string_view name, int64_t frame, int video = 0) const;

  /// Waits for all frames. Called once, after at least one Add.
  Expected<Result> Finish();

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);

  void Leave();

  std::unique_ptr<State> state_;
};

}  // namespace acutance::api
