/* A client of libvship that describes each video's samples on its command line, in C99. It calls the metric by 5.1's
 * names and by 4's, which must agree, and prints the score of each frame, or "error CODE" where a call is refused.
 * usage: vship_formats LIBRARY METRIC RESIZE WIDTH HEIGHT FRAMES REFERENCE COLORS DISTORTED COLORS
 * METRIC: 1 to 3, as in the structures; COLORS: sample,range,subw,subh,location,matrix,transfer,target_w,target_h,left */
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t width, height, target_width, target_height;
    int sample, range, subw, subh, location, family, matrix, transfer, primaries;
    int top, bottom, left, right;
} Colorspace;
typedef struct { int type; Colorspace src, dis; int gpu; } InitSsimu2;
typedef struct { int type; Colorspace src, dis; int qnorm; float intensity; int gpu; } InitButter;
typedef struct { int type; Colorspace src, dis; float fps; _Bool resize; const char *model, *config; int gpu; } InitCvvdp;
typedef struct { int type; double score; uint8_t *map; int64_t stride; } Score;
typedef struct { int type; double q, three, inf; uint8_t *map; int64_t stride; } ScoreButter;
typedef struct { unsigned id; } Handler4;
typedef struct { double q, three, inf; } Norms;
typedef const uint8_t *const *Rows;
typedef const int64_t *Strides;
typedef struct { Colorspace color; uint8_t *clip; size_t plane[3], frame; int64_t strides[3]; } Video;

static void *library;

static void *Symbol(const char *name)
{
    void *symbol = dlsym(library, name);
    if (!symbol) { fprintf(stderr, "%s is missing\n", name); exit(1); }
    return symbol;
}

static int Refused(int code)
{
    int (*LastError)(char *, int);
    char text[1024] = "";
    *(void **)&LastError = Symbol("Vship_GetDetailedLastError");
    if (LastError(text, sizeof text) < 2 || !text[0]) { fprintf(stderr, "an error without a text\n"); exit(1); }
    printf("error %d %s\n", code, text);
    return 0;
}

static void Open(Video *video, const char *path, const char *colors, int width, int height, int frames)
{
    Colorspace *c = &video->color;
    FILE *file = fopen(path, "rb");
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
    video->clip = malloc(video->frame * frames + 1);
    if (!file || fread(video->clip + 1, 1, video->frame * frames, file) != video->frame * frames) {
        fprintf(stderr, "%s: could not read\n", path);
        exit(1);
    }
    fclose(file);
}

/* Packed, from an odd address on. */
static void PlanesOf(const Video *video, int frame, const uint8_t *planes[3])
{
    int p;
    for (p = 0; p < 3; p++) planes[p] = video->clip + 1 + frame * video->frame + video->plane[p];
}

