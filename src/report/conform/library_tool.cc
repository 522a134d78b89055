#include "report/conform/library_tool.h"

#include <libvmaf/libvmaf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/number.h"
#include "base/system/file.h"
#include "base/system/shared_library.h"

namespace acutance {
namespace {

/// The functions of libvmaf that a run needs.
struct Api {
  decltype(&vmaf_init) init = nullptr;
  decltype(&vmaf_use_features_from_model) use_model = nullptr;
  decltype(&vmaf_use_feature) use_feature = nullptr;
  decltype(&vmaf_feature_dictionary_set) set_option = nullptr;
  decltype(&vmaf_model_load) load_model = nullptr;
  decltype(&vmaf_picture_alloc) allocate = nullptr;
  decltype(&vmaf_read_pictures) read_pictures = nullptr;
  decltype(&vmaf_score_pooled) score_pooled = nullptr;
  decltype(&vmaf_write_output) write_output = nullptr;
};

template <class Function>
void Require(SharedLibrary& library, const char* symbol, Function*& to) {
  library.Require(symbol, to);
}

Result<Api> Load(const std::string& path) {
  ACU_ASSIGN_OR_RETURN(SharedLibrary library, SharedLibrary::Open({path}));
  Api api;
  Require(library, "vmaf_init", api.init);
  Require(library, "vmaf_use_features_from_model", api.use_model);
  Require(library, "vmaf_use_feature", api.use_feature);
  Require(library, "vmaf_feature_dictionary_set", api.set_option);
  Require(library, "vmaf_model_load", api.load_model);
  Require(library, "vmaf_picture_alloc", api.allocate);
  Require(library, "vmaf_read_pictures", api.read_pictures);
  Require(library, "vmaf_score_pooled", api.score_pooled);
  Require(library, "vmaf_write_output", api.write_output);
  if (library.missing().empty()) return api;
  return Error(StatusCode::kUnsupported, "{} has no {}: name a libvmaf of version 2 or 3", path, library.missing());
}

struct Arguments {
  std::string reference, distorted, log;
  unsigned width = 0, height = 0, depth = 8;
  uint64_t cpumask = 0;
  VmafPixelFormat chroma = VMAF_PIX_FMT_YUV420P;
  std::vector<std::string> models, features;
};

VmafPixelFormat ChromaOf(std::string_view name) {
  if (name == "400") return VMAF_PIX_FMT_YUV400P;
  if (name == "422") return VMAF_PIX_FMT_YUV422P;
  return name == "444" ? VMAF_PIX_FMT_YUV444P : VMAF_PIX_FMT_YUV420P;
}

unsigned NumberOf(const std::string& text) { return static_cast<unsigned>(ParseInteger(text).value_or(0)); }

Result<Arguments> Read(const std::vector<std::string>& words) {
  Arguments read;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string& name = words[i];
    if (name == "--json" || name == "--no_prediction") continue;
    if (i + 1 == words.size()) return Error(StatusCode::kInvalidArgument, "{} has no value", name);
    const std::string& value = words[++i];
    if (name == "-r") read.reference = value;
    else if (name == "-d") read.distorted = value;
    else if (name == "-o") read.log = value;
    else if (name == "-w") read.width = NumberOf(value);
    else if (name == "-h") read.height = NumberOf(value);
    else if (name == "-b") read.depth = NumberOf(value);
    else if (name == "-p") read.chroma = ChromaOf(value);
    else if (name == "--cpumask") read.cpumask = static_cast<uint64_t>(ParseInteger(value).value_or(0));
    else if (name == "-m") read.models.push_back(value);
    else if (name == "--feature") read.features.push_back(value);
    else return Error(StatusCode::kInvalidArgument, "a library takes no option {}", name);
  }
  return read;
}

std::vector<std::pair<std::string, std::string>> Pairs(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(':'));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    const size_t equals = part.find('=');
    pairs.emplace_back(part.substr(0, equals), equals == part.npos ? "" : part.substr(equals + 1));
  }
  return pairs;
}

Status Check(int error, std::string_view what) {
  return error == 0 ? Status() : Error(StatusCode::kUnsupported, "{}: {}", what, std::strerror(std::abs(error)));
}

class LibraryRun {
 public:
  LibraryRun(const Api& api, const Arguments& arguments) : api_(api), arguments_(arguments) {}

