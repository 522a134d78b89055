/* A client of libvship that describes each video's samples on its command line, in C99. It calls the metric by 5.1's
 * names and by 4's, which must agree, and prints the score of each frame, or "error CODE" where a call is refused.
 * usage: vship_formats METRIC RESIZE WIDTH HEIGHT FRAMES REFERENCE COLORS DISTORTED COLORS
 * METRIC: 1 to 3, as in the structures; COLORS: sample,range,subw,subh,location,matrix,transfer,target_w,target_h,left */
#include "vship_test.h"

typedef struct { Colorspace color; uint8_t *clip; size_t plane[3], frame; int64_t strides[3]; } Video;

static int Refused(int code)
{
    char text[1024] = "";
    if (Vship_GetDetailedLastError(text, sizeof text) < 2 || !text[0]) { fprintf(stderr, "an error without a text\n"); exit(1); }
    printf("error %d %s\n", code, text);
    return 0;
}

static void Open(Video *video, const char *path, const char *colors, int width, int height, int frames)
{
    Colorspace *c = &video->color;
    int target_width, target_height, p, bytes;
    memset(c, 0, sizeof *c);
    if (sscanf(colors, "%d,%d,%d,%d,%d,%d,%d,%d,%d,%d", &c->sample, &c->range, &c->subw, &c->subh, &c->location,
               &c->matrix, &c->transfer, &target_width, &target_height, &c->left) != 10) exit(2);
    c->width = width;
    c->height = height;
    c->target_width = target_width;
    c->target_height = target_height;
    c->primaries = 1;
    bytes = c->sample == 0 ? 4 : c->sample == 2 || c->sample == 4 ? 1 : 2; /* 4 is no type */
    video->frame = 0;
    for (p = 0; p < 3; p++) {
        const int across = p && c->subw > 0 && c->subw < 3 ? c->subw : 0, down = p && c->subh > 0 && c->subh < 3 ? c->subh : 0;
        video->strides[p] = (int64_t)((width + (1 << across) - 1) >> across) * bytes;
        video->plane[p] = video->frame;
        video->frame += (size_t)video->strides[p] * ((height + (1 << down) - 1) >> down);
    }
    video->clip = ReadClip(path, video->frame * frames);
}

static void VideoPlanes(const Video *video, int frame, const uint8_t *planes[3])
{
    int p;
    for (p = 0; p < 3; p++) planes[p] = video->clip + frame * video->frame + video->plane[p];
}

int main(int argc, char **argv)
{
    union { int type; InitSsimu2 ssimu2; InitButter butter; InitCvvdp cvvdp; } init;
    union { int type; ScoreCvvdp score; ScoreButter butter; } score;
    Video reference, distorted;
    const uint8_t *a[3], *b[3];
    Handler old = {0};
    void *handler = NULL;
    int metric, resize, width, height, frames, i, code, old_code = 0;

    if (argc != 10) return 2;
    metric = atoi(argv[1]);
    resize = atoi(argv[2]);
    width = atoi(argv[3]);
    height = atoi(argv[4]);
    frames = atoi(argv[5]);
    Open(&reference, argv[6], argv[7], width, height, frames);
    Open(&distorted, argv[8], argv[9], width, height, frames);

    memset(&init, 0, sizeof init);
    init.type = metric;
    init.ssimu2.src = reference.color;
    init.ssimu2.dis = distorted.color;
    if (metric == 2) {
        init.butter.qnorm = 2;
        init.butter.intensity = 203.0f;
        old_code = Vship_ButteraugliInit(&old, reference.color, distorted.color, 2, 203.0f);
    } else if (metric == 3) {
        init.cvvdp.fps = 25;
        init.cvvdp.resize = resize != 0;
        init.cvvdp.model = reference.color.transfer == 8 ? "standard_hdr_linear" : "standard_fhd";
        old_code = Vship_CVVDPInit(&old, reference.color, distorted.color, 25, resize != 0, init.cvvdp.model);
    } else {
        old_code = Vship_SSIMU2Init(&old, reference.color, distorted.color);
    }
    code = Vship_InitHandler(&handler, &init);
    if (code != old_code) { fprintf(stderr, "4's init gives %d, 5.1's %d\n", old_code, code); return 1; }
    if (code != 0) return handler || old.id ? 1 : Refused(code);
    for (i = 0; i < frames; i++) {
        VideoPlanes(&reference, i, a);
        VideoPlanes(&distorted, i, b);
        memset(&score, 0, sizeof score);
        score.type = metric + 3;
        code = Vship_ComputeHandler(handler, &score, a, b, reference.strides, distorted.strides);
        if (code != 0) return Refused(code);
        if (metric == 2) {
            Norms norms = {0, 0, 0};
            if (Vship_ComputeButteraugli(old, &norms, NULL, 0, a, b, reference.strides, distorted.strides) != 0) return 1;
            if (memcmp(&norms, &score.butter.q, sizeof norms) != 0) { fprintf(stderr, "4's norms differ\n"); return 1; }
            printf("score %.17g %.17g %.17g\n", norms.inf, norms.three, norms.q);
        } else {
            double again = -1;
            if (metric == 1) code = Vship_ComputeSSIMU2(old, &again, a, b, reference.strides, distorted.strides);
            else {
                int64_t w = 0, h = 0, s;
                float *map, most = 0;
                Vship_CVVDPGetDistmapResolution(old, &w, &h);
                map = malloc(sizeof *map * w * h);
                for (s = 0; s < w * h; s++) map[s] = -1;
                code = Vship_ComputeCVVDP(old, &again, (const uint8_t *)map, (int64_t)sizeof *map * w, a, b, reference.strides,
                                    distorted.strides);
                for (s = 0; s < w * h; s++) {
                    if (!(map[s] >= 0)) { fprintf(stderr, "the map has a hole\n"); return 1; }
                    most = map[s] > most ? map[s] : most;
                }
                printf("map %d %d %.9g\n", (int)w, (int)h, most);
                free(map);
            }
            if (code != 0 || again != score.score.score) { fprintf(stderr, "4's score differs: %d\n", code); return 1; }
            printf("score %.17g\n", again);
        }
    }
    return Vship_FreeHandler(handler) != 0;
}
