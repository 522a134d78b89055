// Emulated workgroup, which runs its work items to their end. An item that waits for others stays on its fiber; items
// that never wait run one after the other in one fiber, which saves the switches.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <vector>

#include "backend/emu/emu.h"
#include "backend/emu/fiber.h"
#include "kernel/emu_item.h"

namespace acutance {

struct GroupPlace {
  int x, y, z;
};

class Workgroup {
 public:
  Workgroup(const EmuSettings& settings, const KernelImage& kernel, const Grid& grid);

  /// Fails when items wait at different barriers or wave operations, which on a GPU hangs or gives any result.
  Status Run(const GroupPlace& place, const std::byte* args);

 private:
  enum class State : uint8_t { kReady, kAtBarrier, kAtWaveSum, kAtWaveXor, kDone };

  /// A fiber that runs items.
  struct Carrier {
    explicit Carrier(Workgroup* owner) : group(owner), fiber(RunItems, this) {}
    Workgroup* group;
    Fiber fiber;
  };

  struct Item {
    AcuEmuItem view;  // the kernel's view of the item
    Workgroup* group;
    uint64_t value = 0;   // given to a wave operation
    int32_t mask = 0;     // of wave_xor
    uint64_t result = 0;  // of the wave operation: stored by item, so that the next operation cannot change it
  };

  static void RunItems(void* carrier);
  static Item& Current();
  static void Suspend(State state);
  static void Barrier();
  static uint64_t WaveSum(uint64_t value);
  static uint64_t WaveXor(uint64_t value, int32_t mask);

  void Enter(const GroupPlace& place);
  void RunReadyItems();
  bool FindReadyItem();
  size_t TakeTurn();
  Carrier& NextCarrier();
  void GoOn();
  bool AllAre(State state, size_t first, size_t last) const;
  bool ReleaseWaves();
  void FinishWaveOperation(size_t first, size_t last);
  Status Divergence(const GroupPlace& place);

  const EmuSettings settings_;
  const KernelImage& kernel_;
  std::mt19937_64 random_;
  // The data that each switch between items reads lies close together: the first-level cache holds only a few lines of
  // each item.
  std::vector<Item> items_;
  std::vector<State> states_;
  std::vector<Carrier*> carrier_of_;  // of an item since it began
  std::vector<uint32_t> order_;
  size_t turn_ = 0;  // place in order_ of the next item
  std::vector<std::unique_ptr<Carrier>> carriers_;
  std::vector<Carrier*> idle_;
  std::unique_ptr<std::byte[]> shared_;
  const std::byte* args_ = nullptr;
};

}  // namespace acutance
