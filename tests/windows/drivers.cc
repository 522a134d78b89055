// Opens the drivers by Windows' names, and prints what came of it: with stand-ins next to the program, those are taken.
#include <cstdio>

#include "backend/cuda/driver.h"
#include "backend/vulkan/driver.h"
#include "base/system/process.h"

int main() {
  acutance::SetMainProgram();
  const auto cuda = acutance::cuda::OpenDriver();
  std::printf("CUDA: %s\n",
              cuda.ok() ? acutance::cuda::DriverVersion(**cuda).c_str() : cuda.status().message().c_str());
  const auto vulkan = acutance::vulkan::OpenDriver();
  std::printf("Vulkan: %s\n", vulkan.status().message().c_str());
}
