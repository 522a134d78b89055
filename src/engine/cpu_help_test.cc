#include "engine/cpu_help.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

using std::chrono::milliseconds;

class CpuHelpTest : public testing::Test {
 protected:
  CpuHelpTest() { help_.Start(CpuHelp::Clock::time_point()); }
  int WorkersAfter(milliseconds time, int workers) { return help_.Workers(workers, CpuHelp::Clock::time_point(time)); }
  void DevicesDo(int frames) {
    while (frames-- > 0) help_.OnDeviceFrame();
  }
  void CpuDoesOne(milliseconds work) {
    help_.OnTaken();
    help_.OnCpuFrame(work);
  }

  CpuHelp help_;
};

TEST_F(CpuHelpTest, TriesOneFrameFirst) {
  EXPECT_EQ(WorkersAfter(milliseconds(1), 0), 0);
  EXPECT_EQ(WorkersAfter(milliseconds(1), 4), 1);
  EXPECT_EQ(WorkersAfter(milliseconds(2), 4), 1) << "there was none to take";
  help_.OnTaken();
  EXPECT_EQ(WorkersAfter(milliseconds(3), 4), 0) << "it is not done yet";
}

TEST_F(CpuHelpTest, HelpsSlowDevices) {
  DevicesDo(99);  // in a second
  CpuDoesOne(milliseconds(10));
  EXPECT_EQ(WorkersAfter(milliseconds(1000), 4), 4);
  EXPECT_EQ(WorkersAfter(milliseconds(1000), 1), 1);
}

TEST_F(CpuHelpTest, LeavesFastDevicesAlone) {
  DevicesDo(9999);
  CpuDoesOne(milliseconds(10));
  EXPECT_EQ(WorkersAfter(milliseconds(1000), 12), 0);  // 1200 frames a second beside 10,000
  EXPECT_EQ(WorkersAfter(milliseconds(1000), 13), 13);
}

TEST_F(CpuHelpTest, HelpsWhenDevicesStand) {
  CpuDoesOne(milliseconds(10));
  EXPECT_EQ(WorkersAfter(milliseconds(1), 1), 0);
  EXPECT_EQ(WorkersAfter(milliseconds(100), 1), 1);
}

TEST_F(CpuHelpTest, AveragesFramesOfTheCpu) {
  DevicesDo(999);
  CpuDoesOne(milliseconds(1));
  EXPECT_EQ(WorkersAfter(milliseconds(1000), 1), 1);  // 1000 frames a second beside 1000
  for (int i = 0; i < 9; ++i) CpuDoesOne(milliseconds(11));
  EXPECT_EQ(WorkersAfter(milliseconds(1000), 1), 0);  // 100
}

}  // namespace
}  // namespace acutance
