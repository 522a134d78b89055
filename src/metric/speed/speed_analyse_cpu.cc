// From the small picture to the variances and entropies of its blocks. Rows of matrices and blocks are lanes; each sum
// runs in the order of the definition.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/int_math.h"
#include "metric/speed/speed.h"
#include "metric/speed/speed_cpu.h"
#include "simd/mirror.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "metric/speed/speed_analyse_cpu.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "metric/speed/speed_log2-inl.h"

HWY_BEFORE_NAMESPACE();
namespace acutance::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

constexpr int kN = kSpeedValues;
constexpr int kOrder = SpeedScratch::kOrder;

using D = hn::CappedTag<float, SpeedScratch::kMostLanes>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kPair = 2 * kLanes;  // columns of matrices at a time

constexpr int kParts = kSpeedPartials / kDoubles;

using Matrix = float[kN][kOrder];  // rows padded to whole vectors

HWY_INLINE V LoadF(const float* from) { return hn::LoadU(D(), from); }
HWY_INLINE void StoreF(V value, float* to) { hn::StoreU(value, D(), to); }
HWY_INLINE V AddProduct(V sum, V factor, V value) { return hn::Add(sum, hn::Mul(factor, value)); }

// --- The picture, sharpened

void Sharpen(const SpeedLayout& layout, const float* samples, SpeedScratch& scratch) {
  const int taps = static_cast<int>(layout.sharpen.size()), radius = taps / 2, width = layout.columns;
  float* filtered = scratch.filtered.data() + SpeedScratch::kMargin;
  for (int y = 0; y < layout.rows; ++y) {
    const float* rows[SpeedScratch::kMargin];
    for (int k = 0; k < taps; ++k) {
      const int from = y + k - radius;
      rows[k] = samples + width * (from < 0 ? -from : std::min(from, 2 * (layout.rows - 1) - from));
    }
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int k = 0; k < taps; ++k) sum = speed::add_product(sum, layout.sharpen[k], rows[k][x]);
      filtered[x] = sum;
    }
    MirrorBefore(filtered, radius);
    MirrorAfter(filtered + width - 1, radius);
    float* to = scratch.sharp.data() + y * scratch.sharp_stride;
    for (int x = 0; x < width; ++x) {
      float sum = 0;
      for (int k = 0; k < taps; ++k) sum = speed::add_product(sum, layout.sharpen[k], filtered[x + k - radius]);
      to[x] = samples[y * width + x] - sum;
    }
  }
}

// --- Covariances

/// Means of all shifts: a lane adds one column of shifts, so that all running sums advance together.
void AddMeans(const SpeedLayout& layout, const SpeedScratch& scratch, float (&means)[kN]) {
  using D8 = hn::CappedTag<float, 8>;
  constexpr int kStep = static_cast<int>(hn::MaxLanes(D8()));
  constexpr int kVectors = (kSpeedSide + kStep - 1) / kStep;
  const D8 d;
  hn::Vec<D8> sums[kSpeedSide][kVectors];
  for (auto& row : sums)
    for (auto& sum : row) sum = hn::Zero(d);
  for (int y = 0; y < layout.window_rows(); ++y) {
    const float* rows = scratch.sharp.data() + y * scratch.sharp_stride;
    for (int x = 0; x < layout.window_columns(); ++x)
      for (int r = 0; r < kSpeedSide; ++r)
        for (int i = 0; i < kVectors; ++i)
          sums[r][i] = hn::Add(sums[r][i], hn::LoadU(d, rows + r * scratch.sharp_stride + x + i * kStep));
  }
  const float count = static_cast<float>(layout.window_rows() * layout.window_columns());
  for (int r = 0; r < kSpeedSide; ++r) {
    float row[kVectors * kStep];
    for (int i = 0; i < kVectors; ++i) hn::StoreU(sums[r][i], d, row + i * kStep);
    for (int c = 0; c < kSpeedSide; ++c) means[r * kSpeedSide + c] = row[c] / count;
  }
}

