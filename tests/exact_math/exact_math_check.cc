// exact_math_check COUNT [FUNCTION...]: the largest error of each exact function in units in the
// last place, against MPFR, the share of results that are not the correctly rounded value, and how
// many differ from the C library's.
//
// An x87 result decides where it is more than 2^-6 of a last place away from a rounding boundary,
// MPFR elsewhere and wherever the error is more than half a last place.
#include <fmt/format.h>
#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <random>
#include <string_view>
#include <vector>

#include "math/exact_math.h"

namespace acutance {
namespace {

using Random = std::mt19937_64;
using Long = long double;

struct Point {
  double x;
  double y;
};

struct Function {
  std::string_view name;
  bool single;
  std::function<double(Point)> exact;
  std::function<double(Point)> library;
  std::function<Long(Point)> extended;
  std::function<void(mpfr_ptr, mpfr_srcptr, mpfr_srcptr)> correct;
  std::function<Point(Random&)> draw;
};

double Unit(Random& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }
double Between(Random& random, double low, double high) { return low + (high - low) * Unit(random); }
double AnyPositive(Random& random) { return std::bit_cast<double>(random() % 0x7fefffffffffffff + 1); }
double AnySign(Random& random, double x) { return random() % 2 ? x : -x; }
double Wide(Random& random) { return std::exp2(Between(random, -66, 66)); }

double LogArgument(Random& random) {
  switch (random() % 5) {
    case 0:
      return AnyPositive(random);
    case 1:
      return Wide(random);
    case 2:
      return Between(random, 0, 2);
    case 3:
      return Between(random, 0.9, 1.1);
    default:
      return static_cast<double>(1 + random() % 70000);
  }
}

Point ExpPoint(Random& random) {
  const double wide[] = {50, 1, 708};
  return {Between(random, -1, 1) * wide[random() % 3], 0};
}

/// Powers that a double holds.
Point PowPoint(Random& random) {
  constexpr double kExponents[] = {1 / 3.0, 3, 2.4, 1 / 2.4, 0.8, -1, 7, 2, 0.5, 0.6276336467831387, 1.6596, -0.2712};
  if (random() % 3) return {Between(random, 0, random() % 2 ? 1 : 1e6), kExponents[random() % 12]};
  const double x = Wide(random);
  return {x, Between(random, -708, 708) / std::max(std::abs(std::log(x)), 1.0)};
}

Point PowfPoint(Random& random) {
  constexpr float kExponents[] = {1 / 3.0f, 3, 2.4f, 1 / 2.4f, 0.8f, -1, 7, 0.5f};
  const float x = static_cast<float>(random() % 2 ? Between(random, 0, 1e5) : std::exp2(Between(random, -12, 12)));
  return {std::max(x, 0x1p-12f), random() % 2 ? kExponents[random() % 8] : static_cast<float>(Between(random, -6, 6))};
}

Point TurnPoint(Random& random) {
  const double wide[] = {1, 30, 0x1p20};
  return {AnySign(random, Unit(random)) * wide[random() % 3], 0};
}

Point PlanePoint(Random& random) {
  if (random() % 2) return {Between(random, -128, 128), Between(random, -128, 128)};
  return {AnySign(random, Wide(random)), AnySign(random, Wide(random))};
}

template <class F>
std::function<double(Point)> Of(F f) {
  return [f](Point p) { return static_cast<double>(f(p.x)); };
}

template <class F>
std::function<Long(Point)> LongOf(F f) {
  return [f](Point p) { return f(static_cast<Long>(p.x)); };
}

template <class F>
std::function<void(mpfr_ptr, mpfr_srcptr, mpfr_srcptr)> Correct(F f) {
  return [f](mpfr_ptr to, mpfr_srcptr x, mpfr_srcptr) { f(to, x, MPFR_RNDN); };
}

template <class F>
std::function<void(mpfr_ptr, mpfr_srcptr, mpfr_srcptr)> Correct2(F f) {
  return [f](mpfr_ptr to, mpfr_srcptr x, mpfr_srcptr y) { f(to, x, y, MPFR_RNDN); };
}

std::vector<Function> Functions() {
  const auto log_point = [](Random& r) { return Point{LogArgument(r), 0}; };
  const auto float_point = [](Random& r) { return Point{static_cast<float>(Wide(r)), 0}; };
  const auto any_point = [](Random& r) { return Point{AnySign(r, AnyPositive(r)), 0}; };
  using D1 = double (*)(double);
  using L1 = Long (*)(Long);
  return {
      {"exp", false, Of(Exp), Of(D1(std::exp)), LongOf(L1(std::exp)), Correct(mpfr_exp), ExpPoint},
      {"log", false, Of(Log), Of(D1(std::log)), LongOf(L1(std::log)), Correct(mpfr_log), log_point},
      {"log2", false, Of(Log2), Of(D1(std::log2)), LongOf(L1(std::log2)), Correct(mpfr_log2), log_point},
      {"log10", false, Of(Log10), Of(D1(std::log10)), LongOf(L1(std::log10)), Correct(mpfr_log10), log_point},
      {"pow", false, [](Point p) { return Pow(p.x, p.y); }, [](Point p) { return std::pow(p.x, p.y); },
       [](Point p) { return std::pow(Long{p.x}, Long{p.y}); }, Correct2(mpfr_pow), PowPoint},
      {"powf", true, [](Point p) { return Powf(static_cast<float>(p.x), static_cast<float>(p.y)); },
       [](Point p) { return ::powf(static_cast<float>(p.x), static_cast<float>(p.y)); },
       [](Point p) { return std::pow(Long{p.x}, Long{p.y}); }, Correct2(mpfr_pow), PowfPoint},
      {"log2f", true, [](Point p) { return Log2f(static_cast<float>(p.x)); },
       [](Point p) { return ::log2f(static_cast<float>(p.x)); }, LongOf(L1(std::log2)), Correct(mpfr_log2),
       float_point},
      {"cbrt", false, Of(Cbrt), Of(D1(std::cbrt)), LongOf(L1(std::cbrt)), Correct(mpfr_cbrt), any_point},
      {"sin", false, Of(Sin), Of(D1(std::sin)), LongOf(L1(std::sin)), Correct(mpfr_sin), TurnPoint},
      {"cos", false, Of(Cos), Of(D1(std::cos)), LongOf(L1(std::cos)), Correct(mpfr_cos), TurnPoint},
      {"atan2", false, [](Point p) { return Atan2(p.x, p.y); }, [](Point p) { return std::atan2(p.x, p.y); },
       [](Point p) { return std::atan2(Long{p.x}, Long{p.y}); }, Correct2(mpfr_atan2), PlanePoint},
  };
}

/// A unit in the last place of numbers like x.
Long LastPlace(double x, bool single) {
  const int exponent = x == 0 ? -2000 : std::ilogb(x);
  return single ? std::ldexp(1.0L, std::max(exponent, -126) - 23) : std::ldexp(1.0L, std::max(exponent, -1022) - 52);
}

class Measure {
 public:
  explicit Measure(const Function& function) : f_(function) {
    for (mpfr_ptr number : {&x_, &y_, &value_}) mpfr_init2(number, 160);
  }
  ~Measure() {
    for (mpfr_ptr number : {&x_, &y_, &value_}) mpfr_clear(number);
  }

