#include "devices/testing/flaky_device.h"

#include <thread>
#include <utility>

#include "backend/emu/emu.h"

namespace acutance {
namespace {

/// A recording, the same without its last command, and the buffer of results that its last launch writes.
struct FlakyRecording : Recording {
  std::unique_ptr<Recording> whole, half;
  const Buffer* results = nullptr;
};

class FlakyQueue : public Queue {
 public:
  FlakyQueue(FlakyDevice& device, std::unique_ptr<Queue> inner) : device_(device), inner_(std::move(inner)) {}
  ~FlakyQueue() override { device_.OnFree(); }

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override {
    auto recording = std::make_unique<FlakyRecording>();
    ACU_ASSIGN_OR_RETURN(recording->whole, inner_->Record(commands));
    ACU_ASSIGN_OR_RETURN(recording->half, inner_->Record(commands.first(commands.empty() ? 0 : commands.size() - 1)));
    for (const Command& command : commands)
      if (const auto* launch = std::get_if<LaunchCommand>(&command))
        for (const Buffer* shared : launch->shares)
          if (shared->host()) recording->results = shared;
    return std::unique_ptr<Recording>(std::move(recording));
  }

  Status Submit(Recording& recording) override {
    auto& flaky = static_cast<FlakyRecording&>(recording);
    ACU_RETURN_IF_ERROR(device_.At(Fault::kSubmit));
    submits_ = true;
    switch (device_.Next(Fault::kSubmit)) {
      case Fault::kDrop:
        return {};
      case Fault::kStall:
        stalls_ = true;
        device_.Stall();
        return {};
      case Fault::kHalf:
        return inner_->Submit(*flaky.half);
      case Fault::kBitFlip:
        flipped_ = flaky.results;
        break;
      default:
        break;
    }
    return inner_->Submit(*flaky.whole);
  }

  Status Copy(std::span<const CopyCommand> copies) override {
    ACU_RETURN_IF_ERROR(device_.At(Fault::kCopy));
    device_.CountUploads(copies);
    return inner_->Copy(copies);
  }

  Status Wait() override {
    constexpr std::chrono::milliseconds kSlowWait{300};
    const Fault::Kind kind = device_.Next(Fault::kWait);
    if (kind == Fault::kHang || stalls_) return device_.Hang();
    if (kind == Fault::kSlow) std::this_thread::sleep_for(kSlowWait);
    if (submits_) device_.WaitForStall();
    ACU_RETURN_IF_ERROR(inner_->Wait());
    if (const Buffer* results = std::exchange(flipped_, nullptr))
      for (size_t i = 0; i < results->bytes(); i += sizeof(int64_t)) results->host()[i + 2] ^= std::byte{4};
    return device_.At(Fault::kWait);
  }

 private:
  FlakyDevice& device_;
  const std::unique_ptr<Queue> inner_;
  const Buffer* flipped_ = nullptr;
  bool submits_ = false, stalls_ = false;
};

}  // namespace

FlakyDevice::FlakyDevice(Fault fault) : fault_(fault), inner_(OpenEmuDevice({}).value()) {}

bool FlakyDevice::IsDue(Fault::Where where) {
  if (where != fault_.where) return false;
  const int call = calls_++;
  return call >= fault_.nth && (fault_.lasts || call < fault_.nth + fault_.calls);
}

Status FlakyDevice::At(Fault::Where where) {
  if (where == Fault::kSubmit && fault_.where == Fault::kNowhere && fault_.failed) fault_.failed->wait(false);
  if (fault_.kind != Fault::kFail || !IsDue(where)) return {};
  if (fault_.failed) {
    fault_.failed->store(true);
    fault_.failed->notify_all();
  }
  return Error(fault_.code, "the device failed as told");
}

Fault::Kind FlakyDevice::Next(Fault::Where where) {
  if (where == Fault::kWait && hangs_) return Fault::kHang;
  if (fault_.kind == Fault::kFail || !IsDue(where)) return Fault::kFail;
  if (fault_.kind == Fault::kHang) hangs_ = true;
  return fault_.kind;
}

void FlakyDevice::CountUploads(std::span<const CopyCommand> copies) const {
  if (!fault_.uploaded) return;
  for (const CopyCommand& copy : copies)
    if (copy.from->host() && !copy.to->host()) *fault_.uploaded += copy.bytes * copy.rows;
}

Status FlakyDevice::Hang() {
  if (!is_given_up_) ACU_RETURN_IF_ERROR(patience_.Wait([]() -> Result<bool> { return false; }).status());
  is_given_up_ = true;
  return Error(StatusCode::kIo, "the device hangs as told");
}

void FlakyDevice::WaitForStall() const {
  if (fault_.kind != Fault::kStall) return;
  constexpr std::chrono::milliseconds kLook{10}, kWhile{300};
  constexpr int kMostLooks = 500;
  for (int look = 0; look < kMostLooks && !stalls_; ++look) std::this_thread::sleep_for(kLook);
  std::this_thread::sleep_for(kWhile);
}

void FlakyDevice::OnFree() const {
  if (fault_.blocked && stalls_ && !is_given_up_) *fault_.blocked = true;
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
