// Opens the fake driver for a test and points the cuda backend at it.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "backend/cuda/testing/fake_cuda.h"

namespace acutance::cuda {

/// The fake of the library at `path`, reset to fail nothing; handles that are alive stay.
inline FakeCuda& UseFakeDriver(const char* path) {
  ::setenv("ACUTANCE_CUDA_LIBRARY", path, 1);
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) ADD_FAILURE() << ::dlerror();
  auto* controls = reinterpret_cast<FakeCudaControlsFunction*>(::dlsym(library, "FakeCudaControls"));
  FakeCuda& fake = *controls();
  const int alive = fake.alive;
  fake = FakeCuda();
  fake.alive = alive;
  return fake;
}

}  // namespace acutance::cuda
