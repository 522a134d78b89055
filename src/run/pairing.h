// Pairs the frames of a run: watches their fingerprints as they are scored, and looks at the whole videos where frame
// by frame does not fit.
#pragma once

#include <acutance/facts.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "align/align_placed.h"
#include "align/alignment.h"
#include "align/placed_parts.h"
#include "align/record_fingerprints.h"
#include "base/status.h"
#include "engine/session.h"
#include "image/rectangle.h"
#include "io/video_source.h"
#include "run/score_run.h"
#include "video/replay_buffer.h"

namespace acutance {

class Pairing {
 public:
  explicit Pairing(const RunRequest& request);

  /// Reads the file of pairs, where there is one.
  Status Prepare();
  /// Before a run: whether the first frames of two files fit one by one. Where they tell plainly how late the one is,
  /// that is guessed of the whole, as Look() does, before anything is scored. An error is one of memory: a file that
  /// cannot be read is the run's to report.
  Status EstimateStartOffset();

  /// Opens a video of the run: 0 is the reference. A pipe is opened once, and read again from memory.
  Result<std::unique_ptr<VideoSource>> Open(const std::string& path, const OpenOptions& options, int video);
  /// PictureKey::video of the reference that was opened last.
  uint64_t reference_name() const { return reference_name_; }
  /// The reference's frame that the video which Open() gave last hands out after so many others.
  int64_t ReferenceFrame(int64_t others) const {
    return picks_[0].empty() ? others : picks_[0][static_cast<size_t>(others)];
  }
  /// Frames to discard before the first pair.
  int64_t SkipOf(int video) const;

  /// The part of a video that is compared; not set: all. Called before its pictures are read.
  void SetCrop(int video, const std::optional<Rectangle>& crop);

  /// Adds a tap for the fingerprints of pictures that the session gets as they are here, because a device computes them
  /// from samples that it has anyway. Called before pictures are read. inputs: by video.
  void LeaveFingerprints(std::span<const Input> inputs, std::vector<ResultTap>& taps) const;

  /// Once the videos of a run are open: whether they cannot fit frame by frame, or a journal must know first.
  bool NeedsFullAlignment();
  /// The fingerprints of the reference's frames in the run that goes; null where they are not made.
  std::shared_ptr<FingerprintTrack> reference_track() const {
    return picks_[0].empty() && !guess_ ? tracks_[0] : nullptr;
  }
  /// After `frames` pairs: whether they do not fit, so that the run had better stop.
  bool IsDoubtful(int64_t frames);
  /// Likewise, after all pairs that were read.
  bool DoubtsAll();
  /// Whether a run goes frame by frame, and sees whether that fits.
  bool watches() const { return watches_; }
  /// After a run of `frames` pairs: what became of them. A run whose frames did not fit must go again after Look().
  void Conclude(int64_t frames);

  bool needs_full_alignment() const { return needs_full_alignment_; }
  /// Why a video breaks off before the other one, where that was seen while its fingerprints were read: the frames in
  /// pairs end before it.
  const Status& damage() const { return damage_; }
  /// Whether videos are paired by more than their order, so that different rates need no warning.
  bool handles_rate_mismatch() const { return handles_rate_mismatch_; }
  /// Whether one video ends before the other in a run that pairs them so, which needs no warning.
  bool handles_length_mismatch() const { return guess_.has_value(); }
  /// Reads the fingerprints of all videos and aligns them. The run that follows reads the frames in pairs alone. Where
  /// the first frames tell plainly how late a file is, that is guessed of all of it: the run that follows looks on, so
  /// that no file is read twice, and Look() comes once more where the guess was wrong.
  Status Look();

  /// What shows only a part of the other's picture, with the option that makes them fit.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// One for each distorted video; none for kIndex.
  std::vector<Alignment> TakeAlignments() { return std::move(alignments_); }
  /// The pairs, as a word for the journal; empty: frame by frame.
  const std::string& word() const { return word_; }

 private:
  struct Facts {
    std::optional<int64_t> frames;
    std::optional<double> rate;
    bool on_device = false;
    Orientation orientation{};
    std::optional<Rectangle> crop{};  // of the picture as it is shown
    PictureFormat format{};           // as it is stored
    double pixel_aspect = 1;
    std::optional<bool> full_range{};  // as its stream tells; not set: RGB, which gets the other's
  };

  Result<std::unique_ptr<VideoSource>> OpenOnce(const std::string& path, const OpenOptions& options, size_t video);
  /// Opens a file of which the first pictures are looked at: they are kept for the run that follows.
  Result<std::unique_ptr<VideoSource>> OpenFirst(const OpenOptions& options, size_t video);
  /// How late a run that looks takes the distorted video to be.
  int64_t late() const { return guess_.value_or(0); }
  void NoteWrong();
  bool DoubtsFirst(int64_t frames);
  bool MayGuess() const;
  std::optional<int64_t> GuessOf(const Result<Alignment>& found) const;
  /// The fingerprints of all frames; nullopt: a guess was made instead.
  Result<std::optional<std::vector<FrameTrack>>> ReadOrGuess();
  Result<std::vector<std::unique_ptr<VideoSource>>> OpenToLook();
  Status GuessAtStart();
  std::shared_ptr<void> InterruptOnCancel(const std::vector<std::unique_ptr<VideoSource>>& videos) const;
  void ConcludeGuess(int64_t frames);
  bool ReadRests();
  Status AlignAll(std::vector<FrameTrack> tracks);
  void NoteDamage(const Alignment& alignment, const std::vector<FrameTrack>& tracks, size_t video);
  std::string TurnedOf(size_t video) const;
  /// What a video shows of the other's picture, and the option that makes them fit; nothing where they do.
  std::string PlacementOf(size_t video, const std::optional<FoundPlacement>& found) const;
  ShownPicture ShownBy(size_t video) const;
  PlacedAlignment AlignOnceRead(size_t video, int64_t most);
  /// The tracks: of frames that belong together.
  void NoteRange(size_t video, const FrameTrack& reference, const FrameTrack& distorted);
  void NotePlacement(size_t video, const std::optional<FoundPlacement>& found);
  Status CheckLengths(const FrameTrack& reference, const FrameTrack& distorted, const std::string& name) const;
  void KeepCommonPairs();
  void PickPairs();
  void HoldPipes(bool hold);  // a run that stops leaves them readable
  const std::string& PathOf(size_t video) const;
  int64_t first_frame() const { return request_.skip_reference; }

  const RunRequest& request_;
  std::map<std::string, ReplayBuffer> kept_;
  std::vector<Facts> facts_;
  std::shared_ptr<BackgroundThreads> crew_;
  std::vector<std::shared_ptr<FingerprintTrack>> tracks_;  // of a run that is watched
  std::vector<std::vector<int64_t>> picks_;  // by video, the frames of a run that follows Look(); empty: all
  std::vector<Alignment> alignments_;
  std::vector<std::string> warnings_;
  std::string word_;
  uint64_t reference_name_ = 0;
  std::vector<Status> damages_;  // by video, of a reading of fingerprints; empty: none was
  Status damage_;
  bool watches_ = false;
  bool needs_full_alignment_ = false;
  bool handles_rate_mismatch_ = false;
  std::optional<int64_t> guess_;  // how late the distorted video of a run that follows Look() may be
  struct {
    int64_t frames = 0;  // that were seen not to fit
    std::optional<int64_t> late{};
  } seen_;                         // by the run before
  std::vector<int64_t> wrong_;     // how late it is not
  std::vector<FrameTrack> whole_;  // where a run that was not right has read all
  int64_t next_check_ = 0;
};

}  // namespace acutance
