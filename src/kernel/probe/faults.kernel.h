// Faults that the emulator must find in a kernel.
#include "kernel/probe/faults_args.h"

struct FaultsShared {
  int32_t last, unwritten;
};

KERNEL_USES(FaultsArgs, FaultsShared)

KERNEL_MAIN() {
  const int32_t i = local_x();
  int32_t result = i;
  if (args.fault == FAULT_DIVERGENT_BARRIER && i < args.limit) group_barrier();
  if (args.fault == FAULT_DIVERGENT_WAVE && i < args.limit) result = int32_t(wave_sum(uint64_t(1u)));
  if (args.fault == FAULT_UNWRITTEN_SHARED) result = group.unwritten;
  if (args.fault == FAULT_RACE) {
    group.last = i;
    group_barrier();
    result = group.last;
  }
  args.results.data[i] = result;
}
