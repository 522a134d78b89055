#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "log/table/arrow_file.h"
#include "log/table/flat_buffer.h"
#include "log/table/parquet_file.h"
#include "log/table/rows_file.h"

namespace acutance {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

DataTable MakeTable() {
  return {.columns = {{"frame", DataColumn::Values<int64_t>{0, std::nullopt, 1234567890123}},
                      {"score", DataColumn::Values<double>{0.1, std::numeric_limits<double>::infinity(), std::nullopt}},
                      {"name", DataColumn::Values<std::string>{"a", "\xc3\xa4 \"b\"", std::nullopt}}},
          .metadata = {{"key", "{\"value\":1}"}}};
}

void ExpectEqual(const DataTable& found, const DataTable& expected) {
  ASSERT_EQ(found.columns.size(), expected.columns.size());
  for (size_t i = 0; i < expected.columns.size(); ++i) {
    EXPECT_EQ(found.columns[i].name, expected.columns[i].name);
    EXPECT_TRUE(found.columns[i].values == expected.columns[i].values) << expected.columns[i].name;
  }
  EXPECT_EQ(found.metadata, expected.metadata);
}

TEST(RowsFile, ReadsBackEqual) {
  const DataTable table = MakeTable();
  const Result<DataTable> read = ReadRows(RowsFile(table));
  ASSERT_TRUE(read.ok()) << read.status().message();
  ExpectEqual(*read, table);
  for (const char* bad :
       {"", "[]", "{\"columns\":[]}", R"({"columns":[{"name":"a","type":"x","values":[]}],"metadata":{}})",
        R"({"columns":[{"name":"a","type":"text","values":[1]}],"metadata":{}})",
        R"({"columns":[{"name":"a","type":"real","values":[1]},{"name":"b","type":"real","values":[]}],)"
        R"("metadata":{}})"})
    EXPECT_FALSE(ReadRows(bad).ok()) << bad;
}

// tests/python/test_queries.py reads whole files by other programs.
TEST(ParquetFile, HasItsMarksAndPages) {
  const std::string file = ParquetFile(MakeTable());
  EXPECT_THAT(file, StartsWith("PAR1"));
  EXPECT_THAT(file, EndsWith("PAR1"));
  uint32_t footer = 0;
  std::memcpy(&footer, file.data() + file.size() - 8, 4);
  EXPECT_THAT(file.substr(file.size() - 8 - footer), HasSubstr("{\"value\":1}"));
  // The first page: a data page of three values, one of which is null.
  EXPECT_EQ(file.substr(4, 5), std::string("\x15\x00\x15\x34\x15", 5)) << "26 bytes: flags of 10, two numbers of 8";
}

TEST(ArrowFile, HasItsMarksAndAlignedMessages) {
  const std::string file = ArrowFile(MakeTable());
  EXPECT_THAT(file, StartsWith("ARROW1"));
  EXPECT_THAT(file, EndsWith("ARROW1"));
  for (size_t at = file.find("\xff\xff\xff\xff"); at != file.npos; at = file.find("\xff\xff\xff\xff", at + 4))
    EXPECT_EQ(at % 8, 0u);
}

TEST(FlatBuffer, PlacesFieldsByTheirIndex) {
  FlatBuffer buffer;
  const FlatBuffer::Place text = buffer.String("abc");
  const std::string bytes = buffer.Finish(
      buffer.Table({FlatBuffer::Number(0, 2, 0x1234), FlatBuffer::At(2, text), FlatBuffer::Number(3, 8, -1)}));
  ASSERT_EQ(bytes.size() % 8, 0u);
  const auto read = [&](size_t at, int size) {
    int64_t value = 0;
    std::memcpy(&value, bytes.data() + at, static_cast<size_t>(size));
    return static_cast<size_t>(value);
  };
  const size_t table = read(0, 4), index = table - read(table, 4);
  EXPECT_EQ(read(index, 2), 4u + 2 * 4) << "four fields";
  EXPECT_EQ(read(table + read(index + 4, 2), 2), 0x1234u);
  EXPECT_EQ(read(index + 6, 2), 0u) << "field 1 is not there";
  const size_t eight = table + read(index + 10, 2), at = table + read(index + 8, 2), string = at + read(at, 4);
  EXPECT_EQ(eight % 8, 0u);
  EXPECT_EQ(read(eight, 8), static_cast<size_t>(-1));
  EXPECT_EQ(bytes.substr(string + 4, read(string, 4)), "abc");
}

}  // namespace
}  // namespace acutance
