// Preloaded library in which the n-th call of operator new fails. $FAIL_ALLOCATION_AT is n, counted from 0, and
// $START_THREADS the number of threads that the system starts; programs may also call its functions.
#include "tests/faults/fail_alloc.h"

#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr int64_t kNever = -1;

std::atomic<int64_t> g_count = 0;
std::atomic<int64_t> g_threads = 0;
constinit std::atomic<int64_t> g_most_threads = kNever;
constinit std::atomic<int64_t> g_fail_from = kNever, g_fail_to = kNever, g_fail_step = 1;

using MainFunction = int (*)(int, char**, char**);
MainFunction g_main;

/// Counts from here: no code can catch what the initialization of globals throws.
int CountingMain(int argc, char** argv, char** environment) {
  const char* text = std::getenv("FAIL_ALLOCATION_AT");
  fail_allocation_at(text ? std::atoll(text) : kNever);
  const char* threads = std::getenv("START_THREADS");
  start_threads(threads ? std::atoll(threads) : kNever);
  return g_main(argc, argv, environment);
}

void* Allocate(size_t bytes, size_t align) {
  const int64_t number = g_count++;
  const bool fails = number >= g_fail_from && number < g_fail_to && (number - g_fail_from) % g_fail_step == 0;
  bytes = std::max(bytes, align);
  void* const memory = fails ? nullptr
                       : align <= alignof(std::max_align_t)
                           ? std::malloc(bytes)
                           : std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

/// The C library's entry into a program.
extern "C" int __libc_start_main(MainFunction program, int argc, char** argv, void (*init)(), void (*fini)(),
                                 void (*loader_fini)(), void* stack_end) {
  using Start = int (*)(MainFunction, int, char**, void (*)(), void (*)(), void (*)(), void*);
  const auto start = reinterpret_cast<Start>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  g_main = program;
  return start(CountingMain, argc, argv, init, fini, loader_fini, stack_end);
}

/// Fails as under a container's or a user's limit.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*body)(void*),
                              void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto create = reinterpret_cast<Create>(::dlsym(RTLD_NEXT, "pthread_create"));
  const int64_t number = g_threads++;
  if (g_most_threads != kNever && number >= g_most_threads) return EAGAIN;
  return create(thread, attributes, body, argument);
}

extern "C" int64_t start_threads(int64_t count) {
  g_most_threads = count;
  return g_threads.exchange(0);
}

extern "C" int64_t fail_allocations(int64_t n, int64_t count, int64_t step) {
  g_fail_to = kNever;
  g_fail_from = n;
  g_fail_step = step;
  const int64_t counted = g_count.exchange(0);
  if (n != kNever) g_fail_to = n + count * step;
  return counted;
}

extern "C" int64_t fail_allocation_at(int64_t n) { return fail_allocations(n, 1, 1); }

// The C++ library's other forms call these.
void* operator new(size_t bytes) { return Allocate(bytes, 1); }
void* operator new(size_t bytes, std::align_val_t align) { return Allocate(bytes, static_cast<size_t>(align)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
