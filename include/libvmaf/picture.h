/* The planes of one frame. */
#ifndef LIBVMAF_PICTURE_H_
#define LIBVMAF_PICTURE_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum VmafPixelFormat {
  VMAF_PIX_FMT_UNKNOWN = 0,
  VMAF_PIX_FMT_YUV420P = 1,
  VMAF_PIX_FMT_YUV422P = 2,
  VMAF_PIX_FMT_YUV444P = 3,
  VMAF_PIX_FMT_YUV400P = 4
};

typedef struct VmafRef VmafRef;

/* Fill data[] through w, h and stride. Samples are one byte when bpc is 8, else two in the machine's order with the
 * value in the low bits. Chroma sizes are halved rounding down; a 4:0:0 picture has none (data NULL). */
typedef struct {
  enum VmafPixelFormat pix_fmt;
  unsigned bpc;
  unsigned w[3], h[3];
  ptrdiff_t stride[3]; /* bytes from row to row; samples rounded up to 32 */
  void* data[3];
  VmafRef* ref; /* private */
  void* priv;   /* private */
} VmafPicture;

/* A zeroed picture. -EINVAL: NULL, unknown format, bpc not 8 to 16, a side not 1 to 32768; -ENOMEM. */
int vmaf_picture_alloc(VmafPicture* pic, enum VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h);

/* Gives the picture back and zeroes the struct. -EINVAL: NULL, or nothing to give back. */
int vmaf_picture_unref(VmafPicture* pic);

#ifdef __cplusplus
}
#endif

#endif
