#include "base/system/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>

#include "base/system/process.h"

namespace acutance {
namespace {

constexpr int kSlots = 256;

/// What the signal handler reads. It runs on the thread that faults and can take no lock.
struct Slot {
  std::atomic<bool> taken = false;
  std::atomic<uintptr_t> begin = 0, end = 0;
  std::atomic<bool> lost = false;
};
Slot g_slots[kSlots];
struct sigaction g_previous;
uintptr_t g_page;

Slot* FindSlot(uintptr_t address) {
  for (Slot& slot : g_slots)
    if (address >= slot.begin && address < slot.end) return &slot;
  return nullptr;
}

void PassOn(int signal, siginfo_t* info, void* context) {
  if (g_previous.sa_flags & SA_SIGINFO) return g_previous.sa_sigaction(signal, info, context);
  if (g_previous.sa_handler != SIG_DFL && g_previous.sa_handler != SIG_IGN) return g_previous.sa_handler(signal);
  ::signal(signal, SIG_DFL);  // the fault recurs and ends the process
}

void OnBusError(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<uintptr_t>(info->si_addr);
  Slot* slot = FindSlot(address);
  if (slot != nullptr) {
    slot->lost = true;
    void* page = reinterpret_cast<void*>(address / g_page * g_page);
    if (::mmap(page, g_page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page) return;
  }
  PassOn(signal, info, context);
}

bool InstallHandler() {
  g_page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  struct sigaction ours = {};
  ours.sa_sigaction = OnBusError;
  ours.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  return ::sigaction(SIGBUS, &ours, &g_previous) == 0;
}

int TakeSlot() {
  for (int i = 0; i < kSlots; ++i)
    if (!g_slots[i].taken.exchange(true)) return i;
  return -1;
}

}  // namespace

std::shared_ptr<MappedFile> MappedFile::Map(int file, size_t bytes) {
  if (!IsMainProgram()) return nullptr;  // libraries install no signal handler
  static const bool guarded = InstallHandler();
  const int index = guarded && bytes > 0 ? TakeSlot() : -1;
  if (index < 0) return nullptr;
  Slot& slot = g_slots[index];
  void* memory = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    slot.taken = false;
    return nullptr;
  }
  ::madvise(memory, bytes, MADV_SEQUENTIAL);
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  slot.lost = false;
  slot.begin = begin;
  slot.end = begin + bytes;
  return std::shared_ptr<MappedFile>(new MappedFile({static_cast<const std::byte*>(memory), bytes}, index));
}

MappedFile::~MappedFile() {
  Slot& slot = g_slots[slot_];
  slot.end = 0;
  slot.begin = 0;
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  slot.taken = false;
}

void MappedFile::Release(std::span<const std::byte> bytes) const {
  const auto begin = reinterpret_cast<uintptr_t>(bytes.data()), end = begin + bytes.size();
  const uintptr_t first = begin / g_page * g_page;
  ::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
}

bool MappedFile::lost_pages() const { return g_slots[slot_].lost; }

}  // namespace acutance
