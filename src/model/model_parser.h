// JSON model files (docs/spec/system.md 1.1): single models and bootstrap collections.
#pragma once

#include <string>
#include <string_view>

#include "base/status.h"
#include "model/model.h"

namespace acutance {

inline constexpr int kMaxModelFeatures = 64;
inline constexpr int kMaxKnots = 10;
inline constexpr int kMaxMembers = 9999;  // the names of members have four digits

/// Reads a model from JSON text. `source` names it in messages, `name` becomes the column of its scores. Everything
/// that libvmaf would crash on or silently ignore is an error that names the source, the key and what was expected.
Result<Model> ParseModel(std::string_view text, std::string_view source, std::string_view name);

Result<Model> LoadModelFile(const std::string& path, std::string_view name);

inline constexpr int kMaxSupportVectors = 100'000;

/// Reads the libsvm text inside a model file (docs/spec/system.md 1.2): a nu_svr model with an rbf kernel over
/// features 1..feature_count. LF and CRLF are both accepted.
Result<Svm> ParseSvm(std::string_view text, int feature_count);

}  // namespace acutance
