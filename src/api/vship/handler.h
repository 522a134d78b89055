// What a client's handler stands for: one metric over pairs of frames that come one at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/vship/abi.h"
#include "api/vship/call_status.h"
#include "api/vship/frames.h"
#include "base/process.h"
#include "engine/frame_results.h"
#include "engine/session.h"

namespace acutance::vship {

/// A metric's part of a handler. A new metric is a class of this kind and a function that makes it.
class Scorer {
 public:
  virtual ~Scorer() = default;

  virtual StructType init_type() const = 0;
  /// No two of one metric.
  virtual std::vector<FeatureRequest> requests() const = 0;
  /// The code where the metric refuses an option's value.
  virtual Exception invalid_option() const { return kNotSupported; }
  /// A session for frames without any before them begins. The extractor is the first request's.
  virtual void Begin(const Extractor& extractor) { static_cast<void>(extractor); }
  /// Whether frames before the current one count.
  virtual bool has_history() const { return false; }
  /// Takes a frame's results, in the order of the requests; those of frames that only make history do not count.
  virtual void Take(std::span<const RunResult> results, bool counts) = 0;
  virtual void ResetScore() {}
  /// The scores as of the last pair.
  virtual std::vector<double> values() const = 0;
};

/// Where a distortion map goes, as floats.
struct MapTarget {
  uint8_t* data = nullptr;  // null: there is none
  int64_t stride = 0;       // in bytes
};

/// Calls of several threads on one handler wait for each other.
class Handler {
 public:
  /// Tries whether the metric takes these videos.
  static Outcome Make(FramePair pair, std::unique_ptr<Scorer> scorer, int threads, std::shared_ptr<Handler>& handler);

  /// Scores a pair, then gives the scorer to `read`. A failed pair leaves the frames before it out of the history.
  template <class Read>
  Outcome Compute(const Planes& reference, const Planes& distorted, const MapTarget& map, Read&& read) {
    const std::lock_guard lock(mutex_);
    Outcome outcome = Add(reference, distorted, map, true);
    if (outcome.ok()) read(*scorer_);
    return Keep(std::move(outcome));
  }

  /// The same for a pair that follows these pictures of the reference, the earliest first, and no other.
  template <class Read>
  Outcome ComputeAfter(std::span<const Planes> before, const Planes& reference, const Planes& distorted, Read&& read) {
    const std::lock_guard lock(mutex_);
    Outcome outcome = StartAfter(before);
    if (outcome.ok()) outcome = Add(reference, distorted, {}, true);
    if (outcome.ok()) read(*scorer_);
    return Keep(std::move(outcome));
  }

  /// Gives the scorer to `read`.
  template <class Read>
  void Look(Read&& read) const {
    const std::lock_guard lock(mutex_);
    read(*scorer_);
  }

  /// Frames that make history and are not scored.
  Outcome Load(const Planes& reference, const Planes& distorted);
  void ResetHistory();
  void ResetScore();

  /// A forked child has none of the handler's threads.
  const ProcessGuard& process() const { return process_; }
  StructType init_type() const { return scorer_->init_type(); }
  const PictureFormat& format() const { return pair_.reference.format(); }
  /// The size of the metric's map.
  PictureSize map_size() const { return map_size_; }
  /// The last failure; success does not clear it.
  std::string LastError() const;

 private:
  Handler(FramePair pair, std::unique_ptr<Scorer> scorer, int threads)
      : pair_(std::move(pair)), scorer_(std::move(scorer)), threads_(threads) {}

  Outcome Start(bool makes_maps, int64_t frames_before = 0);
  Outcome StartAfter(std::span<const Planes> before);
  Outcome Add(const Planes& reference, const Planes& distorted, const MapTarget& map, bool counts);
  Outcome WriteMap(const MapTarget& map);
  Outcome Keep(Outcome outcome);

  const ProcessGuard process_;
  const FramePair pair_;
  const std::unique_ptr<Scorer> scorer_;
  const int threads_;
  PictureSize map_size_{};

  mutable std::mutex mutex_;  // guards what follows
  std::unique_ptr<Session> session_;
  bool makes_maps_ = false, is_first_ = true, counts_ = true, was_taken_ = false;
  Picture map_;
  std::string last_error_;
};

/// The metrics. They fail where this build has no such metric, or it does not take what is asked for.
Outcome MakeSsimulacra2(const FramePair& pair, std::unique_ptr<Scorer>& scorer);
Outcome MakeButteraugli(const FramePair& pair, int norm, float intensity, std::unique_ptr<Scorer>& scorer);

struct CvvdpSettings {
  float fps = 0;
  bool resize_to_display = false, is_temporal = true;
  std::string model, config;
};
Outcome MakeCvvdp(const FramePair& pair, const CvvdpSettings& settings, std::unique_ptr<Scorer>& scorer);

/// Any metrics, as of the last pair; of no struct of the C interface.
class FeatureScorer : public Scorer {
 public:
  explicit FeatureScorer(std::vector<FeatureRequest> requests) : requests_(std::move(requests)) {}
  StructType init_type() const override { return kNoInit; }
  std::vector<FeatureRequest> requests() const override { return requests_; }
  void Take(std::span<const RunResult> results, bool counts) override;
  /// All outputs of each request, in the order of its metric; NaN for those that it did not write.
  std::vector<double> values() const override { return values_; }
  /// What `values` are called.
  std::vector<std::string> names() const;

 private:
  const std::vector<FeatureRequest> requests_;
  std::vector<double> values_;
};

/// The value of a per-frame output in a result of the metric.
double ValueOf(const RunResult& result, std::string_view metric, std::string_view output);

/// The metrics' scores, as of the last pair.
struct Ssimulacra2Scorer : Scorer {
  std::vector<double> values() const override { return {score}; }
  double score = 0;
};
struct ButteraugliScorer : Scorer {
  std::vector<double> values() const override { return {norms.norm_q, norms.norm_3, norms.norm_inf}; }
  ButteraugliNorms norms{};
};
struct CvvdpScorer : Scorer {
  std::vector<double> values() const override { return {score}; }
  double score = 0;
};

}  // namespace acutance::vship
