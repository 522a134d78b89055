// Parameter sets of H.264 from x264, in the containers' form.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace acutance {

using Bytes = std::vector<uint8_t>;

inline const Bytes kHigh420Sps = {0x67, 0x64, 0x00, 0x0a, 0xac, 0xd9, 0x44, 0x7b, 0x01, 0x10, 0x00, 0x00,
                                  0x03, 0x00, 0x10, 0x00, 0x00, 0x03, 0x03, 0x20, 0xf1, 0x22, 0x59, 0x60};
inline const Bytes kBaseline420Sps = {0x67, 0x42, 0xc0, 0x0a, 0xd9, 0x04, 0x7b, 0x01, 0x10, 0x00, 0x00, 0x03,
                                      0x00, 0x10, 0x00, 0x00, 0x03, 0x03, 0x20, 0xf1, 0x22, 0x64, 0x80};
inline const Bytes k444Sps = {0x67, 0xf4, 0x00, 0x0a, 0x91, 0x9b, 0x28, 0x8f, 0x60, 0x22, 0x00, 0x00,
                              0x03, 0x00, 0x02, 0x00, 0x00, 0x03, 0x00, 0x64, 0x1e, 0x24, 0x4b, 0x2c};
inline const Bytes kPps = {0x68, 0xeb, 0xe3, 0xcb, 0x22, 0xc0};

inline void Append(Bytes* to, const Bytes& bytes) { to->insert(to->end(), bytes.begin(), bytes.end()); }

inline Bytes Avcc(const std::vector<Bytes>& sets) {
  Bytes record = {1, sets[0][1], sets[0][2], sets[0][3], 0xff, static_cast<uint8_t>(0xe0 | sets.size())};
  for (const Bytes& sps : sets) {
    Append(&record, {0, static_cast<uint8_t>(sps.size())});
    Append(&record, sps);
  }
  Append(&record, {1, 0, static_cast<uint8_t>(kPps.size())});
  Append(&record, kPps);
  return record;
}

/// What `ask` says of the first `size` bytes, in an allocation of their size: sanitizers then see reads behind its end.
template <class Ask>
bool AskOfPart(const Ask& ask, const Bytes& bytes, size_t size) {
  const std::unique_ptr<uint8_t[]> exact(new uint8_t[size]);
  std::copy_n(bytes.begin(), size, exact.get());
  return ask(std::span<const uint8_t>(exact.get(), size));
}

}  // namespace acutance
