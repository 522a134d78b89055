// Functions of libvmaf.h: they check arguments, find the context and forward the call.
#include <libvmaf/libvmaf.h>
#include <libvmaf/metadata_handler.h>

#include <cerrno>
#include <utility>

#include "api/libvmaf/context.h"
#include "api/libvmaf/log.h"
#include "log/log_writer.h"

namespace acutance::libvmaf {
namespace {

/// Call with the context locked.
template <class Body>
int CallIn(const char* function, VmafContext* handle, Body&& body) {
  return Call(function, [&]() -> Status {
    ACU_ASSIGN_OR_RETURN(std::shared_ptr<Context> context, Contexts::Get().Find(handle, "vmaf"));
    ACU_RETURN_IF_ERROR(context->process().CheckSession());
    return body(Locked(std::move(context)));
  });
}

Status ReadOrFlush(const Locked& context, VmafPicture* ref, VmafPicture* dist, unsigned index) {
  if (!ref && !dist) return context->Flush();
  ACU_RETURN_IF_ERROR(CheckNotNull(ref, "ref"));
  ACU_RETURN_IF_ERROR(CheckNotNull(dist, "dist"));
  return context->Read(*ref, *dist, index);
}

Result<ModelRef> Find(VmafModel* model) {
  ACU_ASSIGN_OR_RETURN(const auto found, Models::Get().Find(model, "model"));
  return found->content;
}

Result<ModelRef> Find(VmafModelCollection* collection) {
  ACU_ASSIGN_OR_RETURN(const auto found, Collections::Get().Find(collection, "model_collection"));
  return *found;
}

template <class Handle>
int UseModel(const char* function, VmafContext* vmaf, Handle* model) {
  return CallIn(function, vmaf, [&](const Locked& context) -> Status {
    ACU_ASSIGN_OR_RETURN(const ModelRef found, Find(model));
    return context->UseModel(found);
  });
}

void Fill(double& score, const std::vector<double>& values) { score = values[0]; }

void Fill(VmafModelCollectionScore& score, const std::vector<double>& values) {
  score.type = VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP;
  score.bootstrap.bagging_score = values[0];
  score.bootstrap.stddev = values[1];
  score.bootstrap.ci.p95.lo = values[2];
  score.bootstrap.ci.p95.hi = values[3];
}

/// Fills `score` with what `compute` returns for a model or a collection.
template <class Handle, class Score, class Compute>
int ScoreModel(const char* function, VmafContext* vmaf, Handle* model, Score* score, Compute&& compute) {
  return CallIn(function, vmaf, [&](const Locked& context) -> Status {
    ACU_ASSIGN_OR_RETURN(const ModelRef found, Find(model));
    ACU_RETURN_IF_ERROR(CheckNotNull(score, "score"));
    ACU_ASSIGN_OR_RETURN(const std::vector<double> values, compute(context, found));
    Fill(*score, values);
    return {};
  });
}

}  // namespace
}  // namespace acutance::libvmaf

namespace lib = acutance::libvmaf;
using acutance::Status;
using lib::Locked;

extern "C" {

int vmaf_init(VmafContext** vmaf, VmafConfiguration cfg) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(vmaf, "vmaf"));
    lib::SetLogLevel(cfg.log_level);
    ACU_ASSIGN_OR_RETURN(std::shared_ptr<lib::Context> context, lib::Context::Make(cfg));
    *vmaf = lib::Contexts::Get().Add(std::move(context));
    return {};
  });
}

int vmaf_close(VmafContext* vmaf) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_ASSIGN_OR_RETURN(std::shared_ptr<lib::Context> context, lib::Contexts::Get().Remove(vmaf, "vmaf"));
    // A forked child has none of the threads that would be joined, and leaves everything as it is.
    if (context->process().forked()) new std::shared_ptr<lib::Context>(std::move(context));
    else context->Close();
    return {};
  });
}

int vmaf_feature_dictionary_set(VmafFeatureDictionary** dict, const char* key, const char* val) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(dict, "dict"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(key, "key"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(val, "val"));
    if (!*dict) *dict = lib::Dictionaries::Get().Add(std::make_shared<acutance::OptionTexts>());
    ACU_ASSIGN_OR_RETURN(const auto texts, lib::Dictionaries::Get().Find(*dict, "*dict"));
    (*texts)[key] = val;  // numbers are rounded where the option is parsed (metric/options.h)
    return {};
  });
}

int vmaf_feature_dictionary_free(VmafFeatureDictionary** dict) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(dict, "dict"));
    if (*dict) ACU_RETURN_IF_ERROR(lib::Dictionaries::Get().Remove(*dict, "*dict").status());
    *dict = nullptr;
    return {};
  });
}

int vmaf_use_features_from_model(VmafContext* vmaf, VmafModel* model) { return lib::UseModel(__func__, vmaf, model); }

int vmaf_use_features_from_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection) {
  return lib::UseModel(__func__, vmaf, model_collection);
}

