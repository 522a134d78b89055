// Column sums of rows of samples.
#pragma once

#include <cstdint>
#include <span>

namespace acutance {

/// sums[x] = the sum of all rows' sample x, for 0 <= x < width. At most 8 rows; 8-bit samples are summed in 16 bits.
void AddRows(std::span<const uint8_t* const> rows, int width, uint16_t* sums);
void AddRows(std::span<const uint16_t* const> rows, int width, uint32_t* sums);

}  // namespace acutance
