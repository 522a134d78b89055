// Model: fuses the features of a frame into one score (docs/spec/system.md 1).
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "stats/score_table.h"

namespace acutance {

/// A feature that a model reads, and the options that its extractor must run with.
struct ModelFeature {
  std::string name;  // base name as stored: "VMAF_integer_feature_adm2_score"
  std::map<std::string, std::string> options;

  bool operator==(const ModelFeature&) const = default;
};

/// Nu-SVR with an RBF kernel.
struct Svm {
  double gamma = 0;
  double rho = 0;
  int feature_count = 0;
  std::vector<double> coefficients;  // one per support vector, in the file's order
  std::vector<double> vectors;       // feature-major: vectors[feature * coefficients.size() + k]; absent entries are 0
};

struct ScoreClip {
  double min = 0;
  double max = 0;
};

struct Knot {
  double x = 0;
  double y = 0;
};

struct ScoreTransform {
  bool enabled = false;  // otherwise ModelFlags::enable_transform turns it on
  std::optional<double> p0;
  std::optional<double> p1;
  std::optional<double> p2;
  std::vector<Knot> knots;  // empty, or at least two with x rising and y not falling
  bool out_lte_in = false;
  bool out_gte_in = false;
};

/// Replaces a speed_chroma of exactly zero by a value that adm3 implies (docs/spec/system.md 1.3).
struct ChromaRule {
  int adm3 = 0;          // feature index
  int speed_chroma = 0;  // feature index
  double parameter = 0;
};

struct Model {
  std::string name;    // column of its scores: "vmaf"
  std::string source;  // built-in version or path
  std::vector<ModelFeature> features;
  std::vector<double> slopes;      // [0]: the score's; [i + 1]: feature i's. Ones and zeros where the file has
  std::vector<double> intercepts;  // norm_type "none", which gives the same bits
  Svm svm;
  std::optional<ScoreClip> clip;
  std::optional<ScoreTransform> transform;
  std::optional<ChromaRule> chroma;
  /// A metric as a model: its score is that of features[0], whose traits these are, and nothing below `source` but
  /// `features` is used.
  std::optional<ScoreTraits> own;
  /// A bootstrap collection's members 1..N, which read the same features; empty for a single model.
  std::vector<Model> members;

  bool is_collection() const { return !members.empty(); }
};

/// Serves a feature's base name with the name of its extractor: "VMAF_integer_feature_adm2_score" -> "adm".
using ExtractorOf = std::function<std::string_view(std::string_view feature)>;

/// Sets an option of every feature whose extractor has the name `extractor`, in the model and its members
/// (docs/spec/system.md 1.9). Returns how many that were; none is no error in libvmaf.
int OverloadFeature(Model& model, std::string_view extractor, const std::string& option, const std::string& value,
                    const ExtractorOf& extractor_of);

}  // namespace acutance
