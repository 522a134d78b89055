#include "backend/emu/queue.h"

#include <algorithm>
#include <cstring>

#include "backend/emu/buffer.h"
#include "backend/emu/flush_subnormals.h"
#include "backend/emu/kernel.h"
#include "backend/emu/workgroup.h"
#include "exec/check_copy.h"

namespace acutance {
namespace {

Status Check(const CopyCommand& copy) { return CheckCopy(copy); }

Status Check(const LaunchCommand& launch) {
  const KernelImage& image = static_cast<const EmuKernel*>(launch.kernel)->image();
  if (launch.args.size() != image.args_bytes)
    return Error(StatusCode::kInvalidArgument, "emu: kernel {} takes {} bytes of arguments, it was given {}",
                 image.symbol, image.args_bytes, launch.args.size());
  if (launch.grid.x >= 1 && launch.grid.y >= 1 && launch.grid.z >= 1) return {};
  return Error(StatusCode::kInvalidArgument, "emu: kernel {} was launched on an empty grid: {}x{}x{} workgroups",
               image.symbol, launch.grid.x, launch.grid.y, launch.grid.z);
}

std::vector<GroupPlace> AllGroups(const Grid& grid) {
  std::vector<GroupPlace> places;
  places.reserve(static_cast<size_t>(grid.x) * grid.y * grid.z);
  for (int z = 0; z < grid.z; ++z)
    for (int y = 0; y < grid.y; ++y)
      for (int x = 0; x < grid.x; ++x) places.push_back({x, y, z});
  return places;
}

}  // namespace

Result<std::unique_ptr<Recording>> EmuQueue::Record(std::span<const Command> commands) {
  for (const Command& command : commands)
    ACU_RETURN_IF_ERROR(std::visit([](const auto& which) { return Check(which); }, command));
  return std::unique_ptr<Recording>(std::make_unique<EmuRecording>(commands));
}

Status EmuQueue::Submit(Recording& recording) {
  submitted_.emplace_back(static_cast<const EmuRecording*>(&recording));
  return {};
}

Status EmuQueue::Copy(std::span<const CopyCommand> copies) {
  for (const CopyCommand& copy : copies) ACU_RETURN_IF_ERROR(Check(copy));
  submitted_.emplace_back(std::vector<Command>(copies.begin(), copies.end()));
  return {};
}

Status EmuQueue::Wait() {
  for (const auto& work : std::exchange(submitted_, {})) {
    const auto* copies = std::get_if<std::vector<Command>>(&work);
    ACU_RETURN_IF_ERROR(RunAll(copies ? *copies : std::get<const EmuRecording*>(work)->commands()));
  }
  return {};
}

Status EmuQueue::RunAll(std::span<const Command> commands) {
  for (const Command& command : commands)
    ACU_RETURN_IF_ERROR(std::visit([this](const auto& which) { return Run(which); }, command));
  return {};
}

Status EmuQueue::Run(const CopyCommand& copy) {
  std::byte* to = static_cast<const EmuBuffer*>(copy.to)->memory() + copy.to_offset;
  const std::byte* from = static_cast<const EmuBuffer*>(copy.from)->memory() + copy.from_offset;
  if (copy.to_extent() == 0) return {};
  for (size_t row = 0; row < copy.rows; ++row)
    std::memcpy(to + row * copy.to_stride, from + row * copy.from_stride, copy.bytes);
  return {};
}

Status EmuQueue::Run(const LaunchCommand& launch) {
  std::vector<GroupPlace> places = AllGroups(launch.grid);
  std::shuffle(places.begin(), places.end(), random_);
  const EmuSettings settings = {.wave_size = settings_.wave_size, .seed = random_()};
  Workgroup group(settings, static_cast<const EmuKernel*>(launch.kernel)->image(), launch.grid);
  const FlushSubnormals flush;
  for (const GroupPlace& place : places) ACU_RETURN_IF_ERROR(group.Run(place, launch.args.data()));
  return {};
}

}  // namespace acutance
