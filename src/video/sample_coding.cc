#include "video/sample_coding.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace acutance {
namespace {

/// Bytes at even and at odd addresses: by themselves, and how they differ from their neighbours.
struct ByteStatistics {
  std::array<int64_t, 256> even{}, odd{};
  int64_t pairs = 0;
  double between_even = 0, between_odd = 0;  // mean differences of neighbours at even and at odd addresses
  double within = 0, across = 0;             // of an even address and the odd one after it, and before it
  double far = 0;                            // of bytes that have nothing to do with each other
};

ByteStatistics MeasureBytes(const std::vector<std::span<const uint8_t>>& pieces) {
  ByteStatistics bytes;
  int64_t even = 0, odd = 0, within = 0, across = 0, far = 0, neighbours = 0;
  for (size_t p = 0; p < pieces.size(); ++p) {
    const std::span<const uint8_t> piece = pieces[p], other = pieces[(p + pieces.size() / 2 + 1) % pieces.size()];
    for (size_t i = 0; i + 1 < piece.size(); i += 2) {
      ++bytes.even[piece[i]], ++bytes.odd[piece[i + 1]], ++bytes.pairs;
      if (i + 3 >= piece.size() || i + 1 >= other.size()) continue;
      even += std::abs(piece[i] - piece[i + 2]), odd += std::abs(piece[i + 1] - piece[i + 3]);
      within += std::abs(piece[i] - piece[i + 1]), across += std::abs(piece[i + 1] - piece[i + 2]);
      far += std::abs(piece[i] - other[i + 1]), ++neighbours;
    }
  }
  const auto mean = [&](int64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(std::max<int64_t>(neighbours, 1));
  };
  bytes.between_even = mean(even), bytes.between_odd = mean(odd), bytes.far = mean(far);
  bytes.within = mean(within), bytes.across = mean(across);
  return bytes;
}

int Distinct(const std::array<int64_t, 256>& counts) {
  return static_cast<int>(std::ranges::count_if(counts, [](int64_t count) { return count > 0; }));
}

int Largest(const std::array<int64_t, 256>& counts) {
  for (int value = 255; value > 0; --value)
    if (counts[static_cast<size_t>(value)] > 0) return value;
  return 0;
}

/// Low bits that are 0 in all these bytes.
int ZeroBits(const std::array<int64_t, 256>& counts) {
  int all = 256;
  for (int value = 0; value < 256; ++value)
    if (counts[static_cast<size_t>(value)] > 0) all |= value;
  int zeros = 0;  // at most 8
  while (!(all >> zeros & 1)) ++zeros;
  return zeros;
}

// Values that a file must show before its bytes mean anything: flat pictures have fewer. 12 bits that were made of 8
// have 16 low bytes.
constexpr int kVaried = 12;

/// The share of bytes at even addresses that those at odd ones have, too.
double Overlap(const ByteStatistics& bytes) {
  int64_t common = 0;
  for (size_t value = 0; value < bytes.even.size(); ++value) common += std::min(bytes.even[value], bytes.odd[value]);
  return static_cast<double>(common) / static_cast<double>(std::max<int64_t>(bytes.pairs, 1));
}

constexpr double kOverlap = 0.8;

/// Two bytes a sample, the high ones in `high`. nullopt: they need not be.
std::optional<SampleCoding> CodingOfPairs(const std::array<int64_t, 256>& low, const std::array<int64_t, 256>& high,
                                          double between_low, double between_high, bool is_big_endian) {
  const int largest = Largest(high), zeros = ZeroBits(low);
  if (Distinct(low) >= kVaried && Distinct(high) >= 2 && largest <= 15)
    return SampleCoding{largest <= 3 ? 10 : 12, is_big_endian};
  if (Distinct(high) >= kVaried && zeros >= 4) return SampleCoding{zeros >= 6 ? 10 : 12, is_big_endian, true};
  // Low bytes of 16 bits are noise, whose neighbours differ by 85 on average, and high ones are a picture.
  constexpr double kNoise = 60, kPicture = 0.5;
  if (Distinct(low) >= 250 && Distinct(high) >= kVaried && between_low > kNoise && between_high > kPicture &&
      between_high < between_low / 4)
    return SampleCoding{16, is_big_endian};
  return std::nullopt;
}

/// Whether bytes are samples: the two of a pair differ as neighbours do, and less than bytes far apart. Noise proves
/// nothing: all of these are equal there. Nor do pairs of equal bytes, which 8 bits stretched to 16 have.
bool AreSingleBytes(const ByteStatistics& luma) {
  constexpr double kApart = 0.5, kLeast = 0.1, kMost = 1.25;
  // Drawn edges often lie at even columns.
  constexpr double kEdges = 8;
  return Distinct(luma.even) >= kVaried && Distinct(luma.odd) >= kVaried && Overlap(luma) > kOverlap &&
         luma.within < kEdges * luma.across && luma.across < kEdges * luma.within && luma.within > kLeast &&
         luma.within < kMost * luma.between_even && luma.within < kApart * luma.far;
}

/// The least of 10 and 12 bits that hold all samples, where chroma is centred as it is with that depth.
std::optional<SampleCoding> SmallerDepth(const ByteStatistics& all, const FilePieces& pieces, int told) {
  for (const int bit_depth : {10, 12}) {
    const int top = 1 << (bit_depth - 8);
    if (bit_depth >= told || Largest(all.odd) >= top) continue;
    const double centre = pieces.chroma_mean / (1 << bit_depth);
    // A quarter of the range away from gray is more than whole pictures have.
    if (Largest(all.odd) >= top / 2 && centre > 0.25 && centre < 0.75) return SampleCoding{bit_depth};
    return std::nullopt;
  }
  return std::nullopt;
}

/// Codings that two bytes a sample may have in place of the declared one, where values are impossible.
std::optional<SampleCoding> LargerDepth(const ByteStatistics& all, int told) {
  constexpr double kFew = 1e-3;  // of samples: damage
  int64_t over = 0;
  for (int high = 1 << (told - 8); high < 256; ++high) over += all.odd[static_cast<size_t>(high)];
  if (static_cast<double>(over) <= kFew * static_cast<double>(all.pairs)) return std::nullopt;
  if (Largest(all.odd) <= 15) return SampleCoding{12};
  if (const int zeros = ZeroBits(all.even); zeros >= 4) return SampleCoding{zeros >= 6 ? 10 : 12, false, true};
  return SampleCoding{Overlap(all) > kOverlap ? 8 : 16};
}

}  // namespace

