#include "report/junit.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

TEST(Junit, ATestCaseForEachRequirement) {
  Summary summary;
  summary.seconds = 1.5;
  const auto requirements = ParseRequirements("vmaf.p5>=90,vmaf.mean>=95");
  summary.verdicts = {Judge((*requirements)[0], "a&b.mp4", 91.5), Judge((*requirements)[1], "a&b.mp4", 93.0)};
  EXPECT_EQ(JunitXml(summary), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="2" failures="1" errors="0" time="1.500">
  <testsuite name="acutance" tests="2" failures="1" errors="0" time="1.500">
    <testcase classname="a&amp;b.mp4" name="vmaf.p5&gt;=90" time="0">
      <system-out>a&amp;b.mp4: vmaf.p5 is 91.5000, as it must be at least 90</system-out>
    </testcase>
    <testcase classname="a&amp;b.mp4" name="vmaf.mean&gt;=95" time="0">
      <failure type="requirement" message="a&amp;b.mp4: vmaf.mean is 93.0000, and must be at least 95"/>
    </testcase>
  </testsuite>
</testsuites>
)");
}

}  // namespace
}  // namespace acutance
