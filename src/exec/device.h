// THE contract between metrics and devices. A backend (src/backend/<name>/) implements these classes and knows no
// metric; a metric describes its work as a Plan (exec/plan.h) and knows no backend.
//
// Errors are values. A device may fail at any call (out of memory, lost, a refused launch); the lane that called hands
// the frames to another device. Nothing aborts, nothing continues after a failure.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/status.h"
#include "exec/kernel_image.h"
#include "image/device_decoder.h"

namespace acutance {

struct DeviceInfo {
  std::string backend;  // "cuda"
  int index = 0;        // among the backend's devices, as --device counts
  std::string name;     // "NVIDIA H200"
  std::string
      identity;  // a UUID or an address, which differs between equal devices; a part of the key of cached self-tests
  std::string driver;   // versions of all that runs below: the driver's library and the kernel's part
  std::string family;   // key of tuning tables: "sm_90", "gfx1100", "llvmpipe"
  std::string kernels;  // what identifies kernels that lie in files next to the program; empty: there are none
  int wave_size = 0;    // work items that exchange values without shared memory; kernels read it at run time
  bool has_double = false;
  bool is_cpu = false;         // software on the host's cores: never chosen by `auto`
  bool is_integrated = false;  // a part of the processor, where the driver says so
  bool is_reference = false;   // runs the kernels' own source, for tests: it needs no self-test
  uint64_t memory_bytes = 0;
  uint32_t shared_bytes = 0;  // of a workgroup
};

enum class MemoryKind {
  kDevice,    // the device's own
  kUpload,    // host memory that the device reads fast (pinned); written by the host
  kReadback,  // host memory that kernels and copies write; read by the host
};

class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual size_t bytes() const = 0;
  virtual uint64_t address() const = 0;  // as kernels see it; not of kUpload
  virtual std::byte* host() const = 0;   // null for kDevice
};

/// A compiled kernel variant, ready to launch.
class Kernel {
 public:
  virtual ~Kernel() = default;
};

struct Grid {
  int x = 1, y = 1, z = 1;  // workgroups
};

/// What a Recording consists of. Commands run as if one after another: each sees all writes of those before it.
struct CopyCommand {
  const Buffer* from;
  size_t from_offset;
  const Buffer* to;
  size_t to_offset;
  size_t bytes;  // of a row
  size_t rows = 1;
  size_t from_stride = 0, to_stride = 0;  // from row to row; at least `bytes` where there are several rows

  /// Bytes from the first of the first row to the last of the last row.
  size_t from_extent() const { return bytes == 0 || rows == 0 ? 0 : from_stride * (rows - 1) + bytes; }
  size_t to_extent() const { return bytes == 0 || rows == 0 ? 0 : to_stride * (rows - 1) + bytes; }
};

struct LaunchCommand {
  const Kernel* kernel;
  Grid grid;
  std::vector<std::byte> args;  // the kernel's argument struct, with device addresses in its buffer fields
  /// All that it reads or writes of the buffers that commands of the recording write. Launches with none in common may
  /// run side by side; one that names none runs alone.
  std::vector<const Buffer*> shares = {};
};
using Command = std::variant<CopyCommand, LaunchCommand>;

/// An argument struct for LaunchCommand::args.
template <class Args>
std::vector<std::byte> ArgsBytes(const Args& args) {
  const auto bytes = std::as_bytes(std::span(&args, 1));
  return {bytes.begin(), bytes.end()};
}

/// Commands prepared once and submitted many times (CUDA graph, Vulkan command buffer, SYCL command list).
class Recording {
 public:
  virtual ~Recording() = default;
};

/// A point in a queue's work.
class Mark {
 public:
  virtual ~Mark() = default;
  /// Waits until the work before it is done. Any thread, also several, next to all use of the queue.
  virtual Status Wait() = 0;
};

