// Helpers of the fuzz targets: the bytes of an input, and files that hold a part of them.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace acutance::fuzz {

/// Hands out the bytes of an input from its front, and zeros behind its end.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

  uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    return byte;
  }
  unsigned Word() { return static_cast<unsigned>(Byte()) << 8 | Byte(); }

  /// Any double, infinities and NaN included.
  double Real() {
    uint64_t bits = 0;
    for (int i = 0; i < 8; ++i) bits = bits << 8 | Byte();
    return std::bit_cast<double>(bits);
  }

  /// The bytes up to the next line feed.
  std::string Line() {
    const size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string line(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return line;
  }

  /// The arguments of a command, a line each, without what follows a null byte.
  std::vector<std::string> Arguments() {
    constexpr size_t kMostArguments = 200;
    std::vector<std::string> arguments;
    while (!empty() && arguments.size() < kMostArguments) arguments.push_back(Line().c_str());
    return arguments;
  }

  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

/// A regular file in memory, or a pipe, with the given bytes and a path that opens it.
class FileOf {
 public:
  explicit FileOf(std::string_view bytes, bool is_pipe = false) { is_pipe ? OpenPipe(bytes) : OpenMemory(bytes); }
  ~FileOf() { ::close(descriptor_); }
  FileOf(const FileOf&) = delete;
  FileOf& operator=(const FileOf&) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  void OpenMemory(std::string_view bytes) {
    descriptor_ = ::memfd_create("fuzz", MFD_CLOEXEC);
    if (descriptor_ < 0 || ::write(descriptor_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      std::abort();
  }

  /// Writes as much as a pipe takes without a reader.
  void OpenPipe(std::string_view bytes) {
    constexpr size_t kPipeBytes = size_t{64} << 10;
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) std::abort();
    const std::string_view part = bytes.substr(0, kPipeBytes);
    if (::write(ends[1], part.data(), part.size()) != static_cast<ssize_t>(part.size())) std::abort();
    ::close(ends[1]);
    descriptor_ = ends[0];
  }

  int descriptor_ = -1;
};

/// A copy that fills its allocation, so that sanitizers see reads behind its end.
inline std::string Exact(std::string_view bytes) {
  std::string copy(bytes);
  copy.shrink_to_fit();
  return copy;
}

}  // namespace acutance::fuzz

/// Begins the function that libFuzzer calls with each input.
#define ACU_FUZZ_TARGET(input)                                              \
  static void FuzzOne(acutance::fuzz::Input input);                         \
  extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) { \
    FuzzOne({data, size});                                                  \
    return 0;                                                               \
  }                                                                         \
  static void FuzzOne([[maybe_unused]] acutance::fuzz::Input input)
