#include "cli/vmaf_args.h"
#include "devices/backends.h"

namespace acutance::cli {

std::string VmafUsage() {
  return R"(Usage: vmaf -r REFERENCE -d DISTORTED [options]

Input
  -r, --reference PATH       reference: .y4m, .yuv, or what FFmpeg decodes
  -d, --distorted PATH       distorted video
  -w, --width N              these four for raw .yuv input
  -h, --height N
  -p, --pixel_format F       420, 422 or 444
  -b, --bitdepth N           8, 10, 12 or 16
      --frame_cnt N          score at most N frames
      --frame_skip_ref N     leave out the first N frames of the reference
      --frame_skip_dist N    leave out the first N frames of the distorted video
      --subsample N          score one frame of N

What to compute
  -m, --model SPEC           version=NAME or path=FILE, then :name=,
                             :disable_clip, :enable_transform,
                             :EXTRACTOR.OPTION=VALUE (up to 32 times;
                             default version=vmaf_v0.6.1)
      --feature NAME[=OPTION=VALUE[:...]]   one more feature (up to 32 times)
      --aom_ctc VERSION, --nflx_ctc VERSION presets of models and features
  -n, --no_prediction        features only

Output
  -o, --output PATH          write a log
      --xml, --json, --csv, --sub   its format (default xml)
      --precision N|max|legacy      significant digits of its scores
                                    (default: libvmaf's rule)
  -q, --quiet                no progress
  -v, --version              print the version
      --help                 print this text

Where to run
      --threads N            worker threads (default 0: the main one alone)
      --backend NAME         auto (default), cpu, )" +
         BackendNames() + R"(
      --device N             which of the backend's devices
      --no_cuda, --no_hip, --no_sycl, --no_vulkan
                             leave one out of auto; --gpumask 1: all of them
      --max-memory SIZE, --max-vram SIZE   limits for pictures and features, and
                             for each device: 800M, 2G
      --verify N             compute one frame in N of a device on the CPU, too
      --list-backends        print the backends of this machine as JSON
      --cpumask N            accepted, and without effect

`acutance score --help` describes a command made for people.
)";
}

}  // namespace acutance::cli
