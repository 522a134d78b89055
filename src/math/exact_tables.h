// Where the numbers of exact_*.kernel.h stand in their table (exact_tables.cc), which kernels read from a buffer.
#pragma once

#define EXACT_EXP 0                // 1/ln2, -ln2 in two parts (all three for 2^(1/128)), 1.5 * 2^52, C2 to C5
#define EXACT_EXP_TABLE 8          // [i of 128]: relative correction, pattern of 2^(i/128) less i * 2^45
#define EXACT_LN2 264              // ln 2 in two parts
#define EXACT_LOG_A 266            // a0 to a4
#define EXACT_LOG_B 271            // b0 to b10, near 1
#define EXACT_LOG_TABLE 282        // [i of 128]: 1/c, log c
#define EXACT_LOG2_E 538           // 1/ln2 in two parts
#define EXACT_LOG2_A 540           // a0 to a5
#define EXACT_LOG2_B 546           // b0 to b9, near 1
#define EXACT_LOG2_TABLE 556       // [i of 64]: 1/c, log2 c
#define EXACT_LOG10 684            // 1/ln10, log10 2 in two parts
#define EXACT_POW_A 687            // a0 to a6
#define EXACT_POW_TABLE 694        // [i of 128]: 1/c, log c in two parts
#define EXACT_POWF_A 1078          // a0 to a4
#define EXACT_POWF_EXP 1083        // 1.5 * 2^47, c0 to c2
#define EXACT_POWF_EXP_TABLE 1087  // [i of 32]: pattern of 2^(i/32) less i * 2^47
#define EXACT_LOG2F_A 1119         // a0 to a3
#define EXACT_LOGF_TABLE 1123      // [i of 16]: 1/c, log2 c, of powf and log2f
#define EXACT_HALF_PI 1155         // 2/pi, 1.5 * 2^52; pi/2 in three parts of 33 bits and the rest
#define EXACT_SIN 1161             // -1/3!, 1/5!, -1/7! in two parts each, then 1/9! and on
#define EXACT_COS 1173             // -1/2!, 1/4!, -1/6! in two parts each, then 1/8! and on
#define EXACT_ATAN 1185            // -1/3, 1/5 and on
#define EXACT_ATAN_TABLE 1191      // [i of 33]: atan(i/32) in two parts
#define EXACT_HALF_TURN 1257       // pi/2, pi, each in two parts
#define EXACT_TABLE_WORDS 1261
