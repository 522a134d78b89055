// Video source that forwards to another one, the base of filters.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "io/video_source.h"

namespace acutance {

class ForwardingSource : public VideoSource {
 public:
  explicit ForwardingSource(std::unique_ptr<VideoSource> source) : source_(std::move(source)) {}

  const PictureFormat& format() const override { return source_->format(); }
  VideoColor color() const override { return source_->color(); }
  VideoFacts facts() const override { return source_->facts(); }
  std::optional<int64_t> frame_count() const override { return source_->frame_count(); }
  std::optional<double> frame_rate() const override { return source_->frame_rate(); }
  std::optional<double> time() const override { return source_->time(); }
  Status SetRgbColor(const VideoColor& color, int bit_depth) override { return source_->SetRgbColor(color, bit_depth); }
  std::unique_ptr<VideoSource> TakeRgb() override { return source_->TakeRgb(); }
  void SkipChroma() override { source_->SkipChroma(); }
  bool is_raw() const override { return source_->is_raw(); }
  bool is_instant() const override { return source_->is_instant(); }
  Status CheckIntact() const override { return source_->CheckIntact(); }
  void Interrupt() override { source_->Interrupt(); }
  double reading_seconds() const override { return source_->reading_seconds(); }
  Status DecodeOn(const DeviceDecoding& decoding) override { return source_->DecodeOn(decoding); }
  Status DecodeBy(const HardwareDecoding& decoding) override { return source_->DecodeBy(decoding); }
  std::optional<int64_t> MeasureBitRate() override { return source_->MeasureBitRate(); }
  StreamDamage damage() const override { return source_->damage(); }
  Decoding decoding() const override { return source_->decoding(); }
  std::vector<std::string> warnings() const override { return source_->warnings(); }
  std::vector<InputChange> frame_changes() const override { return source_->frame_changes(); }

 protected:
  std::unique_ptr<VideoSource> source_;
};

}  // namespace acutance
