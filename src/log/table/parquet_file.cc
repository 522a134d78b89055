#include "log/table/parquet_file.h"

#include <bit>
#include <map>
#include <string_view>

#include "log/table/append_bytes.h"

namespace acutance {
namespace {

// Numbers of Parquet's Thrift definition.
enum ParquetType { kInt64 = 2, kDouble = 5, kByteArray = 6 };
enum ParquetEncoding { kPlain = 0, kRunLength = 3, kDictionary = 8 };
enum ParquetPage { kDataPage = 0, kDictionaryPage = 2 };
constexpr int kOptional = 1;      // repetition
constexpr int kUtf8 = 0;          // converted type
constexpr int kUncompressed = 0;  // codec
constexpr std::string_view kMagic = "PAR1";

void AppendVarint(std::string& to, uint64_t value) {
  for (; value >= 0x80; value >>= 7) to += static_cast<char>(value | 0x80);
  to += static_cast<char>(value);
}

/// Thrift's compact protocol: fields of a struct in the order of their numbers.
class ThriftStruct {
 public:
  explicit ThriftStruct(std::string& to) : to_(to) {}
  ThriftStruct(const ThriftStruct&) = delete;
  ThriftStruct& operator=(const ThriftStruct&) = delete;
  ~ThriftStruct() { to_ += '\0'; }

  void Int32(int field, int64_t value) { Head(field, 5), AppendSigned(value); }
  void Int64(int field, int64_t value) { Head(field, 6), AppendSigned(value); }
  void Text(int field, std::string_view text) { Head(field, 8), AppendText(text); }
  template <class Fill>
  void Struct(int field, const Fill& fill) {
    Head(field, 12);
    ThriftStruct inner(to_);
    fill(inner);
  }
  template <class Items, class Fill>
  void Structs(int field, const Items& items, const Fill& fill) {
    List(field, 12, items.size());
    for (const auto& item : items) {
      ThriftStruct inner(to_);
      fill(inner, item);
    }
  }
  void Int32s(int field, const std::vector<int>& values) {
    List(field, 5, values.size());
    for (const int value : values) AppendSigned(value);
  }
  void Texts(int field, const std::vector<std::string>& texts) {
    List(field, 8, texts.size());
    for (const std::string& text : texts) AppendText(text);
  }

 private:
  void Head(int field, int type) {
    to_ += static_cast<char>((field - last_) << 4 | type);
    last_ = field;
  }
  void List(int field, int type, size_t size) {
    Head(field, 9);
    to_ += static_cast<char>((size < 15 ? size : 15) << 4 | static_cast<size_t>(type));
    if (size >= 15) AppendVarint(to_, size);
  }
  void AppendSigned(int64_t value) {
    AppendVarint(to_, static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63));
  }
  void AppendText(std::string_view text) {
    AppendVarint(to_, text.size());
    to_ += text;
  }

  std::string& to_;
  int last_ = 0;
};

/// Numbers of `bits` bits each as runs of equal ones.
class RunLengths {
 public:
  explicit RunLengths(int bits) : bytes_((bits + 7) / 8) {}

  void Add(uint32_t value) {
    if (count_ > 0 && value != value_) End();
    value_ = value;
    ++count_;
  }
  std::string Take() {
    if (count_ > 0) End();
    return std::move(text_);
  }

 private:
  void End() {
    AppendVarint(text_, count_ << 1);
    for (int b = 0; b < bytes_; ++b) text_ += static_cast<char>(value_ >> 8 * b);
    count_ = 0;
  }

