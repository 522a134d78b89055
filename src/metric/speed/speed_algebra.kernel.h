// The eigenvalues of the covariances (docs/spec/siblings.md 2.5) and their triangular form (2.6). For each picture two
// workgroups: the first makes the eigenvalues, the second the matrices of the linear equations.
//
// Sums have the order of the definition, one item each. What all items need of a column they compute all.
#include "kernel/divide/any_float.kernel.h"
#include "metric/speed/speed_args.h"
#include "metric/speed/speed_math.kernel.h"
#include "metric/speed/speed_states.kernel.h"

#define ORDER 25  // kSpeedValues
#define ELEMENTS (ORDER * ORDER)
#define SHARE ((ELEMENTS + BLOCK_X - 1) / BLOCK_X)  // of an item
#define MOST_STEPS 500

struct SpeedAlgebraShared {
  float matrix[ORDER][ORDER], orthogonal[ORDER][ORDER], reflector[ORDER][ORDER], column[ORDER];
  float product[ORDER], shifted[ORDER], diagonal[ORDER], beside[ORDER];
};

KERNEL_USES(SpeedAlgebraArgs, SpeedAlgebraShared)

FUNCTION(void) load_covariances(CONTEXT()) {
  CONST_BUFFER(float) from = CONST_BUFFER_AT(float, args.covariances, int64_t(group_z()) * int64_t(ELEMENTS));
  for (int32_t i = local_x(); i < ELEMENTS; i += BLOCK_X) {
    group.matrix[i / ORDER][i % ORDER] = from.data[i];
    group.orthogonal[i / ORDER][i % ORDER] = i / ORDER == i % ORDER ? 1.0f : 0.0f;
  }
  group_barrier();
}

// --- Eigenvalues

// The root of the sum of squares of a column from row `first` on.
FUNCTION(float) column_norm(CONTEXT(int32_t column, int32_t first)) {
  float sum = 0.0f;
  for (int32_t r = first; r < ORDER; ++r) sum = add_product(sum, group.matrix[r][column], group.matrix[r][column]);
  return exact_sqrt_float(sum);
}

// Makes column i of the trailing square, from s = i + 1 on, a multiple of a unit vector.
FUNCTION(void) reflect_trailing(CONTEXT(int32_t i)) {
  const int32_t s = i + 1;
  const int32_t r = local_x();
  const float norm = column_norm(PASS(i, s + 1));
  const Reflection reflection = make_reflection(group.matrix[s][i], norm);
  if (r == s) group.column[r] = 1.0f;
  if (r > s && r < ORDER) {
    const float value = group.matrix[r][i];
    group.column[r] = reflection.divisor != 0.0f ? exact_divide_float(value, reflection.divisor) : value;
  }
  if (r == 0) group.beside[i] = norm == 0.0f ? group.matrix[s][i] : reflection.beta;
  group_barrier();
  if (reflection.tau != 0.0f) {
    if (r >= s && r < ORDER) {
      float sum = 0.0f;
      for (int32_t c = s; c < ORDER; ++c) {
        sum = add_product(sum, reflection.tau * group.matrix[r][c], group.column[c]);
      }
      group.product[r] = sum;
    }
    group_barrier();
    float total = 0.0f;
    for (int32_t c = s; c < ORDER; ++c) total = add_product(total, group.product[c], group.column[c]);
    const float alpha = -0.5f * reflection.tau * total;
    if (r >= s && r < ORDER) group.shifted[r] = add_product(group.product[r], alpha, group.column[r]);
    group_barrier();
    for (int32_t e = local_x(); e < ELEMENTS; e += BLOCK_X) {
      const int32_t y = e / ORDER;
      const int32_t x = e % ORDER;
      if (y >= s && x >= s) {
        group.matrix[y][x] =
            reflected(group.matrix[y][x], group.shifted[y], group.column[y], group.shifted[x], group.column[x]);
      }
    }
  }
  group_barrier();
}

