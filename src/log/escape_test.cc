#include "log/escape.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

constexpr std::string_view kFffd = "\xEF\xBF\xBD";

TEST(Escape, Xml) {
  EXPECT_EQ(EscapeXml("a<b>&\"'c"), "a&lt;b&gt;&amp;&quot;&apos;c");
  EXPECT_EQ(EscapeXml("tab\tline\nreturn\r"), "tab&#9;line&#10;return&#13;");
  EXPECT_EQ(EscapeXml(std::string_view("nul\0bell\a", 9)), "nul" + std::string(kFffd) + "bell" + std::string(kFffd));
  EXPECT_EQ(EscapeXml("\xC3\xA9\xF0\x9F\x8E\xAC"), "\xC3\xA9\xF0\x9F\x8E\xAC");
}

TEST(Escape, XmlName) {
  EXPECT_EQ(XmlName("integer_adm2_egl_1.5"), "integer_adm2_egl_1.5");
  EXPECT_EQ(XmlName("my \"model\":1"), "my__model__1");
  EXPECT_EQ(XmlName("4k"), "_4k");
  EXPECT_EQ(XmlName(""), "_");
  EXPECT_EQ(XmlName("a=b/>"), "a_b__");
  EXPECT_EQ(XmlName("qualit\xC3\xA9"), "qualit\xC3\xA9");
}

TEST(Escape, Json) {
  EXPECT_EQ(EscapeJson("a\"b\\c\n\t\r\x01"), "a\\\"b\\\\c\\n\\t\\r\\u0001");
  EXPECT_EQ(EscapeJson("plain \xC3\xA9 /"), "plain \xC3\xA9 /");
}

TEST(Escape, BytesThatAreNotUtf8) {
  const std::string fffd(kFffd);
  for (const std::string_view bad : {"\xFF", "\x80", "\xC0", "\xC3", "\xF5"}) EXPECT_EQ(EscapeJson(bad), fffd);
  EXPECT_EQ(EscapeJson("\xE2\x82"), fffd + fffd);             // cut short
  EXPECT_EQ(EscapeJson("\xC0\xAF"), fffd + fffd);             // overlong
  EXPECT_EQ(EscapeJson("\xED\xA0\x80"), fffd + fffd + fffd);  // a surrogate
  EXPECT_EQ(EscapeJson("\xC3(x"), fffd + "(x");               // the next character stays
  EXPECT_EQ(EscapeXml("\xFF<"), fffd + "&lt;");
  EXPECT_EQ(CsvField("\xFF"), fffd);
}

TEST(Escape, Csv) {
  EXPECT_EQ(CsvField("vmaf"), "vmaf");
  EXPECT_EQ(CsvField("a,b"), "\"a,b\"");
  EXPECT_EQ(CsvField("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(CsvField("two\nlines"), "\"two\nlines\"");
}

TEST(Escape, Subtitle) { EXPECT_EQ(SubtitleText("a|b{c}\nd"), "a/b(c) d"); }

}  // namespace
}  // namespace acutance
