// Built only where containers are not read.
#include <gmock/gmock.h>

#include "tests/io/io_test_util.h"

namespace acutance {
namespace {

TEST(WithoutFfmpeg, ContainersAreRefusedByNameOfTheOption) {
  const test::TempDir dir;
  test::WriteFile(dir / "a.mkv", "\x1a\x45\xdf\xa3");
  const std::string message = test::ErrorOf(dir / "a.mkv");
  EXPECT_THAT(message, testing::HasSubstr("a.mkv"));
  EXPECT_THAT(message, testing::HasSubstr("-DACUTANCE_FFMPEG=ON"));
}

}  // namespace
}  // namespace acutance
