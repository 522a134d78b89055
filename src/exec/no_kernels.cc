// Kernels of a build without devices.
#include "exec/kernel_image.h"

namespace acutance {

std::span<const KernelImage> KernelImages() { return {}; }

}  // namespace acutance
