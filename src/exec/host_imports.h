// Memory of the host that a device reads where it lies, such as a mapped file.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/status.h"
#include "exec/device.h"
#include "image/picture.h"

namespace acutance {

/// Runs work(0) to work(count - 1), begun in this order on any threads, and returns when all are done.
using ForEach = std::function<void(int count, const std::function<void(int)>& work)>;

/// Lets a device into regions of memory window by window, and out again as soon as nobody reads a window. Whether that
/// is quicker than copying depends on the system, so both ways are tried first. Any thread.
class HostImports {
 public:
  /// So many bytes are let in and out at once.
  static constexpr size_t kWindowBytes = size_t{16} << 20;

  class Window {
   public:
    const std::byte* begin() const { return begin_; }
    const Buffer& buffer() const { return *buffer_; }

   private:
    friend class HostImports;
    const std::byte* begin_ = nullptr;
    std::shared_ptr<const void> memory_;  // outlives the buffer
    std::unique_ptr<Buffer> buffer_;
  };
  using Windows = std::vector<std::shared_ptr<const Window>>;

  explicit HostImports(Device& device) : device_(device) {}

  /// Whether the next batch should be read in place.
  bool IsWorthIt();
  /// How long it took to get a batch of so many bytes ready for its upload.
  void Report(bool in_place, size_t bytes, double seconds);

  /// Opens the windows over all these pictures' samples of one plane, several at a time, and adds them to `windows`.
  /// False where the system refuses one: nothing is read in place any more.
  bool Open(std::span<const Picture* const> pictures, int plane, const ForEach& for_each, Windows& windows);

 private:
  struct Speed {
    int batches = 0;
    double bytes = 0, seconds = 0;
  };
  struct Wanted {
    std::span<const std::byte> bytes;
    std::shared_ptr<const void> memory;
    std::shared_ptr<const Window> window;
  };

  void AddWanted(const Picture& picture, int plane, std::map<const std::byte*, Wanted>& wanted);
  void OpenWindow(Wanted& wanted);

  Device& device_;
  std::mutex mutex_;  // guards what follows
  bool refused_ = false;
  Speed in_place_, copied_;
  std::map<const std::byte*, std::weak_ptr<const Window>> windows_;  // by their begin
};

/// Of the windows, the one with `data`; null when there is none.
const HostImports::Window* FindWindow(const HostImports::Windows& windows, const std::byte* data);

}  // namespace acutance
