// VmafContext: requests until the first picture, then a session and its scores.
#pragma once

#include <libvmaf/libvmaf_cuda.h>
#include <libvmaf/metadata_handler.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/handle_table.h"
#include "api/libvmaf/model.h"
#include "api/libvmaf/picture.h"
#include "api/libvmaf/scores.h"
#include "base/status.h"
#include "base/system/process.h"
#include "devices/backends.h"
#include "engine/session.h"

namespace acutance::libvmaf {

/// A context serves one thread at a time: With() locks it.
class Context {
 public:
  static Result<std::shared_ptr<Context>> Make(const VmafConfiguration& config);

  Status UseFeature(const std::string& name, const OptionTexts& options);
  Status UseModel(const ModelRef& model);
  Status Import(const std::string& name, double value, unsigned index);
  Status AddHandler(const VmafMetadataConfiguration& config);

  Status Read(VmafPicture& reference, VmafPicture& distorted, unsigned index);
  Status Flush();

  Result<double> FeatureAt(const std::string& name, unsigned index) {
    Await();
    return scores_.At(name, index);
  }
  Result<double> PoolFeature(const std::string& name, VmafPoolingMethod method, unsigned low, unsigned high) {
    Await();
    return scores_.Pool(name, method, low, high);
  }
  /// The model's own score, or a collection's four.
  Result<std::vector<double>> ModelAt(const ModelRef& model, unsigned index);
  Result<std::vector<double>> PoolModel(const ModelRef& model, VmafPoolingMethod method, unsigned low, unsigned high);

  Status WriteOutput(const std::string& path, VmafOutputFormat format);

  /// Takes a picture from the pool. The pool has its own lock, so that a thread may wait for a
  /// picture while another reads.
  Status Preallocate(const VmafPictureConfiguration& config);
  Result<VmafPicture> Fetch() { return FetchFrom(pool_, "vmaf_preallocate_pictures"); }

  Status UseCuda(void* cu_ctx);
  Status PreallocateCuda(const VmafCudaPictureConfiguration& config);
  Result<VmafPicture> FetchCuda() { return FetchFrom(cuda_pool_, "vmaf_cuda_preallocate_pictures"); }

  /// Waits for a running call of another thread. A call that waits for a picture fails.
  void Close();

  /// Belongs to the process that made it: its locks and threads do not survive a fork.
  const ProcessGuard& process() const { return process_; }

 private:
  friend class Locked;
  struct Handler {
    std::string name;
    void (*callback)(void*, VmafMetadata*);
    void* data;
    int64_t next = 0;
  };

  Context(const VmafConfiguration& config, DeviceChoice choice);
  Status CheckPair(const HeldPicture& reference, const HeldPicture& distorted, unsigned index) const;
  Status AddPair(const VmafPicture& reference, const VmafPicture& distorted, unsigned index);
  Status Start(const PictureFormat& format);
  Status StartSession(const PictureFormat& format);
  Result<std::shared_ptr<DevicePicker>> PickDevices() const;
  void LogDevice();
  Result<VmafPicture> FetchFrom(const std::shared_ptr<PictureSource>& pool, std::string_view maker);
  void Await();
  void Notify();
  void LogWarnings();

  const ProcessGuard process_;
  const int threads_;
  const int subsample_;
  const DeviceChoice choice_;
  const bool gpu_allowed_;
  std::vector<FeatureRequest> features_;
  std::vector<ModelRef> models_;  // in use
  std::vector<Handler> handlers_;
  bool notifying_ = false;

  bool started_ = false;
  bool flushed_ = false;
  Status start_error_;
  PictureFormat format_;
  int64_t next_index_ = 0;
  std::chrono::steady_clock::time_point begin_;
  size_t warnings_logged_ = 0;
  bool device_logged_ = false;
  std::unique_ptr<Session> session_;
  Scores scores_;

  std::recursive_mutex mutex_;     // a metadata handler may call back into its context
  mutable std::mutex pool_mutex_;  // guards what follows
  std::shared_ptr<CudaMemory> cuda_;
  std::shared_ptr<PictureSource> pool_, cuda_pool_;
};

/// An open context, locked for a scope.
class Locked {
 public:
  explicit Locked(std::shared_ptr<Context> context) : context_(std::move(context)), lock_(context_->mutex_) {}
  Context* operator->() const { return context_.get(); }

 private:
  std::shared_ptr<Context> context_;
  std::unique_lock<std::recursive_mutex> lock_;
};

using Contexts = HandleTable<VmafContext, Context>;

}  // namespace acutance::libvmaf
