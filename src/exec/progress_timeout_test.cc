#include "exec/progress_timeout.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

namespace acutance {
namespace {

using std::chrono::milliseconds;
using Clock = ProgressTimeout::Clock;

TEST(ProgressTimeout, EndsWhereNothingEnds) {
  ProgressTimeout patience;
  patience.Limit(milliseconds(50));
  const Clock::time_point begin = Clock::now();
  const Result<bool> ended = patience.Wait([]() -> Result<bool> { return false; });
  ASSERT_TRUE(ended.ok());
  EXPECT_FALSE(*ended);
  EXPECT_GE(Clock::now() - begin, milliseconds(50));
}

/// A device that is busy with what others gave it is not given up.
TEST(ProgressTimeout, LastsWhileSomethingEnds) {
  ProgressTimeout patience;
  patience.Limit(milliseconds(400));
  const Clock::time_point begin = Clock::now();
  const auto ended_after = [&](int time) {
    return patience.Wait([&]() -> Result<bool> { return Clock::now() - begin > milliseconds(time); });
  };
  std::thread others([&] {
    for (int time = 100; time <= 900; time += 100) EXPECT_TRUE(*ended_after(time));
  });
  EXPECT_TRUE(*ended_after(1000));
  others.join();
}

TEST(ProgressTimeout, IsAMinuteUnlessTheEnvironmentSaysOtherwise) {
  ::setenv("ACUTANCE_DEVICE_TIMEOUT", "1.5", 1);
  EXPECT_EQ(ProgressTimeout::Usual(), milliseconds(1500));
  for (const char* none : {"0", "-1", "nan", "1e9", "soon"}) {
    ::setenv("ACUTANCE_DEVICE_TIMEOUT", none, 1);
    EXPECT_EQ(ProgressTimeout::Usual(), std::chrono::minutes(1)) << none;
  }
  ::unsetenv("ACUTANCE_DEVICE_TIMEOUT");
}

}  // namespace
}  // namespace acutance
