/* Pictures in CUDA memory. Every function is there in every build; without an NVIDIA driver or GPU they return -EINVAL.
 */
#ifndef LIBVMAF_LIBVMAF_CUDA_H_
#define LIBVMAF_LIBVMAF_CUDA_H_

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafCudaState VmafCudaState;

typedef struct VmafCudaConfiguration {
  void* cu_ctx; /* CUcontext; NULL: the primary context of device 0 */
} VmafCudaConfiguration;

int vmaf_cuda_state_init(VmafCudaState** cu_state, VmafCudaConfiguration cfg);

/* Computes on the state's device what has CUDA kernels, and the rest on the CPU. Before the features are registered;
 * not when gpumask is set. */
int vmaf_cuda_import_state(VmafContext* vmaf, VmafCudaState* cu_state);

enum VmafCudaPicturePreallocationMethod {
  VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE = 0,
  VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE = 1,
  VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST = 2,
  VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED = 3
};

typedef struct VmafCudaPictureConfiguration {
  struct {
    unsigned w, h;
    unsigned bpc;
    enum VmafPixelFormat pix_fmt;
  } pic_params;
  enum VmafCudaPicturePreallocationMethod pic_prealloc_method;
} VmafCudaPictureConfiguration;

int vmaf_cuda_preallocate_pictures(VmafContext* vmaf, VmafCudaPictureConfiguration cfg);
int vmaf_cuda_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic);

#ifdef __cplusplus
}
#endif

#endif