/// Runs what is submitted in the order of submission. One thread uses a queue at a time.
class Queue {
 public:
  virtual ~Queue() = default;
  virtual Result<std::unique_ptr<Recording>> Record(std::span<const Command> commands) = 0;
  virtual Status Submit(Recording& recording) = 0;  // returns at once
  /// Submits copies whose places change every time. Returns at once.
  virtual Status Copy(std::span<const CopyCommand> copies) = 0;
  /// How much a call of Copy should carry, where there is a choice: starting one takes some microseconds.
  virtual size_t BestCopyBytes() const { return size_t{6} << 20; }
  /// Marks the end of what was submitted so far. Null where the queue has no marks and only Wait() reports the end.
  virtual Result<std::unique_ptr<Mark>> MarkEnd() { return std::unique_ptr<Mark>(); }
  /// Waits until everything submitted is done; reports its failures.
  virtual Status Wait() = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual const DeviceInfo& info() const = 0;
  virtual Result<std::unique_ptr<Buffer>> Allocate(size_t bytes, MemoryKind kind) = 0;
  virtual Result<std::unique_ptr<Kernel>> LoadKernel(const KernelImage& image) = 0;
  /// Makes later calls of LoadKernel quick, where loading takes long, by loading on several threads. A kernel that
  /// fails here fails again there, with the reason.
  virtual void LoadAhead(std::span<const KernelImage* const> /*images*/) {}
  virtual Result<std::unique_ptr<Queue>> MakeQueue() = 0;

  /// A buffer over memory of this device that the program owns, which copies may read and write.
  virtual Result<std::unique_ptr<Buffer>> Adopt(uint64_t /*address*/, size_t /*bytes*/) {
    return Error(StatusCode::kUnsupported, "{} takes no pictures that lie in its memory", info().name);
  }

  /// A place in memory of kind kUpload.
  struct UploadPlace {
    const Buffer* buffer = nullptr;  // null: none
    size_t offset = 0;
  };
  /// Where the device itself reads these bytes of the host, so that they need not be copied for it. Any thread.
  virtual UploadPlace FindUpload(const std::byte* /*data*/, size_t /*bytes*/) { return {}; }

  /// From now on a wait for the device that sees no progress for `longest` is an error, by which the device is lost:
  /// memory that it may still use is never freed. Any thread, next to all other use. Devices that cannot hang ignore
  /// it.
  virtual void LimitWaits(std::chrono::milliseconds /*longest*/) {}

  /// Bytes of its memory that no program uses; nullopt where the device does not report it.
  virtual std::optional<size_t> FreeMemory() { return std::nullopt; }

  /// Waits for the work of the program that writes memory for Adopt().
  virtual Status WaitForClients() { return {}; }
};

/// What a backend found on this machine.
struct BackendProbe {
  std::vector<DeviceInfo> devices;
  std::string missing;                    // why there are none, and what to install; empty when there are some
  std::vector<std::string> refused = {};  // why devices that are there cannot be used
};

/// A backend, as devices/backends.inc lists it.
struct Backend {
  std::string_view name;     // "cuda"
  std::string_view summary;  // "NVIDIA GPUs, through the CUDA driver"
  BackendProbe (*probe)();
  Result<std::unique_ptr<Device>> (*open)(int index);

  // Optional capabilities.
  /// Files of the system that exist where there may be a device.
  std::span<const char* const> traces = {};
  /// Reads pictures that lie in its devices' memory (Device::Adopt).
  bool adopts_pictures = false;
  /// Opens a device in a context of the program, which outlives the device.
  Result<std::unique_ptr<Device>> (*open_context)(void* context) = nullptr;
  /// Decodes video into its devices' memory: how many engines of a device do, which may be shared; and a decoder.
  Result<int> (*count_engines)(const Device& device, const CodedVideo& video) = nullptr;
  Result<std::unique_ptr<DeviceDecoder>> (*open_decoder)(std::shared_ptr<Device> device,
                                                         const CodedVideo& video) = nullptr;
};

}  // namespace acutance
