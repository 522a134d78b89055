#include "metric/null/null.h"

#include <gtest/gtest.h>

#include "metric/testing/metric_run.h"
#include "metric/testing/pictures.h"

namespace acutance {
namespace {

TEST(Null, ReadsAndWritesNothing) {
  const PictureFormat format = {1, 1, 16, PixelFormat::k400};
  const TestMetric null(kNullMetric, {}, format);
  EXPECT_TRUE(InputsOf(kNullMetric, null.options()).empty());
  const Picture black = MakeTestPicture(format, [](int, int, int) { return 0; });
  EXPECT_TRUE(null.Values(black, black).empty());
}

}  // namespace
}  // namespace acutance