// The elements next to the diagonal from first to last - 1.
FUNCTION(void) drop_negligible(CONTEXT(int32_t first, int32_t last)) {
  for (int32_t i = first; i < last; ++i) {
    if (is_negligible(group.beside[i], group.diagonal[i], group.diagonal[i + 1])) group.beside[i] = 0.0f;
  }
}

FUNCTION(float) shift_of(CONTEXT(int32_t first, int32_t last)) {
  const float shift = trailing_eigenvalue(group.diagonal[last - 1], group.diagonal[last], group.beside[last - 1]);
  const float size = magnitude(group.diagonal[first]) + magnitude(group.beside[first]);
  return DOUBLE(1e-6) * double(magnitude(shift)) > double(size) ? 0.0f : shift;
}

// A QR step on the rows from first to last.
FUNCTION(void) step_rows(CONTEXT(int32_t first, int32_t last)) {
  float x = group.diagonal[first] - shift_of(PASS(first, last));
  float z = group.beside[first];
  Chase chase = {0.0f,
                 0.0f,
                 0.0f,
                 group.diagonal[first],
                 group.beside[first],
                 group.diagonal[first + 1],
                 first + 1 < last ? group.beside[first + 1] : 0.0f};
  for (int32_t k = first; k < last; ++k) {
    const Rotation rotation = make_rotation(x, z);
    if (k > first) group.beside[k - 1] = rotation.c * chase.bk - rotation.s * chase.zk;
    chase = rotated(chase, rotation);
    group.diagonal[k] = chase.ak;
    if (k + 1 < last) {
      group.beside[k + 1] = chase.bp;
      chase.aq = group.diagonal[k + 2];
    }
    if (k + 2 < last) chase.bq = group.beside[k + 2];
    x = chase.bk;
    z = chase.zk;
  }
  group.diagonal[last] = chase.ap;
  group.beside[last - 1] = chase.bk;
}

// By one item.
FUNCTION(void) solve_tridiagonal(CONTEXT()) {
  drop_negligible(PASS(0, ORDER - 1));
  int32_t last = ORDER - 1;
  int32_t steps = 0;
  while (last > 0 && steps < MOST_STEPS) {
    if (group.beside[last - 1] == 0.0f) {
      --last;
    } else {
      int32_t first = last - 1;
      while (first > 0 && group.beside[first > 0 ? first - 1 : 0] != 0.0f) --first;
      step_rows(PASS(first, last));
      drop_negligible(PASS(first, last));
      ++steps;
    }
  }
}

FUNCTION(int32_t) state_of_eigenvalues(CONTEXT()) {
  int32_t state = SPEED_REGULAR;
  for (int32_t i = 0; i < ORDER; ++i) {
    if (!(double(group.diagonal[i]) >= DOUBLE(1e-6))) state = SPEED_SINGULAR;
  }
  return state;
}

FUNCTION(void) make_eigenvalues(CONTEXT()) {
  for (int32_t i = 0; i < ORDER - 2; ++i) reflect_trailing(PASS(i));
  if (local_x() < ORDER) group.diagonal[local_x()] = group.matrix[local_x()][local_x()];
  if (local_x() == 0) group.beside[ORDER - 2] = group.matrix[ORDER - 1][ORDER - 2];
  group_barrier();
  if (local_x() == 0) {
    solve_tridiagonal(PASS());
    args.states.data[2 * group_z()] = state_of_eigenvalues(PASS());
  }
  group_barrier();
  if (local_x() < ORDER) args.eigenvalues.data[group_z() * ORDER + local_x()] = group.diagonal[local_x()];
}

// --- Linear equations

// The unit vector of step k, of which rows before k are 0 in the definition. Returns whether there is one.
FUNCTION(bool) make_unit_vector(CONTEXT(int32_t k, float covariance)) {
  const float size = column_norm(PASS(k, k));
  const float head = group.matrix[k][k] + (covariance < 0.0f ? -size : size);
  float sum = add_product(0.0f, head, head);
  for (int32_t r = k + 1; r < ORDER; ++r) sum = add_product(sum, group.matrix[r][k], group.matrix[r][k]);
  const float norm = exact_sqrt_float(sum);
  const int32_t row = local_x();
  if (row >= k && row < ORDER) {
    group.column[row] = exact_divide_float(row == k ? head : group.matrix[row][k], norm);
  }
  group_barrier();
  return norm > 0.0f && norm <= 3.4028234663852886e38f;
}

