// Requests of `acutance serve`, its cache of decoded references, and its replies, one JSON object a line.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/status.h"
#include "cli/score_request.h"
#include "run/cached_reference.h"
#include "run/score_run.h"

namespace acutance::cli {

/// Caches the references that fit into `most_bytes`; the least recently used are dropped first. Not thread-safe.
class ReferenceStore {
 public:
  /// most_device_bytes: see DeviceCache.
  ReferenceStore(size_t most_bytes, std::optional<size_t> most_device_bytes)
      : most_bytes_(most_bytes), devices_(std::make_shared<DeviceCache>(most_device_bytes)) {}

  /// The reference of a run, a regular file, which is cached where it fits. Called between runs only.
  Result<std::shared_ptr<CachedReference>> Find(const std::string& path, const OpenOptions& options);

  /// Whether it was there.
  bool Drop(const std::string& path);

  /// The most recently used first.
  std::vector<std::shared_ptr<CachedReference>> references() const;
  size_t most_bytes() const { return most_bytes_; }
  size_t device_bytes() const { return devices_->bytes(); }

 private:
  struct Entry {
    std::shared_ptr<CachedReference> reference;
    std::optional<size_t> needed;  // bytes of all its pictures; not set: the file does not declare it
    bool may_grow = false;         // it may cache all its pictures
  };

  /// Bytes of all references except the first, including what they may still take up to their ends.
  size_t TakenByOthers() const;
  void MakeRoom(size_t bytes);
  void LetFirstGrow();

  const size_t most_bytes_;
  const std::shared_ptr<DeviceCache> devices_;
  std::list<Entry> entries_;
};

/// Answers requests of several connections; runs are serialized, since each uses the whole machine.
class ScoreServer {
 public:
  ScoreServer(size_t most_bytes, std::optional<size_t> most_device_bytes)
      : references_(most_bytes, most_device_bytes) {}

  /// A line of JSON, without the newline; an error where `line` is no request. is_gone: whether the client has closed
  /// its connection, which ends the run; polled on another thread.
  std::string Answer(std::string_view line, const std::function<bool()>& is_gone);

  /// Ends the current run, and later ones at their start.
  void Stop() { is_stopped_ = true; }

 private:
  struct Reply {
    int status = 0;  // as the exit status of `acutance score`
    Json fields;
  };

  Result<Reply> AnswerRequest(const Json& request, const std::function<bool()>& is_gone);
  Result<Reply> Score(const Json& request, const std::function<bool()>& is_gone);
  Result<Reply> Run(ScoreRequest& score, const std::function<bool()>& is_gone);
  Result<Reply> Drop(const Json& request);
  Reply Describe();

  std::mutex run_mutex_;  // held while videos are scored
  std::mutex store_mutex_;
  ReferenceStore references_;
  std::atomic<bool> is_stopped_ = false;
};

}  // namespace acutance::cli
