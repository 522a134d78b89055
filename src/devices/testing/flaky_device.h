// Emulator with faults on demand.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "exec/device.h"
#include "exec/progress_timeout.h"

namespace acutance {

/// The fault of a FlakyDevice at its nth call of a kind.
struct Fault {
  enum Where { kNowhere, kAllocate, kCopy, kSubmit, kWait } where = kNowhere;
  int nth = 0;
  StatusCode code = StatusCode::kIo;
  bool lasts = true;  // a lost device stays lost, a refused launch may be the only one
  /// Set once the faulty one of several devices has failed. The others wait for it, so that it
  /// gets work.
  std::atomic<bool>* failed = nullptr;
  /// What the call does, where it does not fail: kSlow and kHang of kWait, the others of kSubmit.
  enum Kind {
    kFail,
    kDrop,     // the recording does not run, and no call says so
    kHalf,     // its last command does not run
    kBitFlip,  // a bit of each result of the last launch is wrong
    kSlow,     // a wait lasts a while
    kHang,     // no wait ends any more
    kStall,    // the recording never ends; waits for others end a while after it began
  } kind = kFail;
  int calls = 1;                            // of a fault that does not last, one after another
  std::atomic<size_t>* uploaded = nullptr;  // counts the bytes that copies bring from the host's memory
  /// Set where a queue goes while a recording stalls that was not waited for: drivers then wait for ever.
  std::atomic<bool>* blocked = nullptr;
  std::optional<size_t> free_memory = {};  // that the device reports
};

class FlakyDevice : public Device {
 public:
  explicit FlakyDevice(Fault fault);

  /// Fails where the fault says so.
  Status At(Fault::Where where);
  /// Whether this call misbehaves, and how.
  Fault::Kind Next(Fault::Where where);
  void CountUploads(std::span<const CopyCommand> copies) const;
  /// Waits until the patience with it is over.
  Status Hang();
  /// For a recording that stalls.
  void Stall() { stalls_ = true; }
  void WaitForStall() const;
  void OnFree() const;

  const DeviceInfo& info() const override { return inner_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override;
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override { return inner_->LoadKernel(image); }
  Result<std::unique_ptr<Queue>> MakeQueue() override;
  std::optional<size_t> FreeMemory() override { return fault_.free_memory; }
  void LimitWaits(std::chrono::milliseconds longest) override { patience_.Limit(longest); }

 private:
  bool IsDue(Fault::Where where);

  const Fault fault_;
  std::atomic<int> calls_ = 0;
  std::atomic<bool> hangs_ = false, stalls_ = false, is_given_up_ = false;
  ProgressTimeout patience_;
  const std::unique_ptr<Device> inner_;
};

}  // namespace acutance
