#include "report/png.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "report/image_rows.h"

namespace acutance {
namespace {

// Deflate (RFC 1951): literals, the end, and lengths of runs; a run repeats the byte before it.
constexpr int kEnd = 256, kSymbols = 286, kLengthSymbols = 19, kShortestRun = 3, kLongestRun = 258;
constexpr int kMostBits = 13, kMostLengthBits = 7;  // two literals and their number fit 32 bits

/// A part of a prefix code's tree, and what of an image it stands for.
struct Node {
  uint64_t count;
  size_t left = 0, right = 0;  // of what stands for two
};

/// Symbols, the rarest first; of those that are as often the first one.
std::vector<size_t> ByCount(const std::vector<uint32_t>& counts) {
  std::vector<size_t> order;
  for (size_t symbol = 0; symbol < counts.size(); ++symbol)
    if (counts[symbol] > 0) order.push_back(symbol);
  std::ranges::sort(order, {}, [&](size_t symbol) { return std::pair(counts[symbol], symbol); });
  return order;
}

/// Lengths in bits of a prefix code for symbols that are that often; 0: never. At least two symbols get one.
std::vector<uint8_t> CodeLengths(std::vector<uint32_t> counts, int most_bits) {
  for (size_t symbol = 0; std::ranges::count_if(counts, [](uint32_t c) { return c > 0; }) < 2; ++symbol)
    counts[symbol] = std::max(counts[symbol], uint32_t{1});
  for (;;) {
    std::vector<Node> nodes;
    for (const uint32_t count : counts) nodes.push_back({count});
    const std::vector<size_t> order = ByCount(counts);
    // Pairs come in the order of their counts, so that the rarest part is the next symbol or the next pair.
    size_t symbol = 0, pair = counts.size();
    const auto take = [&] {
      const bool is_pair =
          symbol == order.size() || (pair < nodes.size() && nodes[pair].count < nodes[order[symbol]].count);
      return is_pair ? pair++ : order[symbol++];
    };
    for (size_t left = order.size(); left > 1; --left) {
      const size_t first = take(), second = take();
      nodes.push_back({nodes[first].count + nodes[second].count, first, second});
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
  explicit BitWriter(char* bytes) : at_(bytes) {}
  static constexpr int kMost = 56;

  /// At most kMost bits.
  void Put(uint64_t value, int bits) {
    word_ |= value << count_;
    count_ += static_cast<uint32_t>(bits);
    for (int i = 0; i < 8; ++i) at_[i] = static_cast<char>(word_ >> (8 * i));
    at_ += count_ / 8;
    word_ >>= count_ / 8 * 8;
    count_ %= 8;
  }
  /// Fills the last byte up. Returns the end of all that was put.
  char* Finish() {
    Put(0, 7);
    return at_;
  }

 private:
  char* at_;
  uint64_t word_ = 0;
  uint32_t count_ = 0;  // below 8; without a sign its parts are shifts
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

/// Which bytes of a row are like the one before them.
class RepeatedBytes {
 public:
  explicit RepeatedBytes(size_t most) : bits_(most / kWord + 3), runs_(bits_.size()) {}

  void Find(std::string_view row) {
    FindRepeats(row, bits_.data());
    const size_t words = (row.size() + kWord - 1) / kWord;
    std::fill_n(&bits_[words], 2, 0);
    uint64_t next_two = 0, next_four = 0;  // where so many begin, of the word behind
    for (size_t i = words; i-- > 0;) {
      const uint64_t two = bits_[i] & (bits_[i] >> 1 | bits_[i + 1] << (kWord - 1));
      const uint64_t four = two & (two >> 2 | next_two << (kWord - 2));
      runs_[i] = four & (four >> 4 | next_four << (kWord - 4));
      next_two = two;
      next_four = four;
    }
  }

  /// The first place from `at` on where eight follow each other; `size` where there is none. Shorter runs take hardly
  /// fewer bits than their bytes and more time.
  size_t NextRun(size_t at, size_t size) const {
    for (; at < size; at = (at / kWord + 1) * kWord) {
      const uint64_t runs = runs_[at / kWord] & ~uint64_t{0} << at % kWord;
      if (runs != 0) return at / kWord * kWord + std::countr_zero(runs);
    }
    return size;
  }
  /// How many follow each other at `at`, of a run's most.
  int Length(size_t at) const {
    int length = 0;
    while (length < kLongestRun) {
      const int more = std::countr_one(From(at + length));
      length += more;
      if (more < static_cast<int>(kWord)) break;
    }
    return std::min(length, kLongestRun);
  }

 private:
  static constexpr size_t kWord = 64;

  /// The 64 bits from a place on.
  uint64_t From(size_t at) const {
    const size_t shift = at % kWord;
    const uint64_t low = bits_[at / kWord] >> shift;
    return shift == 0 ? low : low | bits_[at / kWord + 1] << (kWord - shift);
  }

  std::vector<uint64_t> bits_;
  std::vector<uint64_t> runs_;  // where eight begin
};

/// Calls literals(bytes) and run(length) for what a row consists of.
template <class Literals, class Run>
void ForEachPiece(std::string_view row, RepeatedBytes& repeated, Literals literals, Run run) {
  repeated.Find(row);
  for (size_t at = 0; at < row.size();) {
    const size_t next = repeated.NextRun(at, row.size());
    if (next > at) literals(row.substr(at, next - at));
    if (next == row.size()) return;
    const int length = repeated.Length(next);
    run(length);
    at = next + length;
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

/// The rows of an image as a PNG file has them: how they are filtered, and what they are less than the one above.
class FilteredRows {
 public:
  explicit FilteredRows(const RgbRows& image)
      : image_(image), size_(size_t{3} * image.width), row_(size_ + 1, '\0'), made_{-1, -1} {
    for (auto& pixels : pixels_) pixels.resize(size_);
  }

  size_t bytes_of_row() const { return row_.size(); }
  size_t bytes() const { return row_.size() * image_.height; }

  std::string_view Row(int y) {
    constexpr char kUp = 2;
    row_[0] = y > 0 ? kUp : '\0';
    const uint8_t* const row = Pixels(y);
    if (y == 0) std::memcpy(&row_[1], row, size_);
    else SubtractBytes(row, Pixels(y - 1), size_, reinterpret_cast<uint8_t*>(&row_[1]));
    return row_;
  }

 private:
  const uint8_t* Pixels(int y) {
    std::vector<uint8_t>& pixels = pixels_[y % 2];
    if (std::exchange(made_[y % 2], y) != y) image_.make(y, pixels.data());
    return pixels.data();
  }

  const RgbRows& image_;
  const size_t size_;
  std::string row_;
  std::array<std::vector<uint8_t>, 2> pixels_;  // of even and of odd rows
  std::array<int, 2> made_;
};

/// How often symbols are, from one row in 16; each is at least once.
std::vector<uint32_t> CountSymbols(FilteredRows& rows, int height, RepeatedBytes& repeated) {
  constexpr int kStep = 16;
  std::vector<uint32_t> counts(kSymbols, 1);
  for (int y = std::min(height / 2, kStep / 2); y < height; y += kStep)
    ForEachPiece(
        rows.Row(y), repeated,
        [&](std::string_view bytes) {
          for (const char byte : bytes) counts[static_cast<uint8_t>(byte)] += kStep;
        },
        [&](int length) { counts[kRunCodes[length].symbol] += kStep; });
  return counts;
}

/// Bits that stand for something.
struct Word {
  uint64_t bits = 0;
  int count = 0;

  Word Then(Word next) const { return {bits | next.bits << count, count + next.count}; }
};

/// The words of literals, of two of them, and of whole runs, distance included.
class WordTable {
 public:
  explicit WordTable(std::span<const uint8_t> lengths) : pairs_(kEnd * kEnd) {
    const std::vector<uint16_t> words = CodeWords(lengths);
    const auto word = [&](int symbol) { return Word{words[symbol], lengths[symbol]}; };
    for (int byte = 0; byte < kEnd; ++byte) literals_[byte] = word(byte);
    for (int second = 0; second < kEnd; ++second)
      for (int first = 0; first < kEnd; ++first) {
        const uint32_t bits = words[first] | uint32_t{words[second]} << lengths[first];
        pairs_[kEnd * second + first] = bits << kCountBits | static_cast<uint32_t>(lengths[first] + lengths[second]);
      }
    end_ = word(kEnd);
    for (int length = kShortestRun; length <= kLongestRun; ++length) {
      const RunCode& code = kRunCodes[length];
      const Word rest{static_cast<uint64_t>(length - code.base), code.bits}, distance{0, 1};
      runs_[length] = word(code.symbol).Then(rest).Then(distance);
    }
  }
  Word operator[](char byte) const { return literals_[static_cast<uint8_t>(byte)]; }
  /// The code of the two literals that stand at `bytes`.
  Word Pair(const char* bytes) const {
    const uint32_t pair = pairs_[static_cast<uint8_t>(bytes[0]) | static_cast<uint8_t>(bytes[1]) << 8];
    return {pair >> kCountBits, static_cast<int>(pair & ((1 << kCountBits) - 1))};
  }
  Word run(int length) const { return runs_[length]; }
  Word end() const { return end_; }

 private:
  static constexpr int kCountBits = 5;
  static_assert(2 * kMostBits + kCountBits <= 32 && 2 * kMostBits < 1 << kCountBits);

  std::array<Word, kEnd> literals_;
  std::vector<uint32_t> pairs_;  // bits << kCountBits | how many they are
  std::array<Word, kLongestRun + 1> runs_;
  Word end_;
};

void WriteRow(std::string_view row, const WordTable& words, RepeatedBytes& repeated, BitWriter& bits) {
  const auto put = [&](Word word) { bits.Put(word.bits, word.count); };
  ForEachPiece(
      row, repeated,
      [&](std::string_view bytes) {
        size_t at = 0;
        const auto four = [&](size_t from) { return words.Pair(&bytes[from]).Then(words.Pair(&bytes[from + 2])); };
        for (; at + 8 <= bytes.size(); at += 8) {
          const Word first = four(at), second = four(at + 4);
          if (first.count + second.count <= BitWriter::kMost) {
            put(first.Then(second));
          } else {
            put(first);
            put(second);
          }
        }
        for (; at + 4 <= bytes.size(); at += 4) put(four(at));
        for (; at < bytes.size(); ++at) put(words[bytes[at]]);
      },
      [&](int length) { put(words.run(length)); });
}

char* PutBigEndian(uint32_t value, char* to) {
  for (int shift = 24; shift >= 0; shift -= 8) *to++ = static_cast<char>(value >> shift & 255);
  return to;
}

/// The check sum of RFC 1950.
class Adler {
 public:
  void Add(std::string_view bytes) {
    constexpr uint32_t kPrime = 65521;
    constexpr size_t kPart = 4096;  // whose sums are below 2^32
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), kPart))) {
      const std::string_view part = bytes.substr(0, kPart);
      const auto [sum, weighted] = SumBytes(part);
      b_ = (b_ + static_cast<uint32_t>(part.size()) * a_ + weighted) % kPrime;
      a_ = (a_ + sum) % kPrime;
    }
  }
  uint32_t sum() const { return b_ << 16 | a_; }

 private:
  uint32_t a_ = 1, b_ = 0;
};

constexpr uint32_t kCrcPolynomial = 0xedb88320u;

/// Tables for eight bytes at a time: entry i of table t is what byte i, with t bytes of 0 behind it, makes of 0.
constexpr auto kCrcTables = [] {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? kCrcPolynomial : 0);
    tables[0][i] = crc;
  }
  for (size_t t = 1; t < tables.size(); ++t)
    for (uint32_t i = 0; i < 256; ++i) tables[t][i] = tables[t - 1][i] >> 8 ^ tables[0][tables[t - 1][i] & 255];
  return tables;
}();

/// The state of the check sum behind eight bytes more.
uint32_t CrcOfEight(uint32_t crc, const char* bytes) {
  uint32_t next = 0;
  for (uint32_t i = 0; i < 8; ++i) {
    const uint32_t mixed = static_cast<uint8_t>(bytes[i]) ^ (i < 4 ? crc >> (8 * i) & 255 : 0);
    next ^= kCrcTables[7 - i][mixed];
  }
  return next;
}

uint32_t CrcOf(uint32_t crc, std::string_view bytes) {
  size_t at = 0;
  for (; bytes.size() - at >= 8; at += 8) crc = CrcOfEight(crc, &bytes[at]);
  for (; at < bytes.size(); ++at) crc = crc >> 8 ^ kCrcTables[0][(crc ^ static_cast<uint8_t>(bytes[at])) & 255];
  return crc;
}

/// Polynomials over two elements as the check sum has them: the highest bit is of the lowest power.
uint32_t TimesModulo(uint32_t a, uint32_t b) {
  uint32_t product = 0;
  for (int bit = 31; bit >= 0; --bit) {
    if (a >> bit & 1) product ^= b;
    b = b >> 1 ^ (b & 1 ? kCrcPolynomial : 0);
  }
  return product;
}

/// What a state is multiplied by where so many bytes of 0 follow.
uint32_t PowerOfBytes(size_t bytes) {
  uint32_t power = 1u << 31, square = 1u << 23;  // 1; x to the 8th
  for (; bytes > 0; bytes /= 2, square = TimesModulo(square, square))
    if (bytes % 2 == 1) power = TimesModulo(power, square);
  return power;
}

/// Four quarters side by side, as each step waits for the one before.
uint32_t Crc(std::string_view bytes) {
  constexpr size_t kParts = 4;
  const size_t part = bytes.size() / kParts / 8 * 8;
  std::array<uint32_t, kParts> states = {~0u, 0, 0, 0};
  for (size_t at = 0; at < part; at += 8)
    for (size_t i = 0; i < kParts; ++i) states[i] = CrcOfEight(states[i], &bytes[i * part + at]);
  const uint32_t power = PowerOfBytes(part);
  uint32_t crc = states[0];
  for (size_t i = 1; i < kParts; ++i) crc = TimesModulo(crc, power) ^ states[i];
  return ~CrcOf(crc, bytes.substr(kParts * part));
}

/// A chunk's frame: length and type before its data, a check sum behind it.
constexpr size_t kBeforeData = 8;

/// Completes a chunk whose data stand behind room for their header. Returns where the next chunk begins.
char* FinishChunk(std::string_view type, char* chunk, char* data_end) {
  const auto size = static_cast<size_t>(data_end - chunk) - kBeforeData;
  std::ranges::copy(type, PutBigEndian(static_cast<uint32_t>(size), chunk));
  return PutBigEndian(Crc({chunk + kBeforeData - type.size(), data_end}), data_end);
}

char* PutHeader(const RgbRows& image, char* to) {
  constexpr std::string_view kFingerprint = "\x89PNG\r\n\x1a\n", kRgb8("\x08\x02\0\0\0", 5);
  to = std::ranges::copy(kFingerprint, to).out;
  char* data = PutBigEndian(static_cast<uint32_t>(image.width), to + kBeforeData);
  data = PutBigEndian(static_cast<uint32_t>(image.height), data);
  return FinishChunk("IHDR", to, std::ranges::copy(kRgb8, data).out);
}

/// The image's rows as RFC 1950 packs them, in one block.
char* PutPacked(const RgbRows& image, char* to) {
  FilteredRows rows(image);
  RepeatedBytes repeated(rows.bytes_of_row());
  const std::vector<uint8_t> lengths = CodeLengths(CountSymbols(rows, image.height, repeated), kMostBits);
  const WordTable words(lengths);
  constexpr std::string_view kZlib = "\x78\x01";
  BitWriter bits(std::ranges::copy(kZlib, to).out);
  bits.Put(1, 1);  // the last block,
  bits.Put(2, 2);  // with a code of its own
  WriteCodes(lengths, bits);
  Adler adler;
  for (int y = 0; y < image.height; ++y) {
    const std::string_view row = rows.Row(y);
    adler.Add(row);
    WriteRow(row, words, repeated, bits);
  }
  bits.Put(words.end().bits, words.end().count);
  return PutBigEndian(adler.sum(), bits.Finish());
}

}  // namespace

PngFile Png(const RgbRows& image) {
  // Frames of chunks, the code (3 + 14 + 19 * 3 bits, 287 lengths of 7 bits at most), and the writer's eight bytes.
  constexpr size_t kRest = 1024;
  const size_t rows = FilteredRows(image).bytes();
  PngFile file{std::make_unique_for_overwrite<char[]>(rows * kMostBits / 8 + kRest), 0};
  char* const data = PutHeader(image, file.memory.get());
  char* const end = FinishChunk("IDAT", data, PutPacked(image, data + kBeforeData));
  file.size = static_cast<size_t>(FinishChunk("IEND", end, end + kBeforeData) - file.memory.get());
  return file;
}

PngFile Png(const RgbImage& image) {
  const size_t bytes = size_t{3} * image.width;
  return Png(
      RgbRows{image.width, image.height, [&](int y, uint8_t* rgb) { std::copy_n(&image.rgb[bytes * y], bytes, rgb); }});
}

}  // namespace acutance
