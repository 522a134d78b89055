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

/// ParseModel of a file.
Result<Model> LoadModelFile(const std::string& path, std::string_view name);

}  // namespace acutance