/// Row y of the window of all shifts, less their means. What lies beyond the window stays 0.
void CentreRow(const SpeedLayout& layout, const float (&means)[kN], int y, SpeedScratch& scratch) {
  const DD d;
  const DFloats df;
  const int width = layout.window_columns();
  for (int k = 0; k < kN; ++k) {
    const float* from = scratch.sharp.data() + (y + k / kSpeedSide) * scratch.sharp_stride + k % kSpeedSide;
    double* to = scratch.centred.data() + k * scratch.centred_stride;
    const VD mean = hn::Set(d, static_cast<double>(means[k]));
    int x = 0;
    for (; x + kDoubles <= width; x += kDoubles)
      hn::StoreU(hn::Sub(hn::PromoteTo(d, hn::LoadU(df, from + x)), mean), d, to + x);
    for (; x < width; ++x) to[x] = static_cast<double>(from[x]) - static_cast<double>(means[k]);
  }
}

constexpr int kTile = SpeedScratch::kTile;
constexpr int kTileSums = kTile * kTile * kSpeedPartials;

/// Values in a register: g++ would load them anew for each product.
HWY_INLINE VD LoadOnce(const double* from) {
  VD values = hn::Load(DD(), from);
#if HWY_ARCH_X86 && HWY_TARGET < HWY_EMU128 && HWY_COMPILER_GCC_ACTUAL
  asm("" : "+v"(values.raw));
#endif
  return values;
}

/// Adds a row's products of kTile shifts with kTile others. `sums`: [partial sum][row of the tile][column of it].
HWY_INLINE void AddTile(const double* rows, const double* columns, int stride, double* sums) {
  const DD d;
  for (int part = 0; part < kParts; ++part) {
    VD sum[kTile][kTile];
    double* own = sums + part * kTile * kTile * kDoubles;
    for (int i = 0; i < kTile; ++i)
      for (int j = 0; j < kTile; ++j) sum[i][j] = hn::Load(d, own + (i * kTile + j) * kDoubles);
    for (int x = part * kDoubles; x < stride; x += kSpeedPartials) {
      VD row[kTile];
      for (int i = 0; i < kTile; ++i) row[i] = LoadOnce(rows + i * stride + x);
      for (int j = 0; j < kTile; ++j) {
        const VD column = LoadOnce(columns + j * stride + x);
        for (int i = 0; i < kTile; ++i) sum[i][j] = hn::Add(sum[i][j], hn::Mul(row[i], column));
      }
    }
    for (int i = 0; i < kTile; ++i)
      for (int j = 0; j < kTile; ++j) hn::Store(sum[i][j], d, own + (i * kTile + j) * kDoubles);
  }
}

/// The sum of a tile's element, from its eight parts.
double TotalOf(const double* sums, int element) {
  double parts[kSpeedPartials];
  for (int l = 0; l < kSpeedPartials; ++l)
    parts[l] = sums[((l / kDoubles) * kTile * kTile + element) * kDoubles + l % kDoubles];
  return speed::total_of_eight(parts[0], parts[1], parts[2], parts[3], parts[4], parts[5], parts[6], parts[7]);
}

void MakeCovariances(const SpeedLayout& layout, SpeedScratch& scratch, Matrix& covariances) {
  constexpr int kTiles = (kN + kTile - 1) / kTile;
  float means[kN];
  AddMeans(layout, scratch, means);
  std::ranges::fill(scratch.covariances, 0.0);
  const int stride = scratch.centred_stride;
  for (int y = 0; y < layout.window_rows(); ++y) {
    CentreRow(layout, means, y, scratch);
    double* sums = scratch.covariances.data();
    for (int i = 0; i < kTiles; ++i)
      for (int j = 0; j <= i; ++j, sums += kTileSums)
        AddTile(scratch.centred.data() + i * kTile * stride, scratch.centred.data() + j * kTile * stride, stride, sums);
  }
  const int count = layout.window_rows() * layout.window_columns();
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j <= i; ++j) {
      const int tile = (i / kTile) * (i / kTile + 1) / 2 + j / kTile;
      const double total = TotalOf(scratch.covariances.data() + tile * kTileSums, i % kTile * kTile + j % kTile);
      covariances[i][j] = covariances[j][i] = static_cast<float>(total / count);
    }
}

// --- Eigenvalues

/// The root of the running sum of squares of v[first], v[first + 1]...
float Norm(const float (&v)[kOrder], int first) {
  float sum = 0;
  for (int r = first; r < kN; ++r) sum = speed::add_product(sum, v[r], v[r]);
  return exact_sqrt_float(sum);
}

