// Session: scores one reference video against one or more distorted videos, picture by picture.
#pragma once

#include <acutance/model.h>
#include <acutance/picture.h>
#include <acutance/result.h>
#include <acutance/status.h>

#include <cstdint>
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

  std::unique_ptr<State> state_;
};

}  // namespace acutance::api
