#include "base/usable_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <fstream>

#include "base/environment.h"
#include "base/temp_dir.h"

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

/// As in containers: the process is in a group of a group, and each may have limits.
class ControlGroupsTest : public ::testing::Test {
 protected:
  void Write(const std::string& file, const std::string& text) const {
    const std::filesystem::path path = std::filesystem::path(groups_.folder) / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  const test::TempDir folder_;
  const ControlGroups groups_{folder_ / "groups", folder_ / "groups/own"};
};

TEST_F(ControlGroupsTest, HaveQuotas) {
  const int all = UsableCpus();
  Write("own", "0::/a/b\n");
  EXPECT_EQ(UsableCpus(groups_), all);
  Write("a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(UsableCpus(groups_), all);
  Write("a/cpu.max", "90000 100000\n");
  EXPECT_EQ(UsableCpus(groups_), 1) << "of the group around it";
  Write("own", "4:cpuacct,cpu:/c\n");
  EXPECT_EQ(UsableCpus(groups_), all);
  Write("cpu/c/cpu.cfs_quota_us", "100000\n");
  Write("cpu/c/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(UsableCpus(groups_), 1) << "version 1";
}

TEST_F(ControlGroupsTest, HaveLimitsOnMemory) {
  Write("own", "0::/a\n");
  Write("a/memory.max", "5000000\n");
  Write("a/memory.current", "1000000\n");
  EXPECT_EQ(AvailableMemory(groups_), 4'000'000u);
  Write("memory.max", "3000000\n");
  EXPECT_EQ(AvailableMemory(groups_), 3'000'000u) << "of the group around it";
  Write("own", "7:memory:/m\n");
  Write("memory.max", "max\n");
  Write("memory/m/memory.limit_in_bytes", "2000000\n");
  EXPECT_EQ(AvailableMemory(groups_), 2'000'000u) << "version 1";
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
