#include "api/libvmaf/context.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "api/libvmaf/log.h"
#include "base/number.h"
#include "base/threads/exception_barrier.h"
#include "log/log_writer.h"

namespace acutance::libvmaf {
namespace {

constexpr unsigned kMaxThreads = 1024;

/// About what a driver takes to start: a program that would end sooner never starts one, and none takes more than twice
/// as long as it would if it knew its length.
constexpr std::chrono::milliseconds kPatience{400};

/// The device of ACUTANCE_BACKEND and ACUTANCE_DEVICE, so that unchanged programs run on any device. Without them, the
/// CPU, and GPUs join it where the program waits for it.
Result<DeviceChoice> ChoiceFromEnvironment() {
  DeviceChoice choice = {.backend = "auto", .index = {}, .excluded = {}, .further = {}, .patience = kPatience};
  const char* backend = std::getenv("ACUTANCE_BACKEND");
  if (backend && *backend) choice = {.backend = backend, .index = {}, .excluded = {}};
  if (const char* device = std::getenv("ACUTANCE_DEVICE"); device && *device) {
    const std::optional<long long> index = ParseInteger(device);
    if (!index || *index < 0 || *index > 1024)
      return Error(StatusCode::kInvalidArgument, "ACUTANCE_DEVICE={}: it is the number of a device, from 0", device);
    choice.index = static_cast<int>(*index);
  }
  const Status status = CheckDeviceChoice(choice);
  if (!status.ok()) return Error(status.code(), "ACUTANCE_BACKEND={}: {}", choice.backend, status.message());
  return choice;
}

}  // namespace

Context::Context(const VmafConfiguration& config, DeviceChoice choice)
    : threads_(std::max(1, static_cast<int>(config.n_threads))),
      subsample_(std::max(1, static_cast<int>(config.n_subsample))),
      choice_(std::move(choice)),
      gpu_allowed_(config.gpumask == 0),
      scores_(subsample_) {}

Result<std::shared_ptr<Context>> Context::Make(const VmafConfiguration& config) {
  if (config.n_threads > kMaxThreads)
    return Error(StatusCode::kInvalidArgument, "n_threads {}: at most {}", config.n_threads, kMaxThreads);
  DeviceChoice choice;
  if (config.gpumask == 0) {
    ACU_ASSIGN_OR_RETURN(choice, ChoiceFromEnvironment());
  }
  return std::shared_ptr<Context>(new Context(config, std::move(choice)));
}

Status Context::UseFeature(const std::string& name, const OptionTexts& options) {
  if (started_) return Error(StatusCode::kInvalidArgument, "features are registered before the first picture");
  FeatureRequest request{name, LogUnknownOptions({name, options})};
  FeatureSet trial;
  if (const Result<int> run = trial.Add(request); !run.ok())
    return Error(run.status().code(), "could not initialize feature extractor \"{}\": {}", name,
                 run.status().message());
  features_.push_back(std::move(request));
  return {};
}

Status Context::UseModel(const ModelRef& model) {
  if (started_) return Error(StatusCode::kInvalidArgument, "features are registered before the first picture");
  ACU_ASSIGN_OR_RETURN(ModelNeeds needs, NeedsOf(*model.model));
  ACU_RETURN_IF_ERROR(scores_.Claim(model));
  std::ranges::move(needs.features, std::back_inserter(features_));
  models_.push_back(model);
  return {};
}

Status Context::Import(const std::string& name, double value, unsigned index) {
  ACU_RETURN_IF_ERROR(scores_.Import(name, index, value));
  Notify();
  return {};
}

Status Context::AddHandler(const VmafMetadataConfiguration& config) {
  handlers_.push_back({config.feature_name, config.callback, config.data});
  Notify();
  return {};
}

Status Context::CheckPair(const HeldPicture& reference, const HeldPicture& distorted, unsigned index) const {
  if (flushed_) return Error(StatusCode::kInvalidArgument, "no picture is read after the flush");
  if (reference == distorted)
    return Error(StatusCode::kInvalidArgument, "ref and dist are one picture: each needs its own");
  if (reference.on_device() != distorted.on_device())
    return Error(StatusCode::kInvalidArgument, "ref and dist must both lie on the device, or neither");
  const auto text = [](const PictureFormat& f) {
    return fmt::format("{}x{}, {}, {} bit", f.width, f.height, PixelFormatName(f.pixel_format), f.bit_depth);
  };
  const PictureFormat& format = reference.format();
  if (distorted.format() != format)
    return Error(StatusCode::kInvalidArgument, "ref is {}, but dist is {}", text(format), text(distorted.format()));
  if (next_index_ > 0 && format != format_)
    return Error(StatusCode::kInvalidArgument, "picture {} is {}, but those before it are {}", index, text(format),
                 text(format_));
  if (index != next_index_)
    return Error(StatusCode::kInvalidArgument, "picture {} came where {} was expected: indices are 0, 1, 2, ...", index,
                 next_index_);
  return {};
}

/// The device that was imported; the CPU does what it cannot.
Result<std::shared_ptr<DevicePicker>> Context::PickDevices() const {
  if (!cuda_) return MakeDevicePicker(choice_);
  if (!gpu_allowed_) return {nullptr};
  Result<std::unique_ptr<Device>> device = cuda_->OpenDevice();
  if (device.ok()) return std::make_shared<DevicePicker>(std::move(device).value());
  Log(VMAF_LOG_LEVEL_WARNING, fmt::format("features are computed on the CPU: {}", device.status().message()));
  return {nullptr};
}

Status Context::StartSession(const PictureFormat& format) {
  SessionSpec spec;
  spec.features = features_;
  spec.threads = threads_;
  spec.subsample = subsample_;
  spec.format = format;
  ACU_ASSIGN_OR_RETURN(spec.devices, PickDevices());
  ACU_ASSIGN_OR_RETURN(session_, Session::Open(std::move(spec)));
  scores_.Attach(session_.get());
  return {};
}

Status Context::Start(const PictureFormat& format) {
  if (started_) return start_error_;
  started_ = true;
  format_ = format;
  begin_ = std::chrono::steady_clock::now();
  if (features_.empty()) return {};
  start_error_ = CatchExceptions([&] { return StartSession(format); });
  if (!start_error_.ok()) session_.reset();
  return start_error_;
}

void Context::LogDevice() {
  if (device_logged_ || !session_ || !session_->device()) return;
  device_logged_ = true;
  Log(VMAF_LOG_LEVEL_INFO, fmt::format("features are computed on {} ({}) from picture {} on", session_->device()->name,
                                       session_->device()->backend, next_index_));
}

Status Context::AddPair(const VmafPicture& reference, const VmafPicture& distorted, unsigned index) {
  ACU_ASSIGN_OR_RETURN(const HeldPicture first, HeldPicture::Find(reference, "ref"));
  ACU_ASSIGN_OR_RETURN(const HeldPicture second, HeldPicture::Find(distorted, "dist"));
  ACU_RETURN_IF_ERROR(CheckPair(first, second, index));
  ACU_RETURN_IF_ERROR(Start(first.format()));
  if (!session_) return {};
  const bool needs_host = session_->RunsOnCpu();
  if (needs_host && cuda_ && first.on_device()) ACU_RETURN_IF_ERROR(cuda_->WaitForClients());
  ACU_ASSIGN_OR_RETURN(Picture engine_first, first.ToEngine(needs_host));
  ACU_ASSIGN_OR_RETURN(Picture engine_second, second.ToEngine(needs_host));
  ACU_RETURN_IF_ERROR(session_->Add(std::move(engine_first), {std::move(engine_second)}));
  LogDevice();
  return {};
}

Status Context::Read(VmafPicture& reference, VmafPicture& distorted, unsigned index) {
  ACU_RETURN_IF_ERROR(AddPair(reference, distorted, index));
  ++next_index_;
  ACU_RETURN_IF_ERROR(Release(reference));
  ACU_RETURN_IF_ERROR(Release(distorted));
  LogWarnings();
  Notify();
  return {};
}

Status Context::Flush() {
  if (flushed_) return Error(StatusCode::kInvalidArgument, "a context is flushed once");
  if (!features_.empty() && next_index_ == 0)
    return Error(StatusCode::kInvalidArgument, "there is no picture to flush: none was read");
  flushed_ = true;
  Status status = session_ ? session_->Flush() : Status();
  LogWarnings();
  Notify();
  return status;
}

void Context::LogWarnings() {
  if (!session_) return;
  const std::vector<std::string> warnings = session_->warnings();
  for (; warnings_logged_ < warnings.size(); ++warnings_logged_)
    Log(VMAF_LOG_LEVEL_WARNING, warnings[warnings_logged_]);
}

/// A context without threads has the scores of all pictures that were read, as if the calls had done the work: where
/// devices may join, threads do it.
void Context::Await() {
  if (threads_ == 1 && session_ && !flushed_) (void)session_->WaitForAll();  // the next picture gets its error
}

/// Predicts scores that a metadata handler waits for as soon as their features are available; other scores are
/// predicted on request.
void Context::Notify() {
  if (notifying_ || handlers_.empty()) return;
  Await();
  notifying_ = true;
  for (size_t h = 0; h < handlers_.size(); ++h) {
    const auto named = [&](const ModelRef& model) { return model.model->name == handlers_[h].name; };
    if (const auto model = std::ranges::find_if(models_, named); model != models_.end()) {
      const int64_t from = (handlers_[h].next + subsample_ - 1) / subsample_ * subsample_;
      for (int64_t i = from; i < next_index_ && scores_.Predict(*model, i).ok(); i += subsample_) continue;
    }
    const auto call = [&](int64_t frame, double score) {
      VmafMetadata metadata{handlers_[h].name.data(), static_cast<unsigned>(frame), score};
      handlers_[h].callback(handlers_[h].data, &metadata);
    };
    handlers_[h].next = scores_.Visit(handlers_[h].name, handlers_[h].next, call);
  }
  notifying_ = false;
}

namespace {

/// The scores that the API reports of a model: its own; of a collection bagging, stddev, lo and hi, which come last.
std::vector<std::string> ReportedScores(const Model& model) {
  std::vector<std::string> names = ScoreColumns(model);
  if (model.is_collection()) names.erase(names.begin(), names.begin() + static_cast<ptrdiff_t>(model.members.size()));
  return names;
}

}  // namespace

Result<std::vector<double>> Context::ModelAt(const ModelRef& model, unsigned index) {
  Await();
  ACU_RETURN_IF_ERROR(scores_.Predict(model, index));
  std::vector<double> scores;
  for (const std::string& name : ReportedScores(*model.model)) {
    ACU_ASSIGN_OR_RETURN(const double score, scores_.At(name, index));
    scores.push_back(score);
  }
  return scores;
}

Result<std::vector<double>> Context::PoolModel(const ModelRef& model, VmafPoolingMethod method, unsigned low,
                                               unsigned high) {
  Await();
  ACU_RETURN_IF_ERROR(scores_.PredictRange(model, low, high));
  std::vector<double> scores;
  for (const std::string& name : ReportedScores(*model.model)) {
    ACU_ASSIGN_OR_RETURN(const double score, scores_.Pool(name, method, low, high));
    scores.push_back(score);
  }
  return scores;
}

Status Context::WriteOutput(const std::string& path, VmafOutputFormat format) {
  if (format < VMAF_OUTPUT_FORMAT_XML || format > VMAF_OUTPUT_FORMAT_SUB)
    return Error(StatusCode::kInvalidArgument, "output format {} is unknown; there are 1 to 4",
                 static_cast<int>(format));
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const ScoreTable table = scores_.Table();
  return WriteLogFile(path, LogFormats()[format - VMAF_OUTPUT_FORMAT_XML].name,
                      {table,
                       next_index_,
                       subsample_,
                       kLibvmafVersion,
                       static_cast<double>(next_index_) / seconds,
                       format_.width,
                       format_.height,
                       {}});
}

Status Context::Preallocate(const VmafPictureConfiguration& config) {
  const auto& params = config.pic_params;
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<PictureSource> pool,
                       MakeHostPool({params.pix_fmt, params.bpc, params.w, params.h}, config.pic_cnt));
  const std::lock_guard lock(pool_mutex_);
  pool_ = std::move(pool);
  return {};
}

