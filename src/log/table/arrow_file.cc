#include "log/table/arrow_file.h"

#include "log/table/append_bytes.h"
#include "log/table/flat_buffer.h"

namespace acutance {
namespace {

using Field = FlatBuffer::Field;
using Place = FlatBuffer::Place;

// Numbers of Arrow's FlatBuffers definition.
constexpr int kVersion5 = 4;
enum ArrowHeader { kSchemaHeader = 1, kBatchHeader = 3 };
enum ArrowType { kIntType = 2, kFloatType = 3, kTextType = 5 };
constexpr int kDoublePrecision = 2;

constexpr size_t kAlignment = 8;

Place AddMetadata(FlatBuffer& buffer, const DataTable& table) {
  std::vector<Place> pairs;
  for (const auto& [key, value] : table.metadata) {
    const Place value_at = buffer.String(value), key_at = buffer.String(key);
    pairs.push_back(buffer.Table({FlatBuffer::At(0, key_at), FlatBuffer::At(1, value_at)}));
  }
  return buffer.Vector(pairs);
}

ArrowType TypeOf(const DataColumn& column) {
  constexpr ArrowType kTypes[] = {kIntType, kFloatType, kTextType};  // in the order of DataColumn::values
  return kTypes[column.values.index()];
}

Place AddType(FlatBuffer& buffer, ArrowType type) {
  if (type == kIntType) return buffer.Table({FlatBuffer::Number(0, 4, 64), FlatBuffer::Number(1, 1, 1)});
  if (type == kFloatType) return buffer.Table({FlatBuffer::Number(0, 2, kDoublePrecision)});
  return buffer.Table({});
}

Place AddSchema(FlatBuffer& buffer, const DataTable& table) {
  std::vector<Place> fields;
  for (const DataColumn& column : table.columns) {
    const Place name = buffer.String(column.name), type = AddType(buffer, TypeOf(column)), children = buffer.Vector({});
    fields.push_back(
        buffer.Table({FlatBuffer::At(0, name), FlatBuffer::Number(1, 1, 1), FlatBuffer::Number(2, 1, TypeOf(column)),
                      FlatBuffer::At(3, type), FlatBuffer::At(5, children)}));
  }
  const Place all = buffer.Vector(fields), metadata = AddMetadata(buffer, table);
  return buffer.Table({FlatBuffer::Number(0, 2, 0), FlatBuffer::At(1, all), FlatBuffer::At(2, metadata)});
}

/// What all columns store, and where.
struct Body {
  std::string bytes;
  std::vector<int64_t> nodes;    // of each column: rows, rows that are null
  std::vector<int64_t> buffers;  // offset and bytes

  void Add(const std::string& buffer) {
    buffers.insert(buffers.end(), {static_cast<int64_t>(bytes.size()), static_cast<int64_t>(buffer.size())});
    bytes += buffer;
    bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  }
};

template <class Values>
void AddSetBits(const Values& values, Body& body) {
  std::string bits((values.size() + 7) / 8, '\0');
  int64_t nulls = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i]) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << i % 8);
    else ++nulls;
  }
  body.nodes.insert(body.nodes.end(), {static_cast<int64_t>(values.size()), nulls});
  body.Add(nulls == 0 ? std::string() : bits);
}

template <class T>
void AddValues(const DataColumn::Values<T>& values, Body& body) {
  std::string bytes;
  for (const auto& value : values) AppendBytes(bytes, value.value_or(T{}));
  body.Add(bytes);
}

/// Where each text begins, and the texts.
void AddValues(const DataColumn::Values<std::string>& values, Body& body) {
  std::string starts, texts;
  AppendBytes(starts, int32_t{0});
  for (const auto& value : values) {
    if (value) texts += *value;
    AppendBytes(starts, static_cast<int32_t>(texts.size()));
  }
  body.Add(starts);
  body.Add(texts);
}

/// A header with its length, in front of its body.
std::string Message(FlatBuffer& buffer, ArrowHeader type, Place header, size_t body_bytes) {
  const Place root =
      buffer.Table({FlatBuffer::Number(0, 2, kVersion5), FlatBuffer::Number(1, 1, type), FlatBuffer::At(2, header),
                    FlatBuffer::Number(3, 8, static_cast<int64_t>(body_bytes))});
  const std::string text = buffer.Finish(root);
  std::string message;
  AppendBytes(message, uint32_t{0xFFFFFFFF});
  AppendBytes(message, static_cast<uint32_t>(text.size()));
  return message + text;
}

std::string SchemaMessage(const DataTable& table) {
  FlatBuffer buffer;
  const Place schema = AddSchema(buffer, table);
  return Message(buffer, kSchemaHeader, schema, 0);
}

std::string BatchMessage(int64_t rows, const Body& body) {
  FlatBuffer buffer;
  const Place buffers = buffer.Structs(body.buffers, body.buffers.size() / 2),
              nodes = buffer.Structs(body.nodes, body.nodes.size() / 2);
  const Place batch =
      buffer.Table({FlatBuffer::Number(0, 8, rows), FlatBuffer::At(1, nodes), FlatBuffer::At(2, buffers)});
  return Message(buffer, kBatchHeader, batch, body.bytes.size());
}

/// `begin`, `header` and `body`: of the record batch, in the file.
std::string Footer(const DataTable& table, size_t begin, size_t header, size_t body) {
  FlatBuffer buffer;
  const Place batches =
      buffer.Structs({static_cast<int64_t>(begin), static_cast<int64_t>(header), static_cast<int64_t>(body)}, 1);
  const Place dictionaries = buffer.Structs({}, 0), schema = AddSchema(buffer, table);
  const Place root = buffer.Table({FlatBuffer::Number(0, 2, kVersion5), FlatBuffer::At(1, schema),
                                   FlatBuffer::At(2, dictionaries), FlatBuffer::At(3, batches)});
  return buffer.Finish(root);
}

}  // namespace

std::string ArrowFile(const DataTable& table) {
  Body body;
  for (const DataColumn& column : table.columns)
    std::visit(
        [&](const auto& values) {
          AddSetBits(values, body);
          AddValues(values, body);
        },
        column.values);
  std::string file("ARROW1\0\0", kAlignment);
  file += SchemaMessage(table);
  const size_t begin = file.size();
  const std::string batch = BatchMessage(table.rows(), body);
  file += batch + body.bytes;
  AppendBytes(file, uint32_t{0xFFFFFFFF});  // the end of the messages
  AppendBytes(file, uint32_t{0});
  const std::string footer = Footer(table, begin, batch.size(), body.bytes.size());
  file += footer;
  AppendBytes(file, static_cast<uint32_t>(footer.size()));
  return file + "ARROW1";
}

}  // namespace acutance
