// What a kernel on the CPU (backend/emu) knows of the work item that it runs as, and asks of the emulator.
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

/// What the table of kernel images takes from a kernel's emu object.
struct AcuEmuKernel {
  void (*entry)(const void* args, void* shared);
  uint32_t args_bytes;
  uint32_t shared_bytes;
  uint32_t buffer_args;
};
