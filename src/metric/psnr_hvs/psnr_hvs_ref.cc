#include "metric/psnr_hvs/psnr_hvs.h"

namespace acutance {
namespace {

using namespace psnr_hvs;

struct Block {
  int32_t v[kBlockSide][kBlockSide];
};

Block ReadBlock(const Plane& plane, int bit_depth, int x, int y) {
  Block block;
  for (int i = 0; i < kBlockSide; ++i)
    for (int j = 0; j < kBlockSide; ++j)
      block.v[i][j] = bit_depth > 8 ? plane.Row<uint16_t>(y + i)[x + j] : plane.Row<uint8_t>(y + i)[x + j];
  return block;
}

Block Transform(const Block& samples) {
  Block columns, block;
  for (int j = 0; j < kBlockSide; ++j) {
    HvsLine line;
    for (int i = 0; i < kBlockSide; ++i) line.v[i] = samples.v[i][j];
    line = transformed(line);
    for (int i = 0; i < kBlockSide; ++i) columns.v[i][j] = line.v[i];
  }
  for (int i = 0; i < kBlockSide; ++i) {
    HvsLine line;
    for (int j = 0; j < kBlockSide; ++j) line.v[j] = columns.v[i][j];
    line = transformed(line);
    for (int j = 0; j < kBlockSide; ++j) block.v[i][j] = line.v[j];
  }
  return block;
}

int QuarterOf(int i, int j) { return (i >= 4) + 2 * (j >= 4); }

float QuarterShare(const Block& samples) {
  float sum = 0, quarter_sum[4] = {}, squares = 0, quarter_squares[4] = {};
  for (int i = 0; i < kBlockSide; ++i)
    for (int j = 0; j < kBlockSide; ++j) {
      sum += static_cast<float>(samples.v[i][j]);
      quarter_sum[QuarterOf(i, j)] += static_cast<float>(samples.v[i][j]);
    }
  for (int i = 0; i < kBlockSide; ++i)
    for (int j = 0; j < kBlockSide; ++j) {
      const int q = QuarterOf(i, j);
      squares += squared_deviation(samples.v[i][j], sum / 64.0f);
      quarter_squares[q] += squared_deviation(samples.v[i][j], quarter_sum[q] / 16.0f);
    }
  float quarters = quarter_squares[0] * kQuarterVariance;
  for (int q = 1; q < 4; ++q) quarters += quarter_squares[q] * kQuarterVariance;
  return quarter_share(squares, quarters);
}

float MaskingStrength(const Block& coefficients, float share, const HvsTables& tables) {
  float energy = 0;
  for (int i = 0; i < kBlockSide; ++i)
    for (int j = 0; j < kBlockSide; ++j)
      if (i + j > 0) energy += masking_energy(coefficients.v[i][j], tables.mask[i * kBlockSide + j]);
  return masking_strength(energy, share);
}

void AppendBlockTerms(const Block& reference, const Block& distorted, const HvsTables& tables,
                      std::vector<float>& terms) {
  const Block r = Transform(reference), d = Transform(distorted);
  float strength = MaskingStrength(r, QuarterShare(reference), tables);
  const float other = MaskingStrength(d, QuarterShare(distorted), tables);
  if (other > strength) strength = other;
  for (int i = 0; i < kBlockSide; ++i)
    for (int j = 0; j < kBlockSide; ++j) {
      const int c = i * kBlockSide + j;
      const float term = error_term(r.v[i][j], d.v[i][j], c == 0, strength, tables.csf[c], tables.mask[c]);
      if (term != 0) terms.push_back(term);
    }
}

}  // namespace

void HvsRowTermsRef(const Plane& reference, const Plane& distorted, int bit_depth, const HvsTables& tables, int row,
                    std::vector<float>& terms) {
  const int y = row * kBlockStep;
  for (int block = 0; block < HvsBlocks(reference.width); ++block) {
    const int x = block * kBlockStep;
    AppendBlockTerms(ReadBlock(reference, bit_depth, x, y), ReadBlock(distorted, bit_depth, x, y), tables, terms);
  }
}

}  // namespace acutance
