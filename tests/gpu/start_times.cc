#include "tests/gpu/start_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace acutance {
namespace {

constexpr size_t kRecordedBytes = 256;
constexpr int kRuns = 3;

/// A queue with the buffers of one batch; its recording does next to nothing.
struct Lane {
  std::unique_ptr<Buffer> upload, memory;
  std::unique_ptr<Queue> queue;
  std::unique_ptr<Recording> recording;
};

Result<Lane> MakeLane(Device& device, size_t bytes) {
  Lane lane;
  ACU_ASSIGN_OR_RETURN(lane.upload, device.Allocate(bytes, MemoryKind::kUpload));
  ACU_ASSIGN_OR_RETURN(lane.memory, device.Allocate(bytes + 2 * kRecordedBytes, MemoryKind::kDevice));
  ACU_ASSIGN_OR_RETURN(lane.queue, device.MakeQueue());
  const Command command =
      CopyCommand{lane.memory.get(), bytes, lane.memory.get(), bytes + kRecordedBytes, kRecordedBytes};
  ACU_ASSIGN_OR_RETURN(lane.recording, lane.queue->Record(std::span(&command, 1)));
  return lane;
}

/// The work that is started in a lane each time.
struct Work {
  bool copies, records;

  Status Start(const Lane& lane, size_t bytes) const {
    const CopyCommand copy = {lane.upload.get(), 0, lane.memory.get(), 0, bytes};
    if (copies) ACU_RETURN_IF_ERROR(lane.queue->Copy(std::span(&copy, 1)));
    return records ? lane.queue->Submit(*lane.recording) : Status();
  }
};

/// Microseconds of one of `repeats` starts, which take the lanes in turn: the least of several
/// runs.
Result<double> TimeStarts(std::span<const Lane> lanes, const Work& work, size_t bytes, int repeats) {
  double least = std::numeric_limits<double>::infinity();
  for (int run = 0; run < kRuns; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i) {
      const Lane& lane = lanes[i % lanes.size()];
      ACU_RETURN_IF_ERROR(lane.queue->Wait());
      ACU_RETURN_IF_ERROR(work.Start(lane, bytes));
    }
    for (const Lane& lane : lanes) ACU_RETURN_IF_ERROR(lane.queue->Wait());
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / repeats);
  }
  return least;
}

Status PrintRow(const std::string& name, const std::vector<Lane>& lanes, const Work& work, size_t bytes, int repeats) {
  ACU_ASSIGN_OR_RETURN(const double alone, TimeStarts(std::span(lanes).first(1), work, bytes, repeats));
  ACU_ASSIGN_OR_RETURN(const double several, TimeStarts(lanes, work, bytes, repeats));
  fmt::print("| {} | {:.1f} | {:.1f} |\n", name, alone, several);
  std::fflush(stdout);
  return {};
}

}  // namespace

Status PrintStartTimes(Device& device, std::span<const size_t> copy_bytes, int repeats) {
  constexpr int kLanes = 4;
  fmt::print("{} through {} ({}): microseconds each\n\n| started | one in flight | {} in flight |\n|---|---|---|\n",
             device.info().name, device.info().backend, device.info().driver, kLanes);
  for (const size_t bytes : copy_bytes) {
    std::vector<Lane> lanes(kLanes);
    for (Lane& lane : lanes) {
      ACU_ASSIGN_OR_RETURN(lane, MakeLane(device, bytes));
    }
    const std::string copy = fmt::format("a copy of {} KB", bytes >> 10);
    if (bytes == copy_bytes.front()) ACU_RETURN_IF_ERROR(PrintRow("a recording", lanes, {false, true}, bytes, repeats));
    ACU_RETURN_IF_ERROR(PrintRow(copy, lanes, {true, false}, bytes, repeats));
    ACU_RETURN_IF_ERROR(PrintRow(copy + ", then a recording", lanes, {true, true}, bytes, repeats));
  }
  return {};
}

}  // namespace acutance