int vmaf_use_feature(VmafContext* vmaf, const char* feature_name, VmafFeatureDictionary* opts_dict) {
  return lib::CallIn(__func__, vmaf, [&](const Locked& context) -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(feature_name, "feature_name"));
    if (!opts_dict) return context->UseFeature(feature_name, {});
    ACU_ASSIGN_OR_RETURN(const auto texts, lib::Dictionaries::Get().Find(opts_dict, "opts_dict"));
    ACU_RETURN_IF_ERROR(context->UseFeature(feature_name, *texts));
    return lib::Dictionaries::Get().Remove(opts_dict, "opts_dict").status();
  });
}

int vmaf_import_feature_score(VmafContext* vmaf, const char* feature_name, double value, unsigned index) {
  return lib::CallIn(__func__, vmaf, [&](const Locked& context) -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(feature_name, "feature_name"));
    return context->Import(feature_name, value, index);
  });
}

int vmaf_register_metadata_handler(VmafContext* vmaf, VmafMetadataConfiguration cfg) {
  return lib::CallIn(__func__, vmaf, [&](const Locked& context) -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(cfg.feature_name, "feature_name"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(reinterpret_cast<const void*>(cfg.callback), "callback"));
    return context->AddHandler(cfg);
  });
}

int vmaf_preallocate_pictures(VmafContext* vmaf, VmafPictureConfiguration cfg) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_ASSIGN_OR_RETURN(const std::shared_ptr<lib::Context> context, lib::Contexts::Get().Find(vmaf, "vmaf"));
    ACU_RETURN_IF_ERROR(context->process().CheckSession());
    return context->Preallocate(cfg);
  });
}

int vmaf_fetch_preallocated_picture(VmafContext* vmaf, VmafPicture* pic) {
  return lib::Call(__func__, [&]() -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(pic, "pic"));
    ACU_ASSIGN_OR_RETURN(const std::shared_ptr<lib::Context> context, lib::Contexts::Get().Find(vmaf, "vmaf"));
    ACU_RETURN_IF_ERROR(context->process().CheckSession());
    ACU_ASSIGN_OR_RETURN(*pic, context->Fetch());
    return {};
  });
}

int vmaf_read_pictures(VmafContext* vmaf, VmafPicture* ref, VmafPicture* dist, unsigned index) {
  return lib::CallIn(__func__, vmaf,
                     [&](const Locked& context) { return lib::ReadOrFlush(context, ref, dist, index); });
}

int vmaf_score_at_index(VmafContext* vmaf, VmafModel* model, double* score, unsigned index) {
  return lib::ScoreModel(__func__, vmaf, model, score,
                         [&](const Locked& context, const auto& found) { return context->ModelAt(found, index); });
}

int vmaf_score_at_index_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                         VmafModelCollectionScore* score, unsigned index) {
  return lib::ScoreModel(__func__, vmaf, model_collection, score,
                         [&](const Locked& context, const auto& found) { return context->ModelAt(found, index); });
}

int vmaf_feature_score_at_index(VmafContext* vmaf, const char* feature_name, double* score, unsigned index) {
  return lib::CallIn(__func__, vmaf, [&](const Locked& context) -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(feature_name, "feature_name"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(score, "score"));
    ACU_ASSIGN_OR_RETURN(*score, context->FeatureAt(feature_name, index));
    return {};
  });
}

int vmaf_score_pooled(VmafContext* vmaf, VmafModel* model, enum VmafPoolingMethod pool_method, double* score,
                      unsigned index_low, unsigned index_high) {
  return lib::ScoreModel(__func__, vmaf, model, score, [&](const Locked& context, const auto& found) {
    return context->PoolModel(found, pool_method, index_low, index_high);
  });
}

int vmaf_score_pooled_model_collection(VmafContext* vmaf, VmafModelCollection* model_collection,
                                       enum VmafPoolingMethod pool_method, VmafModelCollectionScore* score,
                                       unsigned index_low, unsigned index_high) {
  return lib::ScoreModel(__func__, vmaf, model_collection, score, [&](const Locked& context, const auto& found) {
    return context->PoolModel(found, pool_method, index_low, index_high);
  });
}

int vmaf_feature_score_pooled(VmafContext* vmaf, const char* feature_name, enum VmafPoolingMethod pool_method,
                              double* score, unsigned index_low, unsigned index_high) {
  return lib::CallIn(__func__, vmaf, [&](const Locked& context) -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(feature_name, "feature_name"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(score, "score"));
    ACU_ASSIGN_OR_RETURN(*score, context->PoolFeature(feature_name, pool_method, index_low, index_high));
    return {};
  });
}

int vmaf_write_output(VmafContext* vmaf, const char* output_path, enum VmafOutputFormat fmt) {
  const int result = lib::CallIn(__func__, vmaf, [&](const Locked& context) -> Status {
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(output_path, "output_path"));
    return context->WriteOutput(output_path, fmt);
  });
  if (result != -EIO) return result;
  fmt::print(stderr, "could not open file: {}\n", output_path);
  return -EINVAL;
}

const char* vmaf_version(void) { return acutance::kLibvmafVersion; }

}  // extern "C"