// Both products with the matrix of step k. Its first k rows and columns are those of the identity, whose zeros change
// no sum; column k of the triangular matrix is not read again.
FUNCTION(void) multiply_both(CONTEXT(int32_t k)) {
  float triangular[SHARE], orthogonal[SHARE];
  UNROLL for (int32_t n = 0; n < SHARE; ++n) {
    const int32_t e = local_x() + n * BLOCK_X;
    const int32_t y = e / ORDER;
    const int32_t x = e % ORDER;
    float of_matrix = 0.0f;
    float of_orthogonal = 0.0f;
    if (e < ELEMENTS && y >= k) {
      for (int32_t i = k; i < ORDER; ++i) {
        const float factor = group.reflector[y][i];
        of_matrix = add_product(of_matrix, factor, group.matrix[i][x]);
        of_orthogonal = add_product(of_orthogonal, factor, group.orthogonal[i][x]);
      }
    }
    triangular[n] = of_matrix;
    orthogonal[n] = of_orthogonal;
  }
  group_barrier();
  UNROLL for (int32_t n = 0; n < SHARE; ++n) {
    const int32_t e = local_x() + n * BLOCK_X;
    if (e < ELEMENTS && e / ORDER >= k) {
      group.matrix[e / ORDER][e % ORDER] = triangular[n];
      group.orthogonal[e / ORDER][e % ORDER] = orthogonal[n];
    }
  }
  group_barrier();
}

FUNCTION(void) make_reflector(CONTEXT(int32_t k)) {
  for (int32_t e = local_x(); e < ELEMENTS; e += BLOCK_X) {
    const int32_t y = e / ORDER;
    const int32_t x = e % ORDER;
    if (y >= k && x >= k) group.reflector[y][x] = householder(group.column[y], group.column[x], y == x);
  }
  group_barrier();
}

FUNCTION(void) make_equations(CONTEXT()) {
  CONST_BUFFER(float) covariances = CONST_BUFFER_AT(float, args.covariances, int64_t(group_z()) * int64_t(ELEMENTS));
  int32_t state = SPEED_REGULAR;
  for (int32_t k = 0; k < ORDER - 1; ++k) {
    if (!make_unit_vector(PASS(k, covariances.data[k * ORDER + k]))) state = SPEED_UNDEFINED;
    make_reflector(PASS(k));
    multiply_both(PASS(k));
  }
  BUFFER(float) equations = BUFFER_AT(float, args.equations, int64_t(group_z()) * int64_t(2 * ELEMENTS));
  for (int32_t e = local_x(); e < ELEMENTS; e += BLOCK_X) {
    const int32_t y = e / ORDER;
    const int32_t x = e % ORDER;
    float sum = 0.0f;
    for (int32_t i = 0; i < ORDER; ++i) {
      sum = add_product(sum, group.orthogonal[y][i], covariances.data[i * ORDER + x]);
    }
    equations.data[e] = group.orthogonal[y][x];
    equations.data[ELEMENTS + e] = sum;
    if (y == x) group.diagonal[y] = sum;
  }
  group_barrier();
  if (local_x() == 0) {
    for (int32_t i = 0; i < ORDER; ++i) {
      if (state == SPEED_REGULAR && double(magnitude(group.diagonal[i])) < DOUBLE(1e-6)) state = SPEED_SINGULAR;
    }
    args.states.data[2 * group_z() + 1] = state;
  }
}

KERNEL_MAIN() {
  load_covariances(PASS());
  if (group_x() == 0) {
    make_eigenvalues(PASS());
  } else {
    make_equations(PASS());
  }
}
