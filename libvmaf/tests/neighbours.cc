// A program with names that are also inside libvmaf, as another version of a library has them: each must keep its own.
#include <libvmaf/libvmaf.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace fmt {
inline namespace v9 {
namespace detail {
[[noreturn]] void throw_format_error(const char*) { std::abort(); }
}  // namespace detail
}  // namespace v9
}  // namespace fmt

namespace acutance {
std::string Neighbour() { return "its own"; }
class Session {
 public:
  virtual ~Session() { std::abort(); }
};
[[noreturn]] void AllMetrics() { std::abort(); }
[[noreturn]] void Backends() { std::abort(); }
}  // namespace acutance

int main() {
  VmafContext* vmaf = nullptr;
  if (vmaf_init(&vmaf, {VMAF_LOG_LEVEL_ERROR, 1, 1, 0, 0})) return 1;
  VmafModelConfig config = {"vmaf", 0};
  VmafModel* model = nullptr;
  if (vmaf_model_load(&model, &config, "vmaf_v0.6.1") || vmaf_use_features_from_model(vmaf, model)) return 2;
  for (unsigned frame = 0; frame < 2; ++frame) {
    VmafPicture pictures[2];
    for (VmafPicture& picture : pictures) {
      if (vmaf_picture_alloc(&picture, VMAF_PIX_FMT_YUV420P, 8, 64, 64)) return 3;
      for (int p = 0; p < 3; ++p)
        for (unsigned y = 0; y < picture.h[p]; ++y)
          for (unsigned x = 0; x < picture.w[p]; ++x)
            static_cast<unsigned char*>(picture.data[p])[y * picture.stride[p] + x] = (x * y + frame) % 200;
    }
    if (vmaf_read_pictures(vmaf, &pictures[0], &pictures[1], frame)) return 4;
  }
  double score = 0;
  if (vmaf_read_pictures(vmaf, nullptr, nullptr, 0) ||
      vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, 1))
    return 5;
  vmaf_model_destroy(model);
  if (vmaf_close(vmaf)) return 6;
  std::printf("%.6f, and %s\n", score, acutance::Neighbour().c_str());
  return score > 95 ? 0 : 7;
}
