#pragma once

#include "exec/device.h"

namespace acutance {

class EmuKernel : public Kernel {
 public:
  explicit EmuKernel(const KernelImage& image) : image_(image) {}
  const KernelImage& image() const { return image_; }

 private:
  const KernelImage& image_;
};

}  // namespace acutance
