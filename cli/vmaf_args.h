// Command line of `vmaf`, libvmaf's tool (docs/spec/system.md 5).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "devices/backends.h"
#include "image/picture.h"
#include "run/model_spec.h"

namespace acutance::cli {

struct VmafArgs {
  std::string reference;
  std::string distorted;
  std::optional<PictureFormat> raw;  // set when any of -w -h -p -b is given
  std::vector<ModelSpec> models;
  std::vector<FeatureRequest> features;
  std::string output;
  std::string format = "xml";
  std::string precision;  // empty: libvmaf's own rule
  DeviceChoice device{"auto", std::nullopt, {}};
  int threads = 0;
  int subsample = 1;
  int64_t frame_count = 0;  // 0: all
  int64_t skip_reference = 0;
  int64_t skip_distorted = 0;
  std::optional<size_t> max_memory, max_vram;  // bytes
  int verify = 0;
  bool predict = true;
  bool quiet = false;
  bool raise_bit_depth = false;  // shift the shallower video's samples left: AOM CTC v6.0 and v7.0

  enum class Action { kScore, kPrintVersion, kPrintHelp, kListBackends } action = Action::kScore;
};

/// A failure is a usage error: its message, then the usage text, belong on standard error; the exit status is 1.
Result<VmafArgs> ParseVmafArgs(int argc, char** argv);

std::string VmafUsage();

}  // namespace acutance::cli
