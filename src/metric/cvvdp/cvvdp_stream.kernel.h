// The channels of the next frame of a stream, filtered over time (docs/spec/cvvdp.md 3): an item has a pixel, and makes
// its channels in that frame alone. Those of the frames before are where earlier batches have stored them; a batch that
// follows none makes and stores them all. An item reads what it has stored itself. PIXEL: uint8_t or uint16_t.
#include "kernel/exact_float.kernel.h"
#include "metric/cvvdp/cvvdp_channels_args.h"

#define CHANNELS 4
#define STORED 3
#define AT_ONCE 4  // stored frames that an item reads before it adds them: one by one, their latency would show

struct CvvdpStreamShared {
  float taps[CHANNELS * (CVVDP_MOST_TAPS + 1)];
};

KERNEL_USES(CvvdpChannelsArgs, CvvdpStreamShared)

#include "metric/cvvdp/cvvdp_colors.kernel.h"

FUNCTION(int64_t) stored_plane(CONTEXT(int32_t slot, int32_t channel)) {
  return int64_t(slot * STORED + channel) * (int64_t(args.to_row) * int64_t(args.height));
}

FUNCTION(CvvdpColor) stored_color(CONTEXT(int32_t slot, int32_t place)) {
  CvvdpColor color;
  UNROLL for (int32_t c = 0; c < STORED; ++c) {
    BUFFER(float) plane = BUFFER_AT(float, args.stored, stored_plane(PASS(slot, c)));
    color.at[c] = plane.data[place];
  }
  return color;
}

FUNCTION(void) store_color(CONTEXT(CvvdpColor color, int32_t slot, int32_t place)) {
  UNROLL for (int32_t c = 0; c < STORED; ++c) {
    BUFFER(float) plane = BUFFER_AT(float, args.stored, stored_plane(PASS(slot, c)));
    plane.data[place] = color.at[c];
  }
}

// Of the filter's frame `step`, or of the clip's first where that is later.
FUNCTION(int32_t) slot_of(CONTEXT(int32_t first, int32_t step, int32_t oldest)) {
  const int32_t slot = first + (step > oldest ? step : oldest);
  return slot < args.reach ? slot : slot - args.reach;
}

struct FilteredFrame {
  float at[CHANNELS];
};

FUNCTION(FilteredFrame) add_frame(CONTEXT(FilteredFrame before, CvvdpColor color, int32_t taps)) {
  FilteredFrame sums = before;
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    sums.at[c] = sums.at[c] + color.at[c == 3 ? 0 : c] * group.taps[taps + c];
  }
  return sums;
}

FUNCTION(FilteredFrame) no_frames() {
  FilteredFrame sums;
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) sums.at[c] = 0.0f;
  return sums;
}

FUNCTION(void) store_frame(CONTEXT(FilteredFrame sums, int32_t picture, int32_t place)) {
  UNROLL for (int32_t c = 0; c < CHANNELS; ++c) {
    BUFFER(float)
    plane =
        BUFFER_AT(float, args.to, int64_t(picture) * args.to_picture + int64_t(c * args.to_row) * int64_t(args.height));
    plane.data[place] = sums.at[c];
  }
}

KERNEL_MAIN() {
  const int32_t x = group_x() * BLOCK_X + local_x();
  const int32_t y = group_y() * BLOCK_Y + local_y();
  for (int32_t i = local_y() * BLOCK_X + local_x(); i < CHANNELS * (args.reach + 1); i += BLOCK_X * BLOCK_Y) {
    group.taps[i] = number_at(PASS(CVVDP_TAPS + i));
  }
  group_barrier();
  if (x < args.width && y < args.height) {
    const int32_t before = args.frames_before_start.data[args.video];
    const int32_t batch = args.frames_before_start.data[2];
    const int32_t unread = args.history - (args.reach - 1);
    const int32_t oldest = before > unread ? before - unread : 0;  // that the clip has, counted from the filter's on
    const int32_t place = y * args.to_row + x;
    const int32_t first = (batch + 1) % args.reach;  // the slot of the filter's first frame
    FilteredFrame sums = no_frames();
    int32_t step = 0;
    if (batch > 0 && oldest + 1 < args.reach) {
      for (; step + AT_ONCE < args.reach; step += AT_ONCE) {
        CvvdpColor colors[AT_ONCE];
        UNROLL for (int32_t k = 0; k < AT_ONCE; ++k) {
          colors[k] = stored_color(PASS(slot_of(PASS(first, step + k, oldest)), place));
        }
        UNROLL for (int32_t k = 0; k < AT_ONCE; ++k) { sums = add_frame(PASS(sums, colors[k], CHANNELS * (step + k))); }
      }
      for (; step + 1 < args.reach; ++step) {
        const CvvdpColor color = stored_color(PASS(slot_of(PASS(first, step, oldest)), place));
        sums = add_frame(PASS(sums, color, CHANNELS * step));
      }
    }
    const CvvdpConversion conversion = read_conversion(PASS());
    const ReaderPlaces places = reader_places(PASS(conversion, x, y));
    CvvdpColor color;
    UNROLL for (int32_t c = 0; c < STORED; ++c) color.at[c] = 0.0f;
    for (int32_t there = step > oldest ? step : oldest; there < args.reach; ++there) {
      color = channels_of(PASS(conversion, there, x, y, places));
      store_color(PASS(color, slot_of(PASS(first, there, 0)), place));
      for (; step <= there; ++step) sums = add_frame(PASS(sums, color, CHANNELS * step));
    }
    store_frame(PASS(sums, 0, place));
    if (before == args.history) {
      store_frame(PASS(add_frame(PASS(no_frames(), color, CHANNELS * args.reach)), 1, place));
    }
  }
}
