/* libvmaf's C API on acutance's engine. Functions return 0 or a negative errno value; the reason goes to standard error
 * when the log level allows. Calls of several threads in one context wait for each other; several contexts work in
 * parallel. */
#ifndef LIBVMAF_LIBVMAF_H_
#define LIBVMAF_LIBVMAF_H_

#include <stdint.h>

#include "libvmaf/feature.h"
#include "libvmaf/model.h"
#include "libvmaf/picture.h"
#include "libvmaf/version.h"

#ifdef __cplusplus
extern "C" {
#endif

enum VmafLogLevel {
  VMAF_LOG_LEVEL_NONE = 0,
  VMAF_LOG_LEVEL_ERROR = 1,
  VMAF_LOG_LEVEL_WARNING = 2,
  VMAF_LOG_LEVEL_INFO = 3,
  VMAF_LOG_LEVEL_DEBUG = 4
};

enum VmafOutputFormat {
  VMAF_OUTPUT_FORMAT_NONE = 0,
  VMAF_OUTPUT_FORMAT_XML = 1,
  VMAF_OUTPUT_FORMAT_JSON = 2,
  VMAF_OUTPUT_FORMAT_CSV = 3,
  VMAF_OUTPUT_FORMAT_SUB = 4
};

enum VmafPoolingMethod {
  VMAF_POOL_METHOD_UNKNOWN = 0,
  VMAF_POOL_METHOD_MIN = 1,
  VMAF_POOL_METHOD_MAX = 2,
  VMAF_POOL_METHOD_MEAN = 3,
  VMAF_POOL_METHOD_HARMONIC_MEAN = 4,
  VMAF_POOL_METHOD_NB = 5
};

typedef struct VmafConfiguration {
  enum VmafLogLevel log_level; /* of the process */
  unsigned n_threads;          /* 0: scores of all pictures that were read are there when a call asks for them */
  unsigned n_subsample;        /* score only every n-th picture; 0 and 1: all */
  uint64_t cpumask;            /* accepted; it cannot change a score */
  uint64_t gpumask;            /* not 0: no GPU, even if another option requests one */
} VmafConfiguration;

typedef struct VmafContext VmafContext;

/* The environment variable ACUTANCE_BACKEND (cpu, auto or a name that `acutance devices` lists) chooses where features
 * are computed, ACUTANCE_DEVICE which of that backend's devices. By default the CPU begins, and where the caller waits
 * for it, GPUs are opened and tested in the background and take the pictures that follow. Scores are the same bits
 * everywhere. */
int vmaf_init(VmafContext** vmaf, VmafConfiguration cfg);

/* Waits for work that is under way and frees the context. -EINVAL: NULL, or not an open context. */
int vmaf_close(VmafContext* vmaf);

/* Registers features, before the first picture. */
int vmaf_use_features_from_model(VmafContext* vmaf, VmafModel* model);
int vmaf_use_features_from_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection);
/* Takes opts_dict (which may be NULL) on success; on failure it is still the caller's. */
int vmaf_use_feature(VmafContext* vmaf, const char* feature_name, VmafFeatureDictionary* opts_dict);

/* Stores a score that was computed elsewhere. -EINVAL where there is one already. */
int vmaf_import_feature_score(VmafContext* vmaf, const char* feature_name, double value, unsigned index);

/* A pool of pictures of one format, and a picture of it: waits while the caller holds pic_cnt of them. Pictures go back
 * by vmaf_picture_unref or with vmaf_read_pictures. */
typedef struct VmafPictureConfiguration {
  struct {
    unsigned w, h;
    unsigned bpc;
    enum VmafPixelFormat pix_fmt;
  } pic_params;
  unsigned pic_cnt;
} VmafPictureConfiguration;
int vmaf_preallocate_pictures(VmafContext* vmaf, VmafPictureConfiguration cfg);
int vmaf_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic);

/* Adds a pair of pictures of 8, 10, 12 or 16 bit, index 0, 1, 2, ... On success both are taken and the structs zeroed;
 * on failure they are still the caller's. Both NULL: the end; afterwards no picture is taken and all scores can be
 * read. */
int vmaf_read_pictures(VmafContext* vmaf, VmafPicture* ref, VmafPicture* dist, unsigned index);

/* Scores of a picture: -EINVAL where it has none (yet). Features by their stored names, such as
 * "VMAF_integer_feature_adm2_score". */
int vmaf_score_at_index(VmafContext* vmaf, VmafModel* model, double* score, unsigned index);
int vmaf_score_at_index_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                         VmafModelCollectionScore* score, unsigned index);
int vmaf_feature_score_at_index(VmafContext* vmaf, const char* feature_name, double* score, unsigned index);

/* Scores of pictures index_low to index_high, both included; of these the multiples of n_subsample. */
int vmaf_score_pooled(VmafContext* vmaf, VmafModel* model, enum VmafPoolingMethod pool_method, double* score,
                      unsigned index_low, unsigned index_high);
int vmaf_score_pooled_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                       enum VmafPoolingMethod pool_method, VmafModelCollectionScore* score,
                                       unsigned index_low, unsigned index_high);
int vmaf_feature_score_pooled(VmafContext* vmaf, const char* feature_name, enum VmafPoolingMethod pool_method,
                              double* score, unsigned index_low, unsigned index_high);

/* Writes all scores known so far. The file is there whole or not at all. */
int vmaf_write_output(VmafContext* vmaf, const char* output_path, enum VmafOutputFormat fmt);

const char* vmaf_version(void);

#ifdef __cplusplus
}
#endif

#endif
