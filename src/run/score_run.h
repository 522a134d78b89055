// From files to scores: the run that the commands and the C++ API share.
#pragma once

#include <acutance/run.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "align/alignment.h"
#include "align/information_stream.h"
#include "base/status.h"
#include "devices/backends.h"
#include "engine/device_cache.h"
#include "engine/session.h"
#include "image/picture.h"
#include "image/rectangle.h"
#include "io/video_source.h"
#include "run/auto_model.h"
#include "run/cached_reference.h"
#include "run/model_spec.h"
#include "run/run_bound.h"
#include "run/sample_hash.h"
#include "video/fit_videos.h"
#include "video/pair_reader.h"

namespace acutance {

struct ScoredRun;

/// Observer of a run's scored picture pairs, called from one thread. An error ends the run. Pictures in a device's
/// memory have no planes.
class FrameObserver {
 public:
  virtual ~FrameObserver() = default;

  /// Called before the first pair, and again if the run restarts with other pairs: earlier ones are void then.
  virtual Status Start(const Session& session, const ScoredRun& run) = 0;
  virtual Status Add(const FramePair& pair) = 0;
  /// Called after the last pair of a run without an error.
  virtual Status Finish() = 0;
};

struct WorstFrame {
  int64_t frame = 0;
  double score = 0;
  Picture reference, distorted;
  /// The frame of the reference whose picture it is, where that is not its own; set by runs that find shots.
  std::optional<int64_t> shows = std::nullopt;
};

/// A frame with the pictures of several distorted videos.
struct CommonFrame {
  int64_t frame = 0;
  Picture reference;
  std::vector<Picture> distorted;
};

/// Where a run stopped, for the callers' own messages and exit status. kModel: callers load models as a part of the
/// run. kStart: a metric refuses the format of the pictures.
enum class RunStage { kModel, kReference, kDistorted, kPair, kBackend, kSession, kStart, kRead, kScore };

struct RunError {
  RunStage stage = RunStage::kRead;
  Status status;
  std::string tool_words = "";  // kPair: what libvmaf's tool says, a line for each problem
};

/// The decoder of containers. NVDEC leaves pictures in the memory of the CUDA device that scores them; those that
/// FFmpeg's decoders for Vulkan Video and VAAPI decode are copied to the host's.
enum class Decoder {
  kCpu,    // FFmpeg's own decoders
  kAuto,   // NVDEC where it can, else kCpu
  kNvdec,  // an error where it cannot
  kVulkan,
  kVaapi,
};

constexpr bool CopiesFromHardware(Decoder decoder) { return decoder == Decoder::kVulkan || decoder == Decoder::kVaapi; }

/// The part of the pictures that is compared.
struct CropChoice {
  bool find_bars = false;                // each video's black bars are left out
  std::optional<Rectangle> reference{};  // of the shown pictures; not set: all
  std::optional<Rectangle> distorted{};  // not set: the same part as of the reference
};

/// Models as users name them. CompleteRequest and LoadModels turn them into `choose_models` and `models`.
struct ModelChoice {
  std::vector<ModelSpec> specs;
  bool is_auto = false;  // models that suit the videos, before the named ones; also where none is named
  bool none = false;     // except then
  Viewing viewing = Viewing::kBySize;
};

struct RunRequest {
  std::string reference;
  std::vector<std::string> distorted;
  std::vector<int> numbers{};  // of a part of a run's distorted videos (PartOf); empty: all, from 0
  int run_videos = 0;          // distorted ones of that run; 0: `distorted` has all
  std::shared_ptr<CachedReference> cached_reference;  // of `reference`; null: it is read from its file
  OpenOptions open;
  Decoder decoder = Decoder::kAuto;
  std::string decoder_device{};  // of kVulkan and kVaapi, as FFmpeg names it; empty: the first
  ModelChoice choice{};
  std::vector<ModelRequest> models;
  std::optional<Viewing> choose_models;  // set: models that suit the videos are added before `models`
  bool check_model_sizes = false;        // warn of models that were made for pictures of another size
  std::vector<FeatureRequest> features;
  std::vector<std::pair<std::string, std::string>> given{};  // options that scores depend on, as they were read
  bool hash_samples = false;                                 // ScoredRun::samples
  int threads = 1;
  bool read_ahead = true;  // read and decode on threads of their own
  int subsample = 1;
  int64_t skip_reference = 0;
  int64_t skip_distorted = 0;
  int64_t frame_limit = 0;            // 0: all
  AlignmentRequest pairing{};         // which frames are aligned
  std::string alignment_fingerprint;  // filled by RunScore: what the journal knows frames by; empty: frame by frame
  FitOptions fit{.size = CommonSize(),
                 .raise_bit_depth = true,
                 .fit_chroma = true,
                 .deinterlace = Deinterlacing::kAuto,
                 .heed_color = true,
                 .heed_display = true};
  CropChoice crop;
  DeviceChoice device;
  std::shared_ptr<DeviceCache> device_cache{};  // filled by RunScore: open devices, of the process' runs or this one's
  std::shared_ptr<DevicePicker> devices_ahead{};  // likewise: devices that are opened while the videos are; null: none
  std::optional<size_t> max_device_memory = std::nullopt;  // bytes of each device; not set: as DeviceLane chooses
  std::optional<size_t> max_memory = std::nullopt;         // bytes for pictures and features; see SessionSpec
  int verify = 0;  // one of N frames that a device computes is computed again on the CPU; 0: none

