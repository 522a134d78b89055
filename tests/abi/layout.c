/* Prints the layout of every struct and the value of every enumerator of the headers, a line each. */
#include <libvmaf/libvmaf.h>
#include <libvmaf/libvmaf_cuda.h>
#include <stddef.h>
#include <stdio.h>

#define SIZE(type)                                                       \
    do {                                                                 \
        struct Aligned {                                                 \
            char first;                                                  \
            type value;                                                  \
        };                                                               \
        printf("%s %u/%u\n", #type, (unsigned)sizeof(type), (unsigned)offsetof(struct Aligned, value)); \
    } while (0)
#define FIELD(type, field) \
    printf("%s.%s %u:%u\n", #type, #field, (unsigned)offsetof(type, field), (unsigned)sizeof(((type *)0)->field))
#define VALUE(name) printf("%s %d:%u\n", #name, (int)(name), (unsigned)sizeof(name))

int main(void)
{
    SIZE(VmafConfiguration);
    FIELD(VmafConfiguration, log_level);
    FIELD(VmafConfiguration, n_threads);
    FIELD(VmafConfiguration, n_subsample);
    FIELD(VmafConfiguration, cpumask);
    FIELD(VmafConfiguration, gpumask);
    SIZE(VmafModelConfig);
    FIELD(VmafModelConfig, name);
    FIELD(VmafModelConfig, flags);
    SIZE(VmafPicture);
    FIELD(VmafPicture, pix_fmt);
    FIELD(VmafPicture, bpc);
    FIELD(VmafPicture, w);
    FIELD(VmafPicture, h);
    FIELD(VmafPicture, stride);
    FIELD(VmafPicture, data);
    FIELD(VmafPicture, ref);
    FIELD(VmafPicture, priv);
    SIZE(VmafModelCollectionScore);
    FIELD(VmafModelCollectionScore, type);
    FIELD(VmafModelCollectionScore, bootstrap.bagging_score);
    FIELD(VmafModelCollectionScore, bootstrap.stddev);
    FIELD(VmafModelCollectionScore, bootstrap.ci.p95.lo);
    FIELD(VmafModelCollectionScore, bootstrap.ci.p95.hi);
    SIZE(VmafPictureConfiguration);
    FIELD(VmafPictureConfiguration, pic_params.w);
    FIELD(VmafPictureConfiguration, pic_params.h);
    FIELD(VmafPictureConfiguration, pic_params.bpc);
    FIELD(VmafPictureConfiguration, pic_params.pix_fmt);
    FIELD(VmafPictureConfiguration, pic_cnt);
    SIZE(VmafCudaConfiguration);
    FIELD(VmafCudaConfiguration, cu_ctx);
    SIZE(VmafCudaPictureConfiguration);
    FIELD(VmafCudaPictureConfiguration, pic_params.w);
    FIELD(VmafCudaPictureConfiguration, pic_params.h);
    FIELD(VmafCudaPictureConfiguration, pic_params.bpc);
    FIELD(VmafCudaPictureConfiguration, pic_params.pix_fmt);
    FIELD(VmafCudaPictureConfiguration, pic_prealloc_method);

    VALUE(VMAF_LOG_LEVEL_NONE);
    VALUE(VMAF_LOG_LEVEL_ERROR);
    VALUE(VMAF_LOG_LEVEL_WARNING);
    VALUE(VMAF_LOG_LEVEL_INFO);
    VALUE(VMAF_LOG_LEVEL_DEBUG);
    VALUE(VMAF_OUTPUT_FORMAT_NONE);
    VALUE(VMAF_OUTPUT_FORMAT_XML);
    VALUE(VMAF_OUTPUT_FORMAT_JSON);
    VALUE(VMAF_OUTPUT_FORMAT_CSV);
    VALUE(VMAF_OUTPUT_FORMAT_SUB);
    VALUE(VMAF_POOL_METHOD_UNKNOWN);
    VALUE(VMAF_POOL_METHOD_MIN);
    VALUE(VMAF_POOL_METHOD_MAX);
    VALUE(VMAF_POOL_METHOD_MEAN);
    VALUE(VMAF_POOL_METHOD_HARMONIC_MEAN);
    VALUE(VMAF_POOL_METHOD_NB);
    VALUE(VMAF_PIX_FMT_UNKNOWN);
    VALUE(VMAF_PIX_FMT_YUV420P);
    VALUE(VMAF_PIX_FMT_YUV422P);
    VALUE(VMAF_PIX_FMT_YUV444P);
    VALUE(VMAF_PIX_FMT_YUV400P);
    VALUE(VMAF_MODEL_FLAGS_DEFAULT);
    VALUE(VMAF_MODEL_FLAG_DISABLE_CLIP);
    VALUE(VMAF_MODEL_FLAG_ENABLE_TRANSFORM);
    VALUE(VMAF_MODEL_FLAG_DISABLE_TRANSFORM);
    VALUE(VMAF_MODEL_COLLECTION_SCORE_UNKNOWN);
    VALUE(VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP);
    VALUE(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE);
    VALUE(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE);
    VALUE(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST);
    VALUE(VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED);
    VALUE(VMAF_API_VERSION_MAJOR);
    VALUE(VMAF_API_VERSION_MINOR);
    VALUE(VMAF_API_VERSION_PATCH);
    return 0;
}
