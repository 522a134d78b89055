// Motion features over time (docs/spec/core.md 3.4): libvmaf's motion2 and motion3.
#pragma once

#include <algorithm>
#include <cstdint>

#include "metric/metric.h"

namespace acutance {

/// The options of both.
struct MotionBlend {
  double factor;  // of motion2 in motion3
  double offset;
  double max_value;
  int lag = 1;                  // frames from a picture back to the one that it is compared with
  bool moving_average = false;  // of motion3

  double Limit(double value) const { return std::min(value, max_value); }
  double Blend(double value) const { return Limit(value * factor + (1 - factor) * std::min(offset, value)); }
};

/// Writes both of a frame as soon as the frames seen determine them: frame i looks ahead to i + 1, and the first `lag`
/// frames take motion3 from the first value there is.
class MotionSequence : public Sequence {
 public:
  /// `value`: of a frame alone; motion2, motion3: outputs.
  MotionSequence(const MotionBlend& blend, double (*value)(const FrameOutputs&), int motion2, int motion3)
      : blend_(blend), value_(value), motion2_(motion2), motion3_(motion3) {}

  void Push(int64_t frame, const FrameOutputs& outputs, ScoreSink& sink) override {
    const double value = value_(outputs);
    if (frame < blend_.lag) sink.Set(motion2_, frame, 0.0);
    if (frame == blend_.lag) SetFirstFrames(blend_.Blend(value), sink);
    if (frame > blend_.lag) Settle(frame - 1, std::min(LookBack(frame, value), value), sink);
    recent_[frame % 2] = value;
    frames_ = frame + 1;
  }

  void Flush(ScoreSink& sink) override {
    if (frames_ > blend_.lag) Settle(frames_ - 1, recent_[(frames_ - 1) % 2], sink);
    else SetFirstFrames(0.0, sink);
  }

 private:
  /// The value `lag` frames before `frame`; `value` where that frame had no predecessor to be compared with.
  double LookBack(int64_t frame, double value) const {
    return frame - blend_.lag >= blend_.lag ? recent_[(frame - blend_.lag) % 2] : value;
  }

  void SetFirstFrames(double value, ScoreSink& sink) {
    for (int64_t i = 0; i < std::min<int64_t>(blend_.lag, frames_); ++i) sink.Set(motion3_, i, value);
    previous_ = value;
  }

  void Settle(int64_t frame, double value, ScoreSink& sink) {
    const double motion3 = blend_.Blend(value);
    sink.Set(motion2_, frame, blend_.Limit(value));
    sink.Set(motion3_, frame, blend_.moving_average ? (motion3 + previous_) / 2.0 : motion3);
    previous_ = motion3;  // not the average
  }

  const MotionBlend blend_;
  double (*const value_)(const FrameOutputs&);
  const int motion2_, motion3_;
  int64_t frames_ = 0;
  double recent_[2] = {};  // values of the last two frames, by frame % 2
  double previous_ = 0;    // motion3 of the frame before, not averaged
};

}  // namespace acutance
