// Sums over rows of what is finer than 3 samples, with vectors of the processor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace acutance {

/// Three rows of samples that follow each other.
template <class Sample>
struct HighpassEnergy {
  const Sample *above, *row, *below;
};
template <class Sample>
HighpassEnergy(const Sample*, const Sample*, const Sample*) -> HighpassEnergy<Sample>;

/// Sums of each column since they were cleared, in floats: rows are added one after another, so that every instruction
/// set has the same. The first column and the last have none that mean anything.
class DetailColumns {
 public:
  explicit DetailColumns(int width);

  void Clear();
  /// Detail is a sample less the binomial mean of its 3 x 3 neighbours, times 16.
  void Add(const HighpassEnergy<uint8_t>& reference, const HighpassEnergy<uint8_t>& distorted);
  void Add(const HighpassEnergy<uint16_t>& reference, const HighpassEnergy<uint16_t>& distorted);

  /// Squares of the reference's detail and of the encode's, their products, squares of how much samples differ.
  enum Kind { kReference, kDistorted, kBoth, kError, kKinds };
  const float* sums(Kind kind) const { return sums_[kind].data(); }

 private:
  template <class Sample>
  void AddRows(const HighpassEnergy<Sample>& reference, const HighpassEnergy<Sample>& distorted);

  const size_t width_;
  std::vector<float> sums_[kKinds];
  std::vector<float> down_[2], middle_[2];  // of both pictures: sums of three rows with weights 1, 2, 1; the middle row
};

}  // namespace acutance
