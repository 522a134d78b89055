// Session: scoring of one reference video against one or more distorted videos, picture by picture.
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

/// A feature's name, such as "psnr", and its options, such as {"enable_mse", "true"} (ListFeatures).
struct Feature {
  std::string name;
  std::map<std::string, std::string> options;
};

/// A picture that a feature computes in addition to its scores, such as a heatmap of cambi.
struct Artifact {
  std::string name;  // with the options that are not the defaults: "cambi_heatmap_scale_0_ws_31"
  int64_t frame = 0;
  int video = -1;  // the distorted video; -1: the feature reads the reference alone
  int width = 0;
  int height = 0;
  int bits = 0;                // of a stored sample: 8; 16, an integer with bit_depth significant bits; 32, a float
  int bit_depth = 0;           // 8 to 16, or 32 for floats
  const void* data = nullptr;  // only until the call returns
  ptrdiff_t stride = 0;        // bytes from row to row
};

struct SessionOptions {
  std::vector<Model> models;
  std::vector<Feature> features;  // in addition to those that the models need
  int threads = 0;                // 0: one for each usable CPU; 1: all work is done inside Add and Finish
  int subsample = 1;              // N: score only every Nth frame, from the first
  int videos = 1;                 // distorted videos
  int frames = 0;  // of a short video, about; 0: not known. A device computes no more at once, and is sooner
  /// Frames/s of the videos, for features that read it (xpsnr, cvvdp) and do not have it as an option. Not set: they
  /// use defaults. Files that Score() opens declare their own.
  std::optional<double> frame_rate;
  /// What else the videos declare, likewise, by names of options: "range" ("limited", "full") and "matrix" ("bt601",
  /// "bt709", "bt2020").
  std::map<std::string, std::string> declared;
  /// "cpu", "auto" (a working GPU, else the CPU) or a backend (ListBackends), such as "cuda". The scores are
  /// the same bits everywhere.
  std::string backend = "cpu";
  std::optional<int> device;  // index among the backend's devices; not set: the first that works
  /// Called for each artifact of the features, in the order of frames, by one thread at a time, but not always the same
  /// one. Its error ends the session. Not set: no artifacts are computed. Start fails where no feature has any.
  std::function<Status(const Artifact&)> on_artifact;
  /// A folder for the artifacts instead, one TIFF file each: "cambi_heatmap_scale_0_000012.tif". Empty: none.
  std::string maps;
  /// Bytes for pictures in flight and features; not set: $ACUTANCE_MAX_MEMORY, or half of the available memory.
  std::optional<size_t> max_memory;
  /// Bytes of each device; not set: $ACUTANCE_MAX_VRAM, or a quarter of what is free, at most 10 GB up to 4K, growing
  /// with the area.
  std::optional<size_t> max_device_memory;
};

/// Calls of Start, Add and Finish wait for each other; other members may be called by any thread at any time. Memory is
/// bounded by the pictures in flight, a few per thread. Destroying an unfinished session drops its work.
class Session {
 public:
  /// Makes a session. kInvalidArgument for unknown names, values out of range, or nothing to compute.
  static Expected<Session> Create(const SessionOptions& options);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();

  /// Whether a feature reads chroma; if none does, pictures may be luma alone.
  bool NeedsChroma() const;

  /// Fixes the format of all pictures; without it the first Add does. kInvalidArgument where a feature cannot work at
  /// this size or two models have one name, kNoDevice where the backend has no device that works.
  Status Start(const PictureFormat& format);

  /// Adds the next frame; waits while too many are in flight. Samples are not copied; they are released when the frame
  /// is done. Pictures of another format than the first are refused with kInvalidArgument, and the session continues;
  /// after any other error it accepts no more.
  Status Add(const Picture& reference, const Picture& distorted);
  Status Add(const Picture& reference, const std::vector<Picture>& distorted);  // one a distorted video

  int64_t frames_added() const;
  /// The number of scored frames. The last scores of features that read later frames (motion), and of models that use
  /// them, come with Finish.
  int64_t frames_done() const;

  /// A score by its name in a Result; nullopt where it does not exist, or not yet.
  std::optional<double> Score(std::string_view name, int64_t frame, int video = 0) const;

  /// Waits for all frames; fails with the error of any of them. To be called once, after at least one Add.
  Expected<Result> Finish();

  /// Begins another video of the same format after Finish; its first frame has no history. Devices, memory and threads
  /// stay, which for short clips saves most of their time. Maps of several videos would have one name: sessions that
  /// write them refuse.
  Status Restart();

 private:
  struct State;
  explicit Session(std::unique_ptr<State> state);

  void Leave();

  std::unique_ptr<State> state_;
};

}  // namespace acutance::api
