/* A client of libvship 4 by the names that 5 retains, in C99, with one handler of each metric in turn.
 * usage: vship4_client REFERENCE.yuv DISTORTED.yuv WIDTH HEIGHT BITS FRAMES    (4:2:0) */
#include "vship_test.h"

int main(int argc, char **argv)
{
    Handler ssimu2 = {0}, butter = {0}, cvvdp = {0}, none = {0};
    struct { DeviceInfo info; uint8_t guard[64]; } device;
    Colorspace color;
    uint8_t *clips[2];
    const uint8_t *planes[2][3];
    int64_t strides[3], w = 0, h = 0;
    double score = 0, last = 0;
    Norms norms = {0, 0, 0};
    char text[256];
    void *pinned = NULL;
    size_t frame_bytes;
    int width, height, bytes, frames, i, v, count = 0;

    if (argc != 7) return 2;
    width = atoi(argv[3]);
    height = atoi(argv[4]);
    bytes = atoi(argv[5]) > 8 ? 2 : 1;
    frames = atoi(argv[6]);
    frame_bytes = ((size_t)width * height + 2 * (size_t)((width + 1) / 2) * ((height + 1) / 2)) * bytes;
    for (v = 0; v < 2; v++) clips[v] = ReadClip(argv[1 + v], frame_bytes * frames);

    Expect("GetDeviceCount", Vship_GetDeviceCount(&count), 0);
    Expect("SetDevice", Vship_SetDevice(0), 0);
    Expect("SetDevice of none", Vship_SetDevice(count), 8);
    memset(&device, 0xAB, sizeof device);
    Expect("GetDeviceInfo", Vship_GetDeviceInfo(&device.info, 0), 0);
    for (i = 0; i < 64; i++) Expect("the guard behind the information", device.guard[i], 0xAB);
    Expect("PinnedMalloc", Vship_PinnedMalloc(&pinned, frame_bytes), 0);
    Expect("PinnedFree", Vship_PinnedFree(pinned), 0);

    color = Yuv420(width, height, atoi(argv[5]));
    Expect("SSIMU2Init2", Vship_SSIMU2Init2(&ssimu2, color, color, 0), 0);
    Expect("ButteraugliInit2", Vship_ButteraugliInit2(&butter, color, color, 2, 203.0f, 0), 0);
    Expect("CVVDPInit3", Vship_CVVDPInit3(&cvvdp, color, color, 25, 0, "standard_fhd", NULL, 0), 0);
    Expect("CVVDPGetDistmapResolution", Vship_CVVDPGetDistmapResolution(cvvdp, &w, &h), 0);
    Expect("the map's width", (int)w, width);
    Expect("the map's height", (int)h, height);
    for (i = 0; i < frames; i++) {
        for (v = 0; v < 2; v++) PlanesOf(clips[v] + i * frame_bytes, width, height, bytes, planes[v], strides);
        Expect("ComputeSSIMU2", Vship_ComputeSSIMU2(ssimu2, &score, planes[0], planes[1], strides, strides), 0);
        printf("ssimulacra2 %.17g\n", score);
        Expect("ComputeButteraugli", Vship_ComputeButteraugli(butter, &norms, NULL, 0, planes[0], planes[1], strides, strides), 0);
        printf("butteraugli %.17g %.17g %.17g\n", norms.q, norms.three, norms.inf);
        Expect("ComputeCVVDP", Vship_ComputeCVVDP(cvvdp, &last, NULL, 0, planes[0], planes[1], strides, strides), 0);
        printf("cvvdp %.17g\n", last);
    }

    /* The last frame alone, with those before it as its history, then without. */
    Expect("ResetCVVDP", Vship_ResetCVVDP(cvvdp), 0);
    Expect("ResetScoreCVVDP", Vship_ResetScoreCVVDP(cvvdp), 0);
    Expect("LoadTemporalCVVDP", Vship_LoadTemporalCVVDP(cvvdp, planes[0], planes[0], strides, strides), 0);
    Expect("ComputeCVVDP", Vship_ComputeCVVDP(cvvdp, &score, NULL, 0, planes[0], planes[0], strides, strides), 0);
    if (score != 10) Expect("CVVDP of identical frames", 0, 1);

    Expect("another metric's handler", Vship_ComputeSSIMU2(cvvdp, &score, planes[0], planes[1], strides, strides), 10);
    Expect("SSIMU2Free of another metric's", Vship_SSIMU2Free(cvvdp), 10);
    Expect("no handler", Vship_ComputeSSIMU2(none, &score, planes[0], planes[1], strides, strides), 10);
    Expect("null score", Vship_ComputeSSIMU2(ssimu2, NULL, planes[0], planes[1], strides, strides), 11);
    Expect("null place", Vship_SSIMU2Init2(NULL, color, color, 0), 11);
    Expect("the error of no handler", Vship_SSIMU2GetDetailedLastError(none, text, sizeof text), 0);
    color.sample = 77;
    none.id = 5;
    if (Vship_SSIMU2Init2(&none, color, color, 0) == 0) Expect("a wrong sample type", 0, 1);
    Expect("the handler of a failed call", (int)none.id, 0);
    Expect("CVVDPFree", Vship_CVVDPFree(cvvdp), 0);
    Expect("CVVDPFree, a second time", Vship_CVVDPFree(cvvdp), 10);
    Expect("ButteraugliFree", Vship_ButteraugliFree(butter), 0);
    Expect("SSIMU2Free", Vship_SSIMU2Free(ssimu2), 0);
    return failures > 0;
}
