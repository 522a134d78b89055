#include "api/libvmaf/model.h"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "api/libvmaf/log.h"
#include "engine/named_model.h"
#include "metric/registry.h"
#include "model/model_parser.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(VmafModel, name) == 8);

namespace acutance::libvmaf {
namespace {

Status CheckLoad(const void* model, const VmafModelConfig* cfg, const char* source) {
  ACU_RETURN_IF_ERROR(CheckNotNull(model, "model"));
  ACU_RETURN_IF_ERROR(CheckNotNull(cfg, "cfg"));
  return CheckNotNull(source, "version or path");
}

ModelRef MakeRef(Model model, const VmafModelConfig& cfg) {
  static std::atomic<uint64_t> next_id = 1;
  // DISABLE_TRANSFORM has no effect at loading (docs/spec/system.md 1.9).
  const ModelFlags flags{(cfg.flags & VMAF_MODEL_FLAG_DISABLE_CLIP) != 0,
                         (cfg.flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM) != 0, false};
  return {std::make_shared<const Model>(std::move(model)), flags, next_id++};
}

VmafModel* MakeModel(Model model, const VmafModelConfig& cfg) {
  ModelRef content = MakeRef(std::move(model), cfg);
  const Model& held = *content.model;
  return Models::Get().AddAtAddress(
      std::make_shared<VmafModel>(VmafModel{held.source.c_str(), held.name.c_str(), std::move(content)}));
}

using Loader = Result<Model> (*)(const char* source, const std::string& name);

Result<Model> LoadBuiltin(const char* version, const std::string& name) { return LoadNamedModel(version, name); }
Result<Model> LoadFile(const char* path, const std::string& name) { return LoadModelFile(path, name); }

/// Loads a model. A failure is logged with libvmaf's messages (docs/spec/system.md 1.8).
Result<Model> Load(Loader loader, const char* source, const VmafModelConfig& cfg, bool collection) {
  Result<Model> loaded = loader(source, cfg.name ? cfg.name : "vmaf");
  const char* kind = collection ? "model collection" : "model";
  if (loaded.ok() && loaded->is_collection() != collection)
    loaded = Error(StatusCode::kInvalidArgument, "\"{}\" holds {}", source,
                   collection ? "a single model, no collection" : "a model collection");
  if (loaded.ok()) return loaded;
  const std::string& reason = loaded.status().message();
  if (loader == LoadFile) {
    Log(VMAF_LOG_LEVEL_ERROR, fmt::format("could not read {} from path: \"{}\" ({})", kind, source, reason));
    if (std::string_view(source).ends_with(".pkl"))
      Log(VMAF_LOG_LEVEL_ERROR, "support for pkl model files has been removed, use json");
  } else {
    Log(VMAF_LOG_LEVEL_WARNING, fmt::format("no such built-in {}: \"{}\" ({})", kind, source, reason));
  }
  return loaded;
}

int LoadSingle(const char* function, VmafModel** model, const VmafModelConfig* cfg, const char* source, Loader loader) {
  bool loaded = true;
  const int result = Call(function, [&]() -> Status {
    ACU_RETURN_IF_ERROR(CheckLoad(model, cfg, source));
    Result<Model> content = Load(loader, source, *cfg, false);
    loaded = content.ok();
    if (loaded) *model = MakeModel(std::move(content).value(), *cfg);
    return {};
  });
  return loaded ? result : -EINVAL;
}

int LoadCollection(const char* function, VmafModel** model, VmafModelCollection** collection,
                   const VmafModelConfig* cfg, const char* source, Loader loader) {
  bool loaded = true;
  const int result = Call(function, [&]() -> Status {
    ACU_RETURN_IF_ERROR(CheckLoad(model, cfg, source));
    ACU_RETURN_IF_ERROR(CheckNotNull(collection, "model_collection"));
    Result<Model> content = Load(loader, source, *cfg, true);
    loaded = content.ok();
    if (!loaded) return {};
    Model main = *content;
    main.members.clear();
    *collection = Collections::Get().Add(std::make_shared<ModelRef>(MakeRef(std::move(*content), *cfg)));
    *model = MakeModel(std::move(main), *cfg);
    return {};
  });
  return loaded ? result : -EINVAL;
}

void Overload(ModelRef& content, const char* extractor, const OptionTexts& texts) {
  auto changed = std::make_shared<Model>(*content.model);
  for (const auto& [option, value] : texts)
    if (OverloadFeature(*changed, MetricName(extractor), option, value, MetricNameOfOutput) == 0)
      Log(VMAF_LOG_LEVEL_WARNING, fmt::format("model {}: {}.{}={} is ignored, for the model reads no feature of '{}'",
                                              content.model->source, extractor, option, value, extractor));
  content.model = std::move(changed);
}

void Overload(VmafModel& model, const char* extractor, const OptionTexts& texts) {
  Overload(model.content, extractor, texts);
  model.path = model.content.model->source.c_str();
  model.name = model.content.model->name.c_str();
}

}  // namespace
}  // namespace acutance::libvmaf

