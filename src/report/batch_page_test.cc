#include "report/batch_page.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

bool Has(const std::string& page, std::string_view text) { return page.find(text) != page.npos; }

/// A pair whose only score has these means: of the clip, and of its worst second.
BatchPagePair PairOf(const std::string& name, double mean, double worst, const std::string& cause,
                     const std::string& better = "higher") {
  Json second = {{"begin", 50}, {"end", 75}, {"mean", worst}, {"cause", cause.empty() ? Json() : Json(cause)}};
  Json seconds = Json::Array();
  seconds.Append(std::move(second));
  Json result = {{"frames", 100},
                 {"bit_rate", nullptr},
                 {"models", {{"vmaf", {{"mean", mean}}}}},
                 {"features", Json::Object()},
                 {"worst_seconds", {{"by", "vmaf"}, {"better", better}, {"seconds", std::move(seconds)}}}};
  Json results = Json::Array();
  results.Append(std::move(result));
  return {name, name + "_reference.mp4",
          "ok", "",
          "",   {{"reference", {{"frame_rate", 25}}}, {"results", std::move(results)}}};
}

size_t PlaceOf(const std::string& page, const std::string& name) { return page.find("data-value=\"" + name + "\""); }

TEST(BatchPage, BeginsWithTheWorstClip) {
  const std::string page = MakeBatchPage(
      {PairOf("good", 95, 90, ""), PairOf("bad", 60, 30.5, "banding (smooth)"), PairOf("fair", 80, 70, "")});
  EXPECT_TRUE(Has(page, "3 of 3 pairs are scored. The worst is <strong>bad</strong> with vmaf <strong>60.00</strong>"));
  EXPECT_TRUE(Has(page, "30.50, mostly for banding (smooth)"));
  EXPECT_LT(PlaceOf(page, "bad"), PlaceOf(page, "fair"));
  EXPECT_LT(PlaceOf(page, "fair"), PlaceOf(page, "good"));
  EXPECT_TRUE(Has(page, "<td data-value=\"2.000\">0:02.00</td>"));
}

TEST(BatchPage, RanksScoresOfWhichLowerIsBetter) {
  const std::string page = MakeBatchPage({PairOf("good", 0.5, 0.6, "", "lower"), PairOf("bad", 3, 4, "", "lower")});
  EXPECT_LT(PlaceOf(page, "bad"), PlaceOf(page, "good"));
}

TEST(BatchPage, CountsCausesByKind) {
  const std::string page = MakeBatchPage({PairOf("a", 60, 30, "a wrong frame (frame 3 shows another)"),
                                          PairOf("b", 50, 20, "a wrong frame (frame 9 shows another)"),
                                          PairOf("c", 70, 40, "detail lost, and banding is visible")});
  EXPECT_TRUE(Has(page, "<th scope=\"row\">a wrong frame</th><td>2</td><td>2</td>"));
  EXPECT_TRUE(Has(page, "<th scope=\"row\">detail lost</th><td>1</td><td>1</td>"));
}

TEST(BatchPage, GroupsEncodesOfATitle) {
  BatchPagePair first = PairOf("low", 60, 30, ""), second = PairOf("high", 90, 80, "");
  EXPECT_FALSE(Has(MakeBatchPage({first, second}), "h-titles"));
  first.reference = second.reference = "film.mp4";
  const std::string page = MakeBatchPage({first, second});
  EXPECT_TRUE(Has(page.substr(page.find("h-titles")), "<th scope=\"row\">film.mp4</th><td>2</td>"));
}

TEST(BatchPage, ShowsWhatFailedAndEscapesNames) {
  BatchPagePair failed{"<b>", "r", "failed", "could not open \"x\" & y", "", {}};
  const std::string page = MakeBatchPage({failed});
  EXPECT_TRUE(Has(page, "0 of 1 pairs are scored."));
  EXPECT_TRUE(Has(page, "&lt;b&gt;"));
  EXPECT_TRUE(Has(page, "could not open &quot;x&quot; &amp; y"));
  EXPECT_FALSE(Has(page, "<b>"));
  EXPECT_FALSE(Has(page, "h-clips"));
}

TEST(BatchPage, RefersToOtherPagesByTheirRelativeAddress) {
  EXPECT_EQ(AddressFrom("out/index.html", "out/a b.html"), "a%20b.html");
  EXPECT_EQ(AddressFrom("index.html", "./pages/100%.html"), "pages/100%25.html");
  EXPECT_EQ(AddressFrom("a/b/index.html", "c/\xc3\xa9.html"), "../../c/%C3%A9.html");
}

}  // namespace
}  // namespace acutance
