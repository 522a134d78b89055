#include "report/png.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <queue>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace acutance {
namespace {

// Deflate (RFC 1951): literals, the end, and lengths of runs; a run repeats the byte before it.
constexpr int kEnd = 256, kSymbols = 286, kLengthSymbols = 19, kShortestRun = 3, kLongestRun = 258;
constexpr int kMostBits = 15, kMostLengthBits = 7;

/// Lengths in bits of a prefix code for symbols that are that often; 0: never. At least two symbols get one.
std::vector<uint8_t> CodeLengths(std::vector<uint32_t> counts, int most_bits) {
  for (size_t symbol = 0; std::ranges::count_if(counts, [](uint32_t c) { return c > 0; }) < 2; ++symbol)
    counts[symbol] = std::max(counts[symbol], uint32_t{1});
  for (;;) {
    struct Node {
      uint64_t count;
      int left, right;  // -1: a symbol
    };
    std::vector<Node> nodes;
    using Entry = std::pair<uint64_t, int>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    for (size_t symbol = 0; symbol < counts.size(); ++symbol) {
      nodes.push_back({counts[symbol], -1, -1});
      if (counts[symbol] > 0) open.emplace(counts[symbol], static_cast<int>(symbol));
    }
    while (open.size() > 1) {
      const int left = open.top().second;
      open.pop();
      const int right = open.top().second;
      open.pop();
      nodes.push_back({nodes[left].count + nodes[right].count, left, right});
      open.emplace(nodes.back().count, static_cast<int>(nodes.size()) - 1);
    }
    std::vector<uint8_t> depths(nodes.size());  // parents stand behind their children
    for (size_t node = nodes.size(); node-- > counts.size();)
      depths[nodes[node].left] = depths[nodes[node].right] = static_cast<uint8_t>(depths[node] + 1);
    depths.resize(counts.size());
    if (*std::ranges::max_element(depths) <= most_bits) return depths;
    for (uint32_t& count : counts) count = (count + 1) / 2;  // a flatter code
  }
}

/// The code's words, their first bit lowest.
std::vector<uint16_t> CodeWords(std::span<const uint8_t> lengths) {
  std::vector<uint16_t> words(lengths.size());
  uint32_t next = 0;
  for (int bits = 1; bits <= kMostBits; ++bits, next *= 2)
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      if (lengths[symbol] != bits) continue;
      for (int bit = 0; bit < bits; ++bit)
        words[symbol] = static_cast<uint16_t>(words[symbol] | (next >> (bits - 1 - bit) & 1) << bit);
      ++next;
    }
  return words;
}

class BitWriter {
 public:
  explicit BitWriter(std::string& bytes) : bytes_(bytes) {}
  void Put(uint32_t value, int bits) {
    word_ |= uint64_t{value} << count_;
    for (count_ += bits; count_ >= 8; count_ -= 8, word_ >>= 8) bytes_ += static_cast<char>(word_);
  }
  void Finish() {
    if (count_ > 0) bytes_ += static_cast<char>(word_);
  }

 private:
  std::string& bytes_;
  uint64_t word_ = 0;
  int count_ = 0;
};

