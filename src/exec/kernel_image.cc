#include "exec/kernel_image.h"

namespace acutance {

const KernelImage* FindKernelImage(std::string_view kernel, std::string_view variant) {
  for (const KernelImage& image : KernelImages())
    if (image.kernel == kernel && image.variant == variant) return &image;
  return nullptr;
}

}  // namespace acutance