/// Makes column i of `a` a multiple of a unit vector. The trailing square stays symmetric to the bit, so that its
/// columns are its rows.
void ReflectTrailing(Matrix& a, int i, float (&beside)[kN]) {
  const D d;
  const int s = i + 1, first = s / kLanes * kLanes;
  alignas(64) float v[kOrder] = {}, p[kOrder];
  for (int r = s; r < kN; ++r) v[r] = a[r][i];
  beside[i] = v[s];
  const float norm = Norm(v, s + 1);
  if (norm == 0.0f) return;
  const speed::Reflection reflection = speed::make_reflection(v[s], norm);
  if (reflection.divisor != 0.0f)
    for (int r = s; r < kN; ++r) v[r] /= reflection.divisor;
  v[s] = 1;
  beside[i] = reflection.beta;
  if (reflection.tau == 0.0f) return;
  const V tau = hn::Set(d, reflection.tau);
  for (int r = first; r < kN; r += kLanes) {
    V sum = hn::Zero(d);
    for (int c = s; c < kN; ++c) sum = AddProduct(sum, hn::Mul(tau, LoadF(&a[c][r])), hn::Set(d, v[c]));
    StoreF(sum, p + r);
  }
  float product = 0;
  for (int r = s; r < kN; ++r) product = speed::add_product(product, p[r], v[r]);
  const float alpha = -0.5f * reflection.tau * product;
  for (int r = first; r < kN; r += kLanes) StoreF(AddProduct(LoadF(p + r), hn::Set(d, alpha), LoadF(v + r)), p + r);
  for (int r = s; r < kN; ++r) {
    const V pr = hn::Set(d, p[r]), vr = hn::Set(d, v[r]);
    for (int c = first; c < kN; c += kLanes)
      StoreF(hn::Sub(LoadF(&a[r][c]), AddProduct(hn::Mul(pr, LoadF(v + c)), vr, LoadF(p + c))), &a[r][c]);
  }
}

void MakeEigenvalues(const Matrix& covariances, float (&diagonal)[kN]) {
  alignas(64) Matrix a;
  std::copy_n(&covariances[0][0], kN * kOrder, &a[0][0]);
  float beside[kN] = {};
  for (int i = 0; i < kN - 2; ++i) ReflectTrailing(a, i, beside);
  beside[kN - 2] = a[kN - 1][kN - 2];
  for (int i = 0; i < kN; ++i) diagonal[i] = a[i][i];
  SolveTridiagonal(diagonal, beside);
}

// --- Linear equations

/// Rows from `first` on of left * right, where left is that of the identity before. The columns are a pair of vectors
/// that begin at `right` and `to`, which may be the same.
void MultiplyPair(const Matrix& left, int first, const float* right, float* to, int stride) {
  constexpr int kRows = 5;
  const D d;
  alignas(64) float copy[kN][kPair];
  for (int k = first; k < kN; ++k)
    for (int x = 0; x < kPair; x += kLanes) StoreF(LoadF(right + k * stride + x), &copy[k][x]);
  for (int top = first / kRows * kRows; top < kN; top += kRows) {
    V sums[kRows][2];
    for (auto& row : sums) row[0] = row[1] = hn::Zero(d);
    for (int k = first; k < kN; ++k) {
      const V low = LoadF(&copy[k][0]), high = LoadF(&copy[k][kLanes]);
      for (int r = 0; r < kRows; ++r) {
        const V factor = hn::Set(d, left[top + r][k]);
        sums[r][0] = AddProduct(sums[r][0], factor, low);
        sums[r][1] = AddProduct(sums[r][1], factor, high);
      }
    }
    for (int r = std::max(first - top, 0); r < kRows; ++r) {
      StoreF(sums[r][0], to + (top + r) * stride);
      StoreF(sums[r][1], to + (top + r) * stride + kLanes);
    }
  }
}

/// The Householder matrix that clears column k of z below row k, from row and column k on; diagonal: the covariance
/// there. False where the column is 0 and the definition divides by it.
bool MakeHouseholder(const Matrix& z, int k, float diagonal, Matrix& h) {
  float v[kOrder] = {};
  for (int r = k; r < kN; ++r) v[r] = z[r][k];
  v[k] += diagonal < 0.0f ? -Norm(v, k) : Norm(v, k);
  const float norm = Norm(v, k);
  if (!(norm > 0.0f && norm <= std::numeric_limits<float>::max())) return false;
  for (int r = k; r < kN; ++r) v[r] /= norm;
  for (int i = k; i < kN; ++i)
    for (int j = k; j < kN; ++j) h[i][j] = speed::householder(v[i], v[j], i == j);
  return true;
}

