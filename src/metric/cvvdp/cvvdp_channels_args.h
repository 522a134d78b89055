// Arguments of the kernels that make channels, and their table.
#pragma once

#include "kernel/kernel.h"

// Places in CvvdpChannelsArgs::table.
#define CVVDP_IS_COMMON 0
#define CVVDP_ACROSS 1  // of the reader: 1: chroma is doubled; of the common conversion: CHROMA_...
#define CVVDP_DOWN 2
#define CVVDP_LUMA_OFFSET 3
#define CVVDP_LEAST_LUMA 4
#define CVVDP_MOST_LUMA 5
#define CVVDP_CHROMA_OFFSET 6
#define CVVDP_MOST_CHROMA 7
#define CVVDP_LUMA_SCALE 8
#define CVVDP_CHROMA_SCALE 9
#define CVVDP_CR_RED 10
#define CVVDP_CB_GREEN 11
#define CVVDP_CR_GREEN 12
#define CVVDP_CB_BLUE 13
#define CVVDP_CLIPS 14
#define CVVDP_INTERVALS 15  // of the display's curve; 0: it is linear
#define CVVDP_IS_HLG 16
#define CVVDP_TO_CHANNELS 17  // 9 numbers
#define CVVDP_EXPOSURE 26
#define CVVDP_LEAST 27
#define CVVDP_MOST 28
#define CVVDP_ADDED 29
#define CVVDP_IS_EXPOSED 30
#define CVVDP_GAMMA 31  // FloatExponent's value, high and low
#define CVVDP_RANGE 34
#define CVVDP_BLACK 35
#define CVVDP_TAPS \
  36  // 4 numbers a frame, then those of an image, then the curve: each node, and the distance to the next
#define CVVDP_MOST_TAPS 77

struct CvvdpChannelsArgs {
  CONST_BUFFER(PIXEL) luma;  // from the filter's oldest picture of the batch's first frame on
  CONST_BUFFER(PIXEL) cb, cr;
  CONST_BUFFER(uint32_t) table;
  CONST_BUFFER(int32_t) frames_before_start;
  BUFFER(float) to;
  BUFFER(float) stored;  // of a stream: the three channels of each frame of the filter; otherwise not used
  int64_t to_picture;    // floats from picture to picture
  int32_t luma_picture;  // samples, in units of 32
  int32_t chroma_picture, luma_row, chroma_row, to_row, width, height;
  int32_t chroma_width;  // 0: there is no chroma
  int32_t chroma_height, frames;
  int32_t copies;  // pictures of a frame
  int32_t reach;   // frames of the filter
  int32_t video;
  int32_t history;  // frames that the batch has before its first
};
