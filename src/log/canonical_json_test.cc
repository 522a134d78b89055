#include "log/canonical_json.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

std::string Canonical(std::string_view text) { return CanonicalJson(ParseJson(text).value()); }

// RFC 8785, 3.2.2 and 3.2.3.
TEST(CanonicalJson, Rfc8785) {
  EXPECT_EQ(Canonical(R"({"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
                          "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]})"),
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
            "\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
  EXPECT_EQ(Canonical(R"({"\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7})"),
            "{\"\\r\":2,\"1\":4,\"\xC2\x80\":6,\"\xC3\xB6\":7,\"\xE2\x82\xAC\":1,\"\xF0\x9F\x98\x80\":5,"
            "\"\xEF\xAC\xB3\":3}");
}

// RFC 8785, appendix B.
TEST(CanonicalJson, Numbers) {
  EXPECT_EQ(EcmaNumber(0), "0");
  EXPECT_EQ(EcmaNumber(-0.0), "0");
  EXPECT_EQ(EcmaNumber(5e-324), "5e-324");
  EXPECT_EQ(EcmaNumber(-1.7976931348623157e308), "-1.7976931348623157e+308");
  EXPECT_EQ(EcmaNumber(9007199254740992), "9007199254740992");
  EXPECT_EQ(EcmaNumber(295147905179352830000.0), "295147905179352830000");
  EXPECT_EQ(EcmaNumber(9.999999999999997e22), "9.999999999999997e+22");
  EXPECT_EQ(EcmaNumber(1e21), "1e+21");
  EXPECT_EQ(EcmaNumber(999999999999999900000.0), "999999999999999900000");
  EXPECT_EQ(EcmaNumber(0.000001), "0.000001");
  EXPECT_EQ(EcmaNumber(1e-7), "1e-7");
  EXPECT_EQ(EcmaNumber(333333333.33333325), "333333333.33333325");
  EXPECT_EQ(EcmaNumber(-0.0000033333333333333333), "-0.0000033333333333333333");
}

}  // namespace
}  // namespace acutance
