/* A client of libvship 5.1 as its interface is described, in C99: every metric over a clip, then misuse.
 * usage: vship_client REFERENCE.yuv DISTORTED.yuv WIDTH HEIGHT BITS FRAMES    (4:2:0) */
#include "vship_test.h"

static int width, height, bytes;
static uint8_t *clips[2];
static size_t frame_bytes;

/* With the reference in pinned memory, at an odd address. */
static int Compute(void *handler, void *score, int index)
{
    const uint8_t *a[3], *b[3];
    int64_t sa[3], sb[3];
    void *pinned = NULL;
    uint8_t *copy;
    int code;
    Expect("PinnedMalloc2", Vship_PinnedMalloc2(&pinned, frame_bytes + 1, 0), 0);
    copy = (uint8_t *)pinned + 1;
    memcpy(copy, clips[0] + index * frame_bytes, frame_bytes);
    PlanesOf(copy, width, height, bytes, a, sa);
    PlanesOf(clips[1] + index * frame_bytes, width, height, bytes, b, sb);
    code = Vship_ComputeHandler(handler, score, a, b, sa, sb);
    if (memcmp(copy, clips[0] + index * frame_bytes, frame_bytes) != 0) Expect("the input is changed", 1, 0);
    Expect("PinnedFree2", Vship_PinnedFree2(pinned, 0), 0);
    return code;
}

/* Both sides upside down, read by negative strides. */
static int ComputeUpsideDown(void *handler, void *score)
{
    const uint8_t *planes[2][3];
    uint8_t *flipped[2][3];
    int64_t strides[3], negative[3];
    int v, p, y, code;
    for (v = 0; v < 2; v++) {
        PlanesOf(clips[v], width, height, bytes, planes[v], strides);
        for (p = 0; p < 3; p++) {
            const int rows = p == 0 ? height : (height + 1) / 2;
            flipped[v][p] = malloc((size_t)(strides[p] * rows));
            for (y = 0; y < rows; y++)
                memcpy(flipped[v][p] + strides[p] * (rows - 1 - y), planes[v][p] + strides[p] * y, (size_t)strides[p]);
            planes[v][p] = flipped[v][p] + strides[p] * (rows - 1);
            negative[p] = -strides[p];
        }
    }
    code = Vship_ComputeHandler(handler, score, planes[0], planes[1], negative, negative);
    for (v = 0; v < 2; v++)
        for (p = 0; p < 3; p++) free(flipped[v][p]);
    return code;
}

