/* A client of libvship 4 by the names that 5 keeps, in C99, with one handler of each metric in turn.
 * usage: vship4_client LIBRARY REFERENCE.yuv DISTORTED.yuv WIDTH HEIGHT BITS FRAMES    (4:2:0) */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t width, height, target_width, target_height;
    int sample, range, subw, subh, location, family, matrix, transfer, primaries;
    int top, bottom, left, right;
} Colorspace;
typedef struct { unsigned id; } Handler;
typedef struct { double q, three, inf; } Norms;
typedef struct { char name[256]; uint64_t memory; int integrated, processors, warp; } DeviceInfo;
typedef const uint8_t *const *Rows;
typedef const int64_t *Strides;

static void *library;
static int failures;

static void *Symbol(const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) { fprintf(stderr, "%s is missing\n", name); exit(1); }
    return symbol;
}

static void Expect(const char *what, int code, int expected)
{
    if (code == expected) return;
    fprintf(stderr, "%s: %d, expected %d\n", what, code, expected);
    failures++;
}

static uint8_t *ReadClip(const char *path, size_t size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *clip = malloc(size);
    if (!file || !clip || fread(clip, 1, size, file) != size) { fprintf(stderr, "%s: could not read\n", path); exit(1); }
    fclose(file);
    return clip;
}

static const char *const kNames[] = {
    "Vship_GetVersion", "Vship_GetDeviceCount", "Vship_SetDevice", "Vship_GetDeviceInfo", "Vship_GPUFullCheck",
    "Vship_GetErrorMessage", "Vship_GetDetailedLastError", "Vship_PinnedMalloc", "Vship_PinnedFree", "Vship_SSIMU2Init",
    "Vship_SSIMU2Init2", "Vship_SSIMU2Free", "Vship_ComputeSSIMU2", "Vship_SSIMU2GetDetailedLastError",
    "Vship_ButteraugliInit", "Vship_ButteraugliInit2", "Vship_ButteraugliFree", "Vship_ComputeButteraugli",
    "Vship_ButteraugliGetDetailedLastError", "Vship_CVVDPInit", "Vship_CVVDPInit2", "Vship_CVVDPInit3", "Vship_CVVDPFree",
    "Vship_CVVDPGetDistmapResolution", "Vship_ResetCVVDP", "Vship_ResetScoreCVVDP", "Vship_LoadTemporalCVVDP",
    "Vship_ComputeCVVDP", "Vship_CVVDPGetDetailedLastError"};