  Status Run() {
    ACU_RETURN_IF_ERROR(Check(api_.init(&context_, {VMAF_LOG_LEVEL_ERROR, 0, 1, arguments_.cpumask, 0}), "vmaf_init"));
    for (const std::string& model : arguments_.models) ACU_RETURN_IF_ERROR(UseModel(model));
    for (const std::string& feature : arguments_.features) ACU_RETURN_IF_ERROR(UseFeature(feature));
    ACU_RETURN_IF_ERROR(ReadVideos());
    for (VmafModel* model : models_) {
      double score = 0;
      ACU_RETURN_IF_ERROR(Check(api_.score_pooled(context_, model, VMAF_POOL_METHOD_MEAN, &score, 0, frames_ - 1),
                                "vmaf_score_pooled"));
    }
    return Check(api_.write_output(context_, arguments_.log.c_str(), VMAF_OUTPUT_FORMAT_JSON), "vmaf_write_output");
  }

 private:
  Status UseModel(const std::string& text) {
    std::string version, name = "vmaf";
    for (const auto& [key, value] : Pairs(text)) (key == "version" ? version : name) = value;
    VmafModelConfig config{name.c_str(), VMAF_MODEL_FLAGS_DEFAULT};
    VmafModel*& model = models_.emplace_back();
    ACU_RETURN_IF_ERROR(Check(api_.load_model(&model, &config, version.c_str()), "model " + version));
    return Check(api_.use_model(context_, model), "model " + version);
  }

  Status UseFeature(const std::string& text) {
    const size_t equals = text.find('=');
    VmafFeatureDictionary* options = nullptr;
    if (equals != text.npos)
      for (const auto& [key, value] : Pairs(std::string_view(text).substr(equals + 1)))
        ACU_RETURN_IF_ERROR(Check(api_.set_option(&options, key.c_str(), value.c_str()), text));
    return Check(api_.use_feature(context_, text.substr(0, equals).c_str(), options), "feature " + text);
  }

  Status ReadVideos() {
    std::ifstream reference(SystemPath(arguments_.reference), std::ios::binary);
    std::ifstream distorted(SystemPath(arguments_.distorted), std::ios::binary);
    while (reference.peek() != EOF && distorted.peek() != EOF) {
      VmafPicture pair[2] = {};
      ACU_RETURN_IF_ERROR(Fill(reference, pair[0]));
      ACU_RETURN_IF_ERROR(Fill(distorted, pair[1]));
      ACU_RETURN_IF_ERROR(Check(api_.read_pictures(context_, &pair[0], &pair[1], frames_), "vmaf_read_pictures"));
      ++frames_;
    }
    return Check(api_.read_pictures(context_, nullptr, nullptr, 0), "vmaf_read_pictures");
  }

  /// A file's chroma rows and columns are rounded up, those of a picture down.
  Status Fill(std::ifstream& file, VmafPicture& picture) const {
    ACU_RETURN_IF_ERROR(
        Check(api_.allocate(&picture, arguments_.chroma, arguments_.depth, arguments_.width, arguments_.height),
              "vmaf_picture_alloc"));
    const size_t bytes = arguments_.depth > 8 ? 2 : 1;
    for (int p = 0; p < (arguments_.chroma == VMAF_PIX_FMT_YUV400P ? 1 : 3); ++p) {
      const bool halves_x = p > 0 && arguments_.chroma != VMAF_PIX_FMT_YUV444P;
      const bool halves_y = p > 0 && arguments_.chroma == VMAF_PIX_FMT_YUV420P;
      const unsigned rows = (arguments_.height + halves_y) >> halves_y;
      std::string row(((arguments_.width + halves_x) >> halves_x) * bytes, '\0');
      for (unsigned y = 0; y < rows; ++y) {
        if (!file.read(row.data(), static_cast<std::streamsize>(row.size())))
          return Error(StatusCode::kBadData, "frame {} is incomplete", frames_);
        if (y < picture.h[p])
          std::memcpy(static_cast<char*>(picture.data[p]) + y * picture.stride[p], row.data(), picture.w[p] * bytes);
      }
    }
    return {};
  }

  const Api& api_;
  const Arguments& arguments_;
  VmafContext* context_ = nullptr;  // ends with the process
  std::vector<VmafModel*> models_;
  unsigned frames_ = 0;
};

}  // namespace

Status RunLibraryTool(const std::string& library, const std::vector<std::string>& arguments) {
  ACU_ASSIGN_OR_RETURN(const Arguments read, Read(arguments));
  ACU_ASSIGN_OR_RETURN(const Api api, Load(library));
  return LibraryRun(api, read).Run();
}

}  // namespace acutance
