// Changes inside a video: what its frames declare, compared with its first and with those before.
#pragma once

#include <acutance/facts.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "image/picture.h"

namespace acutance {

/// How the samples of one frame lie, and their range.
struct FrameForm {
  PictureFormat format;
  bool full_range = false;
  ChromaSiting siting{};

  bool Matches(const FrameForm& other) const { return format == other.format && full_range == other.full_range; }
};

/// Brings a frame of another form to that of its video's first, `to`. Called for one frame after the other.
using FrameFit = std::function<Result<Picture>(const Picture& picture, const FrameForm& from, const FrameForm& to)>;

/// What one frame declares.
struct FrameDeclaration {
  FrameForm form;
  VideoColor color{};
  double pixel_aspect = 0;                   // 0: not declared
  std::optional<Orientation> orientation{};  // not set: not declared

  double shape() const { return (pixel_aspect > 0 ? pixel_aspect : 1) * form.format.width / form.format.height; }
};

/// The changes of a video that is read frame by frame.
class FrameChanges {
 public:
  /// The first frame's; the next are added.
  void Start(const FrameDeclaration& first);
  void Add(int64_t frame, const FrameDeclaration& declared);

  const FrameDeclaration& first() const { return first_; }

  /// Sentences without the video's name, in the order in which the changes came.
  std::vector<InputChange> Describe() const;

 private:
  struct Event {
    Change change;
    std::string from, to, consequence;  // consequence: what becomes of such frames
    int64_t frame;                      // the first
    int64_t count = 0;                  // frames that differ from the first; 0: not counted
  };

  void CompareForms(int64_t frame, const FrameDeclaration& declared);
  void CompareColors(int64_t frame, const VideoColor& color);
  void CompareShapes(int64_t frame, const FrameDeclaration& declared);
  void Note(Event event, bool is_counted);

  FrameDeclaration first_;
  FrameDeclaration before_;  // with the last values that were declared
  std::vector<Event> events_;
  int64_t frames_ = 0;
  bool has_more_ = false;  // events that are not named
};

}  // namespace acutance
