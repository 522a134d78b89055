// Stand-in for libcuda.so.1 that needs no GPU, so that every path of the backend runs in tests: memory is the host's,
// kernels are a few functions by name, and a test can make any call fail. It is strict: a call without a current
// context or with a handle that is not alive is counted as misuse.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "backend/cuda/driver.h"

namespace acutance::cuda {

/// A call of cuModuleLoadDataEx that came through.
struct FakeLoad {
  bool is_primary;  // in the device's primary context, not one of cuCtxCreate_v2
  std::string text;
  std::vector<CUjit_option> options;
  size_t log_bytes;
};

struct FakeCuda {
  int version = 12040;
  int devices = 1;
  int major = 9, minor = 0;
  int warp_size = 32;
  int unified_addressing = 1;
  int shared_bytes = 48 * 1024;
  int max_threads = 1024;  // of a workgroup
  int compute_mode = CU_COMPUTEMODE_DEFAULT;
  size_t memory_bytes = 64u << 20;  // cuMemAlloc_v2 fails beyond
  std::map<std::string, int> fail;  // function -> what it returns instead of doing its work

  bool hangs = false;  // nothing that was queued ends
  int lost = 0;        // the error that every call returns after a fault, until the last context goes
  int alive = 0;       // contexts retained and made, memory, modules, streams, graphs
  int misuse = 0;      // calls that the real driver would refuse or not survive
  int modules = 0;     // loaded so far
  int contexts = 0;    // made so far by cuCtxCreate_v2
  std::vector<FakeLoad> loads;
  std::chrono::milliseconds compiling{0};  // how long each load takes; 0: the driver's files have all kernels
  size_t meet = 0;          // of loads in contexts of their own that wait for each other, once; they give up after 20 s
  int alone = 0;            // of the loads that come next, which wait for no other
  bool met = false;         // whether they did
  int fails_in_helper = 0;  // what loads return in contexts of cuCtxCreate_v2
};

/// Type of the function FakeCudaControls, which the library exports.
using FakeCudaControlsFunction = FakeCuda*();

}  // namespace acutance::cuda
