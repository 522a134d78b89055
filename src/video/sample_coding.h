// How samples of raw video are stored, from the statistics of their bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "image/picture.h"

namespace acutance {

struct SampleCoding {
  int bit_depth = 8;
  bool is_big_endian = false;
  bool is_at_top = false;  // value in the high bits, zeros below
  bool operator==(const SampleCoding&) const = default;
};

/// Pieces of a file, each at an even address.
struct FilePieces {
  std::vector<std::span<const uint8_t>> luma;  // where luma lies by the declared format
  std::vector<std::span<const uint8_t>> all;   // spread over the file, luma included
  double chroma_mean = 0;                      // of the declared format's chroma samples, two bytes each; 0: none
};

/// The coding that the pieces prove in place of `told`; nullopt: none.
std::optional<SampleCoding> FindOtherCoding(const FilePieces& pieces, const SampleCoding& told);

}  // namespace acutance
