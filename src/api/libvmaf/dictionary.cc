#include "api/libvmaf/dictionary.h"

#include "api/libvmaf/log.h"

namespace lib = acutance::libvmaf;

extern "C" int vmaf_feature_dictionary_set(VmafFeatureDictionary** dict, const char* key, const char* val) {
  return lib::Call(__func__, [&]() -> acutance::Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(dict, "dict"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(key, "key"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(val, "val"));
    if (!*dict) *dict = lib::Dictionaries::Get().Add(std::make_shared<acutance::OptionTexts>());
    ACU_ASSIGN_OR_RETURN(const auto texts, lib::Dictionaries::Get().Find(*dict, "*dict"));
    (*texts)[key] = val;  // numbers are rounded where the option is parsed (metric/options.h)
    return {};
  });
}

extern "C" int vmaf_feature_dictionary_free(VmafFeatureDictionary** dict) {
  return lib::Call(__func__, [&]() -> acutance::Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(dict, "dict"));
    if (*dict) ACU_RETURN_IF_ERROR(lib::Dictionaries::Get().Remove(*dict, "*dict").status());
    *dict = nullptr;
    return {};
  });
}