std::optional<SampleCoding> FindOtherCoding(const FilePieces& pieces, const SampleCoding& told) {
  const ByteStatistics luma = MeasureBytes(pieces.luma), all = MeasureBytes(pieces.all);
  if (told.bit_depth == 8) {
    const std::optional<SampleCoding> little =
        CodingOfPairs(all.even, all.odd, luma.between_even, luma.between_odd, false);
    return little ? little : CodingOfPairs(all.odd, all.even, luma.between_odd, luma.between_even, true);
  }
  if (AreSingleBytes(luma)) return SampleCoding{};
  // The second: 8 bits at the top of 16. With chroma, whose centre is half the range, no picture is that dark.
  const bool may_be_big = (luma.between_even <= luma.between_odd || Largest(all.even) <= 15) && Largest(all.odd) > 15;
  if (may_be_big || (Largest(all.odd) == 0 && pieces.chroma_mean > 0))
    if (const auto big = CodingOfPairs(all.odd, all.even, luma.between_odd, luma.between_even, true)) return big;
  const auto other = [&]() -> std::optional<SampleCoding> {
    if (told.is_at_top) {
      constexpr int kMostZeros = 4;  // values of 10 bits at the top leave 6 bits empty
      if (ZeroBits(all.even) >= kMostZeros || Distinct(all.even) < kVaried) return std::nullopt;
      return CodingOfPairs(all.even, all.odd, luma.between_even, luma.between_odd, false);
    }
    if (told.bit_depth < 16)
      if (const auto larger = LargerDepth(all, told.bit_depth)) return larger;
    return SmallerDepth(all, pieces, told.bit_depth);
  }();
  return other == told ? std::nullopt : other;
}

}  // namespace acutance
