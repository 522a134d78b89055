// Check of raw video's declared format: whether the bytes of the file fit another one far better.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "image/picture.h"

namespace acutance {

/// A format that fits the bytes better than the declared one.
struct RawFormatDoubt {
  std::string better;   // in words: "10 bits", "4:2:2"
  std::string told;     // in words, of the same kind
  std::string options;  // of acutance, for the better format; empty: it has none
  std::string format;   // FFmpeg's name of the better format, where `options` is empty
};

/// nullopt: no strong evidence against the declared format. file: all its bytes, of which few are read.
std::optional<RawFormatDoubt> DoubtRawFormat(std::span<const std::byte> file, const PictureFormat& told,
                                             bool is_semi_planar);

/// "r.yuv: its bytes fit 10 bits better than 8 bits: --bit-depth 10"
std::string Describe(const std::string& path, const RawFormatDoubt& doubt);

}  // namespace acutance