/// The orthogonal matrix that makes the covariances triangular. Rows and columns before k of the definition's matrices
/// are those of the identity, and products with their zeros change no sum.
bool Triangulate(const Matrix& covariances, Matrix& q) {
  alignas(64) Matrix z, h = {};
  std::copy_n(&covariances[0][0], kN * kOrder, &z[0][0]);
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kOrder; ++j) q[i][j] = i == j ? 1.0f : 0.0f;
  for (int k = 0; k < kN - 1; ++k) {
    if (!MakeHouseholder(z, k, covariances[k][k], h)) return false;
    for (int x = k / kPair * kPair; x < kN; x += kPair) MultiplyPair(h, k, &z[0][x], &z[0][x], kOrder);
    for (int x = 0; x < kN; x += kPair) MultiplyPair(h, k, &q[0][x], &q[0][x], kOrder);
  }
  return true;
}

void MakeValues(const SpeedLayout& layout, SpeedScratch& scratch) {
  for (int i = 0; i < kN; ++i)
    for (int by = 0; by < layout.blocks_down; ++by) {
      const float* from =
          scratch.sharp.data() + (by * kSpeedSide + i / kSpeedSide) * scratch.sharp_stride + i % kSpeedSide;
      float* to = scratch.values.data() + i * scratch.block_stride + by * layout.blocks_across;
      for (int bx = 0; bx < layout.blocks_across; ++bx) to[bx] = from[bx * kSpeedSide];
    }
}

/// Solves the triangular equations for a pair of vectors of blocks, in place.
void SubstitutePair(const Matrix& r, float* x, int stride) {
  const D d;
  for (int i = kN - 1; i >= 0; --i) {
    V low = LoadF(x + i * stride), high = LoadF(x + i * stride + kLanes);
    for (int k = i + 1; k < kN; ++k) {
      const V factor = hn::Set(d, r[i][k]);
      low = hn::Sub(low, hn::Mul(LoadF(x + k * stride), factor));
      high = hn::Sub(high, hn::Mul(LoadF(x + k * stride + kLanes), factor));
    }
    const V divisor = hn::Set(d, r[i][i]);
    StoreF(hn::Div(low, divisor), x + i * stride);
    StoreF(hn::Div(high, divisor), x + i * stride + kLanes);
  }
}

enum class Solution { kFound, kNone, kUndefined };

Solution Solve(const Matrix& covariances, int blocks, SpeedScratch& scratch) {
  alignas(64) Matrix q, r;
  if (!Triangulate(covariances, q)) return Solution::kUndefined;
  for (int x = 0; x < kN; x += kPair) MultiplyPair(q, 0, &covariances[0][x], &r[0][x], kOrder);
  for (int i = 0; i < kN; ++i)
    if (std::fabs(r[i][i]) < 1e-6) return Solution::kNone;
  for (int x = 0; x < blocks; x += kPair) {
    float* solution = scratch.solution.data() + x;
    MultiplyPair(q, 0, scratch.values.data() + x, solution, scratch.block_stride);
    SubstitutePair(r, solution, scratch.block_stride);
  }
  return Solution::kFound;
}

// --- Blocks

/// Adds the entropies of arguments of the logarithm.
HWY_INLINE V AddEntropy(V entropy, V argument) {
  const DFloats df;
  const DD d;
  alignas(64) float sums[kLanes], arguments[kLanes];
  hn::Store(entropy, D(), sums);
  hn::Store(argument, D(), arguments);
  const VD one = hn::Set(d, SpeedEntropyOfOne());
  for (int x = 0; x < kLanes; x += kDoubles) {
    const VD added = hn::Add(ExactLog2(hn::LoadU(df, arguments + x)), one);
    hn::StoreU(hn::DemoteTo(df, hn::Add(hn::PromoteTo(d, hn::LoadU(df, sums + x)), added)), df, sums + x);
  }
  return hn::Load(D(), sums);
}

struct Eigenvalues {
  float value[kN];
};

/// Whether the vectors' logarithm has these arguments.
bool AreOrdinary(V arguments) {
  const D d;
  return hn::AllTrue(d, hn::And(hn::Ge(arguments, hn::Set(d, 1e-30f)), hn::Le(arguments, hn::Set(d, 1e30f))));
}

