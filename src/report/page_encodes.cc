#include "report/page_encodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "log/escape.h"
#include "math/exact_math.h"
#include "report/page_parts.h"

namespace acutance {
namespace {

std::string EncodesSection(const std::string& body) { return Section("encodes", "Encodes side by side", body); }

std::string CommonFramesNote(const std::optional<int64_t>& frames) {
  return frames ? "<p class=\"note\">" + DescribeCommonFrames(*frames) + "</p>\n" : "";
}

constexpr std::array<const char*, 8> kColors = {"#2f6fdb", "#d1495b", "#2a9d8f", "#b8860b",
                                                "#7e57c2", "#00838f", "#c2467f", "#6b8e23"};

std::string Row(const std::string& head, std::initializer_list<std::string> cells) {
  std::string text = "<tr><th scope=\"row\">" + EscapeXml(head) + "</th>";
  for (const std::string& cell : cells) text += "<td>" + EscapeXml(cell) + "</td>";
  return text + "</tr>\n";
}

/// A range of numbers as places in a picture.
struct Axis {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  double from = 0, to = 0;

  void Take(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  double At(double value) const { return high > low ? from + (value - low) / (high - low) * (to - from) : from; }
};

std::string CurvesPicture(const Ladder& ladder) {
  Axis rate{.from = 60, .to = 680}, quality{.from = 290, .to = 20};
  for (const LadderCurve& curve : ladder.curves)
    for (const RatePoint& point : curve.points) {
      if (point.rate > 0) rate.Take(Log2(point.rate));
      quality.Take(point.quality);
    }
  std::string text = fmt::format(
      "<svg class=\"rates\" viewBox=\"0 0 700 330\" role=\"img\" aria-label=\"{} over the bit rate\">\n"
      "<path d=\"M60 20V290H680\" fill=\"none\" stroke=\"currentColor\" opacity=\".4\"/>\n",
      EscapeXml(ladder.score));
  for (const double part : {0.0, 0.5, 1.0}) {
    const double bits = Pow(2.0, std::lerp(rate.low, rate.high, part));
    const double level = std::lerp(quality.low, quality.high, part);
    text += fmt::format("<text x=\"{:.0f}\" y=\"308\" text-anchor=\"{}\">{}</text>\n", std::lerp(60, 680, part),
                        part == 0  ? "start"
                        : part < 1 ? "middle"
                                   : "end",
                        BitRateText(bits));
    text +=
        fmt::format("<text x=\"54\" y=\"{:.0f}\" text-anchor=\"end\">{:.4g}</text>\n", quality.At(level) + 4, level);
  }
  for (size_t i = 0; i < ladder.curves.size(); ++i) {
    const LadderCurve& curve = ladder.curves[i];
    const char* color = kColors[i % kColors.size()];
    std::string line, dots;
    for (const RatePoint& point : curve.points) {
      if (point.rate <= 0) continue;
      const double x = rate.At(Log2(point.rate)), y = quality.At(point.quality);
      line += fmt::format("{:.1f},{:.1f} ", x, y);
      dots +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>", x, y, color,
                      EscapeXml(fmt::format("{}: {}, {:.2f}", curve.name, BitRateText(point.rate), point.quality)));
    }
    text +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>{}\n", line, color, dots);
    text += fmt::format("<text x=\"672\" y=\"{}\" text-anchor=\"end\" style=\"fill:{};font-weight:bold\">{}</text>\n",
                        282 - 16 * (ladder.curves.size() - 1 - i), color, EscapeXml(curve.name));
  }
  return text + "</svg>\n";
}

std::string PointsTable(const LadderCurve& curve, const std::string& score) {
  std::string rows;
  for (size_t i = 0; i < curve.points.size(); ++i)
    rows += Row(curve.encodes.empty() ? "" : curve.encodes[i],
                {BitRateText(curve.points[i].rate), fmt::format("{:.4f}", curve.points[i].quality),
                 fmt::format("{:.4f}", curve.points[i].own.value_or(curve.points[i].quality)),
                 std::ranges::count(curve.hull, i) > 0 ? "yes" : ""});
  return WideTable(curve.name, {"encode", "bit rate", score, "of all its frames", "on the hull"}, rows);
}

std::string DifferenceTable(const LadderDifference& difference) {
  const std::string title = difference.test + " against " + difference.anchor;
  if (!difference.refusal.empty())
    return "<p>" + EscapeXml(title + ": not computed, because " + difference.refusal) + "</p>\n";
  std::string rows;
  for (size_t m = 0; m < difference.by.size(); ++m) {
    const BdResult& by = difference.by[m];
    rows += Row(std::string(kCurveMethodNames[m]) + (difference.is_outlier(m) ? " (doubtful)" : ""),
                {fmt::format("{:+.2f} %", by.rate_percent), IntervalText(by.rate_interval),
                 fmt::format("{:+.3f}", by.quality), IntervalText(by.quality_interval)});
  }
  return WideTable(title, {"curve through the points", "BD-rate", "95 % interval", "BD-quality", "95 % interval"},
                   rows) +
         fmt::format(
             "<p class=\"note\">The curves have {:.0f} % of the qualities and {:.0f} % of the rates in common{}. Below "
             "zero, BD-rate saves bits.</p>\n",
             100 * difference.overlap.quality, 100 * difference.overlap.rate,
             difference.is_doubtful() ? ", so little that the numbers are doubtful" : "");
}

}  // namespace

std::string EncodesPart(const Comparison& comparison) {
  std::string rows, sentences;
  for (const ComparedEncode& encode : comparison.encodes)
    rows += Row(encode.name, {encode.bytes ? fmt::format("{}", *encode.bytes) : "-",
                              encode.bit_rate ? BitRateText(*encode.bit_rate) : "-", fmt::format("{:.2f}", encode.mean),
                              IntervalText(encode.interval), fmt::format("{:.2f}", encode.p5),
                              fmt::format("{:.2f}", encode.own_mean), encode.is_best ? "yes" : ""});
  for (const EncodeDifference& difference : comparison.differences)
    sentences += "<li>" + EscapeXml(DifferenceText(comparison, difference, 2)) + "</li>\n";
  return EncodesSection(WideTable("",
                                  {"encode", "bytes", "bit rate", comparison.score + ", mean", "95 % interval",
                                   "5th percentile", "mean of all its frames", "best at its rate"},
                                  rows) +
                        CommonFramesNote(comparison.common_frames) + "<ul>\n" + sentences + "</ul>");
}

std::string EncodesPart(const Ladder& ladder) {
  std::string text = CurvesPicture(ladder) + CommonFramesNote(ladder.common_frames);
  for (const LadderDifference& difference : ladder.differences) text += DifferenceTable(difference);
  for (const LadderCurve& curve : ladder.curves) text += PointsTable(curve, ladder.score);
  return EncodesSection(text);
}

}  // namespace acutance