  /// Checkpoint file with the results of frames. A run with the same journal continues where the last one stopped; one
  /// whose first frame is not 0 is a part, without scores of its own (JoinJournals). Empty: none.
  std::string journal;

  /// A folder for the features' artifacts, a file each (MakeMapFiles). Empty: none.
  std::string maps;

  /// Receives the artifacts where `maps` is empty; null: none.
  ArtifactSink on_artifact;

  /// The number of worst frames that are retained with their pictures (ScoredRun::worst, common_frames), except
  /// pictures that a device decoded into its memory.
  int worst_frames = 0;

  /// Observes the pairs that are scored, without those of a journal; null: none.
  std::shared_ptr<FrameObserver> pairs;

  /// Detects shots (ScoredEncode::shots).
  bool find_shots = false;
  /// Measures the reference's spatial and temporal information for its shots, too: about 1 ms a frame of 1080p.
  bool measure_information = false;

  /// Called before the first frame, and again if the run restarts with another alignment: earlier calls of on_frame are
  /// void then. An error ends the run.
  std::function<Status(const Session&)> on_start = nullptr;

  /// Called after each frame that is read. FrameAction::kCancel is not its own: cancelling stops a run while it reads.
  std::function<FrameAction(const Session&, std::optional<int64_t> total_frames)> on_frame;

  /// Called with each warning as it occurs, on any thread; ScoredRun::warnings has them all, too.
  std::function<void(const std::string&)> on_warning = nullptr;

  /// Receives a function that cancels the run, with kCancelled, from any thread; the run holds the returned value.
  std::function<std::shared_ptr<void>(std::function<void()> cancel)> watch_cancel;
};

/// The shots of a reference.
struct ReferenceShots {
  std::vector<int64_t> starts;                 // the frames at which a shot begins, except the first
  std::vector<LumaInformation> information{};  // by frame; empty: not requested
};

/// The scores of one distorted video: those that it has alone, regardless of the others in the run.
struct ScoredEncode {
  std::shared_ptr<const Session> session;  // of it and the videos with the same frames and conversions
  int video = 0;                           // of the session
  int64_t frames = 0;
  PictureFormat format;
  /// Not set: not requested, or not all pictures were in the host's memory.
  std::optional<ReferenceShots> shots{};

  const ScoreTable& scores() const { return session->scores(video); }
};

struct ScoredRun {
  std::shared_ptr<Session> session;   // of the first distorted video; null when nothing was scored
  std::vector<ScoredEncode> encodes;  // by distorted video; empty likewise
  PictureFormat format;               // of the first
  int64_t frames = 0;                 // of the longest; of a part: with all before it
  int64_t restored = 0;               // of them, those that the journal had
  bool is_part = false;               // there are no scores, but a journal
  double seconds = 0;
  std::optional<RunBound> bound{};
  bool decoded_by_nvdec = false;  // at least one video
  std::vector<std::string> warnings;
  std::vector<std::string> model_reasons;                  // of the models that were chosen
  std::optional<double> frame_rate;                        // the reference's, else a distorted video's
  VideoColor color;                                        // of the pictures
  std::vector<Input> inputs;                               // the reference first
  std::vector<SampleHash> samples;                         // likewise; empty: not requested
  std::vector<std::pair<std::string, std::string>> given;  // RunRequest::given
  std::vector<std::vector<WorstFrame>> worst;              // by distorted video, the worst first
  /// Where worst frames are retained: those in which one of several distorted videos is worst, if they were scored
  /// together.
  std::vector<CommonFrame> common_frames;
  bool knows_pairs = true;            // false: joined journals of videos that were aligned, which do not say how
  std::vector<Alignment> alignments;  // one for each distorted video, of the pairs that were scored; none by index
  std::optional<RunError> error;      // kRead with a session: the frames before it were scored
};

/// The encodes of a run with one session.
std::vector<ScoredEncode> EncodesOf(const std::shared_ptr<const Session>& session, const ScoredRun& run,
                                    const std::optional<ReferenceShots>& shots = {});

ScoredRun RunScore(const RunRequest& request);

}  // namespace acutance
