#include "backend/emu/emu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <set>

#include "backend/testing/contract.h"
#include "backend/testing/exact_probe.h"
#include "backend/testing/language_probe.h"
#include "kernel/probe/faults_args.h"

namespace acutance {

std::span<const KernelImage> ProbeImages();

namespace {

using testing::HasSubstr;

constexpr int kWaves[] = {4, 8, 16, 32, 64};
constexpr int kItems = 64;

const KernelImage& FaultsImage() {
  for (const KernelImage& image : ProbeImages())
    if (image.kernel == "faults") return image;
  std::abort();
}

std::unique_ptr<Device> Open(int wave, uint64_t seed = 1) {
  auto device = OpenEmuDevice({.wave_size = wave, .seed = seed});
  EXPECT_TRUE(device.ok()) << device.status().message();
  return std::move(device).value();
}

/// Runs the kernel of faults once; its results, one per item, are in `results` if it ended well.
Status RunFault(Device& device, int fault, int limit, std::vector<int32_t>& results) {
  results.assign(kItems, -1);
  const size_t bytes = kItems * sizeof(int32_t);
  ACU_ASSIGN_OR_RETURN(const auto buffer, device.Allocate(bytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(const auto back, device.Allocate(bytes, MemoryKind::kReadback));
  ACU_ASSIGN_OR_RETURN(const auto kernel, device.LoadKernel(FaultsImage()));
  ACU_ASSIGN_OR_RETURN(const auto queue, device.MakeQueue());
  const FaultsArgs args = {.results = buffer->address(), .fault = fault, .limit = limit};
  const Command commands[] = {LaunchCommand{kernel.get(), {}, ArgsBytes(args)},
                              CopyCommand{buffer.get(), 0, back.get(), 0, bytes}};
  ACU_ASSIGN_OR_RETURN(const auto recording, queue->Record(commands));
  ACU_RETURN_IF_ERROR(queue->Submit(*recording));
  ACU_RETURN_IF_ERROR(queue->Wait());
  std::memcpy(results.data(), back->host(), bytes);
  return {};
}

TEST(Emu, RunsEveryWordOfTheLanguage) {
  for (const int wave : kWaves)
    for (const uint64_t seed : {1, 2, 3, 4}) {
      const Status status = RunLanguageProbe(*Open(wave, seed));
      EXPECT_TRUE(status.ok()) << "wave " << wave << ", seed " << seed << ": " << status.message();
    }
}

TEST(Emu, ComputesTheExactFunctions) { EXPECT_EQ(RunExactProbe(*Open(8, 1)).message(), ""); }

TEST(Emu, ReportsDivergentBarriers) {
  std::vector<int32_t> results;
  for (const int wave : kWaves) {
    const auto device = Open(wave);
    const Status status = RunFault(*device, FAULT_DIVERGENT_BARRIER, 40, results);
    EXPECT_THAT(status.message(), HasSubstr("faults_64x1: divergent barrier or wave operation in workgroup (0, 0, 0)"));
    EXPECT_THAT(status.message(), HasSubstr("item (0, 0) is at a barrier"));
    EXPECT_TRUE(RunFault(*device, FAULT_DIVERGENT_BARRIER, kItems, results).ok()) << "all items at the barrier";
  }
}

TEST(Emu, ReportsDivergentWaveOperations) {
  std::vector<int32_t> results;
  const auto device = Open(16);
  EXPECT_THAT(RunFault(*device, FAULT_DIVERGENT_WAVE, 24, results).message(), HasSubstr("is at wave_sum"));
  ASSERT_TRUE(RunFault(*device, FAULT_DIVERGENT_WAVE, 32, results).ok()) << "whole waves may differ";
  EXPECT_EQ(results[31], 16);
  EXPECT_EQ(results[32], 32);
}

TEST(Emu, MemoryIsGarbageAtFirst) {
  std::set<int32_t> shared;
  std::set<std::byte> fresh;
  for (const uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    std::vector<int32_t> results;
    const auto device = Open(32, seed);
    ASSERT_TRUE(RunFault(*device, FAULT_UNWRITTEN_SHARED, 0, results).ok());
    shared.insert(results[0]);
    fresh.insert(device->Allocate(1, MemoryKind::kReadback).value()->host()[0]);
  }
  EXPECT_GT(shared.size(), 1u);
  EXPECT_GT(fresh.size(), 1u);
  EXPECT_FALSE(shared.contains(0));
  EXPECT_FALSE(fresh.contains(std::byte{0}));
}

TEST(Emu, SeedsShuffleTheOrderOfItems) {
  std::set<int32_t> winners;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    std::vector<int32_t> results, again;
    ASSERT_TRUE(RunFault(*Open(32, seed), FAULT_RACE, 0, results).ok());
    ASSERT_TRUE(RunFault(*Open(32, seed), FAULT_RACE, 0, again).ok());
    EXPECT_EQ(results, again) << "a seed gives one order";
    winners.insert(results[0]);
  }
  EXPECT_GT(winners.size(), 3u);
}

TEST(Emu, WorksInWaitAndNotBefore) {
  const auto device = Open(32);
  const auto from = device->Allocate(16, MemoryKind::kUpload).value();
  const auto to = device->Allocate(16, MemoryKind::kReadback).value();
  const auto queue = device->MakeQueue().value();
  const Command copy[] = {CopyCommand{from.get(), 8, to.get(), 0, 8}};
  const auto recording = queue->Record(copy).value();
  ASSERT_TRUE(queue->Submit(*recording).ok());
  std::memset(from->host(), 0x11, 16);
  ASSERT_TRUE(queue->Wait().ok());
  EXPECT_EQ(to->host()[7], std::byte{0x11});
  EXPECT_NE(to->host()[8], std::byte{0x11});
}

TEST(Emu, FulfilsTheContract) {
  TestContract(kEmuBackend, 0, FaultsImage());
  const auto device = Open(32);
  EXPECT_FALSE(device->Allocate(0, MemoryKind::kDevice).ok());
  EXPECT_EQ(device->Allocate(8, MemoryKind::kUpload).value()->address(), 0u) << "kernels read no such memory";
}

class EmuEnvironment : public testing::Test {
 protected:
  void TearDown() override {
    unsetenv("ACUTANCE_EMU_WAVE");
    unsetenv("ACUTANCE_EMU_SEED");
  }
};

TEST_F(EmuEnvironment, SetsWaveAndSeed) {
  setenv("ACUTANCE_EMU_WAVE", "8", 1);
  setenv("ACUTANCE_EMU_SEED", "77", 1);
  EXPECT_EQ(kEmuBackend.open(0).value()->info().wave_size, 8);
  EXPECT_EQ(kEmuBackend.probe().devices.at(0).driver, "wave 8, seed 77");
  EXPECT_FALSE(kEmuBackend.open(1).ok());
}

TEST_F(EmuEnvironment, RefusesNonsense) {
  setenv("ACUTANCE_EMU_WAVE", "12", 1);
  EXPECT_THAT(kEmuBackend.open(0).status().message(), HasSubstr("set ACUTANCE_EMU_WAVE to 4, 8, 16, 32 or 64"));
  EXPECT_TRUE(kEmuBackend.probe().devices.empty());
  setenv("ACUTANCE_EMU_WAVE", "8x", 1);
  EXPECT_THAT(kEmuBackend.probe().missing, HasSubstr("ACUTANCE_EMU_WAVE=8x is not a number"));
}

}  // namespace
}  // namespace acutance