  int bytes_;
  uint32_t value_ = 0;
  uint64_t count_ = 0;
  std::string text_;
};

/// Values that are set, and the dictionary of texts.
struct PlainValues {
  ParquetType type;
  std::string values;
  std::string dictionary;
  int dictionary_size = 0;
};

PlainValues Encode(const DataColumn::Values<int64_t>& values) {
  PlainValues encoded{.type = kInt64, .values = {}, .dictionary = {}};
  for (const auto& value : values)
    if (value) AppendBytes(encoded.values, *value);
  return encoded;
}

PlainValues Encode(const DataColumn::Values<double>& values) {
  PlainValues encoded{.type = kDouble, .values = {}, .dictionary = {}};
  for (const auto& value : values)
    if (value) AppendBytes(encoded.values, *value);
  return encoded;
}

PlainValues Encode(const DataColumn::Values<std::string>& values) {
  PlainValues encoded{.type = kByteArray, .values = {}, .dictionary = {}};
  std::map<std::string_view, uint32_t> places;
  for (const auto& value : values) {
    if (!value || !places.try_emplace(*value, static_cast<uint32_t>(places.size())).second) continue;
    AppendBytes(encoded.dictionary, static_cast<uint32_t>(value->size()));
    encoded.dictionary += *value;
  }
  encoded.dictionary_size = static_cast<int>(places.size());
  const int bits = std::bit_width(places.empty() ? 0 : places.size() - 1);
  RunLengths indices(bits);
  for (const auto& value : values)
    if (value) indices.Add(places.at(*value));
  encoded.values = static_cast<char>(bits) + indices.Take();
  return encoded;
}

/// Which values are set, with the length in front.
template <class Values>
std::string SetFlags(const Values& values) {
  RunLengths flags(1);
  for (const auto& value : values) flags.Add(value.has_value());
  const std::string runs = flags.Take();
  std::string text;
  AppendBytes(text, static_cast<uint32_t>(runs.size()));
  return text + runs;
}

struct Chunk {
  const std::string* name;
  ParquetType type;
  int64_t begin = 0, data = 0, bytes = 0;  // in the file: of the chunk, and of its data page
};

void AppendPage(std::string& file, ParquetPage page, int64_t count, ParquetEncoding encoding, const std::string& body) {
  {
    ThriftStruct header(file);
    header.Int32(1, page);
    header.Int32(2, static_cast<int64_t>(body.size()));
    header.Int32(3, static_cast<int64_t>(body.size()));
    header.Struct(page == kDataPage ? 5 : 7, [&](ThriftStruct& of_page) {
      of_page.Int32(1, count);
      of_page.Int32(2, encoding);
      if (page == kDictionaryPage) return;
      of_page.Int32(3, kRunLength);
      of_page.Int32(4, kRunLength);
    });
  }
  file += body;
}

Chunk AppendColumn(std::string& file, const DataColumn& column, int64_t rows) {
  Chunk chunk{.name = &column.name, .type = kInt64, .begin = static_cast<int64_t>(file.size())};
  std::visit(
      [&](const auto& values) {
        const PlainValues encoded = Encode(values);
        const bool is_text = encoded.type == kByteArray;
        chunk.type = encoded.type;
        if (is_text) AppendPage(file, kDictionaryPage, encoded.dictionary_size, kPlain, encoded.dictionary);
        chunk.data = static_cast<int64_t>(file.size());
        AppendPage(file, kDataPage, rows, is_text ? kDictionary : kPlain, SetFlags(values) + encoded.values);
      },
      column.values);
  chunk.bytes = static_cast<int64_t>(file.size()) - chunk.begin;
  return chunk;
}

void AddSchema(ThriftStruct& footer, const std::vector<Chunk>& chunks) {
  const Chunk root{.name = nullptr, .type = kInt64};
  std::vector<Chunk> elements = {root};
  elements.insert(elements.end(), chunks.begin(), chunks.end());
  footer.Structs(2, elements, [&](ThriftStruct& element, const Chunk& chunk) {
    if (chunk.name) element.Int32(1, chunk.type), element.Int32(3, kOptional);
    element.Text(4, chunk.name ? *chunk.name : "schema");
    if (!chunk.name) element.Int32(5, static_cast<int64_t>(chunks.size()));
    if (!chunk.name || chunk.type != kByteArray) return;
    element.Int32(6, kUtf8);
    element.Struct(10, [](ThriftStruct& type) { type.Struct(1, [](ThriftStruct&) {}); });
  });
}

void AddChunk(ThriftStruct& to, const Chunk& chunk, int64_t rows) {
  const bool is_text = chunk.type == kByteArray;
  to.Int64(2, chunk.begin);
  to.Struct(3, [&](ThriftStruct& facts) {
    facts.Int32(1, chunk.type);
    facts.Int32s(2, is_text ? std::vector<int>{kPlain, kRunLength, kDictionary} : std::vector<int>{kPlain, kRunLength});
    facts.Texts(3, {*chunk.name});
    facts.Int32(4, kUncompressed);
    facts.Int64(5, rows);
    facts.Int64(6, chunk.bytes);
    facts.Int64(7, chunk.bytes);
    facts.Int64(9, chunk.data);
    if (is_text) facts.Int64(11, chunk.begin);
  });
}

}  // namespace

std::string ParquetFile(const DataTable& table) {
  const int64_t rows = table.rows();
  std::string file(kMagic);
  std::vector<Chunk> chunks;
  for (const DataColumn& column : table.columns) chunks.push_back(AppendColumn(file, column, rows));
  const size_t footer_begin = file.size();
  {
    ThriftStruct footer(file);
    footer.Int32(1, 1);
    AddSchema(footer, chunks);
    footer.Int64(3, rows);
    const std::vector<int64_t> groups(1, static_cast<int64_t>(footer_begin - kMagic.size()));
    footer.Structs(4, groups, [&](ThriftStruct& group, int64_t bytes) {
      group.Structs(1, chunks, [&](ThriftStruct& to, const Chunk& chunk) { AddChunk(to, chunk, rows); });
      group.Int64(2, bytes);
      group.Int64(3, rows);
    });
    footer.Structs(5, table.metadata, [](ThriftStruct& pair, const auto& entry) {
      pair.Text(1, entry.first);
      pair.Text(2, entry.second);
    });
    footer.Text(6, "acutance");
  }
  AppendBytes(file, static_cast<uint32_t>(file.size() - footer_begin));
  return file + std::string(kMagic);
}

}  // namespace acutance
