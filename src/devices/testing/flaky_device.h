// An emulator of which one call fails.
#pragma once

#include <atomic>
#include <memory>

#include "exec/device.h"

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
};

class FlakyDevice : public Device {
 public:
  explicit FlakyDevice(Fault fault);

  Status At(Fault::Where where);

  const DeviceInfo& info() const override { return inner_->info(); }
  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override;
  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override { return inner_->LoadKernel(image); }
  Result<std::unique_ptr<Queue>> MakeQueue() override;

 private:
  const Fault fault_;
  std::atomic<int> calls_ = 0;
  const std::unique_ptr<Device> inner_;
};

}  // namespace acutance
