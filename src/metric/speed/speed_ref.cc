#include <algorithm>
#include <cmath>
#include <vector>

#include "metric/blocks/border.h"
#include "metric/speed/speed.h"

namespace acutance {
namespace {

using speed::add_product;

/// A sample as libvmaf's float pictures have it: exact, as is the difference of two.
float SourceAt(const SpeedLayout& layout, const SpeedSource& source, int x, int y) {
  const auto value = [&](const Plane& plane) {
    if (layout.bit_depth == 8) return static_cast<float>(plane.Row<uint8_t>(y)[x]);
    return static_cast<float>(plane.Row<uint16_t>(y)[x]) / static_cast<float>(1 << (layout.bit_depth - 8));
  };
  return value(*source.plane) - (source.less ? value(*source.less) : 128.0f);
}

float ResizedAt(const SpeedLayout& layout, const SpeedSource& source, int x, int y) {
  if (!layout.is_resized) return SourceAt(layout, source, x, y);
  const SpeedAxis &across = layout.across, &down = layout.down;
  float sum = 0, weights = 0;
  for (int k = 0; k < down.taps; ++k)
    for (int l = 0; l < across.taps; ++l) {
      const float weight = down.weight[y * down.taps + k] * across.weight[x * across.taps + l];
      const float sample = SourceAt(layout, source, across.index[x * across.taps + l], down.index[y * down.taps + k]);
      sum = add_product(sum, weight, sample);
      weights += weight;
    }
  return layout.is_divided ? sum / weights : sum;
}

/// Filters down the columns, then along the rows; `at` hands out a sample of a picture of this size.
template <class At>
float FilteredAt(const std::vector<float>& taps, int width, int height, int x, int y, At at) {
  const int count = static_cast<int>(taps.size());
  float across = 0;
  for (int l = 0; l < count; ++l) {
    float down = 0;
    for (int k = 0; k < count; ++k)
      down = add_product(down, taps[k],
                         at(mirror_index(x + l - count / 2, width), mirror_index(y + k - count / 2, height)));
    across = add_product(across, taps[l], down);
  }
  return across;
}

using Row = std::vector<float>;

/// What AnalyseSpeedRef knows of the sharpened picture.
class Statistics {
 public:
  Statistics(const SpeedLayout& layout, std::span<const float> samples) : layout_(layout), samples_(samples) {
    for (int k = 0; k < kSpeedValues; ++k) mean_[k] = Mean(k);
    for (int i = 0; i < kSpeedValues; ++i)
      for (int j = 0; j <= i; ++j) covariance_[i][j] = covariance_[j][i] = Covariance(i, j);
  }

  const SpeedMatrix& covariance() const { return covariance_; }

  /// Value i of a block.
  float Value(int i, int block) const {
    const int y = block / layout_.blocks_across * kSpeedSide, x = block % layout_.blocks_across * kSpeedSide;
    return Shifted(i, x, y);
  }

 private:
  float Shifted(int shift, int x, int y) const {
    return samples_[(y + shift / kSpeedSide) * layout_.columns + x + shift % kSpeedSide];
  }

  int Count() const { return layout_.window_rows() * layout_.window_columns(); }

  float Mean(int shift) const {
    float sum = 0;
    for (int y = 0; y < layout_.window_rows(); ++y)
      for (int x = 0; x < layout_.window_columns(); ++x) sum += Shifted(shift, x, y);
    return sum / static_cast<float>(Count());
  }

  float Covariance(int i, int j) const {
    double sums[kSpeedPartials] = {};
    for (int y = 0; y < layout_.window_rows(); ++y)
      for (int x = 0; x < layout_.window_columns(); ++x) {
        double& sum = sums[x % kSpeedPartials];
        sum = speed::add_covariance(sum, Shifted(i, x, y), mean_[i], Shifted(j, x, y), mean_[j]);
      }
    const double total = speed::total_of_eight(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5], sums[6], sums[7]);
    return static_cast<float>(total / Count());
  }

