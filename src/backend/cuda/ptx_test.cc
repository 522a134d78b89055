// The embedded PTX of every kernel for NVIDIA GPUs, and the machine code that ptxas makes of it.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "exec/kernel_image.h"

namespace acutance {
namespace {

using ::testing::HasSubstr;

std::string_view Text(const KernelBinary& binary) {
  return {reinterpret_cast<const char*>(binary.code.data()), binary.code.size()};
}

const KernelBinary* Ptx(const KernelImage& image) {
  for (const KernelBinary& binary : image.binaries)
    if (binary.backend == "cuda" && binary.target == "ptx") return &binary;
  return nullptr;
}

struct File {
  std::string_view kernel;  // one of its kernels
  std::string_view text;
};

/// The files behind the images: several kernels may stand in one.
std::map<const std::byte*, File> Files() {
  std::map<const std::byte*, File> files;
  for (const KernelImage& image : KernelImages())
    if (const KernelBinary* ptx = Ptx(image)) files[ptx->code.data()] = {image.symbol, Text(*ptx)};
  return files;
}

/// What a command prints; empty when it fails.
std::string Output(const std::string& command) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(::popen((command + " 2>&1").c_str(), "r"), ::pclose);
  std::string text;
  std::array<char, 4096> part;
  while (pipe && std::fgets(part.data(), part.size(), pipe.get())) text += part.data();
  return text;
}

class PtxTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (Files().empty()) GTEST_SKIP() << "this build has no CUDA kernels (clang-19 was not found)";
  }
};

TEST_F(PtxTest, HoldsEveryKernelWithItsWorkgroup) {
  for (const KernelImage& image : KernelImages()) {
    const KernelBinary* ptx = Ptx(image);
    ASSERT_NE(ptx, nullptr) << image.symbol;
    const std::string_view text = Text(*ptx);
    const size_t entry = text.find(fmt::format(".entry {}(", image.symbol));
    ASSERT_NE(entry, std::string_view::npos) << image.symbol;
    const std::string head(text.substr(entry, text.find('{', entry) - entry));
    EXPECT_THAT(head, HasSubstr(fmt::format("[{}]", image.args_bytes))) << "the argument struct has another size";
    EXPECT_THAT(head, HasSubstr(fmt::format(".maxntid {}", image.group_x * image.group_y)));
  }
}

// Contraction would change bits. PTX that names no fma and rounds every operation (.rn) is not contracted by ptxas.
TEST_F(PtxTest, FusesNoMultiplyAndAdd) {
  for (const auto& [code, file] : Files()) {
    const std::string_view text = file.text;
    // The logarithms of speed_blocks and the powers of float_adm ask for fused operations of doubles
    // (math/exact_math.kernel.h), light and what is made of it for those of floats (kernel/fused.kernel.h).
    const bool asks_for_doubles =
        file.kernel.starts_with("speed_blocks") ||
        (file.kernel.starts_with("float_adm") && file.kernel.find("_power_") != std::string_view::npos);
    const bool asks_for_floats = std::ranges::any_of(
        std::to_array({"linear_rgb", "ssimulacra2", "butteraugli", "hdr_light", "pu_", "delta_e_itp"}),
        [&](const char* name) { return file.kernel.starts_with(name); });
    EXPECT_EQ(text.find(asks_for_doubles  ? "fma.rn.f32"
                        : asks_for_floats ? "fma.rn.f64"
                                          : "fma."),
              std::string_view::npos)
        << file.kernel;
    EXPECT_EQ(text.find("mad.f"), std::string_view::npos);
    for (const char* bare : {"add.f32", "add.f64", "sub.f32", "sub.f64", "mul.f32", "mul.f64"})
      EXPECT_EQ(text.find(bare), std::string_view::npos) << bare << " lets ptxas choose";
    for (const char* fast : {".approx", ".ftz"})
      for (size_t at = text.find(fast); at != std::string_view::npos; at = text.find(fast, at + 1))
        EXPECT_THAT(text.substr(text.rfind('\n', at) + 1, 40), HasSubstr("rcp.approx.ftz.f32"))
            << fast << " is for estimate_reciprocal() alone";
  }
}

// What a kernel reads, no kernel writes at the same time: all reads may take the read-only path, except those of
// cambi_select and cvvdp_stream, whose items read what they wrote themselves.
TEST_F(PtxTest, ReadsThroughTheReadOnlyCache) {
  for (const auto& [code, file] : Files()) {
    if (file.kernel.starts_with("cambi_select") || file.kernel.starts_with("cvvdp_stream")) continue;
    const std::string_view text = file.text;
    size_t reads = 0;
    for (size_t at = text.find("ld.global"); at != std::string::npos; at = text.find("ld.global", at + 1)) {
      EXPECT_EQ(text.substr(at, 12), "ld.global.nc") << text.substr(at, 60);
      ++reads;
    }
    EXPECT_GT(reads, 0u);
  }
}

TEST_F(PtxTest, SpillsNoRegister) {
  if (std::string_view(PTXAS).empty()) GTEST_SKIP() << "ptxas (of the CUDA toolkit) was not found";
  const auto file = std::filesystem::path(::testing::TempDir()) / fmt::format("acutance_ptx_test_{}.ptx", ::getpid());
  for (const auto& [code, ptx] : Files()) {
    std::ofstream(file) << ptx.text;
    for (const char* target : {"sm_75", "sm_90"}) {
      const std::string report = Output(fmt::format("{} -v -arch={} -o /dev/null {}", PTXAS, target, file.string()));
      EXPECT_THAT(report, HasSubstr("registers")) << "ptxas refused the kernels";
      for (size_t at = report.find("bytes spill stores"); at != std::string::npos;
           at = report.find("bytes spill stores", at + 1)) {
        const size_t line = report.rfind('\n', at) + 1;
        EXPECT_THAT(report.substr(line, report.find('\n', at) - line),
                    HasSubstr(" 0 bytes spill stores, 0 bytes spill loads"))
            << target << ": " << report;
      }
    }
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace acutance
