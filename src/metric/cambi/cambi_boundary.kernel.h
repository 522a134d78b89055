// The smallest contrast that counts, by what earlier rounds have found. The kernel's arguments have the
// buffer `histograms` and the number `parts`; its shared struct has `uint32_t buckets[CAMBI_BUCKETS]`, and a workgroup
// has as many items at least.
//
// The bits of a contrast, less those of 1/2, are in the order of contrasts and fit 27 bits. Round i counts the buckets
// of six of them, of contrasts whose bits above are those found before.
#pragma once

#include "metric/cambi/cambi_args.h"

#define HALF_BITS 0x3f000000u  // of 0.5f: no contrast but 0 is below

struct CambiBoundary {
  uint32_t bits;  // those that are known
  uint32_t left;  // how many contrasts with these bits count
};

FUNCTION(int32_t) shift_of_round(int32_t round) { return 6 * (CAMBI_ROUNDS - 1 - round); }

// Called by all items of the workgroup.
FUNCTION(CambiBoundary) find_boundary(CONTEXT(int32_t scale, int32_t rounds, uint32_t count)) {
  CambiBoundary boundary = {0u, count};
  for (int32_t round = 0; round < rounds; ++round) {
    const int32_t histogram = ((group_z() * CAMBI_SCALES + scale) * CAMBI_ROUNDS + round) * args.parts * CAMBI_BUCKETS;
    if (local_x() < CAMBI_BUCKETS) {
      uint32_t sum = 0u;
      for (int32_t part = 0; part < args.parts; ++part) {
        sum += args.histograms.data[histogram + part * CAMBI_BUCKETS + local_x()];
      }
      group.buckets[local_x()] = sum;
    }
    group_barrier();
    int32_t bucket = CAMBI_BUCKETS - 1;
    while (bucket > 0 && group.buckets[bucket] < boundary.left) {
      boundary.left -= group.buckets[bucket];
      --bucket;
    }
    boundary.bits = (boundary.bits << 6) | uint32_t(bucket);
    group_barrier();
  }
  return boundary;
}
