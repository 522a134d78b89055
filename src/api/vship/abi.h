// The types of libvship's C interface as programs see them: 5.1's, and 4's where they differ. The numbers and layouts
// are facts of that interface (docs/use/vship.md).
#pragma once

#include <cstddef>
#include <cstdint>

namespace acutance::vship {

enum Exception : int {
  kNoError = 0,
  kOutOfRam = 2,
  kBadDisplayModel = 3,
  kDifferingInputType = 4,
  kBadDeviceArgument = 8,
  kBadHandler = 10,
  kBadPointer = 11,
  kBadPath = 13,
  kBadJson = 14,
  kNotSupported = 15,
  kBadInputStructType = 16,
  kBadErrorType = 17,
};

enum Backend : int { kBackendHip = 0, kBackendCuda = 1, kBackendVulkan = 2, kBackendCpu = 3 };

enum StructType : int {
  kNoInit = 0,
  kInitSsimulacra2 = 1,
  kInitButteraugli = 2,
  kInitCvvdp = 3,
  kScoreSsimulacra2 = 4,
  kScoreButteraugli = 5,
  kScoreCvvdp = 6,
};

enum Sample : int {
  kFloat = 0,
  kHalf = 1,
  kUint8 = 2,
  kUint9 = 3,
  kUint10 = 5,
  kUint12 = 7,
  kUint14 = 9,
  kUint16 = 11
};
enum Range : int { kLimited = 0, kFull = 1 };
enum ChromaLocation : int { kLeft = 0, kCenter = 1, kTopLeft = 2, kTop = 3 };
enum Matrix : int { kRgb = 0, kMatrixBt709 = 1, kMatrixBt470Bg = 5, kMatrixSt170M = 6, kMatrixBt2020Ncl = 9 };
enum Transfer : int {
  kTransferBt709 = 1,
  kTransferBt470Bg = 5,
  kTransferBt601 = 6,
  kTransferLinear = 8,
  kTransferSrgb = 13,
  kTransferPq = 16,
  kTransferHlg = 18,
};

struct Version {
  int major, minor, minor_minor, backend;
};

/// 5.1's has 26 more bytes, features of Vulkan, which are not written: 4's clients have no room for them, and no client
/// of 5.1 reads them.
struct DeviceInfo {
  char name[256];
  uint64_t memory;  // bytes
  int integrated, processors, warp_size;
};

struct Colorspace {
  int64_t width, height, target_width, target_height;
  int sample, range, sub_width, sub_height, chroma_location, family, matrix, transfer, primaries;
  int crop_top, crop_bottom, crop_left, crop_right;
};

struct InitSsimulacra2 {
  int type;
  Colorspace reference, distorted;
  int device;
};

struct InitButteraugli {
  int type;
  Colorspace reference, distorted;
  int norm;
  float intensity;
  int device;
};

struct InitCvvdp {
  int type;
  Colorspace reference, distorted;
  float fps;
  bool resize_to_display;
  const char *model, *config;
  int device;
};

struct ScoreSsimulacra2 {
  int type;
  double score;
};

struct ScoreButteraugli {
  int type;
  double norm_q, norm_3, norm_inf;
  uint8_t* map;
  int64_t map_stride;
};

struct ScoreCvvdp {
  int type;
  double score;
  uint8_t* map;
  int64_t map_stride;
};

/// 4's.
struct ButteraugliNorms {
  double norm_q, norm_3, norm_inf;
};

/// 4's handlers, given by value.
struct Handler4 {
  unsigned id;
};

static_assert(sizeof(Version) == 16);
static_assert(offsetof(DeviceInfo, memory) == 256 && offsetof(DeviceInfo, warp_size) == 272);
static_assert(sizeof(DeviceInfo) == 280);
static_assert(sizeof(Colorspace) == 88 && offsetof(Colorspace, sample) == 32);
static_assert(offsetof(Colorspace, chroma_location) == 48 && offsetof(Colorspace, matrix) == 56);
static_assert(offsetof(Colorspace, crop_top) == 68 && offsetof(Colorspace, crop_right) == 80);
static_assert(sizeof(InitSsimulacra2) == 192 && offsetof(InitSsimulacra2, device) == 184);
static_assert(offsetof(InitSsimulacra2, reference) == 8 && offsetof(InitSsimulacra2, distorted) == 96);
static_assert(sizeof(InitButteraugli) == 200 && offsetof(InitButteraugli, norm) == 184);
static_assert(offsetof(InitButteraugli, intensity) == 188 && offsetof(InitButteraugli, device) == 192);
static_assert(sizeof(InitCvvdp) == 216 && offsetof(InitCvvdp, fps) == 184 && offsetof(InitCvvdp, model) == 192);
static_assert(offsetof(InitCvvdp, resize_to_display) == 188 && offsetof(InitCvvdp, device) == 208);
static_assert(sizeof(ScoreSsimulacra2) == 16 && offsetof(ScoreSsimulacra2, score) == 8);
static_assert(sizeof(ScoreButteraugli) == 48 && offsetof(ScoreButteraugli, norm_inf) == 24);
static_assert(offsetof(ScoreButteraugli, map) == 32 && offsetof(ScoreButteraugli, map_stride) == 40);
static_assert(sizeof(ScoreCvvdp) == 32 && offsetof(ScoreCvvdp, map) == 16 && offsetof(ScoreCvvdp, map_stride) == 24);
static_assert(sizeof(ButteraugliNorms) == 24 && sizeof(Handler4) == 4);

}  // namespace acutance::vship
