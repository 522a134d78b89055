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

TEST(Fiber, ContinuesWhereItYielded) {
  Counter counters[3] = {{10}, {20}, {30}};
  Fiber fibers[3] = {{Count, &counters[0]}, {Count, &counters[1]}, {Count, &counters[2]}};
  for (int step = 0; step <= 30; ++step)
    for (int i = 0; i < 3; ++i)
      if (step <= counters[i].steps) fibers[i].Resume();
  for (const Counter& counter : counters) {
    EXPECT_EQ(counter.seen, Expected(counter.steps));
    EXPECT_EQ(counter.sum, 0.5 + 0.25 * counter.steps);
  }
}

void RunLink(void* chain);

struct Chain {
  Fiber fibers[3] = {{RunLink, this}, {RunLink, this}, {RunLink, this}};
  std::vector<int> order;
  int begun = 0;
};

/// Begins the next fiber of the chain in its place, and continues once that has yielded or returned and it is resumed.
void RunLink(void* argument) {
  Chain& chain = *static_cast<Chain*>(argument);
  const int self = chain.begun++;
  chain.order.push_back(self);
  Fiber::YieldTo(chain.fibers[(self + 1) % 3]);
  chain.order.push_back(10 + self);
}

TEST(Fiber, YieldsToAnotherAndReturnsToWhereTheFirstWasResumed) {
  Chain chain;
  chain.fibers[0].Resume();  // 0, 1 and 2 begin, and 0 ends
  EXPECT_EQ(chain.order, (std::vector<int>{0, 1, 2, 10}));
  chain.fibers[2].Resume();
  chain.fibers[1].Resume();
  EXPECT_EQ(chain.order, (std::vector<int>{0, 1, 2, 10, 12, 11}));
}

TEST(Fiber, StartsAgainAfterItsEnd) {
  Counter counter = {2};
  Fiber fiber(Count, &counter);
  for (int round = 0; round < 3; ++round) {
    counter.seen = 0;
    for (int i = 0; i < 3; ++i) fiber.Resume();
    EXPECT_EQ(counter.seen, Expected(2));
  }
}

TEST(Fiber, StartsAfreshWhenAbandoned) {
  Counter counter = {5};
  Fiber fiber(Count, &counter);
  for (int i = 0; i < 4; ++i) fiber.Resume();
  EXPECT_EQ(counter.seen, Expected(3));
  fiber.Abandon();
  fiber.Resume();
  fiber.Resume();
  EXPECT_EQ(counter.seen, Expected(1));
}

TEST(Fiber, ResumesAnother) {
  struct Nest {
    Counter counter = {1};
    Fiber inner{Count, &counter};
    bool inner_yielded = false;
  } nest;
  const auto run = [](void* argument) {
    Nest& n = *static_cast<Nest*>(argument);
    n.inner.Resume();
    n.inner_yielded = n.counter.seen == 0;
    Fiber::Yield();
    n.inner.Resume();
  };
  Fiber outer(run, &nest);
  outer.Resume();
  EXPECT_TRUE(nest.inner_yielded);
  outer.Resume();
  EXPECT_EQ(nest.counter.seen, Expected(1));
}

TEST(Fiber, HasAnAlignedStack) {
  uintptr_t address = 1;
  Fiber fiber(
      [](void* argument) {
        alignas(16) volatile char local[16] = {};
        *static_cast<uintptr_t*>(argument) = reinterpret_cast<uintptr_t>(&local) % 16;
      },
      &address);
  fiber.Resume();
  EXPECT_EQ(address, 0u);
}

}  // namespace
}  // namespace acutance
