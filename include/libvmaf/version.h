/* Version of the C API: that of the libvmaf it stands in for. */
#ifndef LIBVMAF_VERSION_H_
#define LIBVMAF_VERSION_H_

#define VMAF_API_VERSION_MAJOR 3
#define VMAF_API_VERSION_MINOR 2
#define VMAF_API_VERSION_PATCH 0

#endif
