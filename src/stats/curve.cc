#include "stats/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace acutance {
namespace {

using Slopes = std::vector<double>;

int Sign(double value) { return (value > 0) - (value < 0); }

Slopes LineSlopes(std::span<const double> x, std::span<const double> y) {
  Slopes slopes;
  for (size_t i = 0; i + 1 < x.size(); ++i) slopes.push_back((y[i + 1] - y[i]) / (x[i + 1] - x[i]));
  return slopes;
}

/// At an end: of the parabola through three points, limited so that the curve keeps its shape (Moler, "Numerical
/// Computing with MATLAB", 3.6).
double PchipEnd(double near, double far, double near_slope, double far_slope) {
  const double slope = ((2 * near + far) * near_slope - near * far_slope) / (near + far);
  if (Sign(slope) != Sign(near_slope)) return 0;
  if (Sign(near_slope) != Sign(far_slope) && std::abs(slope) > 3 * std::abs(near_slope)) return 3 * near_slope;
  return slope;
}

Slopes PchipSlopes(std::span<const double> x, const Slopes& lines) {
  if (lines.size() == 1) return {lines[0], lines[0]};
  const auto step = [&](size_t i) { return x[i + 1] - x[i]; };
  const size_t last = lines.size() - 1;
  Slopes slopes = {PchipEnd(step(0), step(1), lines[0], lines[1])};
  for (size_t i = 1; i <= last; ++i) {
    const double before = 2 * step(i) + step(i - 1), after = step(i) + 2 * step(i - 1);
    const bool turns = lines[i - 1] == 0 || Sign(lines[i - 1]) != Sign(lines[i]);
    slopes.push_back(turns ? 0 : (before + after) / (before / lines[i - 1] + after / lines[i]));
  }
  slopes.push_back(PchipEnd(step(last), step(last - 1), lines[last], lines[last - 1]));
  return slopes;
}

Slopes AkimaSlopes(const Slopes& lines) {
  if (lines.size() == 1) return {lines[0], lines[0]};
  constexpr double kEqual = 1e-9;  // where neighbours' slopes are that alike, the mean takes over
  const size_t last = lines.size() - 1;
  Slopes wide = {0, 2 * lines[0] - lines[1]};
  wide[0] = 2 * wide[1] - lines[0];
  wide.insert(wide.end(), lines.begin(), lines.end());
  wide.push_back(2 * lines[last] - lines[last - 1]);
  wide.push_back(2 * wide.back() - lines[last]);
  double most = 0;
  const auto change = [&](size_t i) { return std::abs(wide[i + 1] - wide[i]); };
  for (size_t i = 0; i + 3 < wide.size(); ++i) most = std::max(most, change(i) + change(i + 2));
  Slopes slopes;
  for (size_t i = 0; i + 3 < wide.size(); ++i) {
    const double before = change(i), after = change(i + 2);
    slopes.push_back(before + after > kEqual * most ? (after * wide[i + 1] + before * wide[i + 2]) / (before + after)
                                                    : 0.5 * (wide[i] + wide[i + 3]));
  }
  return slopes;
}

/// The polynomial of degree 3 of least squares in t, which runs from -1 to 1, by Householder's reflections.
std::array<double, 4> FitCubic(std::span<const double> t, std::span<const double> y) {
  const size_t rows = t.size();
  std::vector<std::array<double, 5>> m;
  for (size_t i = 0; i < rows; ++i) m.push_back({1, t[i], t[i] * t[i], t[i] * t[i] * t[i], y[i]});
  for (size_t k = 0; k < 4; ++k) {
    double norm = 0;
    for (size_t i = k; i < rows; ++i) norm += m[i][k] * m[i][k];
    norm = m[k][k] > 0 ? -std::sqrt(norm) : std::sqrt(norm);
    std::vector<double> v(rows, 0.0);
    for (size_t i = k; i < rows; ++i) v[i] = m[i][k];
    v[k] -= norm;
    double length = 0;
    for (const double value : v) length += value * value;
    for (size_t column = k; column < 5 && length > 0; ++column) {
      double dot = 0;
      for (size_t i = k; i < rows; ++i) dot += v[i] * m[i][column];
      for (size_t i = k; i < rows; ++i) m[i][column] -= 2 * dot / length * v[i];
    }
  }
  std::array<double, 4> c{};
  for (size_t k = 4; k-- > 0;) {
    double sum = m[k][4];
    for (size_t j = k + 1; j < 4; ++j) sum -= m[k][j] * c[j];
    c[k] = sum / m[k][k];
  }
  return c;
}

}  // namespace

Curve::Curve(CurveMethod method, std::span<const double> x, std::span<const double> y) {
  if (method == CurveMethod::kCubic) {
    const double middle = (x.front() + x.back()) / 2, half = (x.back() - x.front()) / 2;
    std::vector<double> t;
    for (const double value : x) t.push_back((value - middle) / half);
    const std::array<double, 4> c = FitCubic(t, y);
    // Powers of (x - first) / half - 1, ordered by powers of x - first.
    pieces_.push_back({x.front(),
                       x.back(),
                       {c[0] - c[1] + c[2] - c[3], (c[1] - 2 * c[2] + 3 * c[3]) / half,
                        (c[2] - 3 * c[3]) / (half * half), c[3] / (half * half * half)}});
    return;
  }
  const Slopes lines = LineSlopes(x, y);
  const Slopes slopes = method == CurveMethod::kPchip   ? PchipSlopes(x, lines)
                        : method == CurveMethod::kAkima ? AkimaSlopes(lines)
                                                        : Slopes();
  for (size_t i = 0; i < lines.size(); ++i) {
    Piece piece{x[i], x[i + 1], {y[i], lines[i], 0, 0}};
    if (!slopes.empty()) {
      const double step = x[i + 1] - x[i];
      const double bend = (slopes[i] + slopes[i + 1] - 2 * lines[i]) / step;
      piece.c[1] = slopes[i];
      piece.c[2] = (lines[i] - slopes[i]) / step - bend;
      piece.c[3] = bend / step;
    }
    pieces_.push_back(piece);
  }
}

double Curve::At(double x) const {
  auto piece = std::ranges::find_if(pieces_, [&](const Piece& candidate) { return x <= candidate.end; });
  if (piece == pieces_.end()) --piece;
  const double t = x - piece->begin;
  return piece->c[0] + t * (piece->c[1] + t * (piece->c[2] + t * piece->c[3]));
}

double Curve::Integral(double begin, double end) const {
  double sum = 0;
  for (const Piece& piece : pieces_) {
    const double from = std::max(begin, piece.begin), to = std::min(end, piece.end);
    if (from >= to) continue;
    const auto area = [&](double t) {
      return t * (piece.c[0] + t * (piece.c[1] / 2 + t * (piece.c[2] / 3 + t * piece.c[3] / 4)));
    };
    sum += area(to - piece.begin) - area(from - piece.begin);
  }
  return sum;
}

}  // namespace acutance
