#include "base/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "base/temp_dir.h"

namespace acutance {
namespace {

TEST(Trace, WritesSpansOfAllThreads) {
  const test::TempDir folder;
  { const TraceSpan before("before"); }
  ASSERT_TRUE(Trace::Start(folder / "trace.json").ok());
  EXPECT_FALSE(Trace::Start(folder / "other.json").ok());
  {
    const TraceSpan outer("outer", 7);
    std::jthread([] { const TraceSpan inner("inner"); }).join();
  }
  ASSERT_TRUE(Trace::Stop().ok());
  { const TraceSpan after("after"); }

  std::ifstream file(folder / "trace.json");
  const nlohmann::json events = nlohmann::json::parse(file);
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0]["name"], "inner");
  EXPECT_EQ(events[1]["name"], "outer");
  EXPECT_EQ(events[1]["args"]["frame"], 7);
  EXPECT_NE(events[0]["tid"], events[1]["tid"]);
  EXPECT_LE(events[1]["ts"], events[0]["ts"]);
  EXPECT_GE(events[1]["dur"], events[0]["dur"]);
  EXPECT_EQ(events[2]["name"], "end");
}

TEST(Trace, NamesTheFileThatItCannotWrite) {
  EXPECT_THAT(Trace::Start("/nowhere/trace.json").message(), testing::HasSubstr("/nowhere/trace.json"));
  EXPECT_FALSE(Trace::is_on());
}

}  // namespace
}  // namespace acutance
