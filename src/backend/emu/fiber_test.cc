// Built twice: with the switch of stacks of this processor, and with the portable one (CMakeLists.txt).
#include "backend/emu/fiber.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <vector>

namespace acutance {
namespace {

struct Counter {
  int steps;
  uint64_t seen = 0;
  double sum = 0;
};

/// More live values than there are registers, across every yield.
void Count(void* argument) {
  Counter& counter = *static_cast<Counter*>(argument);
  uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;
  double x = 0.5;
  for (int i = 0; i < counter.steps; ++i) {
    Fiber::Yield();
    a += b, b += c, c += d, d += e, e += f, f += g, g += h, h += a;
    x += 0.25;
    counter.seen = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
    counter.sum = x;
  }
}

uint64_t Expected(int steps) {
  uint64_t v[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  for (int i = 0; i < steps; ++i)
    for (int k = 0; k < 8; ++k) v[k] += v[(k + 1) % 8];
  return std::accumulate(std::begin(v), std::end(v), uint64_t{0}, [](uint64_t x, uint64_t y) { return x ^ y; });
}

TEST(Fiber, GoesOnWhereItYielded) {
  std::vector<Fiber> fibers(3);
  Counter counters[3] = {{10}, {20}, {30}};
  for (int step = 0; step <= 30; ++step)
    for (int i = 0; i < 3; ++i)
      if (step <= counters[i].steps) fibers[i].Resume(Count, &counters[i]);
  for (const Counter& counter : counters) {
    EXPECT_EQ(counter.seen, Expected(counter.steps));
    EXPECT_EQ(counter.sum, 0.5 + 0.25 * counter.steps);
  }
}

TEST(Fiber, StartsAgainAfterItsEnd) {
  Fiber fiber;
  for (int round = 0; round < 3; ++round) {
    Counter counter = {2};
    for (int i = 0; i < 3; ++i) fiber.Resume(Count, &counter);
    EXPECT_EQ(counter.seen, Expected(2));
  }
}

TEST(Fiber, StartsAfreshWhenAbandoned) {
  Fiber fiber;
  Counter first = {5}, second = {1};
  fiber.Resume(Count, &first);
  fiber.Resume(Count, &first);
  fiber.Abandon();
  fiber.Resume(Count, &second);
  fiber.Resume(Count, &second);
  EXPECT_EQ(first.seen, Expected(1));
  EXPECT_EQ(second.seen, Expected(1));
}

TEST(Fiber, ResumesAnother) {
  struct Nest {
    Fiber inner;
    Counter counter = {1};
    bool inner_yielded = false;
  } nest;
  Fiber outer;
  const auto run = [](void* argument) {
    Nest& n = *static_cast<Nest*>(argument);
    n.inner.Resume(Count, &n.counter);
    n.inner_yielded = n.counter.seen == 0;
    Fiber::Yield();
    n.inner.Resume(Count, &n.counter);
  };
  outer.Resume(run, &nest);
  EXPECT_TRUE(nest.inner_yielded);
  outer.Resume(run, &nest);
  EXPECT_EQ(nest.counter.seen, Expected(1));
}

TEST(Fiber, HasAnAlignedStack) {
  Fiber fiber;
  uintptr_t address = 1;
  fiber.Resume(
      [](void* argument) {
        alignas(16) volatile char local[16] = {};
        *static_cast<uintptr_t*>(argument) = reinterpret_cast<uintptr_t>(&local) % 16;
      },
      &address);
  EXPECT_EQ(address, 0u);
}

}  // namespace
}  // namespace acutance
