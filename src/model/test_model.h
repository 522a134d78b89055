// A small model for tests, and the folder of the stored results of libvmaf where it exists.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace acutance {

/// Two features, three support vectors.
inline constexpr std::string_view kSmallModel = R"({
  "model_dict": {
    "model_type": "LIBSVMNUSVR",
    "norm_type": "linear_rescale",
    "feature_names": ["VMAF_integer_feature_adm2_score", "VMAF_integer_feature_motion2_score"],
    "feature_opts_dicts": [{"adm_enhn_gain_limit": 1.0}, {}],
    "slopes": [0.01, 2.5, 0.05],
    "intercepts": [-0.3, -1.5, -0.002],
    "score_clip": [0.0, 100.0],
    "score_transform": {"p0": 1.5, "p1": 1.25, "out_gte_in": "true"},
    "model": "svm_type nu_svr\nkernel_type rbf\ngamma 0.04\nnr_class 2\ntotal_sv 3\nrho -1.25\nSV\n-4 1:0.5 2:0.25 \n4 1:0.75 \n2.5 2:-1.5e-1 \n"
  }
})";

/// `text` with the first `from` replaced.
inline std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string result(text);
  const size_t at = result.find(from);
  if (at == std::string::npos) std::abort();  // an error in the test
  return result.replace(at, from.size(), to);
}

/// The folder of stored results, which are not part of the repository; empty where it is absent.
inline std::filesystem::path SharedVectors() {
  const char* named = std::getenv("ACUTANCE_VECTORS");
  const std::filesystem::path folder = named ? named : ACUTANCE_SOURCE_DIR "/../shared/vectors";
  return std::filesystem::exists(folder / "golden") ? folder : std::filesystem::path();
}

}  // namespace acutance
