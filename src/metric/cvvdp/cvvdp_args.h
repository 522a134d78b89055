// Arguments of cvvdp's kernels, and the tables that they name.
//
// The channels of all pictures lie in one buffer: those of the batch's references, then those of its pairs. After the
// frames of either stand those of the first frame as an image, where a clip's first frame may be its only one. A
// picture has its scales one after another, a scale its four planes.
#pragma once

#include "kernel/kernel.h"

// The numbers of a scale in CvvdpDifferencesArgs::scales.
#define CVVDP_SCALE_WIDTH 0
#define CVVDP_SCALE_HEIGHT 1
#define CVVDP_SCALE_ROW 2
#define CVVDP_SCALE_FIRST 3   // where its planes begin, in units of 32 floats
#define CVVDP_SCALE_STRIP 4   // the first of its strips
#define CVVDP_SCALE_GROUP 5   // and of its workgroups
#define CVVDP_SCALE_ACROSS 6  // workgroups next to each other
#define CVVDP_SCALE_HEAT 7    // where its heat begins
#define CVVDP_SCALE_SUMS 8    // and the sums of its columns: of an item [strip][channel][column], of the base [channel]
#define CVVDP_SCALE_WORDS 9

// The parts of CvvdpDifferencesArgs::nodes: each scale's, then what channels' differences count for heat, at the
// scales with contrasts and in the base.
#define CVVDP_SCALE_NODES 128

struct CvvdpReduceArgs {
  CONST_BUFFER(float) from;
  BUFFER(float) to;
  CONST_BUFFER(int32_t) frames_before_start;
  int64_t picture;
  int32_t row, width, height, to_row;
  int32_t references;    // pictures
  int32_t image;         // the first of the references that are images
  int32_t of_distorted;  // and of the distorted ones
  int32_t history;
};

struct CvvdpDifferencesArgs {
  CONST_BUFFER(float) channels;
  CONST_BUFFER(int32_t) scales;
  CONST_BUFFER(float) nodes;
  CONST_BUFFER(int32_t) frames_before_start;
  BUFFER(double) columns;  // of each pair or image CVVDP_SCALE_SUMS
  BUFFER(float) heat;      // [pair][scale][row][column]
  int64_t picture, heat_picture;
  int32_t item_columns;  // doubles of a pair or image
  int32_t strips;        // of all scales, without the base
  int32_t scale;         // the base
  int32_t references;    // pictures
  int32_t pairs;         // items from here on are images
  int32_t history, draws;
  uint32_t inverse;  // reference_of
};

struct CvvdpSumsArgs {
  CONST_BUFFER(double) columns;
  CONST_BUFFER(int32_t) scales, frames_before_start;
  BUFFER(double) words;
  int32_t item_columns;  // doubles of a pair or image
  int32_t strips, scale, pairs, videos, history, pair_words, padding;
};

struct CvvdpHeatArgs {
  CONST_BUFFER(float) smaller, larger;
  BUFFER(float) to;  // that of all from the larger scale on, or the map
  int64_t picture, to_picture;
  int32_t smaller_row, smaller_width;
  int32_t smaller_height;  // 0: there is no smaller scale
  int32_t row, width, height, to_row;
  float share;
  int32_t is_map;
  float straight;  // CvvdpHeat
  float factor;
  float power;  // FloatExponent
  float power_high, power_low;
};
