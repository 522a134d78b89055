/* Scores as they come: exported by libvmaf 3.2, but not in its headers. */
#ifndef LIBVMAF_METADATA_HANDLER_H_
#define LIBVMAF_METADATA_HANDLER_H_

#include "libvmaf/libvmaf.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafMetadata {
  char* feature_name;
  unsigned picture_index;
  double score;
} VmafMetadata;

typedef struct VmafMetadataConfiguration {
  char* feature_name; /* stored name of a feature, or name of a model in use. Copied */
  void (*callback)(void* data, VmafMetadata* metadata);
  void* data;
} VmafMetadataConfiguration;

/* Calls back once for each score of that name, in order of index, on the thread and within the call that found it. The
 * callback may call any function, also with its own context. */
int vmaf_register_metadata_handler(VmafContext* vmaf, VmafMetadataConfiguration cfg);

#ifdef __cplusplus
}
#endif

#endif
