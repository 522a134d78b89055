// The channels of up to ROWS frames of a video, filtered over time (docs/spec/cvvdp.md 3): an item has a pixel, makes
// its channels in each frame from the filter's oldest on, and adds each to the frames that see it. Only the samples of
// the pictures before the batch are stored, which are converted again. PIXEL: uint8_t or uint16_t.
#include "kernel/exact_float.kernel.h"
#include "metric/cvvdp/cvvdp_channels_args.h"

#define CHANNELS 4

struct CvvdpChannelsShared {
  float taps[CHANNELS * (CVVDP_MOST_TAPS + 1)];
};

KERNEL_USES(CvvdpChannelsArgs, CvvdpChannelsShared)

#include "metric/cvvdp/cvvdp_colors.kernel.h"

// A workgroup's work: `count` frames from `first` on, of one of a frame's pictures.
struct ChannelsWork {
  int32_t copy, first, count;
  int32_t reach;   // frames of the filter
  int32_t taps;    // where they begin
  int32_t oldest;  // the first picture that the clip has, counted from the filter's oldest on
  int32_t to;      // the picture that is written first
};

FUNCTION(ChannelsWork) work_of(CONTEXT()) {
  const int32_t part = group_z() / args.copies;
  const int32_t parts = (args.frames + ROWS - 1) / ROWS;
  const int32_t before = args.frames_before_start.data[args.video];
  const int32_t unread = args.history - (args.reach - 1);
  ChannelsWork work;
  work.copy = group_z() - part * args.copies;
  work.oldest = before > unread ? before - unread : 0;
  if (part < parts) {
    work.first = part * ROWS;
    work.count = at_most(args.frames - work.first, ROWS);
    work.reach = args.reach;
    work.taps = 0;
    work.to = work.first;
  } else {
    work.first = 0;
    work.count = before == args.history ? 1 : 0;
    work.reach = 1;
    work.taps = CHANNELS * args.reach;
    work.to = args.frames;
  }
  return work;
}

struct FilteredFrames {
  float at[ROWS][CHANNELS];
};

FUNCTION(FilteredFrames) add_frame(CONTEXT(FilteredFrames before, CvvdpColor color, ChannelsWork work, int32_t step)) {
  FilteredFrames sums = before;
  UNROLL for (int32_t j = 0; j < ROWS; ++j) {
    const int32_t k = step - j;
    if (k >= 0 && k < work.reach) {
      const int32_t taps = work.taps + CHANNELS * k;
      UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
        sums.at[j][c] = sums.at[j][c] + color.at[c == 3 ? 0 : c] * group.taps[taps + c];
      }
    }
  }
  return sums;
}

FUNCTION(void) store_frames(CONTEXT(FilteredFrames sums, ChannelsWork work, int32_t x, int32_t y)) {
  UNROLL for (int32_t j = 0; j < ROWS; ++j) {
    if (j < work.count) {
      const int64_t picture = int64_t((work.to + j) * args.copies + work.copy) * args.to_picture;
      UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
        BUFFER(float)
        plane = BUFFER_AT(float, args.to, picture + int64_t(c * args.to_row) * int64_t(args.height));
        plane.data[y * args.to_row + x] = sums.at[j][c];
      }
    }
  }
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  for (int32_t i = local_y() * BLOCK_X + local_x(); i < CHANNELS * (args.reach + 1); i += BLOCK_X * BLOCK_Y) {
    group.taps[i] = number_at(PASS(CVVDP_TAPS + i));
  }
  group_barrier();
  const ChannelsWork work = work_of(PASS());
  if (x < args.width && y < args.height && work.count > 0) {
    const CvvdpConversion conversion = read_conversion(PASS());
    const ReaderPlaces places = reader_places(PASS(conversion, x, y));
    FilteredFrames sums;
    UNROLL for (int32_t j = 0; j < ROWS; ++j) { UNROLL for (int32_t c = 0; c < CHANNELS; ++c) sums.at[j][c] = 0.0f; }
    for (int32_t step = 0; step < work.reach + work.count - 1; ++step) {
      const int32_t frame = work.first + step + args.reach - work.reach;
      const int32_t there = frame > work.oldest ? frame : work.oldest;
      const CvvdpColor color = channels_of(PASS(conversion, there * args.copies + work.copy, x, y, places));
      sums = add_frame(PASS(sums, color, work, step));
    }
    store_frames(PASS(sums, work, x, y));
  }
}
