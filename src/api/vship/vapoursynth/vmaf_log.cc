// VMAF and CAMBI of the plugin vmaf: frames pass through, and when the script is done with them their scores are in a
// log.
#include <algorithm>
#include <array>
#include <chrono>
#include <mutex>
#include <optional>

#include "api/vship/vapoursynth/plugin.h"
#include "base/threads/exception_barrier.h"
#include "log/log_writer.h"
#include "model/builtin_models.h"

namespace acutance::vship {
namespace {

struct ModelName {
  const char *version, *name;
};
constexpr ModelName kModels[] = {{"vmaf_v0.6.1", "vmaf"},
                                 {"vmaf_v0.6.1neg", "vmaf_neg"},
                                 {"vmaf_b_v0.6.3", "vmaf_b"},
                                 {"vmaf_4k_v0.6.1", "vmaf_4k"}};
constexpr const char* kFeatures[] = {"psnr", "psnr_hvs", "float_ssim", "float_ms_ssim", "ciede"};

/// One call of a function in a script. Frames are scored in order: those before a frame that is asked for come first.
class LogFilter {
 public:
  /// `distorted` names the argument of the clip that is scored against the first, which may be the same.
  LogFilter(const char* label, const char* reference, const char* distorted, const VSMap* in, const VSAPI* api)
      : label_(label), api_(api), reference_(in, reference, api), distorted_(in, distorted, api) {}
  LogFilter(const LogFilter&) = delete;
  LogFilter& operator=(const LogFilter&) = delete;

  Outcome Open(SessionSpec spec, const Arguments& arguments, VSCore* core);
  void Create(std::unique_ptr<LogFilter> self, VSMap* out, VSCore* core) const;
  const VSFrame* Get(int n, int reason, VSFrameContext* context);
  Status WriteLog();
  const char* label() const { return label_; }

 private:
  Status Score(int n, VSFrameContext* context);

  const char* const label_;
  const VSAPI* const api_;
  Clip reference_, distorted_;
  std::optional<FramePair> pair_;
  std::string path_;
  std::string_view format_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();

