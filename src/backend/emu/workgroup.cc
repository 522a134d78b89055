#include "backend/emu/workgroup.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace acutance {
namespace {

constexpr std::string_view kStateNames[] = {"ready", "at a barrier", "at wave_sum", "at wave_xor", "at the end"};

thread_local void* current_item = nullptr;

}  // namespace

Workgroup::Workgroup(const EmuSettings& settings, const KernelImage& kernel, const Grid& grid)
    : settings_(settings),
      kernel_(kernel),
      random_(settings.seed),
      items_(static_cast<size_t>(kernel.group_x) * kernel.group_y),
      states_(items_.size()),
      carrier_of_(items_.size()),
      order_(items_.size()),
      shared_(std::make_unique_for_overwrite<std::byte[]>(kernel.shared_bytes)) {
  const int count = static_cast<int>(items_.size()), wave = settings.wave_size;
  for (int i = 0; i < count; ++i) {
    items_[i].view = {.local_x = i % kernel.group_x,
                      .local_y = i / kernel.group_x,
                      .group_x = 0,
                      .group_y = 0,
                      .group_z = 0,
                      .groups_x = grid.x,
                      .groups_y = grid.y,
                      .wave_size = wave,
                      .wave_lane = i % wave,
                      .wave_index = i / wave,
                      .wave_count = (count + wave - 1) / wave,
                      .barrier = Barrier,
                      .wave_sum = WaveSum,
                      .wave_xor = WaveXor};
    items_[i].group = this;
  }
  std::iota(order_.begin(), order_.end(), uint32_t{0});
  idle_.reserve(items_.size());  // carriers come back in fibers, where nothing may throw
}

Status Workgroup::Run(const GroupPlace& place, const std::byte* args) {
  args_ = args;
  Enter(place);
  for (;;) {
    RunReadyItems();
    if (ReleaseWaves()) continue;
    if (AllAre(State::kDone, 0, items_.size())) return {};
    if (!AllAre(State::kAtBarrier, 0, items_.size())) return Divergence(place);
    std::fill(states_.begin(), states_.end(), State::kReady);
  }
}

void Workgroup::Enter(const GroupPlace& place) {
  std::fill(states_.begin(), states_.end(), State::kReady);
  for (Item& item : items_) {
    item.view.group_x = place.x;
    item.view.group_y = place.y;
    item.view.group_z = place.z;
  }
  std::memset(shared_.get(), static_cast<int>(random_() | 0x81), kernel_.shared_bytes);  // never zero
}

void Workgroup::RunReadyItems() {
  std::shuffle(order_.begin(), order_.end(), random_);
  turn_ = 0;
  while (FindReadyItem()) NextCarrier().fiber.Resume();
}

/// Moves to the next ready item of the order.
bool Workgroup::FindReadyItem() {
  while (turn_ < order_.size() && states_[order_[turn_]] != State::kReady) ++turn_;
  return turn_ < order_.size();
}

/// Makes the item that was found the running one.
size_t Workgroup::TakeTurn() {
  const size_t index = order_[turn_++];
  current_item = &items_[index];
  acu_emu_item = &items_[index].view;
  return index;
}

/// What continues with the item that was found, or begins it.
Workgroup::Carrier& Workgroup::NextCarrier() {
  if (Carrier* carrier = carrier_of_[order_[turn_]]) {
    TakeTurn();
    return *carrier;
  }
  if (idle_.empty()) return *carriers_.emplace_back(std::make_unique<Carrier>(this));
  Carrier* carrier = idle_.back();
  idle_.pop_back();
  return *carrier;
}

bool Workgroup::AllAre(State state, size_t first, size_t last) const {
  return std::all_of(states_.begin() + first, states_.begin() + last, [&](State other) { return other == state; });
}

bool Workgroup::ReleaseWaves() {
  bool released = false;
  const size_t wave = settings_.wave_size;
  for (size_t first = 0; first < items_.size(); first += wave) {
    const size_t last = std::min(first + wave, items_.size());
    if (!AllAre(State::kAtWaveSum, first, last) && !AllAre(State::kAtWaveXor, first, last)) continue;
    FinishWaveOperation(first, last);
    released = true;
  }
  return released;
}

void Workgroup::FinishWaveOperation(size_t first, size_t last) {
  uint64_t sum = 0;
  for (size_t i = first; i < last; ++i) sum += items_[i].value;
  for (size_t i = first; i < last; ++i) {
    Item& item = items_[i];
    const size_t partner = first + (static_cast<size_t>(item.view.wave_lane) ^ static_cast<uint32_t>(item.mask));
    if (states_[i] == State::kAtWaveSum) item.result = sum;
    else item.result = partner < last ? items_[partner].value : ~item.value;  // no such lane: anything
  }
  std::fill(states_.begin() + first, states_.begin() + last, State::kReady);
}

Status Workgroup::Divergence(const GroupPlace& place) {
  size_t other = 0;
  for (size_t i = 0; i < items_.size(); ++i)
    if (states_[i] != states_[0]) other = i;
  const State first_state = states_[0], other_state = states_[other];
  std::fill(carrier_of_.begin(), carrier_of_.end(), nullptr);
  idle_.clear();
  for (const auto& carrier : carriers_) {
    carrier->fiber.Abandon();
    idle_.push_back(carrier.get());
  }
  return Error(StatusCode::kBadData,
               "emu: kernel {}: divergent barrier or wave operation in workgroup ({}, {}, {}): item (0, 0) is {}, item "
               "({}, {}) is {}; all items of a workgroup must reach each barrier, all of a wave each wave operation",
               kernel_.symbol, place.x, place.y, place.z, kStateNames[static_cast<int>(first_state)],
               items_[other].view.local_x, items_[other].view.local_y, kStateNames[static_cast<int>(other_state)]);
}

/// Runs items from their beginning, while the next one has not begun before; then another carrier continues, until this
/// one is asked for again.
void Workgroup::RunItems(void* argument) {
  Carrier& carrier = *static_cast<Carrier*>(argument);
  Workgroup& group = *carrier.group;
  for (;;) {
    while (group.FindReadyItem() && !group.carrier_of_[group.order_[group.turn_]]) {
      const size_t index = group.TakeTurn();
      group.carrier_of_[index] = &carrier;
      group.kernel_.emu(group.args_, group.shared_.get());
      group.states_[index] = State::kDone;
      group.carrier_of_[index] = nullptr;
    }
    group.idle_.push_back(&carrier);
    group.GoOn();
  }
}

/// Leaves the running carrier for the next ready item, or for RunReadyItems where there is none or it needs another
/// carrier: no exception leaves a fiber, so that memory is taken outside.
void Workgroup::GoOn() {
  if (FindReadyItem() && (carrier_of_[order_[turn_]] || !idle_.empty())) Fiber::YieldTo(NextCarrier().fiber);
  else Fiber::Yield();
}

Workgroup::Item& Workgroup::Current() { return *static_cast<Item*>(current_item); }

void Workgroup::Suspend(State state) {
  Item& item = Current();
  Workgroup& group = *item.group;
  group.states_[&item - group.items_.data()] = state;
  group.GoOn();
}

void Workgroup::Barrier() { Suspend(State::kAtBarrier); }

uint64_t Workgroup::WaveSum(uint64_t value) {
  Item& item = Current();
  item.value = value;
  Suspend(State::kAtWaveSum);
  return item.result;
}

uint64_t Workgroup::WaveXor(uint64_t value, int32_t mask) {
  Item& item = Current();
  item.value = value;
  item.mask = mask;
  Suspend(State::kAtWaveXor);
  return item.result;
}

}  // namespace acutance
