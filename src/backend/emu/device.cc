// The emulator's device, with its memory and queues.
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <random>
#include <variant>
#include <vector>

#include "backend/emu/emu.h"
#include "backend/emu/workgroup.h"
#include "base/environment.h"
#include "exec/device_checks.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace acutance {
namespace {

constexpr uint32_t kSharedBytes = 32 * 1024;  // what the smallest GPUs offer

/// A separate allocation, so that the address sanitizer sees accesses beyond it, or memory that was adopted.
class EmuBuffer : public Buffer {
 public:
  EmuBuffer(std::unique_ptr<std::byte[]> owned, std::byte* memory, size_t bytes, MemoryKind kind)
      : owned_(std::move(owned)), memory_(memory), bytes_(bytes), kind_(kind) {}

  size_t bytes() const override { return bytes_; }
  uint64_t address() const override { return kind_ == MemoryKind::kUpload ? 0 : reinterpret_cast<uint64_t>(memory_); }
  std::byte* host() const override { return kind_ == MemoryKind::kDevice || !owned_ ? nullptr : memory_; }
  std::byte* memory() const { return memory_; }

 private:
  const std::unique_ptr<std::byte[]> owned_;  // null for memory that was adopted
  std::byte* const memory_;
  const size_t bytes_;
  const MemoryKind kind_;
};

struct EmuKernel : Kernel {
  explicit EmuKernel(const KernelImage& of) : image(of) {}
  const KernelImage& image;
};

struct EmuRecording : Recording {
  explicit EmuRecording(std::span<const Command> of) : commands(of.begin(), of.end()) {}
  const std::vector<Command> commands;
};

/// While it lives, this thread takes subnormal numbers for 0, as Vulkan lets a device do with floats. On x86 alone, and
/// there with doubles, too.
class FlushSubnormals {
#ifdef __SSE2__
 public:
  FlushSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | _MM_FLUSH_ZERO_ON | _MM_DENORMALS_ZERO_ON); }
  ~FlushSubnormals() { _mm_setcsr(before_); }
  FlushSubnormals(const FlushSubnormals&) = delete;

 private:
  const unsigned before_;
#else
 public:
  FlushSubnormals() {}
#endif
};

Status Check(const CopyCommand& copy) { return CheckCopy(copy); }

Status Check(const LaunchCommand& launch) {
  const KernelImage& image = static_cast<const EmuKernel*>(launch.kernel)->image;
  return CheckLaunch(launch, image.symbol, image.args_bytes);
}

std::vector<GroupPlace> AllGroups(const Grid& grid) {
  std::vector<GroupPlace> places;
  places.reserve(static_cast<size_t>(grid.x) * grid.y * grid.z);
  for (int z = 0; z < grid.z; ++z)
    for (int y = 0; y < grid.y; ++y)
      for (int x = 0; x < grid.x; ++x) places.push_back({x, y, z});
  return places;
}

/// Runs submitted work as late as the contract allows, in Wait, so that code which reads results or reuses staging
/// memory too soon fails.
class EmuQueue : public Queue {
 public:
  explicit EmuQueue(const EmuSettings& settings) : settings_(settings), random_(settings.seed) {}

  Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) override {
    for (const Command& command : commands)
      ACU_RETURN_IF_ERROR(std::visit([](const auto& which) { return Check(which); }, command));
    return std::unique_ptr<Recording>(std::make_unique<EmuRecording>(commands));
  }
  Status Submit(Recording& recording) override {
    submitted_.emplace_back(static_cast<const EmuRecording*>(&recording));
    return {};
  }
  Status Copy(std::span<const CopyCommand> copies) override {
    for (const CopyCommand& copy : copies) ACU_RETURN_IF_ERROR(Check(copy));
    submitted_.emplace_back(std::vector<Command>(copies.begin(), copies.end()));
    return {};
  }
  Status Wait() override {
    for (const auto& work : std::exchange(submitted_, {})) {
      const auto* copies = std::get_if<std::vector<Command>>(&work);
      for (const Command& command : copies ? *copies : std::get<const EmuRecording*>(work)->commands)
        ACU_RETURN_IF_ERROR(std::visit([this](const auto& which) { return Run(which); }, command));
    }
    return {};
  }

 private:
  static Status Run(const CopyCommand& copy) {
    std::byte* to = static_cast<const EmuBuffer*>(copy.to)->memory() + copy.to_offset;
    const std::byte* from = static_cast<const EmuBuffer*>(copy.from)->memory() + copy.from_offset;
    if (copy.to_extent() == 0) return {};
    for (size_t row = 0; row < copy.rows; ++row)
      std::memcpy(to + row * copy.to_stride, from + row * copy.from_stride, copy.bytes);
    return {};
  }

  Status Run(const LaunchCommand& launch) {
    std::vector<GroupPlace> places = AllGroups(launch.grid);
    std::shuffle(places.begin(), places.end(), random_);
    const EmuSettings settings = {.wave_size = settings_.wave_size, .seed = random_()};
    Workgroup group(settings, static_cast<const EmuKernel*>(launch.kernel)->image, launch.grid);
    const FlushSubnormals flush;
    for (const GroupPlace& place : places) ACU_RETURN_IF_ERROR(group.Run(place, launch.args.data()));
    return {};
  }

  const EmuSettings settings_;
  std::mt19937_64 random_;
  std::vector<std::variant<const EmuRecording*, std::vector<Command>>> submitted_;  // recordings, and copies
};