  const SpeedLayout& layout_;
  const std::span<const float> samples_;
  float mean_[kSpeedValues];
  SpeedMatrix covariance_;
};

/// Sum of squares of v from `first` on, then the root.
float Norm(const float (&v)[kSpeedValues], int first) {
  float sum = 0;
  for (int r = first; r < kSpeedValues; ++r) sum = add_product(sum, v[r], v[r]);
  return std::sqrt(sum);
}

/// Makes column i of the trailing square of `a` a multiple of a unit vector.
void ReflectTrailing(SpeedMatrix& a, int i) {
  const int s = i + 1;
  float v[kSpeedValues];
  for (int r = s; r < kSpeedValues; ++r) v[r] = a[r][i];
  const float norm = Norm(v, s + 1);
  if (norm == 0) return;
  const speed::Reflection reflection = speed::make_reflection(v[s], norm);
  if (reflection.divisor != 0)
    for (int r = s; r < kSpeedValues; ++r) v[r] /= reflection.divisor;
  v[s] = 1;
  for (int r = s + 1; r < kSpeedValues; ++r) a[r][i] = v[r];
  a[s][i] = reflection.beta;
  if (reflection.tau == 0) return;
  float p[kSpeedValues] = {}, product = 0;
  for (int r = s; r < kSpeedValues; ++r)
    for (int c = s; c < kSpeedValues; ++c) p[r] = add_product(p[r], reflection.tau * a[r][c], v[c]);
  for (int r = s; r < kSpeedValues; ++r) product = add_product(product, p[r], v[r]);
  const float alpha = -0.5f * reflection.tau * product;
  for (int r = s; r < kSpeedValues; ++r) p[r] = add_product(p[r], alpha, v[r]);
  for (int r = s; r < kSpeedValues; ++r)
    for (int c = s; c < kSpeedValues; ++c) a[r][c] = speed::reflected(a[r][c], p[r], v[r], p[c], v[c]);
}

Row Eigenvalues(const SpeedMatrix& covariance) {
  SpeedMatrix a;
  std::copy_n(&covariance[0][0], kSpeedValues * kSpeedValues, &a[0][0]);
  for (int i = 0; i < kSpeedValues - 2; ++i) ReflectTrailing(a, i);
  Row diagonal(kSpeedValues), beside(kSpeedValues);
  for (int i = 0; i < kSpeedValues; ++i) diagonal[i] = a[i][i];
  for (int i = 0; i + 1 < kSpeedValues; ++i) beside[i] = a[i + 1][i];
  SolveTridiagonal(std::span<float, kSpeedValues>(diagonal), std::span<float, kSpeedValues>(beside));
  return diagonal;
}

using Matrix = std::vector<Row>;  // kSpeedValues rows

Matrix Product(const Matrix& a, const Matrix& b) {
  Matrix product(kSpeedValues, Row(b[0].size()));
  for (int i = 0; i < kSpeedValues; ++i)
    for (size_t j = 0; j < b[0].size(); ++j)
      for (int k = 0; k < kSpeedValues; ++k) product[i][j] = add_product(product[i][j], a[i][k], b[k][j]);
  return product;
}

Matrix Identity() {
  Matrix identity(kSpeedValues, Row(kSpeedValues));
  for (int i = 0; i < kSpeedValues; ++i) identity[i][i] = 1;
  return identity;
}

/// The matrix that clears column k of z below row k; diagonal: that element of the covariances.
Matrix Householder(const Matrix& z, int k, float diagonal) {
  float v[kSpeedValues];
  for (int r = 0; r < kSpeedValues; ++r) v[r] = z[r][k];
  v[k] += diagonal < 0 ? -Norm(v, 0) : Norm(v, 0);
  const float norm = Norm(v, 0);
  for (float& value : v) value /= norm;
  Matrix made(kSpeedValues, Row(kSpeedValues));
  for (int i = 0; i < kSpeedValues; ++i)
    for (int j = 0; j < kSpeedValues; ++j) made[i][j] = speed::householder(v[i], v[j], i == j);
  return made;
}

/// The orthogonal matrix that makes `covariance` triangular.
Matrix Triangulate(const Matrix& covariance) {
  Matrix z = covariance, q = Identity();
  for (int k = 0; k < kSpeedValues - 1; ++k) {
    for (int i = 0; i < kSpeedValues; ++i)
      for (int j = 0; j < kSpeedValues; ++j)
        if (i < k || j < k) z[i][j] = i == j ? 1 : 0;
    const Matrix h = Householder(z, k, covariance[k][k]);
    z = Product(h, z);
    q = Product(h, q);
  }
  return q;
}

/// x in covariance * x = y; false where there is none.
bool Solve(const SpeedMatrix& covariance, const Matrix& y, Matrix& x) {
  Matrix a;
  for (const auto& row : covariance) a.emplace_back(row, row + kSpeedValues);
  const Matrix q = Triangulate(a), r = Product(q, a), c = Product(q, y);
  Matrix solved = c;
  for (int i = kSpeedValues - 1; i >= 0; --i) {
    if (std::fabs(r[i][i]) < 1e-6) return false;
    for (size_t j = 0; j < c[i].size(); ++j) {
      float rest = c[i][j];
      for (int k = i + 1; k < kSpeedValues; ++k) rest = rest - solved[k][j] * r[i][k];
      solved[i][j] = rest / r[i][i];
    }
  }
  x = solved;
  return true;
}

float Entropy(const Row& eigenvalues, float variance, float sigma_nn) {
  float entropy = 0;
  for (const float eigenvalue : eigenvalues)
    entropy = AddSpeedEntropy(entropy, std::max(eigenvalue, 0.0f) * variance + sigma_nn);
  return entropy;
}

}  // namespace

