#include <cmath>
#include <utility>

#include "metric/blocks/words.h"
#include "metric/cvvdp/cvvdp.h"

namespace acutance {
namespace {

/// Frames as a video, whose value runs on from frame to frame; a single one is an image.
class VideoSequence : public Sequence {
 public:
  explicit VideoSequence(std::string aggregate) : aggregate_(std::move(aggregate)) {}

  void Push(int64_t frame, const FrameOutputs& outputs, ScoreSink& sink) override {
    const double distance = DoubleFromWord(outputs.kept[0]);
    sum_ += CvvdpSquare(distance);
    if (++frames_ == 1) {
      first_ = {frame, distance, DoubleFromWord(outputs.kept[1])};
      return;
    }
    if (frames_ == 2) Write(first_.frame, Alone(first_.distance), Alone(first_.distance), sink);
    Write(frame, Running(), Alone(distance), sink);
  }

  void Flush(ScoreSink& sink) override {
    if (frames_ == 0) return;
    double jod = Running();
    if (frames_ == 1) {
      jod = std::isnan(first_.as_image) ? Alone(first_.distance) : CvvdpJod(first_.as_image * kCvvdpImage);
      Write(first_.frame, jod, jod, sink);
    }
    sink.SetAggregate(aggregate_, jod);
  }

 private:
  struct First {
    int64_t frame;
    double distance, as_image;
  };

  static void Write(int64_t frame, double running, double alone, ScoreSink& sink) {
    sink.Set(kCvvdpRunning, frame, running);
    sink.Set(kCvvdpFrame, frame, alone);
  }
  double Running() const { return CvvdpJod(CvvdpRoot(sum_ / static_cast<double>(frames_))); }
  /// The score of a clip in which each frame is like this one.
  static double Alone(double distance) { return CvvdpJod(CvvdpRoot(CvvdpSquare(distance))); }

  const std::string aggregate_;
  First first_ = {};
  int64_t frames_ = 0;
  double sum_ = 0.0;
};

/// Each frame as an image.
class ImageSequence : public Sequence {
 public:
  explicit ImageSequence(std::string aggregate) : aggregate_(std::move(aggregate)) {}

  void Push(int64_t frame, const FrameOutputs& outputs, ScoreSink& sink) override {
    const double jod = CvvdpJod(DoubleFromWord(outputs.kept[0]) * kCvvdpImage);
    sum_ += jod;
    ++frames_;
    sink.Set(kCvvdpRunning, frame, jod);
    sink.Set(kCvvdpFrame, frame, jod);
  }

  void Flush(ScoreSink& sink) override {
    if (frames_ > 0) sink.SetAggregate(aggregate_, sum_ / static_cast<double>(frames_));
  }

 private:
  const std::string aggregate_;
  int64_t frames_ = 0;
  double sum_ = 0.0;
};

}  // namespace

std::unique_ptr<Sequence> MakeCvvdpSequence(bool is_image, std::string aggregate) {
  if (is_image) return std::make_unique<ImageSequence>(std::move(aggregate));
  return std::make_unique<VideoSequence>(std::move(aggregate));
}

}  // namespace acutance
