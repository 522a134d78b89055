// What the compiler's own libraries and headers call and glibc 2.28 has not (stub_libraries.py). Each has the name that
// its users know and is hidden, so that no other library takes it for glibc's.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#define ACU_HIDDEN __attribute__((visibility("hidden")))

extern "C" {

// 2.32. Whether counters need no atomic operations: with 0 they have them.
extern const char AcuSingleThreaded __asm__("__libc_single_threaded") ACU_HIDDEN;
const char AcuSingleThreaded = 0;

// 2.33. Before, headers turned them into calls of other names.
ACU_HIDDEN int AcuStat(const char* path, struct stat* out) __asm__("stat");
ACU_HIDDEN int AcuLstat(const char* path, struct stat* out) __asm__("lstat");
ACU_HIDDEN int AcuFstat(int file, struct stat* out) __asm__("fstat");
ACU_HIDDEN int AcuFstatat(int folder, const char* path, struct stat* out, int flags) __asm__("fstatat");

ACU_HIDDEN int AcuFstat64(int file, struct stat* out) __asm__("fstat64");

int AcuFstatat(int folder, const char* path, struct stat* out, int flags) {
  return static_cast<int>(syscall(SYS_newfstatat, folder, path, out, flags));
}
int AcuStat(const char* path, struct stat* out) { return AcuFstatat(AT_FDCWD, path, out, 0); }
int AcuLstat(const char* path, struct stat* out) { return AcuFstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW); }
int AcuFstat(int file, struct stat* out) { return static_cast<int>(syscall(SYS_fstat, file, out)); }
int AcuFstat64(int file, struct stat* out) { return AcuFstat(file, out); }

// 2.30. Waits by the other clock for what is left; callers compare with their own clock afterwards.
ACU_HIDDEN int AcuCondClockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                const timespec* until) __asm__("pthread_cond_clockwait");
int AcuCondClockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  constexpr int64_t kSecond = 1'000'000'000;
  timespec now = {};
  timespec real = {};
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &real);
  int64_t seconds = int64_t{until->tv_sec} - now.tv_sec + real.tv_sec;
  int64_t rest = int64_t{until->tv_nsec} - now.tv_nsec + real.tv_nsec;
  seconds += rest / kSecond;
  rest %= kSecond;
  if (rest < 0) {
    rest += kSecond;
    --seconds;
  }
  const timespec there = {static_cast<time_t>(seconds), static_cast<long>(rest)};
  return pthread_cond_timedwait(condition, mutex, &there);
}

// 2.36.
ACU_HIDDEN uint32_t AcuRandom() __asm__("arc4random");
uint32_t AcuRandom() {
  uint32_t value = 0;
  while (getrandom(&value, sizeof(value), 0) != sizeof(value)) {
  }
  return value;
}

// 2.35. Where the tables for unwinding a function's stack frame are.
struct AcuSearch {
  uintptr_t address;
  dl_find_object* out;
};

static int AcuVisit(dl_phdr_info* info, size_t, void* data) {
  const auto* search = static_cast<const AcuSearch*>(data);
  void* tables = nullptr;
  bool here = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && search->address >= begin && search->address < begin + header.p_memsz) {
      here = true;
      search->out->dlfo_map_start = reinterpret_cast<void*>(begin);
      search->out->dlfo_map_end = reinterpret_cast<void*>(begin + header.p_memsz);
    } else if (header.p_type == PT_GNU_EH_FRAME) {
      tables = reinterpret_cast<void*>(begin);
    }
  }
  if (!here || tables == nullptr) return here ? -1 : 0;
  search->out->dlfo_eh_frame = tables;
  return 1;
}

ACU_HIDDEN int AcuFindObject(void* address, dl_find_object* out) __asm__("_dl_find_object");
int AcuFindObject(void* address, dl_find_object* out) {
  *out = {};
  AcuSearch search = {reinterpret_cast<uintptr_t>(address), out};
  return dl_iterate_phdr(AcuVisit, &search) == 1 ? 0 : -1;
}

}  // extern "C"
