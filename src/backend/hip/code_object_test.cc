// The code objects for AMD GPUs, read back from their files: each GPU family has all kernels, with its own wave size
// and without spilled registers. No AMD GPU is needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "backend/hip/kernel_file.h"
#include "backend/hip/testing/code_object.h"
#include "exec/kernel_image.h"

namespace acutance {
namespace {

using hip::CodeObject;
using hip::CodeObjectKernel;
using hip::KernelFile;
using hip::KernelsFor;
using hip::ReadCodeObject;

int WaveSize(std::string_view family) { return family.starts_with("gfx9") ? 64 : 32; }

/// The GPUs that this build compiles kernels for.
std::vector<std::string> Families() {
  std::vector<std::string> families;
  std::istringstream list(HIP_TARGETS);
  for (std::string family; std::getline(list, family, ',');) families.push_back(family);
  return families;
}

class CodeObjectTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Families().empty()) GTEST_SKIP() << "this build has no HIP kernels (clang-19 or lld-19 was not found)";
  }
};

int MostSpilled(std::string_view symbol) {
  if (symbol.starts_with("float_vif_any")) return 24;
  return symbol.starts_with("ssimulacra2_rows") ? 4 : 0;
}

TEST_F(CodeObjectTest, EveryFamilyHasEveryKernelAsItWasDeclared) {
  for (const std::string& family : Families()) {
    const Result<const KernelFile*> file = KernelsFor(family);
    ASSERT_TRUE(file.ok()) << file.status().message();
    for (const KernelImage& image : KernelImages()) {
      SCOPED_TRACE(std::string(image.symbol) + " for " + family);
      const Result<CodeObject> object = ReadCodeObject((*file)->Code(image.kernel));
      ASSERT_TRUE(object.ok()) << object.status().message();
      EXPECT_THAT(object->target, ::testing::HasSubstr(family));
      const auto kernel = std::ranges::find(object->kernels, image.symbol, &CodeObjectKernel::name);
      ASSERT_NE(kernel, object->kernels.end());
      EXPECT_EQ(kernel->wave_size, WaveSize(family));
      EXPECT_EQ(kernel->max_work_items, image.group_x * image.group_y);
      EXPECT_EQ(kernel->args_bytes, static_cast<int>(image.args_bytes));
      EXPECT_LE(kernel->shared_bytes, static_cast<int>(image.shared_bytes)) << "what a kernel leaves unused may go";
      EXPECT_EQ(kernel->spilled_vector_registers, 0);
      // With a contrast other than the default, CAMBI's counts of 65 values are an array. Filters of any size make many
      // numbers that are the same for all rows and columns: Vega's waves hold some 20 of them in the lanes of one
      // vector register while the loops run, and four of the weights of SSIMULACRA2's blur.
      if (!image.symbol.starts_with("cambi_contrast_any")) {
        EXPECT_EQ(kernel->private_bytes, 0);
        EXPECT_LE(kernel->spilled_scalar_registers, MostSpilled(image.symbol));
      }
      EXPECT_GT(kernel->vector_registers, 0);
    }
  }
}

TEST_F(CodeObjectTest, ReaderRefusesTruncatedObjects) {
  const Result<const KernelFile*> file = KernelsFor(Families().front());
  ASSERT_TRUE(file.ok()) << file.status().message();
  const std::span<const std::byte> code = (*file)->Code(KernelImages().front().kernel);
  const std::vector<std::byte> whole(code.begin(), code.end());
  const size_t head = std::min<size_t>(whole.size(), 4096);
  for (size_t size = 0; size < head; ++size) {
    const std::vector<std::byte> part(whole.begin(), whole.begin() + size);  // an end that sanitizers see
    const Result<CodeObject> object = ReadCodeObject(part);
    EXPECT_TRUE(object.ok() || object.status().code() == StatusCode::kBadData) << size;
    EXPECT_TRUE(!object.ok() || size >= 64) << size << " bytes are less than a file's header";
  }
}

TEST(CodeObject, ReaderRefusesOtherFiles) {
  const std::string text = "not a code object, however long it may be: it is only text, from one end to the other end";
  EXPECT_FALSE(ReadCodeObject(std::as_bytes(std::span(text))).ok());
}

}  // namespace
}  // namespace acutance
