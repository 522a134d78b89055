// Built only where FFmpeg's libraries are not.
#include <gmock/gmock.h>

#include "tests/io/io_test_util.h"

namespace acutance {
namespace {

TEST(WithoutFfmpeg, ContainersAreRefusedByNameOfThePackages) {
  const test::TempDir dir;
  test::WriteFile(dir / "a.mkv", "\x1a\x45\xdf\xa3");
  const std::string message = test::ErrorOf(dir / "a.mkv");
  EXPECT_THAT(message, testing::HasSubstr("a.mkv"));
  EXPECT_THAT(message, testing::HasSubstr("libavformat-dev, libavcodec-dev and libavutil-dev"));
}

}  // namespace
}  // namespace acutance
