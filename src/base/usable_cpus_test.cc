#include "base/usable_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include "base/environment.h"

namespace acutance {
namespace {

TEST(UsableCpus, FollowsQuotasAndAffinity) {
  EXPECT_EQ(CpusOfQuota("200000 100000"), 2);
  EXPECT_EQ(CpusOfQuota("150000 100000"), 2);
  EXPECT_EQ(CpusOfQuota("50000 100000"), 1);
  EXPECT_EQ(CpusOfQuota("max 100000"), std::nullopt);
  EXPECT_EQ(CpusOfQuota("-1 100000"), std::nullopt);
  EXPECT_EQ(CpusOfQuota(""), std::nullopt);
  cpu_set_t all, one;
  ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
  EXPECT_EQ(UsableCpus(), 1);
  ASSERT_EQ(::sched_setaffinity(0, sizeof(all), &all), 0);
  ASSERT_TRUE(AvailableMemory().has_value());
  EXPECT_GT(*AvailableMemory(), 1'000'000u);
}

TEST(ParseBytes, ReadsUnits) {
  EXPECT_EQ(ParseBytes("800M").value(), size_t{800} << 20);
  EXPECT_EQ(ParseBytes("2GiB").value(), size_t{2} << 30);
  EXPECT_EQ(ParseBytes("64kb").value(), size_t{64} << 10);
  EXPECT_EQ(ParseBytes("1.5G").value(), size_t{3} << 29);
  EXPECT_EQ(ParseBytes("1000").value(), 1000u);
  for (const char* text : {"", "M", "-1", "1X", "1MM", "nan", "inf", "1e30", "0", "12 G"})
    EXPECT_FALSE(ParseBytes(text).ok()) << text;
}

}  // namespace
}  // namespace acutance
