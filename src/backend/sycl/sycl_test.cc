// The search for the plugin and the runtime, and the errors where they are missing. Needs neither.
#include "backend/sycl/plugin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace acutance {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class SyclTest : public ::testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("ACUTANCE_SYCL_PLUGIN");
    ::unsetenv("ACUTANCE_SYCL_RUNTIME");
  }

  static std::string MissingBecause() {
    const BackendProbe probe = kSyclBackend.probe();
    EXPECT_THAT(probe.devices, IsEmpty());
    const auto device = kSyclBackend.open(0);
    EXPECT_FALSE(device.ok());
    EXPECT_EQ(device.status().code(), StatusCode::kNoDevice);
    EXPECT_EQ(device.status().message(), probe.missing);
    return probe.missing;
  }
};

TEST_F(SyclTest, SaysWhatToBuildWithoutAPlugin) {
  ::setenv("ACUTANCE_SYCL_PLUGIN", "/nowhere/libacutance_sycl.so", 1);
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("no SYCL plugin"), HasSubstr("no /nowhere/libacutance_sycl.so"),
                                      HasSubstr("tools/sycl_runtime.sh")));
}

TEST_F(SyclTest, SaysWhatToInstallWithoutARuntime) {
  ::setenv("ACUTANCE_SYCL_PLUGIN", OTHER_PLUGIN, 1);
  ::setenv("ACUTANCE_SYCL_RUNTIME", "/nowhere", 1);
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("no SYCL runtime"), HasSubstr("libsycl.so"), HasSubstr("in /nowhere"),
                                      HasSubstr("pip install dpcpp-cpp-rt"), HasSubstr("ACUTANCE_SYCL_RUNTIME")));
}

TEST_F(SyclTest, ReportsWhyARuntimeDoesNotLoad) {
  ::setenv("ACUTANCE_SYCL_PLUGIN", OTHER_PLUGIN, 1);
  ::setenv("ACUTANCE_SYCL_RUNTIME", BROKEN_RUNTIME, 1);
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr(BROKEN_RUNTIME), HasSubstr("invalid ELF header")));
}

TEST_F(SyclTest, RefusesAPluginOfAnotherBuild) {
  ::setenv("ACUTANCE_SYCL_PLUGIN", OTHER_PLUGIN, 1);
  ::setenv("ACUTANCE_SYCL_RUNTIME", FAKE_RUNTIME, 1);
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr("another build"), HasSubstr("of yesterday")));
}

TEST_F(SyclTest, RefusesALibraryThatIsNoPlugin) {
  ::setenv("ACUTANCE_SYCL_PLUGIN", NO_PLUGIN, 1);
  ::setenv("ACUTANCE_SYCL_RUNTIME", FAKE_RUNTIME, 1);
  EXPECT_THAT(MissingBecause(), AllOf(HasSubstr(NO_PLUGIN), HasSubstr("is no SYCL plugin")));
  ::setenv("ACUTANCE_SYCL_PLUGIN", BROKEN_RUNTIME "/lib/" RUNTIME_FILE, 1);
  EXPECT_THAT(MissingBecause(), HasSubstr("does not load"));
}

/// Intel's driver for CPUs next to the runtime: a library is a guest, and does not point the loader to it.
TEST_F(SyclTest, SetsNoVariableOfItsProgram) {
  const std::filesystem::path driver = std::filesystem::path(FAKE_RUNTIME) / "libintelocl.so";
  std::ofstream(driver) << "a driver";
  const char* const name = "OCL_ICD_FILENAMES";
  const char* const found = std::getenv(name);
  const std::string before = found ? found : "";
  ::unsetenv(name);
  ::setenv("ACUTANCE_SYCL_PLUGIN", OTHER_PLUGIN, 1);
  ::setenv("ACUTANCE_SYCL_RUNTIME", FAKE_RUNTIME, 1);
  EXPECT_THAT(MissingBecause(), HasSubstr("another build"));
  EXPECT_EQ(std::getenv(name), nullptr);
  if (found) ::setenv(name, before.c_str(), 1);
  std::filesystem::remove(driver);
}

TEST_F(SyclTest, ProbesThisMachineWithoutFailing) {
  const BackendProbe probe = kSyclBackend.probe();
  EXPECT_EQ(probe.devices.empty(), !probe.missing.empty()) << probe.missing;
}

}  // namespace
}  // namespace acutance