/// The symbol of a run, and what follows it.
struct RunCode {
  int symbol, bits, base;
};
RunCode CodeOfRun(int length) {
  static constexpr int kBases[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                   31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  static constexpr int kBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                  2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  const auto at = std::ranges::upper_bound(kBases, length) - std::begin(kBases) - 1;
  return {kEnd + 1 + static_cast<int>(at), kBits[at], kBases[at]};
}

/// Calls literal(byte) and run(length).
template <class Literal, class Run>
void ForEachPiece(std::string_view bytes, Literal literal, Run run) {
  for (size_t at = 0; at < bytes.size();) {
    size_t end = at;
    const size_t most = std::min(bytes.size(), at + kLongestRun);
    if (at > 0)
      while (end < most && bytes[end] == bytes[at - 1]) ++end;
    if (end - at >= kShortestRun) {
      run(static_cast<int>(end - at));
      at = end;
    } else {
      literal(static_cast<uint8_t>(bytes[at++]));
    }
  }
}

void WriteCodes(std::span<const uint8_t> lengths, BitWriter& bits) {
  static constexpr int kOrder[kLengthSymbols] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  std::vector<uint8_t> all(lengths.begin(), lengths.end());
  all.push_back(1);  // of the only distance
  std::vector<uint32_t> counts(kLengthSymbols);
  for (const uint8_t length : all) ++counts[length];
  const std::vector<uint8_t> code = CodeLengths(std::move(counts), kMostLengthBits);
  const std::vector<uint16_t> words = CodeWords(code);
  bits.Put(kSymbols - 257, 5);
  bits.Put(0, 5);
  bits.Put(kLengthSymbols - 4, 4);
  for (const int symbol : kOrder) bits.Put(code[symbol], 3);
  for (const uint8_t length : all) bits.Put(words[length], code[length]);
}

std::string Deflate(std::string_view bytes) {
  std::vector<uint32_t> counts(kSymbols);
  counts[kEnd] = 1;
  ForEachPiece(
      bytes, [&](uint8_t byte) { ++counts[byte]; }, [&](int run) { ++counts[CodeOfRun(run).symbol]; });
  const std::vector<uint8_t> lengths = CodeLengths(std::move(counts), kMostBits);
  const std::vector<uint16_t> words = CodeWords(lengths);
  std::string packed;
  packed.reserve(bytes.size());
  BitWriter bits(packed);
  bits.Put(1, 1);  // the last block,
  bits.Put(2, 2);  // with a code of its own
  WriteCodes(lengths, bits);
  ForEachPiece(
      bytes, [&](uint8_t byte) { bits.Put(words[byte], lengths[byte]); },
      [&](int length) {
        const RunCode run = CodeOfRun(length);
        bits.Put(words[run.symbol], lengths[run.symbol]);
        bits.Put(static_cast<uint32_t>(length - run.base), run.bits);
        bits.Put(0, 1);
      });
  bits.Put(words[kEnd], lengths[kEnd]);
  bits.Finish();
  return packed;
}

std::string BigEndian(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255);
  return text;
}

/// RFC 1950.
std::string Zlib(std::string_view bytes) {
  constexpr uint32_t kPrime = 65521;
  constexpr size_t kSafe = 5000;  // so many bytes do not overflow the sums
  uint32_t a = 1, b = 0;
  for (size_t at = 0; at < bytes.size();) {
    for (const size_t end = std::min(bytes.size(), at + kSafe); at < end; ++at)
      b += a += static_cast<uint8_t>(bytes[at]);
    a %= kPrime;
    b %= kPrime;
  }
  return "\x78\x01" + Deflate(bytes) + BigEndian(b << 16 | a);
}

uint32_t Crc(std::string_view bytes) {
  static constexpr auto kTable = [] {
    std::array<uint32_t, 256> table{};
    for (uint32_t i = 0; i < 256; ++i) {
      table[i] = i;
      for (int bit = 0; bit < 8; ++bit) table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    return table;
  }();
  uint32_t crc = ~0u;
  for (const char byte : bytes) crc = crc >> 8 ^ kTable[(crc ^ static_cast<uint8_t>(byte)) & 255];
  return ~crc;
}

std::string Chunk(std::string_view type, const std::string& data) {
  const std::string checked = std::string(type) + data;
  return BigEndian(static_cast<uint32_t>(data.size())) + checked + BigEndian(Crc(checked));
}

}  // namespace

std::string Png(const RgbImage& image) {
  constexpr char kUp = 2;
  const size_t row_bytes = size_t{3} * image.width;
  std::string rows((row_bytes + 1) * image.height, '\0');
  for (int y = 0; y < image.height; ++y) {
    char* to = &rows[(row_bytes + 1) * y];
    const uint8_t* row = &image.rgb[row_bytes * y];
    *to++ = y > 0 ? kUp : '\0';
    for (size_t i = 0; i < row_bytes; ++i) to[i] = static_cast<char>(row[i] - (y > 0 ? row[i - row_bytes] : 0));
  }
  const std::string header = BigEndian(static_cast<uint32_t>(image.width)) +
                             BigEndian(static_cast<uint32_t>(image.height)) + std::string("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + Chunk("IHDR", header) + Chunk("IDAT", Zlib(rows)) + Chunk("IEND", "");
}

}  // namespace acutance
