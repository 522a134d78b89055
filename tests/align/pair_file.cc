#include "pair_file.h"

#include <fstream>
#include <type_traits>

namespace acutance::test {
namespace {

/// Writes or reads all members in their order.
template <class Stream>
class Archive {
 public:
  explicit Archive(Stream& stream) : stream_(stream) {}

  template <class Pair>
  void Go(Pair& pair) {
    Value(pair.content), Value(pair.fault);
    Array(pair.text), Array(pair.shown), Array(pair.same_as), Array(pair.apart), Array(pair.errors);
    for (auto* track : {&pair.reference, &pair.distorted})
      Array(track->fingerprints), Array(track->times), Value(track->rate), Value(track->is_whole);
  }

 private:
  static constexpr bool kReads = std::is_same_v<Stream, std::ifstream>;

  template <class T>
  void Bytes(T* data, size_t count) {
    const auto size = static_cast<std::streamsize>(count * sizeof(T));
    if constexpr (kReads) stream_.read(reinterpret_cast<char*>(data), size);
    else stream_.write(reinterpret_cast<const char*>(data), size);
  }
  template <class T>
  void Value(T& value) {
    Bytes(&value, 1);
  }
  template <class T>
  void Array(T& array) {
    uint64_t count = array.size();
    Value(count);
    if constexpr (kReads) array.resize(stream_ ? count : 0);
    Bytes(array.data(), array.size());
  }

  Stream& stream_;
};

}  // namespace

std::optional<TestPair> LoadPair(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  TestPair pair;
  Archive(file).Go(pair);
  if (!file) return std::nullopt;
  return pair;
}

void SavePair(const std::string& path, const TestPair& pair) {
  std::ofstream file(path, std::ios::binary);
  Archive(file).Go(pair);
}

}  // namespace acutance::test