Status Context::UseCuda(void* cu_ctx) {
  if (started_) return Error(StatusCode::kInvalidArgument, "a CUDA state is imported before the first picture");
  ACU_ASSIGN_OR_RETURN(std::shared_ptr<CudaMemory> cuda, CudaMemory::Open(cu_ctx));
  const std::lock_guard lock(pool_mutex_);
  cuda_ = std::move(cuda);
  return {};
}

Status Context::PreallocateCuda(const VmafCudaPictureConfiguration& config) {
  const PictureParams params = {config.pic_params.pix_fmt, config.pic_params.bpc, config.pic_params.w,
                                config.pic_params.h};
  const std::lock_guard lock(pool_mutex_);
  if (!cuda_) return Error(StatusCode::kInvalidArgument, "no CUDA state was imported");
  switch (config.pic_prealloc_method) {
    case VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE:
      cuda_pool_ = nullptr;
      return CheckParams(params);
    case VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE: {
      ACU_ASSIGN_OR_RETURN(cuda_pool_, MakeCudaPool(params, cuda_, MemoryKind::kDevice));
      return {};
    }
    case VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST:
    case VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED: {
      ACU_ASSIGN_OR_RETURN(cuda_pool_, MakeCudaPool(params, cuda_, MemoryKind::kUpload));
      return {};
    }
  }
  return Error(StatusCode::kInvalidArgument, "preallocation method {} is unknown; there are 0 to 3",
               static_cast<int>(config.pic_prealloc_method));
}

Result<VmafPicture> Context::FetchFrom(const std::shared_ptr<PictureSource>& pool, std::string_view maker) {
  std::shared_ptr<PictureSource> source;
  {
    const std::lock_guard lock(pool_mutex_);
    source = pool;
  }
  if (!source) return Error(StatusCode::kInvalidArgument, "there is no pool: call {} first", maker);
  return source->Fetch();
}

void Context::Close() {
  {
    const std::lock_guard lock(pool_mutex_);
    if (pool_) pool_->Close();
  }
  const std::lock_guard wait(mutex_);
}

}  // namespace acutance::libvmaf
