#include "metric/derived_input.h"

namespace acutance {

Status DerivedPictures::Prepare(size_t index, const DerivedInput& input, const Picture& source) {
  Slot& slot = slots_[index];
  if (slot.is_ready.load(std::memory_order_acquire)) return {};
  const std::lock_guard lock(mutex_);
  if (slot.is_ready) return {};
  ACU_ASSIGN_OR_RETURN(const MutablePicture derived, pool_->Allocate(input.Format(source.format)));
  input.Compute(source, derived);
  slot.picture = derived.Share();
  slot.is_ready.store(true, std::memory_order_release);
  return {};
}

}  // namespace acutance
