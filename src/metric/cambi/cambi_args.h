#pragma once

#include "kernel/kernel.h"

// A scale of what a pair has, in numbers of int32_t.
#define CAMBI_SCALES 5
#define CAMBI_WIDTH 0
#define CAMBI_HEIGHT 1
#define CAMBI_ROW 2           // words and contrasts from row to row
#define CAMBI_FIRST 3         // the first word or contrast of the scale in a pair's
#define CAMBI_TILES_ACROSS 4  // workgroups that make contrasts
#define CAMBI_FIRST_TILE 5
#define CAMBI_TOP_COUNT 6  // contrasts that count
#define CAMBI_ROUNDS 5     // of the selection, six bits each
#define CAMBI_BUCKETS 64
#define CAMBI_GEOMETRY 8  // numbers of a scale

struct CambiModesArgs {
  CONST_BUFFER(uint16_t) from;
  BUFFER(uint16_t) made;
  int64_t from_stride;  // from pair to pair
  int64_t made_stride;
  int32_t from_row, made_row;
  int32_t width;  // of what is made
  int32_t height;
  int32_t step;  // 1 or 2: between the pixels that are read
  int32_t padding;
};

struct CambiContrastArgs {
  CONST_BUFFER(uint16_t) words;     // [pair][scale][row][column]
  CONST_BUFFER(int32_t) geometry;   // [scale][CAMBI_GEOMETRY]
  CONST_BUFFER(float) weights;      // [value][step]
  CONST_BUFFER(float) reciprocals;  // CambiReciprocals
  BUFFER(float) contrasts;          // as the words
  BUFFER(uint64_t) tile_sums;       // [pair][tile][2]: of contrasts in units of 2^-24; how many are not 0
  int64_t pair_stride;              // of words and contrasts
  int32_t radius;                   // of the window
  int32_t contrast_count;
  int32_t tiles;  // of a pair
  int32_t packs;  // of three columns whose counts of a value add up to 255 at most
};

struct CambiHeatArgs {
  CONST_BUFFER(float) contrasts;
  BUFFER(uint16_t) heat;
  double scale;
  int64_t pair_stride, heat_stride;
  int32_t contrast_row, heat_row, width, height;
};

struct CambiTotalsArgs {
  CONST_BUFFER(uint64_t) tile_sums;  // CambiContrastArgs::tile_sums
  CONST_BUFFER(int32_t) geometry;
  BUFFER(uint64_t) totals;  // [pair][scale][2]
  int32_t tiles, padding;
};

struct CambiSelectArgs {
  CONST_BUFFER(float) contrasts;
  CONST_BUFFER(int32_t) geometry;
  CONST_BUFFER(uint64_t) totals;
  BUFFER(uint32_t) histograms;  // [pair][scale][round][part][bucket], of which `round` are made
  BUFFER(uint64_t) part_sums;   // [pair][scale][part]: of contrasts that are above the smallest that counts
  int64_t pair_stride;
  int32_t round;  // that is made; the last one makes part_sums
  int32_t parts;
};

struct CambiPoolArgs {
  CONST_BUFFER(int32_t) geometry;
  CONST_BUFFER(uint64_t) totals;
  CONST_BUFFER(uint32_t) histograms;
  CONST_BUFFER(uint64_t) part_sums;
  BUFFER(int64_t) words;  // [pair][words_per_pair], from first_word on: [scale][2]
  int32_t parts, words_per_pair, first_word, padding;
};
