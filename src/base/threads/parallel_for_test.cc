#include "base/threads/parallel_for.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <stdexcept>
#include <thread>

namespace acutance {
namespace {

TEST(ParallelFor, DoesEachPieceOnce) {
  for (const int threads : {0, 1, 3, 50}) {
    std::array<std::atomic<int>, 20> done{};
    const auto piece = [&](int i) {
      ++done[i];
      return Status();
    };
    EXPECT_TRUE(ParallelFor(threads, static_cast<int>(done.size()), piece).ok());
    for (const auto& times : done) EXPECT_EQ(times, 1);
  }
  EXPECT_TRUE(ParallelFor(4, 0, [](int) { return Error(StatusCode::kIo, "none is asked for"); }).ok());
}

TEST(ParallelFor, ReportsAFailureAndDoesTheOthers) {
  std::atomic<int> done = 0;
  const Status status = ParallelFor(2, 10, [&](int i) {
    if (i == 3) throw std::runtime_error("three");
    ++done;
    return Status();
  });
  EXPECT_NE(status.message().find("three"), std::string::npos);
  EXPECT_EQ(done, 9);
}

TEST(ParallelFor, ReturnsTheFailureOfTheLowestNumber) {
  std::atomic<int> failed = 0;
  const Status status = ParallelFor(3, 3, [&](int i) {
    for (int before = 2 - i; failed < before;) std::this_thread::yield();  // the last piece fails first
    ++failed;
    return Error(StatusCode::kIo, "{}", i);
  });
  EXPECT_EQ(status.message(), "0");
}

}  // namespace
}  // namespace acutance
