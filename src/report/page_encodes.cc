#include "report/page_encodes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <vector>

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

/// 1, 2 and 5 of each power of ten, or all of 1 to 9 where those are fewer than three.
std::vector<double> RateTicks(double low, double high) {
  std::vector<double> ticks;
  for (const bool all : {false, true}) {
    ticks.clear();
    for (double power = 1; power <= high; power *= 10)
      for (int digit = 1; digit < 10; ++digit)
        if ((all || digit == 1 || digit == 2 || digit == 5) && digit * power >= low && digit * power <= high)
          ticks.push_back(digit * power);
    if (ticks.size() >= 3) break;
  }
  return ticks;
}

/// Round numbers, five or so.
std::vector<double> LevelTicks(double low, double high) {
  std::vector<double> ticks;
  if (!(high > low)) return {low};
  const double power = Pow(10.0, std::floor(Log10((high - low) / 5)));
  double step = power;
  for (const double factor : {2.0, 5.0, 10.0})
    if ((high - low) / step > 7) step = factor * power;
  for (double level = std::ceil(low / step) * step; level <= high + step * 1e-9; level += step) ticks.push_back(level);
  return ticks;
}

std::string StemOf(const std::string& path) {
  const size_t begin = path.find_last_of("/\\") + 1, dot = path.rfind('.');
  return path.substr(begin, dot == path.npos || dot <= begin ? path.npos : dot - begin);
}

/// Whether encodes have different sizes, which their labels tell then.
bool HasSizes(const Ladder& ladder) {
  std::set<std::string> sizes;
  for (const LadderCurve& curve : ladder.curves) sizes.insert(curve.sizes.begin(), curve.sizes.end());
  return sizes.size() > 1;
}

std::string CurvesPicture(const Ladder& ladder) {
  const bool has_sizes = HasSizes(ladder);
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
  for (const double bits : RateTicks(Pow(2.0, rate.low), Pow(2.0, rate.high))) {
    const double x = rate.At(Log2(bits));
    text += fmt::format(
        "<path d=\"M{0:.1f} 20V290\" stroke=\"currentColor\" opacity=\".12\"/>"
        "<text x=\"{0:.1f}\" y=\"308\" text-anchor=\"middle\">{1}</text>\n",
        x, BitRateText(bits));
  }
  for (const double level : LevelTicks(quality.low, quality.high))
    text += fmt::format(
        "<path d=\"M60 {0:.1f}H680\" stroke=\"currentColor\" opacity=\".12\"/>"
        "<text x=\"54\" y=\"{1:.1f}\" text-anchor=\"end\">{2:.6g}</text>\n",
        quality.At(level), quality.At(level) + 4, level);
  for (size_t i = 0; i < ladder.curves.size(); ++i) {
    const LadderCurve& curve = ladder.curves[i];
    const char* color = kColors[i % kColors.size()];
    std::string line, dots;
    for (size_t k = 0; k < curve.points.size(); ++k) {
      const RatePoint& point = curve.points[k];
      if (point.rate <= 0) continue;
      const double x = rate.At(Log2(point.rate)), y = quality.At(point.quality);
      const std::string name = k < curve.encodes.size() ? StemOf(curve.encodes[k]) : "";
      const bool on_hull = std::ranges::count(curve.hull, k) > 0;
      line += fmt::format("{:.1f},{:.1f} ", x, y);
      dots +=
          fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\" fill=\"{}\"><title>{}</title></circle>", x, y, color,
                      EscapeXml(fmt::format("{} {}: {}{}, {:.2f}{}", curve.name, name,
                                            curve.SizeOf(k).empty() ? "" : curve.SizeOf(k) + ", ",
                                            BitRateText(point.rate), point.quality, on_hull ? ", on the hull" : "")));
      if (!name.empty())
        dots +=
            fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" style=\"font-size:10px;fill:{}\">{}</text>",
                        x + (x > 620 ? -6 : 6), y + (i % 2 == 0 ? 14 : -6), x > 620 ? "end" : "start", color,
                        EscapeXml(has_sizes && !curve.SizeOf(k).empty() ? name + ", " + curve.SizeOf(k) : name));
      if (on_hull)
        dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"7\" fill=\"none\" stroke=\"{}\"/>", x, y, color);
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
                {curve.SizeOf(i).empty() ? "-" : curve.SizeOf(i), BitRateText(curve.points[i].rate),
                 fmt::format("{:.4f}", curve.points[i].quality),
                 fmt::format("{:.4f}", curve.points[i].own.value_or(curve.points[i].quality)),
                 std::ranges::count(curve.hull, i) > 0 ? "yes" : ""});
  return WideTable(curve.name, {"encode", "size", "bit rate", score, "of all its frames", "on the hull"}, rows);
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
  std::string text = CurvesPicture(ladder) +
                     "<p class=\"note\">Rates are on a logarithmic axis; points with a ring are on the hull.</p>\n" +
                     CommonFramesNote(ladder.common_frames);
  for (const LadderDifference& difference : ladder.differences) text += DifferenceTable(difference);
  for (const LadderCurve& curve : ladder.curves) text += PointsTable(curve, ladder.score);
  return EncodesSection(text);
}

}  // namespace acutance
