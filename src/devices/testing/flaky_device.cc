#include "devices/testing/flaky_device.h"

#include "backend/emu/emu.h"

namespace acutance {
namespace {

class FlakyQueue : public Queue {
 public:
  FlakyQueue(FlakyDevice& device, std::unique_ptr<Queue> inner) : device_(device), inner_(std::move(inner)) {}
  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override {
    return inner_->Record(commands);
  }
  Status Submit(Recording& recording) override {
    ACU_RETURN_IF_ERROR(device_.At(Fault::kSubmit));
    return inner_->Submit(recording);
  }
  Status Copy(std::span<const CopyCommand> copies) override {
    ACU_RETURN_IF_ERROR(device_.At(Fault::kCopy));
    return inner_->Copy(copies);
  }
  Status Wait() override {
    ACU_RETURN_IF_ERROR(inner_->Wait());
    return device_.At(Fault::kWait);
  }

 private:
  FlakyDevice& device_;
  const std::unique_ptr<Queue> inner_;
};

}  // namespace

FlakyDevice::FlakyDevice(Fault fault) : fault_(fault), inner_(OpenEmuDevice({}).value()) {}

Status FlakyDevice::At(Fault::Where where) {
  if (where == Fault::kSubmit && fault_.where == Fault::kNowhere && fault_.failed) fault_.failed->wait(false);
  if (where != fault_.where) return {};
  const int call = calls_++;
  if (call < fault_.nth || (call > fault_.nth && !fault_.lasts)) return {};
  if (fault_.failed) {
    fault_.failed->store(true);
    fault_.failed->notify_all();
  }
  return Error(fault_.code, "the device failed as told");
}

Result<std::unique_ptr<Buffer>> FlakyDevice::Allocate(size_t bytes, MemoryKind kind) {
  ACU_RETURN_IF_ERROR(At(Fault::kAllocate));
  return inner_->Allocate(bytes, kind);
}

Result<std::unique_ptr<Queue>> FlakyDevice::MakeQueue() {
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<Queue> queue, inner_->MakeQueue());
  return std::unique_ptr<Queue>(std::make_unique<FlakyQueue>(*this, std::move(queue)));
}

}  // namespace acutance
