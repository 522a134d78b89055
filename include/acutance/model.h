// Model: fusion of a frame's features into one score.
#pragma once

#include <acutance/status.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace acutance::api {

struct ModelOptions {
  std::string name = "vmaf";       // of its scores; the models of a session need different names
  bool disable_clip = false;       // scores may leave the model's range, for example 0 to 100
  bool enable_transform = false;   // the "phone model" of vmaf_v0.6.1; no effect on a model without a transform
  bool disable_transform = false;  // turns off the transform of a model that has it on
};

/// A model. Copies are independent.
class Model {
 public:
  /// A built-in model by its version, such as "vmaf_v0.6.1" (ListModels). kNotFound for an unknown version, with the
  /// nearest name.
  static Expected<Model> Load(std::string_view version, const ModelOptions& options = {});

  /// A JSON model, or a collection of them, from a file. kNotFound, kIo or kBadData.
  static Expected<Model> LoadFile(const std::string& path, const ModelOptions& options = {});

  /// Sets an option of every feature that the model reads from `feature`: ("adm", "adm_enhn_gain_limit", "1").
  /// kInvalidArgument for a feature that it does not read, an unknown option, or a value out of range.
  Status SetOption(const std::string& feature, const std::string& option, const std::string& value);

  const std::string& name() const;
  const std::string& source() const;  // version or path
  /// The names of its scores in a Result: its name, or for a collection <name>_0001 ..., <name>_bagging, <name>_stddev,
  /// <name>_ci_p95_lo, <name>_ci_p95_hi.
  std::vector<std::string> score_names() const;

 private:
  friend struct ModelAccess;
  struct Content;
  explicit Model(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

}  // namespace acutance::api
