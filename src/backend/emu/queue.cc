#include "backend/emu/queue.h"

#include <algorithm>
#include <cstring>

#include "backend/emu/buffer.h"
#include "backend/emu/kernel.h"
#include "backend/emu/workgroup.h"

namespace acutance {
namespace {

Status CheckEnd(const char* side, const Buffer& buffer, size_t offset, size_t bytes) {
  if (offset <= buffer.bytes() && bytes <= buffer.bytes() - offset) return {};
  return Error(StatusCode::kInvalidArgument, "emu: a copy {} bytes {} to {} of a buffer of {} bytes", side, offset,
               offset + bytes, buffer.bytes());
}

Status Check(const CopyCommand& copy) {
  ACU_RETURN_IF_ERROR(CheckEnd("reads", *copy.from, copy.from_offset, copy.bytes));
  return CheckEnd("writes", *copy.to, copy.to_offset, copy.bytes);
}

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
  submitted_.push_back(static_cast<const EmuRecording*>(&recording));
  return {};
}

Status EmuQueue::Wait() {
  const std::vector<const EmuRecording*> recordings = std::exchange(submitted_, {});
  for (const EmuRecording* recording : recordings)
    for (const Command& command : recording->commands())
      ACU_RETURN_IF_ERROR(std::visit([this](const auto& which) { return Run(which); }, command));
  return {};
}

Status EmuQueue::Run(const CopyCommand& copy) {
  std::memcpy(static_cast<const EmuBuffer*>(copy.to)->memory() + copy.to_offset,
              static_cast<const EmuBuffer*>(copy.from)->memory() + copy.from_offset, copy.bytes);
  return {};
}

Status EmuQueue::Run(const LaunchCommand& launch) {
  std::vector<GroupPlace> places = AllGroups(launch.grid);
  std::shuffle(places.begin(), places.end(), random_);
  const EmuSettings settings = {.wave_size = settings_.wave_size, .seed = random_()};
  Workgroup group(settings, static_cast<const EmuKernel*>(launch.kernel)->image(), launch.grid);
  for (const GroupPlace& place : places) ACU_RETURN_IF_ERROR(group.Run(place, launch.args.data()));
  return {};
}

}  // namespace acutance