void SampleSpeedRef(const SpeedLayout& layout, const SpeedSource& source, RowBand band, float* samples) {
  const auto at = [&](int x, int y) { return ResizedAt(layout, source, x, y); };
  for (int y = band.begin; y < band.end; ++y)
    for (int x = 0; x < layout.columns; ++x)
      samples[y * layout.columns + x] =
          FilteredAt(layout.blur, layout.width, layout.height, x * kSpeedStep, y * kSpeedStep, at);
}

void AnalyseSpeedRef(const SpeedLayout& layout, float sigma_nn, std::span<const float> samples,
                     std::span<int64_t> words) {
  const auto at = [&](int x, int y) { return samples[y * layout.columns + x]; };
  Row sharp(layout.samples());
  for (int y = 0; y < layout.rows; ++y)
    for (int x = 0; x < layout.columns; ++x)
      sharp[y * layout.columns + x] = at(x, y) - FilteredAt(layout.sharpen, layout.columns, layout.rows, x, y, at);
  const Statistics statistics(layout, sharp);
  const Row eigenvalues = Eigenvalues(statistics.covariance());
  const int blocks = layout.blocks();
  Matrix y(kSpeedValues, Row(blocks)), x = y;
  for (int i = 0; i < kSpeedValues; ++i)
    for (int j = 0; j < blocks; ++j) y[i][j] = statistics.Value(i, j);
  const bool is_regular =
      AreRegular(std::span<const float, kSpeedValues>(eigenvalues)) && Solve(statistics.covariance(), y, x);
  for (int j = 0; j < blocks; ++j) {
    float variance = 0;
    for (int i = 0; i < kSpeedValues; ++i) variance += x[i][j] * y[i][j] / 25.0f;
    words[j] = SpeedWord({variance, Entropy(eigenvalues, variance, sigma_nn)});
  }
  words[blocks] = is_regular ? 0 : 1;
}

}  // namespace acutance