int main(int argc, char **argv)
{
    InitSsimu2 ssimu2;
    InitButter butter;
    InitCvvdp cvvdp;
    Colorspace color;
    ScoreSsimu2 score = {4, -1000};
    ScoreButter norms;
    ScoreCvvdp jod;
    void *handler = NULL, *second = NULL, *freed, *none = NULL;
    const uint8_t *planes[3];
    int64_t strides[3];
    uint8_t info[304];
    char text[1024];
    double upright;
    float *map;
    int frames, i, count = 0, needed;

    if (argc != 7) return 2;
    width = atoi(argv[3]);
    height = atoi(argv[4]);
    bytes = atoi(argv[5]) > 8 ? 2 : 1;
    frames = atoi(argv[6]);
    frame_bytes = ((size_t)width * height + 2 * (size_t)((width + 1) / 2) * ((height + 1) / 2)) * bytes;
    for (i = 0; i < 2; i++) clips[i] = ReadClip(argv[1 + i], frame_bytes * frames);

    if (sizeof ssimu2 != 192 || sizeof butter != 200 || sizeof cvvdp != 216) Expect("sizes", 1, 0);
    printf("version %d.%d.%d %d\n", Vship_GetVersion().major, Vship_GetVersion().minor, Vship_GetVersion().minor_minor,
           Vship_GetVersion().backend);
    Expect("GetDeviceCount", Vship_GetDeviceCount(&count), 0);
    if (count < 1) Expect("devices", count, 1);
    memset(info, 0xAB, sizeof info);
    Expect("GetDeviceInfo", Vship_GetDeviceInfo(info, count - 1), 0);
    for (i = 280; i < 304; i++) Expect("bytes behind 4's information", info[i], 0xAB);
    if (!info[0] || info[0] == ' ') Expect("the device's name", info[0], 1);
    Expect("GPUFullCheck", Vship_GPUFullCheck(count - 1), 0);
    Expect("GetDeviceInfo of none", Vship_GetDeviceInfo(info, count), 8);
    Expect("GPUFullCheck of none", Vship_GPUFullCheck(-1), 8);
    for (i = 0; i < 18; i++) {
        needed = Vship_GetErrorMessage(i, NULL, 0);
        if (needed < 2 || needed > 1024) Expect("the message's size", needed, 2);
        Expect("the message", Vship_GetErrorMessage(i, text, needed), needed);
        Expect("its length", (int)strlen(text), needed - 1);
    }
    Vship_GetErrorMessage(10, text, 4);
    Expect("a truncated message", (int)strlen(text), 3);
    Vship_GetErrorMessage(999, text, sizeof text);

    color = Yuv420(width, height, atoi(argv[5]));
    memset(&ssimu2, 0, sizeof ssimu2);
    ssimu2.type = 1;
    ssimu2.src = ssimu2.dis = color;
    Expect("InitHandler", Vship_InitHandler(&handler, &ssimu2), 0);
    Expect("InitHandler, a second", Vship_InitHandler(&second, &ssimu2), 0);
    memset(&ssimu2, 0xFF, sizeof ssimu2);
    for (i = 0; i < frames; i++) {
        Expect("ComputeHandler", Compute(i % 2 ? second : handler, &score, i), 0);
        printf("ssimulacra2 %.17g\n", score.score);
    }
    Expect("Reset", Vship_Reset(handler), 0);
    Expect("ResetScore", Vship_ResetScore(handler), 0);
    Expect("ComputeHandler", Compute(handler, &score, 0), 0);
    upright = score.score;
    Expect("negative strides", ComputeUpsideDown(handler, &score), 0);
    if (score.score != upright) Expect("negative strides give another score", 1, 0);

    memset(&butter, 0, sizeof butter);
    butter.type = 2;
    butter.src = butter.dis = color;
    butter.qnorm = 2;
    butter.intensity = 203.0f;
    Expect("InitHandler, Butteraugli", Vship_InitHandler(&none, &butter), 0);
    memset(&norms, 0, sizeof norms);
    norms.type = 5;
    map = malloc(sizeof(float) * width * height);
    for (i = 0; i < frames; i++) {
        float most = 0;
        size_t s;
        norms.map = i == 1 ? (uint8_t *)map : NULL;
        norms.stride = i == 1 ? (int64_t)sizeof(float) * width : 0;
        Expect("ComputeHandler, Butteraugli", Compute(none, &norms, i), 0);
        printf("butteraugli %.17g %.17g %.17g\n", norms.q, norms.three, norms.inf);
        if (i != 1) continue;
        for (s = 0; s < (size_t)width * height; s++) most = map[s] > most ? map[s] : most;
        if ((double)most != norms.inf) Expect("the map's largest value", 1, 0);
    }
    Expect("a score of another metric", Compute(none, &score, 0), 16);
    Expect("FreeHandler", Vship_FreeHandler(none), 0);
    free(map);

    memset(&cvvdp, 0, sizeof cvvdp);
    cvvdp.type = 3;
    cvvdp.src = cvvdp.dis = color;
    cvvdp.fps = 25;
    cvvdp.model = "standard_fhd";
    Expect("InitHandler, CVVDP", Vship_InitHandler(&none, &cvvdp), 0);
    memset(&jod, 0, sizeof jod);
    jod.type = 6;
    for (i = 0; i < frames; i++) {
        Expect("ComputeHandler, CVVDP", Compute(none, &jod, i), 0);
        printf("cvvdp %.17g\n", jod.score);
    }
    Expect("Reset", Vship_Reset(none), 0);
    Expect("ResetScore", Vship_ResetScore(none), 0);
    for (i = 0; i < frames; i++) {
        Expect("ComputeHandler, CVVDP again", Compute(none, &jod, i), 0);
        printf("cvvdp_again %.17g\n", jod.score);
    }
    Expect("FreeHandler", Vship_FreeHandler(none), 0);
    cvvdp.config = "{\"mine\": {\"resolution\": [1920, 1080], \"diagonal_size_inches\": 24, \"max_luminance\": 100,"
                   " \"viewing_distance_meters\": 0.6, \"contrast\": 1000, \"colorspace\": \"sRGB\"}}";
    cvvdp.model = "mine";
    Expect("InitHandler with a display of its own", Vship_InitHandler(&none, &cvvdp), 0);
    Expect("ComputeHandler", Compute(none, &jod, 0), 0);
    Expect("FreeHandler", Vship_FreeHandler(none), 0);
    cvvdp.config = "{ no JSON";
    Expect("bad JSON", Vship_InitHandler(&none, &cvvdp), 14);
    cvvdp.config = "/no/such/file.json";
    Expect("no such file", Vship_InitHandler(&none, &cvvdp), 13);
    cvvdp.config = "";
    Expect("no such display", Vship_InitHandler(&none, &cvvdp), 3);
    cvvdp.model = NULL;
    cvvdp.fps = 0;
    if (Vship_InitHandler(&none, &cvvdp) == 0) Expect("no frame rate", 0, 1);
    if (none) Expect("a handler of a failed call", 1, 0);

    /* Misuse: codes, and nothing else. */
    memset(&ssimu2, 0, sizeof ssimu2);
    ssimu2.type = 1;
    ssimu2.src = ssimu2.dis = color;
    PlanesOf(clips[0], width, height, bytes, planes, strides);
    Expect("null handler", Vship_ComputeHandler(NULL, &score, planes, planes, strides, strides), 10);
    Expect("null score", Vship_ComputeHandler(handler, NULL, planes, planes, strides, strides), 11);
    Expect("null planes", Vship_ComputeHandler(handler, &score, NULL, planes, strides, strides), 11);
    Expect("null strides", Vship_ComputeHandler(handler, &score, planes, planes, strides, NULL), 11);
    planes[1] = NULL;
    Expect("null plane", Vship_ComputeHandler(handler, &score, planes, planes, strides, strides), 11);
    if (Vship_GetDetailedLastErrorHandler(handler, text, sizeof text) < 2 || !text[0]) Expect("the handler's error", 1, 0);
    PlanesOf(clips[0], width, height, bytes, planes, strides);
    strides[0] = 3;
    Expect("a short stride", Vship_ComputeHandler(handler, &score, planes, planes, strides, strides), 11);
    Expect("null place", Vship_InitHandler(NULL, &ssimu2), 11);
    Expect("null structure", Vship_InitHandler(&none, NULL), 11);
    ssimu2.dis.width += 16;
    Expect("unequal sizes", Vship_InitHandler(&none, &ssimu2), 4);
    ssimu2.dis.width -= 16;
    ssimu2.type = 77;
    Expect("wrong type", Vship_InitHandler(&none, &ssimu2), 16);
    ssimu2.type = 1;
    ssimu2.gpu = 99;
    Expect("wrong device", Vship_InitHandler(&none, &ssimu2), 8);
    ssimu2.gpu = 0;
    ssimu2.src.width = ssimu2.dis.width = 0;
    if (Vship_InitHandler(&none, &ssimu2) == 0) Expect("no pixels", 0, 1);
    ssimu2.src.width = ssimu2.dis.width = INT64_MAX;
    if (Vship_InitHandler(&none, &ssimu2) == 0) Expect("too many pixels", 0, 1);
    ssimu2.src = ssimu2.dis = color;
    ssimu2.src.left = 1 << 30;
    ssimu2.src.right = 1 << 30;
    if (Vship_InitHandler(&none, &ssimu2) == 0) Expect("all cropped", 0, 1);
    if (none) Expect("a handler of a failed call", 1, 0);
    freed = handler;
    Expect("FreeHandler", Vship_FreeHandler(handler), 0);
    Expect("FreeHandler, a second time", Vship_FreeHandler(freed), 10);
    PlanesOf(clips[0], width, height, bytes, planes, strides);
    Expect("a freed handler", Vship_ComputeHandler(freed, &score, planes, planes, strides, strides), 10);
    Expect("Reset of a freed handler", Vship_Reset(freed), 10);
    Expect("ResetScore of null", Vship_ResetScore(NULL), 10);
    Expect("FreeHandler of null", Vship_FreeHandler(NULL), 10);
    Expect("FreeHandler of an address", Vship_FreeHandler(text), 10);
    Expect("the error of a freed handler", Vship_GetDetailedLastErrorHandler(freed, text, sizeof text), 0);
    if (Vship_GetDetailedLastError(text, sizeof text) < 2 || !text[0]) Expect("the last error", 1, 0);
    Expect("PinnedFree2 of null", Vship_PinnedFree2(NULL, 0), 11);
    Expect("FreeHandler", Vship_FreeHandler(second), 0);
    return failures > 0;
}
