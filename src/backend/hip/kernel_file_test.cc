// Files of code objects: what is believed of them, and what is said where there is none.
#include "backend/hip/kernel_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/temp_dir.h"
#include "exec/kernel_image.h"

namespace acutance::hip {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class KernelFileTest : public ::testing::Test {
 protected:
  ~KernelFileTest() override { ::unsetenv("ACUTANCE_HIP_KERNELS"); }

  static std::string FirstLine(std::string_view family = "gfx1100") {
    return fmt::format("acutance kernels {} {}\n", KernelsIdentity(), family);
  }

  /// A file with those lines, and bytes up to 256 that are the low bytes of their offsets.
  std::filesystem::path Write(const std::string& text, std::string_view name = "gfx1100.kernels") {
    std::string content = text;
    while (content.size() < 256) content.push_back(static_cast<char>(content.size()));
    const std::filesystem::path path = folder_.path() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path;
  }

  Status Refusal(const std::string& text) { return KernelFile::Read(Write(text), "gfx1100").status(); }

  const test::TempDir folder_;
};

TEST_F(KernelFileTest, FindsTheCodeOfAKernel) {
  const auto file = KernelFile::Read(Write(FirstLine() + "fill 192 64\nadd 128 1\n\n"), "gfx1100");
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->family(), "gfx1100");
  ASSERT_EQ(file->Code("fill").size(), 64u);
  EXPECT_EQ(file->Code("fill")[0], std::byte{192});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(file->Code("fill").data()) % 16, 0u);
  ASSERT_EQ(file->Code("add").size(), 1u);
  EXPECT_EQ(file->Code("add")[0], std::byte{128});
  EXPECT_TRUE(file->Code("fil").empty());
}

TEST_F(KernelFileTest, RefusesWhatIsDamaged) {
  for (const char* lines :
       {"", "\n", "fill 192 64\n", "fill 192 65\n\n", "fill 256 1\n\n", "fill 192 0\n\n", "fill 192 -1\n\n",
        "fill -16 1\n\n", "fill 191 1\n\n", "fill 9223372036854775792 9223372036854775807\n\n", "fill 192 64 1\n\n",
        "fill 192\n\n", "fill\n\n", " \n\n", "fill x 1\n\n", "fill 99999999999999999999 1\n\n"}) {
    const Status status = Refusal(FirstLine() + lines);
    EXPECT_EQ(status.code(), StatusCode::kBadData) << lines;
    EXPECT_THAT(status.message(), AllOf(HasSubstr("gfx1100.kernels"), HasSubstr("build it anew"))) << lines;
  }
  for (const char* text : {"", "text", "acutance kernels", "\177ELF\n"})
    EXPECT_THAT(Refusal(text).message(), HasSubstr("is no file of kernels"));
}

TEST_F(KernelFileTest, RefusesTruncatedFiles) {
  const std::filesystem::path path = Write(FirstLine() + "fill 192 64\n\n");
  for (size_t size = 256; size-- > 0;) {
    std::filesystem::resize_file(path, size);
    EXPECT_FALSE(KernelFile::Read(path, "gfx1100").ok()) << size;
  }
}

TEST_F(KernelFileTest, RefusesOtherBuildsAndOtherGpus) {
  for (const std::string& line : {std::string("acutance kernels 0123456789abcdef0123456789abcdef gfx1100\n"),
                                  FirstLine("gfx1030"), std::string("acutance kernels \n")})
    EXPECT_THAT(Refusal(line + "fill 192 64\n\n").message(), HasSubstr("belongs to another build"));
}

TEST_F(KernelFileTest, RefusesWhatIsTooLarge) {
  const std::filesystem::path path = Write(FirstLine() + "fill 192 64\n\n");
  std::filesystem::resize_file(path, KernelFile::kMostBytes + 1);  // a hole
  EXPECT_THAT(KernelFile::Read(path, "gfx1100").status().message(), HasSubstr("268435457 bytes"));
}

TEST_F(KernelFileTest, NamesWhatIsMissingAndHowToBuildIt) {
  ::setenv("ACUTANCE_HIP_KERNELS", folder_.path().c_str(), 1);
  const auto missing = KernelsFor("gfx1100");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.status().code(), StatusCode::kUnsupported);
  EXPECT_THAT(missing.status().message(),
              AllOf(HasSubstr((folder_.path() / "gfx1100.kernels").string()), HasSubstr("ACUTANCE_HIP_TARGETS"),
                    HasSubstr("--target acutance_hip_kernels")));
  Write(FirstLine() + "fill 192 64\n\n");
  const auto first = KernelsFor("gfx1100"), second = KernelsFor("gfx1100");
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(*first, *second) << "modules are known by the place of their code";
}

TEST_F(KernelFileTest, LooksNextToTheProgramAndInItsLibraryFolder) {
  const auto missing = KernelsFor("gfx0");
  ASSERT_FALSE(missing.ok());
  const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const char* place : {"acutance-kernels/gfx0.kernels", "../lib/acutance-kernels/gfx0.kernels"})
    EXPECT_THAT(missing.status().message(), HasSubstr((folder / place).lexically_normal().string()));
}

}  // namespace
}  // namespace acutance::hip
