// Shared code of the kernels of contrasts. Included after KERNEL_USES of CvvdpDifferencesArgs; the shared memory has
// `float nodes[128]`: the sensitivities of the scale.
#pragma once

struct CvvdpScale {
  int32_t width, height, row;
  int64_t first;  // of the picture's floats
  int64_t heat;
};

struct CvvdpChannels {
  float at[4];
};

FUNCTION(int32_t) scale_word(CONTEXT(int32_t scale, int32_t word)) {
  return args.scales.data[scale * CVVDP_SCALE_WORDS + word];
}

FUNCTION(CvvdpScale) scale_of(CONTEXT(int32_t scale)) {
  const CvvdpScale made = {scale_word(PASS(scale, CVVDP_SCALE_WIDTH)), scale_word(PASS(scale, CVVDP_SCALE_HEIGHT)),
                           scale_word(PASS(scale, CVVDP_SCALE_ROW)),
                           int64_t(scale_word(PASS(scale, CVVDP_SCALE_FIRST))) * int64_t(32),
                           int64_t(scale_word(PASS(scale, CVVDP_SCALE_HEAT))) * int64_t(32)};
  return made;
}

FUNCTION(CONST_BUFFER(float)) plane_of(CONTEXT(int64_t picture, CvvdpScale scale, int32_t channel)) {
  const int64_t plane = int64_t(channel * scale.row) * int64_t(scale.height);
  return CONST_BUFFER_AT(float, args.channels, picture + scale.first + plane);
}

FUNCTION(int32_t) clamped(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? 0 : i;
  return from_0 < size ? from_0 : size - 1;
}

// Beyond the borders lie the samples within, without those at the edge; further away, anything.
FUNCTION(int32_t) mirrored(int32_t i, int32_t size) {
  const int32_t from_0 = i < 0 ? -i : i;
  return clamped(from_0 < size ? from_0 : 2 * (size - 1) - from_0, size);
}

FUNCTION(float) sensitivity_at(CONTEXT(int32_t channel, float node)) {
  const int32_t whole = int32_t(node);
  const int32_t i = whole < CVVDP_NODES - 2 ? whole : CVVDP_NODES - 2;
  const float below = group.nodes[channel * CVVDP_NODES + i];
  const float above = group.nodes[channel * CVVDP_NODES + i + 1];
  return float_exp2(cvvdp_between(below, above, node - float(i)));
}

// `weights`: which ones, of a scale or of the base.
FUNCTION(void) draw_heat(CONTEXT(CvvdpChannels differences, CvvdpScale scale, int32_t weights, int32_t x, int32_t y)) {
  const int32_t first = (args.scale + 1) * CVVDP_SCALE_NODES + 4 * weights;
  float sum = 0.0f;
  UNROLL for (int32_t c = 0; c < 4; ++c) {
    sum = sum + cvvdp_fourth_power(differences.at[c] * args.nodes.data[first + c]);
  }
  BUFFER(float) heat = BUFFER_AT(float, args.heat, int64_t(group_z()) * args.heat_picture + scale.heat);
  heat.data[y * scale.row + x] = cvvdp_fourth_root(sum);
}
