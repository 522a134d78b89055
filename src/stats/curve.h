// Curves through points: the four interpolations that Bjontegaard differences are taken with (docs/use/decisions.md).
#pragma once

#include <span>
#include <vector>

namespace acutance {

enum class CurveMethod {
  kCubic,   // one polynomial of degree 3, of least squares where there are more than four points (VCEG-M33)
  kPchip,   // monotone piecewise cubic (Fritsch and Butland 1984)
  kAkima,   // piecewise cubic (Akima 1970)
  kLinear,  // straight lines
};
inline constexpr CurveMethod kCurveMethods[] = {CurveMethod::kCubic, CurveMethod::kPchip, CurveMethod::kAkima,
                                                CurveMethod::kLinear};
inline constexpr const char* kCurveMethodNames[] = {"cubic", "pchip", "akima", "linear"};

/// A curve y(x) through points whose x grow; two at least, four for kCubic.
class Curve {
 public:
  Curve(CurveMethod method, std::span<const double> x, std::span<const double> y);

  double At(double x) const;
  /// The area from `begin` to `end`, both within the points.
  double Integral(double begin, double end) const;

 private:
  /// y = c0 + c1 t + c2 t^2 + c3 t^3, t = x - begin.
  struct Piece {
    double begin, end;
    double c[4];
  };

  std::vector<Piece> pieces_;
};

}  // namespace acutance
