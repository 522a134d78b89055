#include "backend/emu/device.h"

#include <unistd.h>

#include "backend/emu/buffer.h"
#include "backend/emu/kernel.h"
#include "backend/emu/queue.h"
#include "base/environment.h"

namespace acutance {
namespace {

constexpr uint32_t kSharedBytes = 32 * 1024;  // what the smallest GPUs offer

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

}  // namespace

Result<EmuSettings> ReadEmuSettings() {
  EmuSettings settings;
  ACU_RETURN_IF_ERROR(ReadVariable("ACUTANCE_EMU_WAVE", settings.wave_size));
  ACU_RETURN_IF_ERROR(ReadVariable("ACUTANCE_EMU_SEED", settings.seed));
  return settings;
}

Result<std::unique_ptr<Device>> OpenEmuDevice(const EmuSettings& settings) {
  switch (settings.wave_size) {
    case 4:
    case 8:
    case 16:
    case 32:
    case 64:
      return std::unique_ptr<Device>(std::make_unique<EmuDevice>(settings));
    default:
      return Error(StatusCode::kInvalidArgument, "no waves of {} items: set ACUTANCE_EMU_WAVE to 4, 8, 16, 32 or 64",
                   settings.wave_size);
  }
}

EmuDevice::EmuDevice(const EmuSettings& settings) : settings_(settings), info_(Describe(settings)) {}

Result<std::unique_ptr<Buffer>> EmuDevice::Allocate(size_t bytes, MemoryKind kind) {
  if (bytes > info_.memory_bytes)
    return Error(StatusCode::kOutOfMemory, "emu: a buffer of {} bytes in {} bytes of memory: use a smaller batch",
                 bytes, info_.memory_bytes);
  return EmuBuffer::Make(bytes, kind, settings_.seed);
}

Result<std::unique_ptr<Kernel>> EmuDevice::LoadKernel(const KernelImage& image) {
  if (image.emu == nullptr)
    return Error(StatusCode::kUnsupported, "emu: kernel {} was not built for the CPU", image.symbol);
  if (image.shared_bytes > kSharedBytes)
    return Error(StatusCode::kUnsupported, "emu: kernel {} shares {} bytes, more than the {} of the smallest GPUs",
                 image.symbol, image.shared_bytes, kSharedBytes);
  return std::unique_ptr<Kernel>(std::make_unique<EmuKernel>(image));
}

Result<std::unique_ptr<Queue>> EmuDevice::MakeQueue() {
  return std::unique_ptr<Queue>(std::make_unique<EmuQueue>(settings_));
}

Result<std::unique_ptr<Buffer>> EmuDevice::Adopt(uint64_t address, size_t bytes) {
  return EmuBuffer::Adopt({reinterpret_cast<std::byte*>(address), bytes});
}

const Backend kEmuBackend = {
    .name = "emu",
    .summary = "emulation on the CPU, for tests",
    .probe =
        [] {
          const Result<EmuSettings> settings = ReadEmuSettings();
          if (!settings.ok()) return BackendProbe{{}, settings.status().message()};
          const auto device = OpenEmuDevice(*settings);
          if (!device.ok()) return BackendProbe{{}, device.status().message()};
          return BackendProbe{{device.value()->info()}, ""};
        },
    .open = [](int index) -> Result<std::unique_ptr<Device>> {
      if (index != 0) return Error(StatusCode::kInvalidArgument, "emu: there is device 0 only, not {}", index);
      ACU_ASSIGN_OR_RETURN(const EmuSettings settings, ReadEmuSettings());
      return OpenEmuDevice(settings);
    },
    .adopts_pictures = true,
};

}  // namespace acutance
