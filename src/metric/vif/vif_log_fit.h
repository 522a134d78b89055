// 2048 log2 as the kernels compute it: quadratics of integers that give every entry of
// VifLogTable() (vif_test.cc compares all 32768). Each part's `start` may be off by 250 without
// changing an entry.
#pragma once

#include <array>
#include <cstdint>

#include "metric/vif/vif_math.h"

namespace acutance {

/// One part of [1, 2).
struct VifLogPart {
  uint32_t start, slope, bend;

  constexpr uint32_t At(uint32_t t) const { return vif::fitted_log(start, slope, bend, t); }
};

inline constexpr std::array<VifLogPart, vif::kLogParts> kVifLogFit = {{
    {527379, 3025133, 45},     {95862411, 2933270, 42},   {188350920, 2847400, 40},  {278155838, 2766268, 38},
    {365429342, 2690326, 37},  {450319817, 2616848, 34},  {532949519, 2547382, 32},  {613424911, 2481812, 30},
    {691857999, 2420404, 29},  {768362976, 2360169, 26},  {843014705, 2305897, 27},  {915924032, 2251202, 25},
    {987155859, 2199194, 23},  {1056771915, 2151397, 23}, {1124866872, 2104612, 22}, {1191495551, 2059904, 21},
    {1256723664, 2016780, 20}, {1320606637, 1975480, 19}, {1383197749, 1935860, 18}, {1444544940, 1898526, 18},
    {1504709459, 1861597, 17}, {1563719820, 1827161, 17}, {1621631063, 1792985, 16}, {1678487820, 1759689, 15},
    {1734305243, 1729023, 15}, {1789148414, 1697954, 14}, {1843020139, 1669675, 14}, {1895988772, 1640521, 13},
    {1948056784, 1613690, 13}, {1999266386, 1587525, 13}, {2049646245, 1561533, 12}, {2099217311, 1536941, 12},
}};

}  // namespace acutance