  void Add(Point point) {
    const double found = f_.exact(point), library = f_.library(point);
    differ_ += std::bit_cast<uint64_t>(found) != std::bit_cast<uint64_t>(library);
    ++count_;
    const Long place = LastPlace(found, f_.single);
    Long error = std::fabs(f_.extended(point) - found) / place;
    if (error > 0.5L - 0x1p-6L) error = Careful(point, found, place);
    wrong_ += error > 0.5L;
    if (error <= largest_) return;
    largest_ = error;
    worst_ = point;
  }

  void Print() const {
    fmt::print("| {} | {} | {:.3g} % | {:.5f} at {:a} {:a} | {} |\n", f_.name, count_,
               100.0 * static_cast<double>(wrong_) / static_cast<double>(count_), static_cast<double>(largest_),
               worst_.x, worst_.y, differ_);
  }

 private:
  Long Careful(Point point, double found, Long place) {
    mpfr_set_d(&x_, point.x, MPFR_RNDN);
    mpfr_set_d(&y_, point.y, MPFR_RNDN);
    f_.correct(&value_, &x_, &y_);
    mpfr_sub_d(&value_, &value_, found, MPFR_RNDN);
    return std::fabs(mpfr_get_ld(&value_, MPFR_RNDN)) / place;
  }

  const Function& f_;
  __mpfr_struct x_, y_, value_;
  int64_t count_ = 0, wrong_ = 0, differ_ = 0;
  Long largest_ = 0;
  Point worst_ = {};
};

int Main(int argc, char** argv) {
  if (argc < 2 || std::atoll(argv[1]) < 1) {
    fmt::print(stderr, "usage: exact_math_check COUNT [FUNCTION...]\n");
    return 2;
  }
  const std::vector<std::string_view> wanted(argv + 2, argv + argc);
  fmt::print("| function | points | not correctly rounded | largest error | unlike the C library |\n");
  for (const Function& function : Functions()) {
    if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), function.name) == wanted.end()) continue;
    Random random(20260);
    Measure measure(function);
    for (long long i = 0; i < std::atoll(argv[1]); ++i) measure.Add(function.draw(random));
    measure.Print();
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace acutance

int main(int argc, char** argv) { return acutance::Main(argc, argv); }
