#include "report/png.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
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

/// Bits one after another, in memory that is large enough for them and eight bytes more.
class BitWriter {
 public:
  explicit BitWriter(char* bytes) : begin_(bytes), at_(bytes) {}
  /// At most 56 bits from Flush to Flush.
  void Put(uint32_t value, int bits) {
    word_ |= uint64_t{value} << count_;
    count_ += bits;
  }
  void Flush() {
    for (int i = 0; i < 8; ++i) at_[i] = static_cast<char>(word_ >> (8 * i));
    at_ += count_ / 8;
    word_ >>= count_ / 8 * 8;
    count_ %= 8;
  }
  /// All that was put, to the last byte's end.
  std::string_view Finish() {
    Put(0, 7);
    Flush();
    return {begin_, at_};
  }

 private:
  char* const begin_;
  char* at_;
  uint64_t word_ = 0;
  int count_ = 0;
};

/// The symbol of a run, and what follows it.
struct RunCode {
  int symbol, bits, base;
};
constexpr RunCode CodeOfRun(int length) {
  constexpr int kBases[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                            31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
  constexpr int kBits[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
  const auto at = std::ranges::upper_bound(kBases, length) - std::begin(kBases) - 1;
  return {kEnd + 1 + static_cast<int>(at), kBits[at], kBases[at]};
}
constexpr auto kRunCodes = [] {
  std::array<RunCode, kLongestRun + 1> codes{};
  for (int length = kShortestRun; length <= kLongestRun; ++length) codes[length] = CodeOfRun(length);
  return codes;
}();

/// Bytes of a row that are dealt with at a time where no run begins in them.
constexpr size_t kPiece = 6;

uint64_t Load8(const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof(word));
  return word;
}

/// Whether a run begins at one of kPiece bytes, behind each of which two more can be read.
bool HasRun(const char* bytes) {
  constexpr uint64_t kLow7 = 0x7f7f7f7f7f7f7f7f;
  const uint64_t changes = Load8(bytes) ^ Load8(bytes - 1);
  const uint64_t same = ~(((changes & kLow7) + kLow7) | changes | kLow7);  // bit 7 of bytes like the one before
  return (same & same >> 8 & same >> 16) != 0;
}

/// Calls literals(byte...) with kPiece bytes or one, and run(length).
template <class Literals, class Run>
void ForEachPiece(std::string_view bytes, Literals literals, Run run) {
  literals(bytes.substr(0, 1));
  for (size_t at = 1; at < bytes.size();) {
    if (at + 8 <= bytes.size() && !HasRun(&bytes[at])) {
      literals(bytes.substr(at, kPiece));
      at += kPiece;
      continue;
    }
    const char before = bytes[at - 1];
    const uint64_t eight = 0x0101010101010101 * static_cast<uint8_t>(before);
    const size_t most = std::min<size_t>(bytes.size(), at + kLongestRun);
    size_t end = at;
    while (end + 8 <= most && Load8(&bytes[end]) == eight) end += 8;
    while (end < most && bytes[end] == before) ++end;
    if (end - at >= kShortestRun) {
      run(static_cast<int>(end - at));
      at = end;
    } else {
      literals(bytes.substr(at++, 1));
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
  const auto put = [&](uint32_t value, int count) {
    bits.Put(value, count);
    bits.Flush();
  };
  put(kSymbols - 257, 5);
  put(0, 5);
  put(kLengthSymbols - 4, 4);
  for (const int symbol : kOrder) put(code[symbol], 3);
  for (const uint8_t length : all) put(words[length], code[length]);
}

/// The rows of an image as a PNG file has them: how they are filtered, and what they are less than the one above.
class FilteredRows {
 public:
  explicit FilteredRows(const RgbImage& image) : image_(image), size_(size_t{3} * image.width), row_(size_ + 1, '\0') {}

  size_t bytes() const { return row_.size() * image_.height; }

  std::string_view Row(int y) {
    constexpr char kUp = 2;
    const uint8_t* row = &image_.rgb[size_ * y];
    row_[0] = y > 0 ? kUp : '\0';
    if (y == 0) std::memcpy(&row_[1], row, size_);
    else Subtract(row, row - size_, size_, &row_[1]);
    return row_;
  }

 private:
  static void Subtract(const uint8_t* row, const uint8_t* above, size_t size, char* __restrict to) {
    for (size_t i = 0; i < size; ++i) to[i] = static_cast<char>(row[i] - above[i]);
  }

  const RgbImage& image_;
  const size_t size_;
  std::string row_;
};

/// How often symbols are, from one row in eight; each is at least once.
std::vector<uint32_t> CountSymbols(FilteredRows& rows, int height) {
  constexpr int kStep = 8;
  std::vector<uint32_t> counts(kSymbols, 1);
  for (int y = std::min(height / 2, kStep / 2); y < height; y += kStep)
    ForEachPiece(
        rows.Row(y),
        [&](std::string_view bytes) {
          for (const char byte : bytes) counts[static_cast<uint8_t>(byte)] += kStep;
        },
        [&](int length) { counts[kRunCodes[length].symbol] += kStep; });
  return counts;
}

void WriteRow(std::string_view row, std::span<const uint8_t> lengths, std::span<const uint16_t> words,
              BitWriter& bits) {
  const auto put = [&](int symbol) { bits.Put(words[symbol], lengths[symbol]); };
  const auto literal = [&](char byte) { put(static_cast<uint8_t>(byte)); };
  ForEachPiece(
      row,
      [&](std::string_view bytes) {
        if (bytes.size() == kPiece) {
          for (size_t i = 0; i < 3; ++i) literal(bytes[i]);
          bits.Flush();
          for (size_t i = 3; i < kPiece; ++i) literal(bytes[i]);
        } else {
          literal(bytes[0]);
        }
        bits.Flush();
      },
      [&](int length) {
        const RunCode& run = kRunCodes[length];
        put(run.symbol);
        bits.Put(static_cast<uint32_t>(length - run.base), run.bits);
        bits.Put(0, 1);
        bits.Flush();
      });
}

std::string BigEndian(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255);
  return text;
}

/// The check sum of RFC 1950.
class Adler {
 public:
  void Add(std::string_view bytes) {
    constexpr size_t kPart = 32, kParts = 128;  // so many parts do not overflow the sums
    size_t at = 0;
    const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])); };
    while (bytes.size() - at >= kPart) {
      for (size_t part = 0; part < kParts && bytes.size() - at >= kPart; ++part, at += kPart) {
        uint32_t sum = 0, weighted = 0;
        for (size_t i = 0; i < kPart; ++i) {
          sum += byte(i);
          weighted += static_cast<uint32_t>(kPart - i) * byte(i);
        }
        b_ += static_cast<uint32_t>(kPart) * a_ + weighted;
        a_ += sum;
      }
      Reduce();
    }
    for (; at < bytes.size(); ++at) b_ += a_ += byte(0);
    Reduce();
  }
  uint32_t sum() const { return b_ << 16 | a_; }

 private:
  void Reduce() {
    constexpr uint32_t kPrime = 65521;
    a_ %= kPrime;
    b_ %= kPrime;
  }

  uint32_t a_ = 1, b_ = 0;
};

