// Device selection: the backends (backends.inc lists them), and the choice of a device.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/status.h"
#include "exec/device.h"

namespace acutance {

/// All backends, in the order in which `auto` prefers them.
std::span<const Backend* const> Backends();

/// "cuda, hip, vulkan, sycl or emu".
std::string BackendNames();

const Backend* FindBackend(std::string_view name);  // null when there is none

/// The backend whose devices work in contexts of the program, as libvmaf's clients need; null when there is none.
const Backend* FindContextBackend();

/// Whether the system shows any GPU. This check is cheap; opening Vulkan's loader and its software drivers takes longer
/// than scoring a short clip.
bool MachineMayHaveGpu();

/// The values of --backend and --device.
struct DeviceChoice {
  std::string backend = "cpu";        // "cpu", "auto" or a backend's name
  std::optional<int> index;           // of the backend's devices; not set: the first that works, `auto`: all that work
  std::vector<std::string> excluded;  // backends that `auto` leaves out
  std::vector<int> further = {};      // devices next to `index` that share its work
  /// Set: devices are opened and tested in the background, once the caller has waited this long for the CPU in all, and
  /// join the CPU's work when they are ready. Those that fail are left out silently.
  std::optional<std::chrono::milliseconds> patience = {};
  bool operator==(const DeviceChoice&) const = default;
};

/// An unknown backend, or an index without a backend, is an error.
Status CheckDeviceChoice(const DeviceChoice& choice);

/// The error for a device number that does not exist: it lists the devices, and those that were refused.
std::string NoSuchDevice(const Backend& backend, const BackendProbe& probe, int index);

/// Opens the devices of a choice one after another, so that the caller can reject one and take the next.
class DevicePicker {
 public:
  explicit DevicePicker(DeviceChoice choice, std::span<const Backend* const> backends = Backends());

  /// One device that is open; the CPU does the work where it cannot.
  explicit DevicePicker(std::unique_ptr<Device> device);
  ~DevicePicker();

  /// Opens the first group on a thread of its own: a driver's start takes longer than opening videos. Called first;
  /// NextGroup and the notes wait for them.
  void OpenAhead();
  /// Whether NextGroup will give that group.
  bool is_ahead() const { return is_ahead_; }

  /// The next device; null when there is no other. Why devices were passed over is in notes().
  std::unique_ptr<Device> Next();

  /// Devices that share the work: all working ones that were named or, for `auto`, of the next backend with any
  /// (several backends may show the same GPU). Empty when there are no others.
  std::vector<std::unique_ptr<Device>> NextGroup();

  /// The devices that NextGroup will give.
  const std::vector<std::unique_ptr<Device>>& PeekGroup();

  const DeviceChoice& choice() const { return choice_; }
  /// Whether the choice is `auto`: all that makes it faster may take part, the CPU too.
  bool is_automatic() const { return choice_.backend == "auto"; }
  /// Whether devices join later, and those that cannot are left out silently.
  bool joins_later() const { return choice_.patience.has_value(); }
  /// Whether the CPU may do the work when no device can: `auto` and `cpu`.
  bool cpu_is_allowed() const { return choice_.backend == "auto" || choice_.backend == "cpu"; }
  const std::vector<std::string>& notes() {
    AwaitOpening();
    return notes_;
  }
  /// The notes about devices that exist but failed their check.
  const std::vector<std::string>& refused() {
    AwaitOpening();
    return refused_;
  }

 private:
  struct Candidate {
    const Backend* backend;
    int index;
  };
  bool IsWanted(const Backend& backend) const;
  bool IsWanted(const DeviceInfo& device) const;
  void AwaitOpening();
  std::vector<std::unique_ptr<Device>> OpenGroup();
  void FindCandidates();
  void NoteMissing(const Backend& backend, const BackendProbe& probe);
  std::unique_ptr<Device> OpenCandidate();  // the next device; null, with a note, if it is rejected

  const DeviceChoice choice_;
  const std::span<const Backend* const> backends_;
  std::unique_ptr<Device> given_;
  bool searched_ = false;
  std::vector<Candidate> candidates_;  // in reverse: the next one is last
  bool is_ahead_ = false;
  std::thread opening_;  // of peeked_
  std::vector<std::unique_ptr<Device>> peeked_;
  std::vector<std::string> notes_, refused_;
};

/// Whether a choice takes no device.
bool RunsOnCpu(const DeviceChoice& choice);

/// The devices of a choice, each of which passes its self-test before use; null: the CPU alone.
Result<std::shared_ptr<DevicePicker>> MakeDevicePicker(const DeviceChoice& choice);

}  // namespace acutance
