#include "log/json_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <vector>

namespace acutance {
namespace {

TEST(JsonText, BracedListsOfPairsAreObjects) {
  EXPECT_EQ(JsonLine({{"a", 1}, {"b", {{"c", true}}}, {"d", {"x", "y"}}, {"e", nullptr}}),
            "{\"a\":1,\"b\":{\"c\":true},\"d\":[\"x\",\"y\"],\"e\":null}\n");
  EXPECT_EQ(JsonLine({1, 2}), "[1,2]\n");
  EXPECT_EQ(JsonLine({{"a", 1}, {2, "b"}}), "[[\"a\",1],[2,\"b\"]]\n");
}

TEST(JsonText, IndentsByTwo) {
  EXPECT_EQ(JsonText({{"a", Json::Array()}, {"b", Json::Object()}, {"c", std::vector{1, 2}}}),
            "{\n  \"a\": [],\n  \"b\": {},\n  \"c\": [\n    1,\n    2\n  ]\n}\n");
}

TEST(JsonText, NumbersReadBackAndKeepTheirKind) {
  EXPECT_EQ(JsonLine(1.0), "1.0\n");
  EXPECT_EQ(JsonLine(-0.0), "-0.0\n");
  EXPECT_EQ(JsonLine(0.1), "0.1\n");
  EXPECT_EQ(JsonLine(1e300), "1e+300\n");
  EXPECT_EQ(JsonLine(std::numeric_limits<uint64_t>::max()), "18446744073709551615\n");
  EXPECT_EQ(JsonLine(std::numeric_limits<int64_t>::min()), "-9223372036854775808\n");
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) EXPECT_EQ(JsonLine(value), "null\n");
  for (const double value : {5e-324, 1.7976931348623157e308, 0.1 + 0.2, 1e15, 123456789.125}) {
    const Result<Json> read = ParseJson(JsonLine(value));
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(std::strtod(read->text.c_str(), nullptr), value);
  }
}

TEST(JsonText, OptionalValuesAreNullWithoutOne) {
  EXPECT_EQ(JsonLine({{"a", std::optional<int>()}, {"b", std::optional(2.5)}}), "{\"a\":null,\"b\":2.5}\n");
}

TEST(JsonText, MembersAreAddedInOrder) {
  Json value;
  value["z"] = 1;
  value["a"]["b"] = 2;
  value["z"] = "again";
  value["list"].Append(3);
  EXPECT_EQ(JsonLine(value), "{\"z\":\"again\",\"a\":{\"b\":2},\"list\":[3]}\n");
}

TEST(JsonText, WhatWasReadIsWrittenAgain) {
  const std::string text = "{\"a\":[1,-2.50e3,\"\\\"\\u0001é\",{\"b\":null}],\"\":false}";
  const Result<Json> value = ParseJson(text);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(JsonLine(*value), text + "\n");
}

TEST(JsonText, BytesThatAreNoUtf8AreReplaced) {
  EXPECT_EQ(JsonLine({{"a\xff", "\x80"}}), "{\"a\xEF\xBF\xBD\":\"\xEF\xBF\xBD\"}\n");
}

}  // namespace
}  // namespace acutance
