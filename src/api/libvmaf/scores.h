// The scores of a context: computed by its session, imported, and predicted by models.
#pragma once

#include <libvmaf/libvmaf.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/libvmaf/model.h"
#include "base/status.h"
#include "engine/feature_set.h"
#include "engine/session.h"
#include "stats/pooling.h"
#include "stats/score_table.h"

namespace acutance::libvmaf {

/// KnownOptions; the others are logged as warnings (docs/spec/system.md 1.7).
OptionTexts LogUnknownOptions(const FeatureRequest& request);

/// Requirements of a model: its metrics with their options, and the stored names of the features that it reads.
struct ModelNeeds {
  std::vector<FeatureRequest> features;
  std::vector<std::string> keys;
};
Result<ModelNeeds> NeedsOf(const Model& model);

class Scores {
 public:
  explicit Scores(int subsample) : subsample_(subsample) {}

  /// Adds the scores of a session, which was started and outlives this object.
  void Attach(const Session* session) { session_ = session; }

  /// The score of a feature, by its key.
  std::optional<double> Get(const std::string& name, int64_t frame) const;
  Status Import(const std::string& name, int64_t frame, double value);

  /// Claims the names of the model's scores. A model of the same name that was loaded separately
  /// is refused.
  Status Claim(const ModelRef& model);

  /// Computes the model's scores of a frame, unless that was done; an error names the feature that is missing.
  Status Predict(const ModelRef& model, int64_t frame);

  Result<double> At(const std::string& name, int64_t frame) const;
  Result<double> Pool(const std::string& name, VmafPoolingMethod method, unsigned low, unsigned high) const;
  Status PredictRange(const ModelRef& model, unsigned low, unsigned high);

  /// All scores as one table, for logs: computed features first, then imported ones and models.
  ScoreTable Table() const;

  /// Calls back for each score of `name` from frame `next` on; returns the frame to continue from.
  int64_t Visit(const std::string& name, int64_t next, const std::function<void(int64_t, double)>& visit) const;

 private:
  struct Bound {
    ModelRef model;
    std::vector<std::string> feature_keys;
    std::vector<std::string> score_keys;
  };
  Result<const Bound*> Bind(const ModelRef& model);
  Status Store(const std::string& name, int64_t frame, double value, const ScoreTraits& traits = {});
  int64_t FirstKept(int64_t frame) const { return (frame + subsample_ - 1) / subsample_ * subsample_; }

  const int subsample_;
  const Session* session_ = nullptr;
  ScoreTable own_;                          // imported, and of models
  std::map<std::string, uint64_t> owners_;  // of model scores: ModelRef::id
  std::map<const Model*, Bound> bound_;     // owns its models, so no address is used again
};

}  // namespace acutance::libvmaf