  std::mutex mutex_;  // guards what follows
  std::unique_ptr<Session> session_;
  int done_ = 0;
  Status error_;
};

Outcome LogFilter::Open(SessionSpec spec, const Arguments& arguments, VSCore* core) {
  if (Outcome bad = OpenPair(reference_, distorted_, ColorRule::kMeansNothing); !bad.ok()) return bad;
  if (Outcome bad = FramePair::Make(reference_.colors(), distorted_.colors(), FramePair::Use::kSamples, pair_);
      !bad.ok())
    return bad;
  path_ = arguments.Text("log_path", "");
  const int format = arguments.Int("log_format", 0), formats = static_cast<int>(LogFormats().size());
  if (format < 0 || format >= formats)
    return Failure(kNotSupported, "log_format {}: there are 0 to {}", format, formats - 1);
  format_ = LogFormats()[format].name;
  VSCoreInfo info;
  api_->getCoreInfo(core, &info);
  spec.threads = info.numThreads;
  spec.format = pair_->reference.format();
  spec.video = {{"fps", fmt::format("{}", reference_.frames_a_second())}};
  Result<std::unique_ptr<Session>> session = Session::Open(std::move(spec));
  if (!session.ok()) return Outcome(session.status());
  session_ = std::move(session).value();
  return {};
}

Status LogFilter::Score(int n, VSFrameContext* context) {
  const std::lock_guard lock(mutex_);
  for (; error_.ok() && done_ <= n; ++done_) {
    const FramePlanes first = reference_.Read(done_, context), second = distorted_.Read(done_, context);
    Picture pictures[2];
    Outcome outcome = pair_->reference.Read(first.planes(), pictures[0]);
    if (outcome.ok()) outcome = pair_->distorted.Read(second.planes(), pictures[1]);
    error_ = outcome.ok() ? session_->Add(std::move(pictures[0]), {std::move(pictures[1])})
                          : Error(StatusCode::kIo, "{}", outcome.message);
  }
  return error_;
}

const VSFrame* LogFilter::Get(int n, int reason, VSFrameContext* context) {
  if (reason == arInitial) {
    int first = n;
    {
      const std::lock_guard lock(mutex_);
      first = std::min(n, done_);
    }
    for (int i = first; i <= n; ++i) {
      reference_.Request(i, context);
      distorted_.Request(i, context);
    }
  }
  if (reason != arAllFramesReady) return nullptr;
  if (const Status status = Score(n, context); !status.ok()) {
    api_->setFilterError(fmt::format("{}: {}", label_, status.message()).c_str(), context);
    return nullptr;
  }
  return reference_.Get(n, context).release();
}

Status LogFilter::WriteLog() {
  const std::lock_guard lock(mutex_);
  if (!session_ || done_ == 0 || !error_.ok()) return {};
  ACU_RETURN_IF_ERROR(session_->Flush());
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const PictureFormat& format = pair_->reference.format();
  return WriteLogFile(
      path_, format_,
      {session_->scores(0), done_, 1, kLibvmafVersion, done_ / seconds, format.width, format.height, {}});
}

const VSFrame* VS_CC GetFrame(int n, int reason, void* filter, void**, VSFrameContext* context, VSCore*,
                              const VSAPI* api) {
  const VSFrame* frame = nullptr;
  const Status status = CatchExceptions([&] {
    frame = static_cast<LogFilter*>(filter)->Get(n, reason, context);
    return Status();
  });
  if (!status.ok()) api->setFilterError(status.message().c_str(), context);
  return frame;
}

void VS_CC FreeFilter(void* value, VSCore* core, const VSAPI* api) {
  const std::unique_ptr<LogFilter> filter(static_cast<LogFilter*>(value));
  const Status status = CatchExceptions([&] { return filter->WriteLog(); });
  if (!status.ok())
    api->logMessage(mtWarning, fmt::format("{}: no log: {}", filter->label(), status.message()).c_str(), core);
}

void LogFilter::Create(std::unique_ptr<LogFilter> self, VSMap* out, VSCore* core) const {
  const std::array nodes = {reference_.Dependency(rpGeneral), distorted_.Dependency(rpGeneral)};
  api_->createVideoFilter(out, label_, &reference_.info(), GetFrame, FreeFilter, fmParallelRequests, nodes.data(),
                          static_cast<int>(nodes.size()), self.release(), core);
}

Outcome ReadVmaf(const Arguments& arguments, SessionSpec& spec) {
  std::vector<int> models = arguments.Ints("model"), features = arguments.Ints("feature");
  for (std::vector<int>* list : {&models, &features}) {
    std::ranges::sort(*list);
    list->erase(std::ranges::unique(*list).begin(), list->end());
  }
  for (const int model : models) {
    if (model < 0 || model >= static_cast<int>(std::size(kModels)))
      return Failure(kNotSupported, "model {}: there are 0 to {}", model, std::size(kModels) - 1);
    Result<Model> loaded = LoadBuiltinModel(kModels[model].version, kModels[model].name);
    if (!loaded.ok()) return Outcome(loaded.status());
    spec.models.push_back({.model = std::make_shared<const Model>(std::move(loaded).value())});
  }
  for (const int feature : features) {
    const std::optional<std::string> name = VmafFeatureName(feature);
    if (!name) return Failure(kNotSupported, "feature {}: there are 0 to {}", feature, std::size(kFeatures) - 1);
    spec.features.push_back({*name, {}});
  }
  if (spec.models.empty() && spec.features.empty()) return {kNotSupported, "neither a model nor a feature"};
  return {};
}

void ReadCambi(const Arguments& arguments, SessionSpec& spec) {
  // The plugin's defaults, which are not libvmaf's.
  OptionTexts texts = {{"window_size", fmt::format("{}", arguments.Int("window_size", 63))},
                       {"topk", fmt::format("{}", arguments.Float("topk", 0.6))},
                       {"tvi_threshold", fmt::format("{}", arguments.Float("tvi_threshold", 0.019))},
                       {"max_log_contrast", fmt::format("{}", arguments.Int("max_log_contrast", 2))}};
  for (const char* name : {"enc_width", "enc_height"})
    if (const std::optional<int> side = arguments.Int(name)) texts[name] = fmt::format("{}", *side);
  spec.features.push_back({"cambi", std::move(texts)});
}

template <class ReadOptions>
void Make(std::unique_ptr<LogFilter> filter, ReadOptions&& read, const VSMap* in, VSMap* out, VSCore* core,
          const VSAPI* api) {
  const char* label = filter->label();
  const Status status = CatchExceptions([&] {
    const Arguments arguments(in, api);
    SessionSpec spec;
    Outcome outcome = read(arguments, spec);
    if (outcome.ok()) outcome = filter->Open(std::move(spec), arguments, core);
    if (!outcome.ok()) return Error(StatusCode::kInvalidArgument, "{}", outcome.message);
    const LogFilter& made = *filter;
    made.Create(std::move(filter), out, core);
    return Status();
  });
  if (!status.ok()) api->mapSetError(out, fmt::format("{}: {}", label, status.message()).c_str());
}

}  // namespace

std::optional<std::string> VmafFeatureName(int feature) {
  if (feature < 0 || feature >= static_cast<int>(std::size(kFeatures))) return std::nullopt;
  return kFeatures[feature];
}

void VS_CC CreateVmafLog(const VSMap* in, VSMap* out, void*, VSCore* core, const VSAPI* api) {
  Make(std::make_unique<LogFilter>("VMAF", "reference", "distorted", in, api), ReadVmaf, in, out, core, api);
}

void VS_CC CreateCambiLog(const VSMap* in, VSMap* out, void*, VSCore* core, const VSAPI* api) {
  const auto read = [](const Arguments& arguments, SessionSpec& spec) {
    ReadCambi(arguments, spec);
    return Outcome();
  };
  Make(std::make_unique<LogFilter>("CAMBI", "clip", "clip", in, api), read, in, out, core, api);
}

}  // namespace acutance::vship
