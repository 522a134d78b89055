// Devices as clients of libvship number them, and memory of the host for their pictures.
#pragma once

#include <acutance/frame_scorer.h>

#include <cstdint>
#include <vector>

#include "api/vship/call_status.h"

namespace acutance::vship {

/// The GPUs, from number 0 on: those of $VSHIP_BACKEND, by default of the first backend that has any. The CPU follows.
std::vector<api::FrameDevice> Gpus();

/// Fails where $VSHIP_BACKEND names none.
Outcome CheckBackend();
/// The same, and where there is no such device.
Outcome CheckDevice(int device);

/// Sets FrameScorerOptions::backend and device.
Outcome ChooseDevice(int device, api::FrameScorerOptions& options);

/// The device of calls that name none: what Vship_SetDevice was called with last.
int CurrentDevice();
Outcome SetCurrentDevice(int device);

/// Memory from which the device fetches pictures without a copy.
Outcome AllocatePinned(int device, uint64_t bytes, void*& memory);
Outcome FreePinned(void* memory);

}  // namespace acutance::vship