int main(int argc, char **argv)
{
    int (*GetDeviceCount)(int *);
    int (*SetDevice)(int);
    int (*GetDeviceInfo)(DeviceInfo *, int);
    int (*PinnedMalloc)(void **, uint64_t);
    int (*PinnedFree)(void *);
    int (*Ssimu2Init2)(Handler *, Colorspace, Colorspace, int);
    int (*Ssimu2Free)(Handler);
    int (*ComputeSsimu2)(Handler, double *, Rows, Rows, Strides, Strides);
    int (*Ssimu2Error)(Handler, char *, int);
    int (*ButterInit2)(Handler *, Colorspace, Colorspace, int, float, int);
    int (*ButterFree)(Handler);
    int (*ComputeButter)(Handler, Norms *, const uint8_t *, int64_t, Rows, Rows, Strides, Strides);
    int (*CvvdpInit3)(Handler *, Colorspace, Colorspace, float, _Bool, const char *, const char *, int);
    int (*CvvdpFree)(Handler);
    int (*CvvdpSize)(Handler, int64_t *, int64_t *);
    int (*ResetCvvdp)(Handler);
    int (*ResetScoreCvvdp)(Handler);
    int (*LoadCvvdp)(Handler, Rows, Rows, Strides, Strides);
    int (*ComputeCvvdp)(Handler, double *, const uint8_t *, int64_t, Rows, Rows, Strides, Strides);

    Handler ssimu2 = {0}, butter = {0}, cvvdp = {0}, none = {0};
    struct { DeviceInfo info; uint8_t guard[64]; } device;
    Colorspace color;
    uint8_t *clips[2], *frames_at[2];
    const uint8_t *planes[2][3];
    int64_t strides[3], w = 0, h = 0;
    double score = 0, last = 0;
    Norms norms = {0, 0, 0};
    char text[256];
    void *pinned = NULL;
    size_t luma, chroma, frame_bytes, n;
    int width, height, bytes, frames, i, v, count = 0;

    if (argc != 8) return 2;
    library = dlopen(argv[1], RTLD_NOW);
    if (!library) { fprintf(stderr, "%s\n", dlerror()); return 1; }
    for (n = 0; n < sizeof kNames / sizeof *kNames; n++) Symbol(kNames[n]);
    *(void **)&GetDeviceCount = Symbol("Vship_GetDeviceCount");
    *(void **)&SetDevice = Symbol("Vship_SetDevice");
    *(void **)&GetDeviceInfo = Symbol("Vship_GetDeviceInfo");
    *(void **)&PinnedMalloc = Symbol("Vship_PinnedMalloc");
    *(void **)&PinnedFree = Symbol("Vship_PinnedFree");
    *(void **)&Ssimu2Init2 = Symbol("Vship_SSIMU2Init2");
    *(void **)&Ssimu2Free = Symbol("Vship_SSIMU2Free");
    *(void **)&ComputeSsimu2 = Symbol("Vship_ComputeSSIMU2");
    *(void **)&Ssimu2Error = Symbol("Vship_SSIMU2GetDetailedLastError");
    *(void **)&ButterInit2 = Symbol("Vship_ButteraugliInit2");
    *(void **)&ButterFree = Symbol("Vship_ButteraugliFree");
    *(void **)&ComputeButter = Symbol("Vship_ComputeButteraugli");
    *(void **)&CvvdpInit3 = Symbol("Vship_CVVDPInit3");
    *(void **)&CvvdpFree = Symbol("Vship_CVVDPFree");
    *(void **)&CvvdpSize = Symbol("Vship_CVVDPGetDistmapResolution");
    *(void **)&ResetCvvdp = Symbol("Vship_ResetCVVDP");
    *(void **)&ResetScoreCvvdp = Symbol("Vship_ResetScoreCVVDP");
    *(void **)&LoadCvvdp = Symbol("Vship_LoadTemporalCVVDP");
    *(void **)&ComputeCvvdp = Symbol("Vship_ComputeCVVDP");

    width = atoi(argv[4]);
    height = atoi(argv[5]);
    bytes = atoi(argv[6]) > 8 ? 2 : 1;
    frames = atoi(argv[7]);
    luma = (size_t)width * height * bytes;
    chroma = (size_t)((width + 1) / 2) * ((height + 1) / 2) * bytes;
    frame_bytes = luma + 2 * chroma;
    for (v = 0; v < 2; v++) clips[v] = ReadClip(argv[2 + v], frame_bytes * frames);
    strides[0] = (int64_t)width * bytes;
    strides[1] = strides[2] = (int64_t)((width + 1) / 2) * bytes;

    Expect("GetDeviceCount", GetDeviceCount(&count), 0);
    Expect("SetDevice", SetDevice(0), 0);
    Expect("SetDevice of none", SetDevice(count), 8);
    memset(&device, 0xAB, sizeof device);
    Expect("GetDeviceInfo", GetDeviceInfo(&device.info, 0), 0);
    for (i = 0; i < 64; i++) Expect("the guard behind the information", device.guard[i], 0xAB);
    Expect("PinnedMalloc", PinnedMalloc(&pinned, frame_bytes), 0);
    Expect("PinnedFree", PinnedFree(pinned), 0);

    memset(&color, 0, sizeof color);
    color.width = width;
    color.height = height;
    color.target_width = color.target_height = -1;
    color.sample = atoi(argv[6]) == 10 ? 5 : 2;
    color.subw = color.subh = 1;
    color.matrix = color.transfer = color.primaries = 1;
    Expect("SSIMU2Init2", Ssimu2Init2(&ssimu2, color, color, 0), 0);
    Expect("ButteraugliInit2", ButterInit2(&butter, color, color, 2, 203.0f, 0), 0);
    Expect("CVVDPInit3", CvvdpInit3(&cvvdp, color, color, 25, 0, "standard_fhd", NULL, 0), 0);
    Expect("CVVDPGetDistmapResolution", CvvdpSize(cvvdp, &w, &h), 0);
    Expect("the map's width", (int)w, width);
    Expect("the map's height", (int)h, height);
    for (i = 0; i < frames; i++) {
        for (v = 0; v < 2; v++) {
            frames_at[v] = clips[v] + i * frame_bytes;
            planes[v][0] = frames_at[v];
            planes[v][1] = frames_at[v] + luma;
            planes[v][2] = frames_at[v] + luma + chroma;
        }
        Expect("ComputeSSIMU2", ComputeSsimu2(ssimu2, &score, planes[0], planes[1], strides, strides), 0);
        printf("ssimulacra2 %.17g\n", score);
        Expect("ComputeButteraugli", ComputeButter(butter, &norms, NULL, 0, planes[0], planes[1], strides, strides), 0);
        printf("butteraugli %.17g %.17g %.17g\n", norms.q, norms.three, norms.inf);
        Expect("ComputeCVVDP", ComputeCvvdp(cvvdp, &last, NULL, 0, planes[0], planes[1], strides, strides), 0);
        printf("cvvdp %.17g\n", last);
    }

    /* The last frame alone, with those before it as its history, then without. */
    Expect("ResetCVVDP", ResetCvvdp(cvvdp), 0);
    Expect("ResetScoreCVVDP", ResetScoreCvvdp(cvvdp), 0);
    Expect("LoadTemporalCVVDP", LoadCvvdp(cvvdp, planes[0], planes[0], strides, strides), 0);
    Expect("ComputeCVVDP", ComputeCvvdp(cvvdp, &score, NULL, 0, planes[0], planes[0], strides, strides), 0);
    if (score != 10) Expect("CVVDP of identical frames", 0, 1);

    Expect("another metric's handler", ComputeSsimu2(cvvdp, &score, planes[0], planes[1], strides, strides), 10);
    Expect("SSIMU2Free of another metric's", Ssimu2Free(cvvdp), 10);
    Expect("no handler", ComputeSsimu2(none, &score, planes[0], planes[1], strides, strides), 10);
    Expect("null score", ComputeSsimu2(ssimu2, NULL, planes[0], planes[1], strides, strides), 11);
    Expect("null place", Ssimu2Init2(NULL, color, color, 0), 11);
    Expect("the error of no handler", Ssimu2Error(none, text, sizeof text), 0);
    color.sample = 77;
    none.id = 5;
    if (Ssimu2Init2(&none, color, color, 0) == 0) Expect("a wrong sample type", 0, 1);
    Expect("the handler of a failed call", (int)none.id, 0);
    Expect("CVVDPFree", CvvdpFree(cvvdp), 0);
    Expect("CVVDPFree, a second time", CvvdpFree(cvvdp), 10);
    Expect("ButteraugliFree", ButterFree(butter), 0);
    Expect("SSIMU2Free", Ssimu2Free(ssimu2), 0);
    for (v = 0; v < 2; v++) free(clips[v]);
    return failures > 0;
}
