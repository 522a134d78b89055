// Sums in the order of docs/spec/beyond.md 5.3.
#include <algorithm>

#include "metric/blocks/pairwise_sum.h"
#include "metric/blocks/words.h"
#include "metric/hdr/hdr.h"

namespace acutance {

double HdrColumns::Fold(int sum) {
  double* row = Row(sum);
  folded_.assign(row, row + width_);
  std::fill_n(row, width_, 0.0);
  return FoldBy32(folded_);
}

double HdrTotal(std::span<const int64_t> words, int first, int step) {
  double total = 0;
  for (size_t i = first; i < words.size(); i += step) total += DoubleFromWord(words[i]);
  return total;
}

}  // namespace acutance
