/* Models: what fuses a frame's features into a score. */
#ifndef LIBVMAF_MODEL_H_
#define LIBVMAF_MODEL_H_

#include <stdint.h>

#include "libvmaf/feature.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafModel VmafModel;
typedef struct VmafModelCollection VmafModelCollection;

enum VmafModelFlags {
  VMAF_MODEL_FLAGS_DEFAULT = 0,
  VMAF_MODEL_FLAG_DISABLE_CLIP = (1 << 0),
  VMAF_MODEL_FLAG_ENABLE_TRANSFORM = (1 << 1),
  VMAF_MODEL_FLAG_DISABLE_TRANSFORM = (1 << 2) /* no effect at loading, as in libvmaf */
};

typedef struct VmafModelConfig {
  const char* name; /* of its scores; NULL: "vmaf". Copied */
  uint64_t flags;
} VmafModelConfig;

/* A built-in model such as "vmaf_v0.6.1", or a JSON file. A file that holds a collection is -EINVAL here, one that
 * holds a single model is -EINVAL for the collection functions. */
int vmaf_model_load(VmafModel** model, VmafModelConfig* cfg, const char* version);
int vmaf_model_load_from_path(VmafModel** model, VmafModelConfig* cfg, const char* path);

/* Overloads options of all the model's features that come from `feature_name`, such as "adm". Takes opts_dict on
 * success. No such feature in the model is success. */
int vmaf_model_feature_overload(VmafModel* model, const char* feature_name, VmafFeatureDictionary* opts_dict);

/* May come before vmaf_close. NULL is allowed. */
void vmaf_model_destroy(VmafModel* model);

enum VmafModelCollectionScoreType {
  VMAF_MODEL_COLLECTION_SCORE_UNKNOWN = 0,
  VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP = 1
};

typedef struct VmafModelCollectionScore {
  enum VmafModelCollectionScoreType type;
  struct {
    double bagging_score;
    double stddev;
    struct {
      struct {
        double lo, hi;
      } p95;
    } ci;
  } bootstrap;
} VmafModelCollectionScore;

/* Sets both the collection and its main model; each is destroyed on its own. */
int vmaf_model_collection_load(VmafModel** model, VmafModelCollection** model_collection, VmafModelConfig* cfg,
                               const char* version);
int vmaf_model_collection_load_from_path(VmafModel** model, VmafModelCollection** model_collection,
                                         VmafModelConfig* cfg, const char* path);
int vmaf_model_collection_feature_overload(VmafModel* model, VmafModelCollection** model_collection,
                                           const char* feature_name, VmafFeatureDictionary* opts_dict);
void vmaf_model_collection_destroy(VmafModelCollection* model_collection);

#ifdef __cplusplus
}
#endif

#endif
