// The libsvm text inside a model file (docs/spec/system.md 1.2).
#pragma once

#include <string_view>

#include "base/status.h"
#include "model/model.h"

namespace acutance {

inline constexpr int kMaxSupportVectors = 100'000;

/// Reads a nu_svr model with an rbf kernel over features 1..feature_count. LF and CRLF are both accepted.
Result<Svm> ParseSvm(std::string_view text, int feature_count);

}  // namespace acutance
