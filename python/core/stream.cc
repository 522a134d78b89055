#include "python/core/stream.h"

#include <unistd.h>

#include <utility>

#include "python/core/errors.h"

namespace nb = nanobind;

namespace acutance::python {

/// Lets one call at a time into a stream.
class Stream::Use {
 public:
  explicit Use(Stream& stream) : stream_(stream) {
    if (stream_.busy_.exchange(true))
      RaiseSession("this session is at work in another thread; one thread at a time may use it");
  }
  ~Use() { stream_.busy_ = false; }
  Use(const Use&) = delete;

 private:
  Stream& stream_;
};

namespace {

Expected<Session> CreateWithoutGil(const SessionOptions& options) {
  const nb::gil_scoped_release release;
  return Session::Create(options);
}

}  // namespace

void Stream::State::DropReturned() {
  while (!loans.empty() && loans.front().expired()) loans.pop_front();
}

void Stream::State::RememberFrom(size_t first) {
  for (size_t i = first; i < loans.size(); ++i)
    if (const std::shared_ptr<Loan> held = loans[i].lock()) held->Remember();
}

Status Stream::State::CheckUnchanged() const {
  if (*changed < 0) return {};
  return {StatusCode::kInvalidArgument,
          "frame " + std::to_string(*changed) +
              ": its arrays were changed while they were being scored; use new arrays for each frame, or make the "
              "session with copy=True"};
}

Stream::Stream(const SessionOptions& options, const FormatHints& hints, bool copy)
    : hints_(hints), copy_(copy), videos_(options.videos), process_(getpid()) {
  state_ = std::make_shared<State>(Take(CreateWithoutGil(options)));
  needs_chroma_ = state_->session.NeedsChroma();
}

Stream::~Stream() {
  if (!state_) return;
  // A forked child does not have the threads that would be joined.
  if (getpid() != process_) new std::shared_ptr<State>(std::move(state_));
  else Close();
}

void Stream::CheckOpen() const {
  if (getpid() != process_)
    RaiseSession("this session was made in another process; make one after the fork, its threads do not come along");
  if (!state_) RaiseSession("this session is closed; make a new one");
  if (finished_) RaiseSession("this session is finished; make a new one for more frames");
}

int64_t Stream::frames_done() const {
  const std::shared_ptr<State> state = state_;
  return state && getpid() == process_ ? state->session.frames_done() : 0;
}

PictureFormat Stream::CheckFormat(const Planes& planes, const PictureName& what) const {
  const PictureFormat format = FormatOf(planes, hints_, what);
  if (format_ && format != *format_)
    RaiseArgument(what + " is " + Describe(format) + ", but the session's pictures are " + Describe(*format_) +
                  "; scale or convert it first");
  return format;
}

/// Planes in a device's memory are read there or not at all: the session says whether it can.
void Stream::CheckDevice(const Planes& planes, const PictureName& what) const {
  const std::optional<int> device = DeviceOf(planes[0]);
  if (!device) return;
  const std::string tensor = what + ": a tensor on CUDA device " + std::to_string(*device);
  if (copy_)
    Raise({StatusCode::kUnsupported, tensor + " in a session of copy=True, which copies on the host; make the session "
                                              "without, and give each frame tensors of its own"});
  if (!CanLend(planes))
    RaiseArgument(tensor + ", whose rows are not contiguous or overlap; make it contiguous (torch: .contiguous())");
}

Picture Stream::MakePicture(const PictureFormat& format, Planes planes, const PictureName& what) {
  if (!needs_chroma_) planes.resize(1);
  CheckDevice(planes, what);
  if (copy_ || !CanLend(planes)) {
    Expected<Picture> copied = [&] {
      const nb::gil_scoped_release release;
      return Copy(format, planes);
    }();
    return Take(std::move(copied));
  }
  const std::shared_ptr<Loan> loan = Loan::Make(std::move(planes), frames_added_, state_->changed);
  state_->loans.push_back(loan);
  return Take(Lend(format, loan->arrays(), loan));
}

void Stream::Add(const Arrays& reference, const std::vector<Arrays>& distorted) {
  const Use use(*this);
  CheckOpen();
  if (static_cast<int>(distorted.size()) != videos_)
    RaiseArgument(std::to_string(distorted.size()) +
                  " distorted pictures for a session of videos=" + std::to_string(videos_));
  const PictureName first_name{frames_added_, "reference"}, other_name{frames_added_, "distorted"};
  Planes first_planes = PlanesOf(reference, first_name);
  const PictureFormat format = CheckFormat(first_planes, first_name);
  std::vector<Planes> other_planes;
  for (const Arrays& arrays : distorted) {
    other_planes.push_back(PlanesOf(arrays, other_name));
    if (const PictureFormat other = CheckFormat(other_planes.back(), other_name); other != format)
      RaiseArgument(other_name + (" is " + Describe(other) + ", but the reference is " + Describe(format) +
                                  "; scale or convert one of them first"));
  }
  state_->DropReturned();
  const size_t known = state_->loans.size();
  Status status;
  {
    const Picture first = MakePicture(format, std::move(first_planes), first_name);
    std::vector<Picture> others;
    for (Planes& planes : other_planes) others.push_back(MakePicture(format, std::move(planes), other_name));
    const nb::gil_scoped_release release;
    status = state_->session.Add(first, others);
  }
  state_->RememberFrom(known);
  ReturnArrays();
  Check(status);
  Check(state_->CheckUnchanged());
  format_ = format;
  ++frames_added_;
}

std::optional<double> Stream::Score(const std::string& name, int64_t frame, int video) {
  const Use use(*this);
  CheckOpen();
  return state_->session.Score(name, frame, video);
}

std::unique_ptr<Task> Stream::Finish() {
  const Use use(*this);
  CheckOpen();
  if (frames_added_ == 0) RaiseSession("there is no frame to score; add() some before finish()");
  finished_ = true;
  return std::make_unique<Task>([state = state_](Task::Shared&) -> Expected<Outcome> {
    Expected<Result> result = state->session.Finish();
    for (const std::weak_ptr<Loan>& loan : state->loans)
      if (const std::shared_ptr<Loan> held = loan.lock()) held->Verify();
    if (const Status status = state->CheckUnchanged(); result && !status.ok()) return status;
    return ToOutcome(std::move(result));
  });
}

void Stream::Close() {
  const Use use(*this);
  if (std::shared_ptr<State> state = std::move(state_)) {
    const nb::gil_scoped_release release;
    state.reset();
  }
  ReturnArrays();
}

}  // namespace acutance::python
