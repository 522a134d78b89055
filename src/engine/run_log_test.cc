#include "engine/run_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace acutance {
namespace {

TEST(RunLog, TheFirstErrorStays) {
  RunLog log(nullptr);
  EXPECT_TRUE(log.ok());
  log.Fail({});
  EXPECT_TRUE(log.ok());
  log.Fail(Error(StatusCode::kIo, "first"));
  log.Fail(Error(StatusCode::kBadData, "second"));
  EXPECT_FALSE(log.ok());
  EXPECT_EQ(log.status().message(), "first");
}

TEST(RunLog, WarningsAreRecordedAndReported) {
  std::vector<std::string> reported;
  RunLog log([&](const std::string& warning) {
    reported.push_back(warning);
    EXPECT_EQ(log.warnings().size(), reported.size()) << "no lock is held meanwhile";
  });
  log.Warn("one");
  log.Warn("two");
  EXPECT_THAT(reported, testing::ElementsAre("one", "two"));
  EXPECT_EQ(log.warnings(), reported);
  EXPECT_TRUE(log.ok());
}

}  // namespace
}  // namespace acutance
