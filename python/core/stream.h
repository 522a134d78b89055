// A session that takes arrays, one frame after another.
#pragma once

#include <acutance/acutance.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "python/core/planes.h"
#include "python/core/task.h"

namespace acutance::python {

/// All methods hold the GIL when they are called and release it while they wait. A stream serves
/// one thread at a time; a second one gets SessionError.
class Stream {
 public:
  Stream(const SessionOptions& options, const FormatHints& hints, bool copy);
  ~Stream();
  Stream(const Stream&) = delete;

  bool needs_chroma() const { return needs_chroma_; }
  int64_t frames_added() const { return frames_added_; }
  int64_t frames_done() const;

  using Arrays = std::vector<nanobind::object>;  // arguments of PlanesOf
  void Add(const Arrays& reference, const std::vector<Arrays>& distorted);
  std::optional<double> Score(const std::string& name, int64_t frame, int video);

  /// Waits for all frames. The task may outlive the stream.
  std::unique_ptr<Task> Finish();

  /// Drops what is not finished. A closed stream may be closed again.
  void Close();

 private:
  /// The session and the arrays it reads; a task that finishes holds them too.
  struct State {
    explicit State(Session made) : session(std::move(made)) {}
    Session session;
    std::deque<std::weak_ptr<Loan>> loans;
    std::shared_ptr<ChangedFrame> changed = std::make_shared<ChangedFrame>(-1);

    void DropReturned();
    void RememberFrom(size_t first);  // the loans from this one on that the engine still reads
    Status CheckUnchanged() const;
  };
  class Use;

  PictureFormat CheckFormat(const Planes& planes, const PictureName& what) const;
  void CheckDevice(const Planes& planes, const PictureName& what) const;
  Picture MakePicture(const PictureFormat& format, Planes planes, const PictureName& what);
  void CheckOpen() const;

  const FormatHints hints_;
  const bool copy_;
  const int videos_;
  const pid_t process_;
  bool needs_chroma_ = false;
  std::shared_ptr<State> state_;  // null: closed
  std::optional<PictureFormat> format_;
  std::atomic<int64_t> frames_added_ = 0;
  std::atomic<bool> busy_ = false;
  bool finished_ = false;
};

}  // namespace acutance::python
