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
  }
  std::iota(order_.begin(), order_.end(), size_t{0});
}

Status Workgroup::Run(const GroupPlace& place, const std::byte* args) {
  args_ = args;
  Enter(place);
  for (;;) {
    RunReadyItems();
    if (ReleaseWaves()) continue;
    if (AllAre(State::kDone, 0, items_.size())) return {};
    if (!AllAre(State::kAtBarrier, 0, items_.size())) return Divergence(place);
    for (Item& item : items_) item.state = State::kReady;
  }
}

void Workgroup::Enter(const GroupPlace& place) {
  for (Item& item : items_) {
    item.state = State::kReady;
    item.view.group_x = place.x;
    item.view.group_y = place.y;
    item.view.group_z = place.z;
  }
  std::memset(shared_.get(), static_cast<int>(random_() | 0x81), kernel_.shared_bytes);  // never zero
}

void Workgroup::RunReadyItems() {
  std::shuffle(order_.begin(), order_.end(), random_);
  turn_ = 0;
  while (Item* item = NextReadyItem()) {
    if (item->carrier) TakeTurn(*item);
    Carrier& carrier = item->carrier ? *item->carrier : IdleCarrier();
    carrier.fiber.Resume(RunItems, &carrier);
    if (!carrier.item) idle_.push_back(&carrier);
  }
}

Workgroup::Item* Workgroup::NextReadyItem() {
  while (turn_ < order_.size() && items_[order_[turn_]].state != State::kReady) ++turn_;
  return turn_ < order_.size() ? &items_[order_[turn_]] : nullptr;
}

void Workgroup::TakeTurn(Item& item) {
  ++turn_;
  current_item = &item;
  acu_emu_item = &item.view;
}

Workgroup::Carrier& Workgroup::IdleCarrier() {
  if (idle_.empty()) {
    carriers_.push_back(std::make_unique<Carrier>());
    carriers_.back()->group = this;
    return *carriers_.back();
  }
  Carrier* carrier = idle_.back();
  idle_.pop_back();
  return *carrier;
}

bool Workgroup::AllAre(State state, size_t first, size_t last) const {
  return std::all_of(items_.begin() + first, items_.begin() + last,
                     [&](const Item& item) { return item.state == state; });
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
    if (item.state == State::kAtWaveSum) item.result = sum;
    else item.result = partner < last ? items_[partner].value : ~item.value;  // no such lane: anything
  }
  for (size_t i = first; i < last; ++i) items_[i].state = State::kReady;
}

Status Workgroup::Divergence(const GroupPlace& place) {
  const Item& first = items_.front();
  const Item* other = &first;
  for (const Item& item : items_)
    if (item.state != first.state) other = &item;
  for (Item& item : items_) item.carrier = nullptr;
  idle_.clear();
  for (const auto& carrier : carriers_) {
    carrier->item = nullptr;
    carrier->fiber.Abandon();
    idle_.push_back(carrier.get());
  }
  return Error(StatusCode::kBadData,
               "emu: kernel {}: divergent barrier or wave operation in workgroup ({}, {}, {}): item (0, 0) is {}, item "
               "({}, {}) is {}; all items of a workgroup must reach each barrier, all of a wave each wave operation",
               kernel_.symbol, place.x, place.y, place.z, kStateNames[static_cast<int>(first.state)],
               other->view.local_x, other->view.local_y, kStateNames[static_cast<int>(other->state)]);
}

void Workgroup::RunItems(void* argument) {
  Carrier& carrier = *static_cast<Carrier*>(argument);
  Workgroup& group = *carrier.group;
  for (Item* item = group.NextReadyItem(); item && !item->carrier; item = group.NextReadyItem()) {
    group.TakeTurn(*item);
    item->carrier = &carrier;
    carrier.item = item;
    group.kernel_.emu(group.args_, group.shared_.get());
    item->state = State::kDone;
    item->carrier = nullptr;
    carrier.item = nullptr;
  }
}

Workgroup::Item& Workgroup::Current() { return *static_cast<Item*>(current_item); }

void Workgroup::Suspend(State state) {
  Current().state = state;
  Fiber::Yield();
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
