#include "video/fit_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

TEST(X, Y) {}
