/* Options of a feature: names and values as text. */
#ifndef LIBVMAF_FEATURE_H_
#define LIBVMAF_FEATURE_H_

#ifdef __cplusplus
extern "C" {
#endif

typedef struct VmafFeatureDictionary VmafFeatureDictionary;

/* Sets `key` to `val`, replacing an earlier value. *dict is created when NULL. Numbers are kept to six significant
 * digits of single precision. Returns 0, or -EINVAL for a NULL pointer. */
int vmaf_feature_dictionary_set(VmafFeatureDictionary** dict, const char* key, const char* val);

/* Frees *dict and sets it to NULL. Only for dictionaries that no other call has taken. -EINVAL for NULL. */
int vmaf_feature_dictionary_free(VmafFeatureDictionary** dict);

#ifdef __cplusplus
}
#endif

#endif
