// Sums of the base (docs/spec/cvvdp.md 4.2): its contrasts are those to its mean light. A workgroup has a picture.
#include "kernel/divide/double.kernel.h"
#include "metric/blocks/reference_of.kernel.h"
#include "metric/cvvdp/cvvdp_args.h"
#include "metric/cvvdp/cvvdp_math.kernel.h"

#define CHANNELS 4
#define STRIP 64
#define FOLD_GROUP 32
#define FOLD_MOST_GROUPS 1024  // of the widest pictures

// Before the channels: the light of each picture.
#define REFERENCE_LIGHT (-2)
#define DISTORTED_LIGHT (-1)

struct CvvdpBaseShared {
  double parts[BLOCK_X], folded[FOLD_MOST_GROUPS];
  float nodes[CHANNELS * CVVDP_NODES];
};

KERNEL_USES(CvvdpDifferencesArgs, CvvdpBaseShared)

#include "metric/cvvdp/cvvdp_seen.kernel.h"

// --- The order of docs/spec/beyond.md 5.3: by halves of groups of 32, again and again. All items call these: they have
// barriers inside.

// Values i to i + BLOCK_X - 1, one of each item, become group.folded[i / 32] and on.
FUNCTION(void) fold_parts(CONTEXT(double value, int32_t first)) {
  group_barrier();
  group.parts[local_x()] = value;
  const int32_t lane = local_x() & (FOLD_GROUP - 1);
  for (int32_t half_group = FOLD_GROUP / 2; half_group > 0; half_group /= 2) {
    group_barrier();
    if (lane < half_group) group.parts[local_x()] = group.parts[local_x()] + group.parts[local_x() + half_group];
  }
  const int32_t place = (first + local_x()) / FOLD_GROUP;
  if (lane == 0 && place < FOLD_MOST_GROUPS) group.folded[place] = group.parts[local_x()];
}

// The sum of the first `count` values of which fold_parts has made groups.
FUNCTION(double) fold_groups(CONTEXT(int32_t values)) {
  int32_t count = (values + FOLD_GROUP - 1) / FOLD_GROUP;
  group_barrier();
  while (count > 1) {
    for (int32_t first = 0; first < count; first += BLOCK_X) {
      double value = DOUBLE(0.0);
      if (first + local_x() < count) value = group.folded[first + local_x()];
      fold_parts(PASS(value, first));
    }
    count = (count + FOLD_GROUP - 1) / FOLD_GROUP;
    group_barrier();
  }
  const double sum = group.folded[0];
  group_barrier();
  return sum;
}

// --- The base

struct BaseWork {
  CvvdpScale scale;
  int64_t reference, distorted;
  float reference_mean, distorted_mean;
  CvvdpChannels sensitivities;
};

FUNCTION(float) light_at(CONTEXT(BaseWork work, int64_t picture, int32_t x, int32_t y)) {
  const float light = plane_of(PASS(picture, work.scale, 0)).data[y * work.scale.row + x];
  const float least = bits_float(kCvvdpLeastLight);
  return light > least ? light : least;
}

FUNCTION(float) contrast_to_mean(float value, float mean) {
  const float contrast = exact_divide_float(value, mean);
  return contrast < 1000.0f ? contrast : 1000.0f;
}

FUNCTION(float) base_difference(CONTEXT(BaseWork work, int32_t channel, int32_t x, int32_t y)) {
  const int32_t place = y * work.scale.row + x;
  const float r =
      contrast_to_mean(plane_of(PASS(work.reference, work.scale, channel)).data[place], work.reference_mean);
  const float t =
      contrast_to_mean(plane_of(PASS(work.distorted, work.scale, channel)).data[place], work.distorted_mean);
  float sensitivity = work.sensitivities.at[0];
  UNROLL for (int32_t c = 1; c < CHANNELS; ++c) sensitivity = channel == c ? work.sensitivities.at[c] : sensitivity;
  return (t < r ? r - t : t - r) * sensitivity;
}

