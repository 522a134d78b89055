// The work item that a kernel runs as on the CPU (backend/emu), and the calls that it makes to the emulator.
#pragma once

#include <cstdint>

struct AcuEmuItem {
  int32_t local_x, local_y;
  int32_t group_x, group_y, group_z;
  int32_t groups_x, groups_y;
  int32_t wave_size, wave_lane, wave_index, wave_count;
  void (*barrier)();
  uint64_t (*wave_sum)(uint64_t value);
  uint64_t (*wave_xor)(uint64_t value, int32_t mask);
};

inline constinit thread_local const AcuEmuItem* acu_emu_item = nullptr;

/// The entry of a kernel in the table of kernel images, from its emu object.
struct AcuEmuKernel {
  void (*entry)(const void* args, void* shared);
  uint32_t args_bytes, shared_bytes, buffer_args;
};
