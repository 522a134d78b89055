/* Interface of libvship 5.1 and of the names of 4, as its description has it, and what its test clients share. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int major, minor, minor_minor, backend;
} Version;
typedef struct {
  char name[256];
  uint64_t memory;
  int integrated, processors, warp;
} DeviceInfo;
typedef struct {
  int64_t width, height, target_width, target_height;
  int sample, range, subw, subh, location, family, matrix, transfer, primaries;
  int top, bottom, left, right;
} Colorspace;
typedef struct {
  int type;
  Colorspace src, dis;
  int gpu;
} InitSsimu2;
typedef struct {
  int type;
  Colorspace src, dis;
  int qnorm;
  float intensity;
  int gpu;
} InitButter;
typedef struct {
  int type;
  Colorspace src, dis;
  float fps;
  _Bool resize;
  const char *model, *config;
  int gpu;
} InitCvvdp;
typedef struct {
  int type;
  double score;
} ScoreSsimu2;
typedef struct {
  int type;
  double q, three, inf;
  uint8_t* map;
  int64_t stride;
} ScoreButter;
typedef struct {
  int type;
  double score;
  uint8_t* map;
  int64_t stride;
} ScoreCvvdp;
typedef struct {
  unsigned id;
} Handler;
typedef struct {
  double q, three, inf;
} Norms;
#define FRAMES_ const uint8_t* const*, const uint8_t* const*, const int64_t*, const int64_t*

Version Vship_GetVersion(void);
int Vship_GetDeviceCount(int*);
int Vship_GetDeviceInfo(void*, int);
int Vship_GPUFullCheck(int);
int Vship_GetErrorMessage(int, char*, int);
int Vship_GetDetailedLastError(char*, int);
int Vship_GetDetailedLastErrorHandler(void*, char*, int);
int Vship_InitHandler(void**, void*);
int Vship_ComputeHandler(void*, void*, FRAMES_);
int Vship_FreeHandler(void*);
int Vship_Reset(void*);
int Vship_ResetScore(void*);
int Vship_PinnedMalloc2(void**, uint64_t, int);
int Vship_PinnedFree2(void*, int);

int Vship_SetDevice(int);
int Vship_PinnedMalloc(void**, uint64_t);
int Vship_PinnedFree(void*);
int Vship_SSIMU2Init(Handler*, Colorspace, Colorspace);
int Vship_SSIMU2Init2(Handler*, Colorspace, Colorspace, int);
int Vship_SSIMU2Free(Handler);
int Vship_ComputeSSIMU2(Handler, double*, FRAMES_);
int Vship_SSIMU2GetDetailedLastError(Handler, char*, int);
int Vship_ButteraugliInit(Handler*, Colorspace, Colorspace, int, float);
int Vship_ButteraugliInit2(Handler*, Colorspace, Colorspace, int, float, int);
int Vship_ButteraugliFree(Handler);
int Vship_ComputeButteraugli(Handler, Norms*, const uint8_t*, int64_t, FRAMES_);
int Vship_CVVDPInit(Handler*, Colorspace, Colorspace, float, _Bool, const char*);
int Vship_CVVDPInit3(Handler*, Colorspace, Colorspace, float, _Bool, const char*, const char*, int);
int Vship_CVVDPFree(Handler);
int Vship_CVVDPGetDistmapResolution(Handler, int64_t*, int64_t*);
int Vship_ResetCVVDP(Handler);
int Vship_ResetScoreCVVDP(Handler);
int Vship_LoadTemporalCVVDP(Handler, FRAMES_);
int Vship_ComputeCVVDP(Handler, double*, const uint8_t*, int64_t, FRAMES_);

static int failures;

static inline void Expect(const char* what, int code, int expected) {
  char text[1024] = "";
  if (code == expected) return;
  Vship_GetDetailedLastError(text, sizeof text);
  fprintf(stderr, "%s: %d, expected %d (%s)\n", what, code, expected, text);
  failures++;
}

/* A file from its start, at an odd address. */
static inline uint8_t* ReadClip(const char* path, size_t size) {
  FILE* file = fopen(path, "rb");
  uint8_t* clip = malloc(size + 1);
  if (!file || !clip || fread(clip + 1, 1, size, file) != size) {
    fprintf(stderr, "%s: could not read\n", path);
    exit(1);
  }
  fclose(file);
  return clip + 1;
}

/* 4:2:0 of 8 or 10 bits, BT.709. */
static inline Colorspace Yuv420(int width, int height, int bits) {
  Colorspace color;
  memset(&color, 0, sizeof color);
  color.width = width;
  color.height = height;
  color.target_width = color.target_height = -1;
  color.sample = bits == 10 ? 5 : 2;
  color.subw = color.subh = 1;
  color.matrix = color.transfer = color.primaries = 1;
  return color;
}

/* The planes of a packed frame of 4:2:0. */
static inline void PlanesOf(const uint8_t* frame, int width, int height, int bytes, const uint8_t* planes[3],
                            int64_t strides[3]) {
  const size_t luma = (size_t)width * height * bytes, chroma = (size_t)((width + 1) / 2) * ((height + 1) / 2) * bytes;
  planes[0] = frame;
  planes[1] = frame + luma;
  planes[2] = frame + luma + chroma;
  strides[0] = (int64_t)width * bytes;
  strides[1] = strides[2] = (int64_t)((width + 1) / 2) * bytes;
}