// Channels below 0: the light of a picture; else the differences in a channel.
FUNCTION(double) base_sum(CONTEXT(BaseWork work, int64_t light, int32_t channel)) {
  double total = DOUBLE(0.0);
  for (int32_t strip = 0; strip < work.scale.height; strip += STRIP) {
    const int32_t end = strip + STRIP < work.scale.height ? strip + STRIP : work.scale.height;
    for (int32_t first = 0; first < work.scale.width; first += BLOCK_X) {
      const int32_t x = first + local_x();
      double sum = DOUBLE(0.0);
      if (x < work.scale.width) {
        for (int32_t y = strip; y < end; ++y) {
          float value = 0.0f;
          if (channel < 0) {
            value = light_at(PASS(work, light, x, y));
          } else {
            value = cvvdp_square(base_difference(PASS(work, channel, x, y)));
          }
          sum = sum + double(value);
        }
      }
      fold_parts(PASS(sum, first));
    }
    total = total + fold_groups(PASS(work.scale.width));
  }
  return total;
}

FUNCTION(void) draw_base(CONTEXT(BaseWork work)) {
  for (int32_t y = 0; y < work.scale.height; ++y) {
    for (int32_t x = local_x(); x < work.scale.width; x += BLOCK_X) {
      CvvdpChannels differences;
      UNROLL for (int32_t c = 0; c < CHANNELS; ++c) differences.at[c] = base_difference(PASS(work, c, x, y));
      draw_heat(PASS(differences, work.scale, 1, x, y));
    }
  }
}

FUNCTION(void) write_sum(CONTEXT(int32_t channel, double sum)) {
  const int64_t first = int64_t(group_z()) * int64_t(args.item_columns);
  const int32_t place = scale_word(PASS(args.scale, CVVDP_SCALE_SUMS)) + channel;
  BUFFER(double) columns = BUFFER_AT(double, args.columns, first + int64_t(place));
  if (local_x() == 0) columns.data[0] = sum;
}

FUNCTION(void) sum_base(CONTEXT()) {
  BaseWork work;
  work.scale = scale_of(PASS(args.scale));
  work.reference = int64_t(reference_of(group_z(), args.inverse)) * args.picture;
  work.distorted = int64_t(args.references + group_z()) * args.picture;
  for (int32_t i = local_x(); i < CHANNELS * CVVDP_NODES; i += BLOCK_X) {
    group.nodes[i] = args.nodes.data[args.scale * CVVDP_SCALE_NODES + i];
  }
  work.reference_mean = 0.0f;
  work.distorted_mean = 0.0f;
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) work.sensitivities.at[c] = 0.0f;
  const double samples = double(work.scale.width) * double(work.scale.height);
  // One loop, so that the sum with its barriers is expanded once: Intel's compiler for CPUs damages its own memory
  // where values outlive barriers in many blocks.
  for (int32_t channel = REFERENCE_LIGHT; channel < CHANNELS; ++channel) {
    const int64_t light = channel == REFERENCE_LIGHT ? work.reference : work.distorted;
    const double sum = base_sum(PASS(work, light, channel));
    if (channel == REFERENCE_LIGHT) {
      work.reference_mean = float(exact_divide(sum, samples));
      const float node = cvvdp_node(work.reference_mean);
      UNROLL for (int32_t c = 0; c < CHANNELS; ++c) work.sensitivities.at[c] = sensitivity_at(PASS(c, node));
    } else if (channel == DISTORTED_LIGHT) {
      work.distorted_mean = float(exact_divide(sum, samples));
    } else {
      write_sum(PASS(channel, sum));
    }
  }
  if (args.draws != 0 && group_z() < args.pairs) draw_base(PASS(work));
}

KERNEL_MAIN() {
  if (group_z() < args.pairs || args.frames_before_start.data[0] == args.history) sum_base(PASS());
}