void StoreBlocks(V variance, V entropy, int count, int64_t* words) {
  alignas(64) float variances[kLanes], entropies[kLanes];
  hn::Store(variance, D(), variances);
  hn::Store(entropy, D(), entropies);
  for (int i = 0; i < count; ++i) words[i] = SpeedWord({variances[i], entropies[i]});
}

void MeasureBlocks(const Eigenvalues& eigenvalues, float sigma_nn, const SpeedScratch& scratch,
                   std::span<int64_t> words) {
  const D d;
  const int blocks = static_cast<int>(words.size());
  for (int x = 0; x < blocks; x += kLanes) {
    V variance = hn::Zero(d), entropy = hn::Zero(d);
    for (int i = 0; i < kN; ++i) {
      const V product = hn::Mul(LoadF(scratch.solution.data() + i * scratch.block_stride + x),
                                LoadF(scratch.values.data() + i * scratch.block_stride + x));
      variance = hn::Add(variance, hn::Div(product, hn::Set(d, 25.0f)));
    }
    for (const float eigenvalue : eigenvalues.value) {
      const V argument = AddProduct(hn::Set(d, sigma_nn), hn::Set(d, std::max(eigenvalue, 0.0f)), variance);
      if (AreOrdinary(argument)) {
        entropy = AddEntropy(entropy, argument);
        continue;
      }
      alignas(64) float sums[kLanes], arguments[kLanes];
      hn::Store(entropy, d, sums);
      hn::Store(argument, d, arguments);
      for (int l = 0; l < kLanes; ++l) sums[l] = AddSpeedEntropy(sums[l], arguments[l]);
      entropy = hn::Load(d, sums);
    }
    StoreBlocks(variance, entropy, std::min(blocks - x, kLanes), words.data() + x);
  }
}

bool Analyse(const SpeedLayout& layout, float sigma_nn, std::span<const float> samples, SpeedScratch& scratch,
             std::span<int64_t> words) {
  Sharpen(layout, samples.data(), scratch);
  MakeValues(layout, scratch);
  alignas(64) Matrix covariances = {};
  MakeCovariances(layout, scratch, covariances);
  Eigenvalues eigenvalues;
  MakeEigenvalues(covariances, eigenvalues.value);
  const Solution solution =
      AreRegular(eigenvalues.value) ? Solve(covariances, layout.blocks(), scratch) : Solution::kNone;
  if (solution == Solution::kUndefined) return false;
  if (solution == Solution::kNone) std::ranges::fill(scratch.solution, 0.0f);
  MeasureBlocks(eigenvalues, sigma_nn, scratch, words.first(layout.blocks()));
  words.back() = solution == Solution::kNone ? 1 : 0;
  return true;
}

}  // namespace
}  // namespace acutance::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace acutance {

HWY_EXPORT(Analyse);

SpeedScratch::SpeedScratch(const SpeedLayout& layout)
    : filtered(2 * kMargin + std::max({layout.width, layout.packed.count, layout.columns})),
      sharp_stride(layout.columns + kMargin),
      sharp(static_cast<size_t>(sharp_stride) * layout.rows),
      centred_stride(CeilDiv(layout.window_columns(), kSpeedPartials) * kSpeedPartials),
      centred(static_cast<size_t>(CeilDiv(kSpeedValues, kTile) * kTile) * centred_stride),
      block_stride(CeilDiv(layout.blocks(), kOrder) * kOrder),
      values(static_cast<size_t>(kSpeedValues) * block_stride),
      solution(values.size()) {
  constexpr int kTiles = CeilDiv(kSpeedValues, kTile);
  covariances = AlignedArray<double>(kTiles * (kTiles + 1) / 2 * kTile * kTile * kSpeedPartials);
  if (!layout.is_resized) return;
  widened = AlignedArray<float>(static_cast<size_t>(layout.down.taps) * layout.plane_width);
  resized = AlignedArray<float>(layout.blur.size() * layout.packed.count);
}

void AnalyseSpeed(const SpeedLayout& layout, float sigma_nn, std::span<const float> samples, SpeedScratch& scratch,
                  std::span<int64_t> words) {
  if (!HWY_DYNAMIC_DISPATCH(Analyse)(layout, sigma_nn, samples, scratch, words))
    AnalyseSpeedRef(layout, sigma_nn, samples, words);
}

}  // namespace acutance
#endif  // HWY_ONCE