DeviceInfo Describe(const EmuSettings& settings) {
  return {.backend = "emu",
          .index = 0,
          .name = "emulation on the CPU",
          .driver = fmt::format("wave {}, seed {}", settings.wave_size, settings.seed),
          .family = "emu",
          .wave_size = settings.wave_size,
          .has_double = true,
          .is_cpu = true,
          .is_reference = true,
          .memory_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)),
          .shared_bytes = kSharedBytes};
}

class EmuDevice : public Device {
 public:
  explicit EmuDevice(const EmuSettings& settings) : settings_(settings), info_(Describe(settings)) {}

  const DeviceInfo& info() const override { return info_; }

  Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) override {
    if (bytes == 0) return Error(StatusCode::kInvalidArgument, "emu: a buffer of 0 bytes was asked for");
    std::unique_ptr<std::byte[]> memory;
    if (bytes <= info_.memory_bytes) memory.reset(new (std::nothrow) std::byte[bytes]);
    if (!memory)
      return Error(StatusCode::kOutOfMemory, "emu: no memory for a buffer of {} bytes: use a smaller batch", bytes);
    std::byte* const begin = memory.get();
    std::memset(begin, static_cast<int>(std::mt19937_64(settings_.seed)() | 0x81), bytes);  // garbage, never zero
    return std::unique_ptr<Buffer>(std::make_unique<EmuBuffer>(std::move(memory), begin, bytes, kind));
  }

  Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) override {
    if (image.emu == nullptr)
      return Error(StatusCode::kUnsupported, "emu: kernel {} was not built for the CPU", image.symbol);
    ACU_RETURN_IF_ERROR(CheckSharedMemory(image, info_));
    return std::unique_ptr<Kernel>(std::make_unique<EmuKernel>(image));
  }

  Result<std::unique_ptr<Queue>> MakeQueue() override {
    return std::unique_ptr<Queue>(std::make_unique<EmuQueue>(settings_));
  }

  Result<std::unique_ptr<Buffer>> Adopt(uint64_t address, size_t bytes) override {
    return std::unique_ptr<Buffer>(
        std::make_unique<EmuBuffer>(nullptr, reinterpret_cast<std::byte*>(address), bytes, MemoryKind::kUpload));
  }

 private:
  const EmuSettings settings_;
  const DeviceInfo info_;
};

/// Settings from the environment: ACUTANCE_EMU_WAVE and ACUTANCE_EMU_SEED.
Result<std::unique_ptr<Device>> OpenAsSet() {
  EmuSettings settings;
  ACU_RETURN_IF_ERROR(ReadVariable("ACUTANCE_EMU_WAVE", settings.wave_size));
  ACU_RETURN_IF_ERROR(ReadVariable("ACUTANCE_EMU_SEED", settings.seed));
  return OpenEmuDevice(settings);
}

}  // namespace

Result<std::unique_ptr<Device>> OpenEmuDevice(const EmuSettings& settings) {
  constexpr int kWaves[] = {4, 8, 16, 32, 64};
  if (std::ranges::find(kWaves, settings.wave_size) == std::end(kWaves))
    return Error(StatusCode::kInvalidArgument, "no waves of {} items: set ACUTANCE_EMU_WAVE to 4, 8, 16, 32 or 64",
                 settings.wave_size);
  return std::unique_ptr<Device>(std::make_unique<EmuDevice>(settings));
}

const Backend kEmuBackend = {
    .name = "emu",
    .summary = "emulation on the CPU, for tests",
    .probe =
        [] {
          const auto device = OpenAsSet();
          if (!device.ok()) return BackendProbe{{}, device.status().message()};
          return BackendProbe{{device.value()->info()}, ""};
        },
    .open = [](int index) -> Result<std::unique_ptr<Device>> {
      if (index != 0) return Error(StatusCode::kInvalidArgument, "emu: there is device 0 only, not {}", index);
      return OpenAsSet();
    },
    .adopts_pictures = true,
};

}  // namespace acutance