int main(int argc, char **argv)
{
    int (*InitHandler)(void **, void *);
    int (*ComputeHandler)(void *, void *, Rows, Rows, Strides, Strides);
    int (*FreeHandler)(void *);
    int (*Ssimu2Init)(Handler4 *, Colorspace, Colorspace);
    int (*ButterInit)(Handler4 *, Colorspace, Colorspace, int, float);
    int (*CvvdpInit)(Handler4 *, Colorspace, Colorspace, float, _Bool, const char *);
    int (*CvvdpSize)(Handler4, int64_t *, int64_t *);
    int (*ComputeSsimu2)(Handler4, double *, Rows, Rows, Strides, Strides);
    int (*ComputeButter)(Handler4, Norms *, const uint8_t *, int64_t, Rows, Rows, Strides, Strides);
    int (*ComputeCvvdp)(Handler4, double *, const uint8_t *, int64_t, Rows, Rows, Strides, Strides);
    union { int type; InitSsimu2 ssimu2; InitButter butter; InitCvvdp cvvdp; } init;
    union { int type; Score score; ScoreButter butter; } score;
    Video reference, distorted;
    const uint8_t *a[3], *b[3];
    Handler4 old = {0};
    void *handler = NULL;
    int metric, resize, width, height, frames, i, code, old_code = 0;

    if (argc != 11) return 2;
    library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) { fprintf(stderr, "%s\n", dlerror()); return 1; }
    *(void **)&InitHandler = Symbol("Vship_InitHandler");
    *(void **)&ComputeHandler = Symbol("Vship_ComputeHandler");
    *(void **)&FreeHandler = Symbol("Vship_FreeHandler");
    *(void **)&Ssimu2Init = Symbol("Vship_SSIMU2Init");
    *(void **)&ButterInit = Symbol("Vship_ButteraugliInit");
    *(void **)&CvvdpInit = Symbol("Vship_CVVDPInit");
    *(void **)&CvvdpSize = Symbol("Vship_CVVDPGetDistmapResolution");
    *(void **)&ComputeSsimu2 = Symbol("Vship_ComputeSSIMU2");
    *(void **)&ComputeButter = Symbol("Vship_ComputeButteraugli");
    *(void **)&ComputeCvvdp = Symbol("Vship_ComputeCVVDP");
    metric = atoi(argv[2]);
    resize = atoi(argv[3]);
    width = atoi(argv[4]);
    height = atoi(argv[5]);
    frames = atoi(argv[6]);
    Open(&reference, argv[7], argv[8], width, height, frames);
    Open(&distorted, argv[9], argv[10], width, height, frames);

    memset(&init, 0, sizeof init);
    init.type = metric;
    init.ssimu2.src = reference.color;
    init.ssimu2.dis = distorted.color;
    if (metric == 2) {
        init.butter.qnorm = 2;
        init.butter.intensity = 203.0f;
        old_code = ButterInit(&old, reference.color, distorted.color, 2, 203.0f);
    } else if (metric == 3) {
        init.cvvdp.fps = 25;
        init.cvvdp.resize = resize != 0;
        init.cvvdp.model = reference.color.transfer == 8 ? "standard_hdr_linear" : "standard_fhd";
        old_code = CvvdpInit(&old, reference.color, distorted.color, 25, resize != 0, init.cvvdp.model);
    } else {
        old_code = Ssimu2Init(&old, reference.color, distorted.color);
    }
    code = InitHandler(&handler, &init);
    if (code != old_code) { fprintf(stderr, "4's init gives %d, 5.1's %d\n", old_code, code); return 1; }
    if (code != 0) return handler || old.id ? 1 : Refused(code);
    for (i = 0; i < frames; i++) {
        PlanesOf(&reference, i, a);
        PlanesOf(&distorted, i, b);
        memset(&score, 0, sizeof score);
        score.type = metric + 3;
        code = ComputeHandler(handler, &score, a, b, reference.strides, distorted.strides);
        if (code != 0) return Refused(code);
        if (metric == 2) {
            Norms norms = {0, 0, 0};
            if (ComputeButter(old, &norms, NULL, 0, a, b, reference.strides, distorted.strides) != 0) return 1;
            if (memcmp(&norms, &score.butter.q, sizeof norms) != 0) { fprintf(stderr, "4's norms differ\n"); return 1; }
            printf("score %.17g %.17g %.17g\n", norms.inf, norms.three, norms.q);
        } else {
            double again = -1;
            if (metric == 1) code = ComputeSsimu2(old, &again, a, b, reference.strides, distorted.strides);
            else {
                int64_t w = 0, h = 0, s;
                float *map, most = 0;
                CvvdpSize(old, &w, &h);
                map = malloc(sizeof *map * w * h);
                for (s = 0; s < w * h; s++) map[s] = -1;
                code = ComputeCvvdp(old, &again, (const uint8_t *)map, (int64_t)sizeof *map * w, a, b, reference.strides,
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
    if (FreeHandler(handler) != 0) return 1;
    free(reference.clip);
    free(distorted.clip);
    return 0;
}
