#include "image/npy_writer.h"

#include <gtest/gtest.h>

#include <cstring>

namespace acutance {
namespace {

TEST(NpyFile, HasTheHeaderThatNumPyReads) {
  const double values[] = {1, 2.5, -3, 0, 5, 6};
  const std::string file = NpyFile(values, 2, 3);
  ASSERT_EQ(file.size(), 128 + sizeof values);
  EXPECT_EQ(file.substr(1, 7), std::string("NUMPY\1\0", 7));
  EXPECT_EQ(static_cast<unsigned char>(file[8]) + 256 * file[9], 118);
  EXPECT_EQ(file.substr(10, 61), "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }  ");
  EXPECT_EQ(file[127], '\n');
  EXPECT_EQ(std::memcmp(file.data() + 128, values, sizeof values), 0);
}

}  // namespace
}  // namespace acutance
