// Eigenvalues by implicit QR steps, in libvmaf's order of operations (docs/spec/siblings.md 2.5).
#include <algorithm>

#include "metric/speed/speed.h"

namespace acutance {
namespace {

constexpr int kMostSteps = 500;

/// A block of a tridiagonal matrix.
struct Block {
  std::span<float> diagonal;
  std::span<float> beside;  // one less

  int size() const { return static_cast<int>(diagonal.size()); }
};

void DropNegligible(const Block& block) {
  for (size_t i = 0; i < block.beside.size(); ++i)
    if (speed::is_negligible(block.beside[i], block.diagonal[i], block.diagonal[i + 1])) block.beside[i] = 0;
}

float Shift(const Block& block) {
  const int last = block.size() - 1;
  const float shift =
      speed::trailing_eigenvalue(block.diagonal[last - 1], block.diagonal[last], block.beside[last - 1]);
  const float first = speed::magnitude(block.diagonal[0]) + speed::magnitude(block.beside[0]);
  return 1e-6 * speed::magnitude(shift) > first ? 0.0f : shift;
}

/// No element next to the diagonal is 0.
void Step(const Block& block) {
  const std::span<float> d = block.diagonal, e = block.beside;
  const int size = block.size();
  float x = d[0] - Shift(block), z = e[0];
  speed::Chase chase = {.ak = 0, .bk = 0, .zk = 0, .ap = d[0], .bp = e[0], .aq = d[1], .bq = size > 2 ? e[1] : 0.0f};
  for (int k = 0; k < size - 1; ++k) {
    const speed::Rotation rotation = speed::make_rotation(x, z);
    if (k > 0) e[k - 1] = rotation.c * chase.bk - rotation.s * chase.zk;
    chase = speed::rotated(chase, rotation);
    d[k] = chase.ak;
    if (k + 2 < size) {
      e[k + 1] = chase.bp;
      chase.aq = d[k + 2];
    }
    if (k + 3 < size) chase.bq = e[k + 2];
    x = chase.bk;
    z = chase.zk;
  }
  d[size - 1] = chase.ap;
  e[size - 2] = chase.bk;
}

}  // namespace

void SolveTridiagonal(std::span<float, kSpeedValues> diagonal, std::span<float, kSpeedValues> beside) {
  DropNegligible({diagonal, beside.first(kSpeedValues - 1)});
  int last = kSpeedValues - 1;
  for (int steps = 0; last > 0 && steps < kMostSteps;) {
    if (beside[last - 1] == 0.0f) {
      --last;
      continue;
    }
    int first = last - 1;
    while (first > 0 && beside[first - 1] != 0.0f) --first;
    const Block block = {diagonal.subspan(first, last - first + 1), beside.subspan(first, last - first)};
    Step(block);
    DropNegligible(block);
    ++steps;
  }
}

bool AreRegular(std::span<const float, kSpeedValues> eigenvalues) {
  return std::ranges::all_of(eigenvalues, [](float value) { return value >= 1e-6; });
}

}  // namespace acutance
