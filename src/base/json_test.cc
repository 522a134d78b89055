#include "base/json.h"

#include <gtest/gtest.h>

#include <clocale>

#include "base/number.h"

namespace acutance {
namespace {

std::string ErrorOf(std::string_view text) {
  const Result<Json> value = ParseJson(text);
  return value.ok() ? "" : value.status().message();
}

TEST(Json, ReadsEveryKind) {
  const Result<Json> value =
      ParseJson(R"( {"a": [null, true, "x\u00e9", -3, 18446744073709551615, 1.50e-3], "b": {}} )");
  ASSERT_TRUE(value.ok()) << value.status().message();
  const Json* a = value->Find("a");
  ASSERT_NE(a, nullptr);
  ASSERT_EQ(a->items.size(), 6u);
  EXPECT_TRUE(a->items[0].IsNull());
  EXPECT_TRUE(a->items[1].boolean);
  EXPECT_EQ(a->items[2].text, "x\xc3\xa9");
  EXPECT_EQ(a->items[3].text, "-3");
  EXPECT_EQ(a->items[4].text, "18446744073709551615");
  EXPECT_EQ(a->items[5].text, "1.50e-3");
  EXPECT_TRUE(value->Find("b")->IsObject());
  EXPECT_EQ(value->Find("c"), nullptr);
}

TEST(Json, EnumeratorsAreIntegers) {
  enum Status { kFine, kWrong };
  EXPECT_EQ(Json(kWrong).text, "1");
}

TEST(Json, IgnoresWhatFollowsTheValue) { EXPECT_EQ(ErrorOf("{} trailing junk"), ""); }

TEST(Json, RefusesWhatFollowsTheValueWhereNothingMay) {
  EXPECT_FALSE(ParseJson("{} x", {.may_text_follow = false}).ok());
  EXPECT_TRUE(ParseJson("{} ", {.may_text_follow = false}).ok());
}

TEST(Json, RefusesWhatIsNotJson) {
  for (const std::string_view text :
       {"", " ", "{", "{\"a\": 1", "[1,]", "{a: 1}", "[01]", "[nan]", "[+1]", "\"\xff\"", "'a'"}) {
    EXPECT_NE(ErrorOf(text), "") << text;
  }
}

TEST(Json, BoundsNesting) {
  EXPECT_EQ(ErrorOf(std::string(JsonLimits().depth, '[') + std::string(JsonLimits().depth, ']')), "");
  EXPECT_NE(ErrorOf(std::string(1'000'000, '[')).find("nested deeper than 64"), std::string::npos);
}

TEST(Json, BoundsTheNumberOfValues) {
  std::string text = "[0";
  for (size_t i = 0; i < JsonLimits().values; ++i) text += ",0";
  EXPECT_NE(ErrorOf(text + "]").find("more than 1048576 values"), std::string::npos);
}

TEST(Json, BoundsTheSize) {
  EXPECT_NE(ErrorOf(std::string(JsonLimits().bytes + 1, ' ')).find("larger than 64 MB"), std::string::npos);
}

TEST(Json, ReadsNumbersInALocaleWithDecimalCommas) {
  const std::string before = std::setlocale(LC_NUMERIC, nullptr);
  if (std::setlocale(LC_NUMERIC, "de_DE.UTF-8") == nullptr) GTEST_SKIP() << "no de_DE.UTF-8 locale on this machine";
  const Result<Json> value = ParseJson("[1.5e-3]");
  std::setlocale(LC_NUMERIC, before.c_str());
  ASSERT_TRUE(value.ok()) << value.status().message();
  EXPECT_EQ(ParseFiniteDouble(value->items[0].text), 1.5e-3);
}

TEST(Number, ParsesWholeFiniteDoublesOnly) {
  EXPECT_EQ(ParseFiniteDouble("-1.110223e-16"), -1.110223e-16);
  EXPECT_EQ(ParseFiniteDouble("4"), 4.0);
  for (const std::string_view text : {"", " 1", "1 ", "1x", "nan", "inf", "-inf", "1e999", "0x10", "1,5", "--1"}) {
    EXPECT_EQ(ParseFiniteDouble(text), std::nullopt) << text;
  }
}

TEST(Number, OptionTextIsFloat32WithSixDigits) {
  EXPECT_EQ(OptionTextOfNumber("1.23456789"), "1.23457");
  EXPECT_EQ(OptionTextOfNumber("1.0"), "1");
  EXPECT_EQ(OptionTextOfNumber("0.02"), "0.02");
  EXPECT_EQ(OptionTextOfNumber("1000000"), "1e+06");
  EXPECT_EQ(OptionTextOfNumber("16777217"), "1.67772e+07");
  EXPECT_EQ(OptionTextOfNumber("1e-60"), "0");
  EXPECT_EQ(OptionTextOfNumber("1e60"), std::nullopt);
}

}  // namespace
}  // namespace acutance
