// Reports of stack switches to the address and thread sanitizers; no-ops without them.
#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace acutance::sanitizer {

inline void* CreateFiber() {
#if defined(__SANITIZE_THREAD__)
  return __tsan_create_fiber(0);
#else
  return nullptr;
#endif
}

inline void DestroyFiber([[maybe_unused]] void* fiber) {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(fiber);
#endif
}

inline void* CurrentFiber() {
#if defined(__SANITIZE_THREAD__)
  return __tsan_get_current_fiber();
#else
  return nullptr;
#endif
}

/// A stack that was abandoned in the middle still has red zones of its frames.
inline void CleanStack([[maybe_unused]] void* stack, [[maybe_unused]] size_t bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(stack, bytes);
#endif
}

inline void StartSwitch([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* stack,
                        [[maybe_unused]] size_t bytes, [[maybe_unused]] void* fiber) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(fake_stack, stack, bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  if (fiber != CurrentFiber()) __tsan_switch_to_fiber(fiber, 0);
#endif
}

inline void FinishSwitch([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** old_stack,
                         [[maybe_unused]] size_t* old_bytes) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(fake_stack, old_stack, old_bytes);
#endif
}

}  // namespace acutance::sanitizer
