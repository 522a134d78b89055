// Operations on an Alignment: its unmatched frames, its pairs as a table.
#pragma once

#include <acutance/alignment.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace acutance {

/// Fills the unmatched frames of videos of these lengths.
void NoteUnmatched(int64_t reference_count, int64_t distorted_count, Alignment& alignment);

/// "reference_frame,distorted_frame" and a line for each pair.
std::string PairsCsv(const std::vector<std::pair<int64_t, int64_t>>& pairs);

}  // namespace acutance