namespace lib = acutance::libvmaf;

extern "C" {

int vmaf_model_load(VmafModel** model, VmafModelConfig* cfg, const char* version) {
  return lib::LoadSingle(__func__, model, cfg, version, lib::LoadBuiltin);
}

int vmaf_model_load_from_path(VmafModel** model, VmafModelConfig* cfg, const char* path) {
  return lib::LoadSingle(__func__, model, cfg, path, lib::LoadFile);
}

int vmaf_model_collection_load(VmafModel** model, VmafModelCollection** model_collection, VmafModelConfig* cfg,
                               const char* version) {
  return lib::LoadCollection(__func__, model, model_collection, cfg, version, lib::LoadBuiltin);
}

int vmaf_model_collection_load_from_path(VmafModel** model, VmafModelCollection** model_collection,
                                         VmafModelConfig* cfg, const char* path) {
  return lib::LoadCollection(__func__, model, model_collection, cfg, path, lib::LoadFile);
}

int vmaf_model_feature_overload(VmafModel* model, const char* feature_name, VmafFeatureDictionary* opts_dict) {
  return lib::Call(__func__, [&]() -> acutance::Status {
    ACU_ASSIGN_OR_RETURN(const auto found, lib::Models::Get().Find(model, "model"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(feature_name, "feature_name"));
    ACU_ASSIGN_OR_RETURN(const auto texts, lib::Dictionaries::Get().Remove(opts_dict, "opts_dict"));
    lib::Overload(*found, feature_name, *texts);
    return {};
  });
}

int vmaf_model_collection_feature_overload(VmafModel* model, VmafModelCollection** model_collection,
                                           const char* feature_name, VmafFeatureDictionary* opts_dict) {
  return lib::Call(__func__, [&]() -> acutance::Status {
    ACU_ASSIGN_OR_RETURN(const auto main, lib::Models::Get().Find(model, "model"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(model_collection, "model_collection"));
    ACU_ASSIGN_OR_RETURN(const auto members, lib::Collections::Get().Find(*model_collection, "*model_collection"));
    ACU_RETURN_IF_ERROR(lib::CheckNotNull(feature_name, "feature_name"));
    ACU_ASSIGN_OR_RETURN(const auto texts, lib::Dictionaries::Get().Remove(opts_dict, "opts_dict"));
    lib::Overload(*main, feature_name, *texts);
    lib::Overload(*members, feature_name, *texts);
    return {};
  });
}

void vmaf_model_destroy(VmafModel* model) {
  lib::Call(__func__, [&]() -> acutance::Status {
    return model ? lib::Models::Get().Remove(model, "model").status() : acutance::Status();
  });
}

void vmaf_model_collection_destroy(VmafModelCollection* model_collection) {
  lib::Call(__func__, [&]() -> acutance::Status {
    if (!model_collection) return {};
    return lib::Collections::Get().Remove(model_collection, "model_collection").status();
  });
}

}  // extern "C"
