/* A program as libvmaf's documentation has it, in C99: a model, a feature, ten pairs, scores, a log.
 * usage: client [MODEL [LOG]] */
#include <libvmaf.h>
#include <libvmaf/libvmaf.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 192, HEIGHT = 108, FRAMES = 10 };

static void Check(int result, const char *what)
{
    if (result == 0) return;
    fprintf(stderr, "%s: %d\n", what, result);
    exit(1);
}

static void Fill(VmafPicture *picture, unsigned frame, unsigned noise)
{
    unsigned p, y, x;
    for (p = 0; p < 3; p++)
        for (y = 0; y < picture->h[p]; y++) {
            unsigned char *row = (unsigned char *)picture->data[p] + (ptrdiff_t)y * picture->stride[p];
            for (x = 0; x < picture->w[p]; x++)
                row[x] = (unsigned char)(40 + (3 * x + 2 * y + 5 * frame) % 150 + (x * 7 + y * 13 + frame) % noise);
        }
}

int main(int argc, char **argv)
{
    VmafConfiguration config = {VMAF_LOG_LEVEL_INFO, 2, 1, 0, 0};
    VmafModelConfig model_config = {"vmaf", VMAF_MODEL_FLAGS_DEFAULT};
    VmafContext *vmaf = NULL;
    VmafModel *model = NULL;
    VmafFeatureDictionary *options = NULL;
    double score = 0, psnr = 0;
    unsigned i;

    Check(vmaf_init(&vmaf, config), "vmaf_init");
    Check(vmaf_model_load(&model, &model_config, argc > 1 ? argv[1] : "vmaf_v0.6.1"), "vmaf_model_load");
    Check(vmaf_use_features_from_model(vmaf, model), "vmaf_use_features_from_model");
    Check(vmaf_feature_dictionary_set(&options, "enable_chroma", "false"), "vmaf_feature_dictionary_set");
    Check(vmaf_use_feature(vmaf, "psnr", options), "vmaf_use_feature");
    for (i = 0; i < FRAMES; i++) {
        VmafPicture ref, dist;
        Check(vmaf_picture_alloc(&ref, VMAF_PIX_FMT_YUV420P, 8, WIDTH, HEIGHT), "vmaf_picture_alloc");
        Check(vmaf_picture_alloc(&dist, VMAF_PIX_FMT_YUV420P, 8, WIDTH, HEIGHT), "vmaf_picture_alloc");
        Fill(&ref, i, 1);
        Fill(&dist, i, 24);
        Check(vmaf_read_pictures(vmaf, &ref, &dist, i), "vmaf_read_pictures");
    }
    Check(vmaf_read_pictures(vmaf, NULL, NULL, 0), "flush");
    Check(vmaf_score_pooled(vmaf, model, VMAF_POOL_METHOD_MEAN, &score, 0, FRAMES - 1), "vmaf_score_pooled");
    Check(vmaf_feature_score_at_index(vmaf, "psnr_y", &psnr, 3), "vmaf_feature_score_at_index");
    if (argc > 2) Check(vmaf_write_output(vmaf, argv[2], VMAF_OUTPUT_FORMAT_JSON), "vmaf_write_output");
    printf("libvmaf %s: vmaf %.17g, psnr_y of frame 3 %.17g\n", vmaf_version(), score, psnr);
    vmaf_model_destroy(model);
    Check(vmaf_close(vmaf), "vmaf_close");
    return 0;
}