/// The image's rows as RFC 1950 packs them, in one block.
std::string Packed(const RgbImage& image) {
  FilteredRows rows(image);
  const std::vector<uint8_t> lengths = CodeLengths(CountSymbols(rows, image.height), kMostBits);
  const std::vector<uint16_t> words = CodeWords(lengths);
  constexpr size_t kHeader = 1024;  // 3 + 14 + 19 * 3 bits, 287 lengths of 7 bits at most, and Flush's eight bytes
  const auto memory = std::make_unique_for_overwrite<char[]>(rows.bytes() * kMostBits / 8 + kHeader);
  BitWriter bits(memory.get());
  bits.Put(1, 1);  // the last block,
  bits.Put(2, 2);  // with a code of its own
  WriteCodes(lengths, bits);
  Adler adler;
  for (int y = 0; y < image.height; ++y) {
    const std::string_view row = rows.Row(y);
    adler.Add(row);
    WriteRow(row, lengths, words, bits);
  }
  bits.Put(words[kEnd], lengths[kEnd]);
  std::string packed("\x78\x01");
  packed += bits.Finish();
  return packed + BigEndian(adler.sum());
}

/// Tables for eight bytes at a time: entry i of table t is what byte i, with t bytes of 0 behind it, makes of 0.
constexpr auto kCrcTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < tables.size(); ++t)
    for (uint32_t i = 0; i < 256; ++i) tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
  return tables;
}();

uint32_t Crc(std::string_view bytes) {
  uint32_t crc = ~0u;
  size_t at = 0;
  const auto byte = [&](size_t i) { return static_cast<uint32_t>(static_cast<uint8_t>(bytes[at + i])); };
  for (; bytes.size() - at >= 8; at += 8) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < 8; ++i) {
      const uint32_t mixed = byte(i) ^ (i < 4 ? crc >> (8 * i) & 255 : 0);
      next ^= kCrcTables[7 - i][mixed];
    }
    crc = next;
  }
  for (; at < bytes.size(); ++at) crc = crc >> 8 ^ kCrcTables[0][(crc ^ byte(0)) & 255];
  return ~crc;
}

std::string Chunk(std::string_view type, const std::string& data) {
  const std::string checked = std::string(type) + data;
  return BigEndian(static_cast<uint32_t>(data.size())) + checked + BigEndian(Crc(checked));
}

}  // namespace

std::string Png(const RgbImage& image) {
  const std::string header = BigEndian(static_cast<uint32_t>(image.width)) +
                             BigEndian(static_cast<uint32_t>(image.height)) + std::string("\x08\x02\0\0\0", 5);
  return "\x89PNG\r\n\x1a\n" + Chunk("IHDR", header) + Chunk("IDAT", Packed(image)) + Chunk("IEND", "");
}

}  // namespace acutance
