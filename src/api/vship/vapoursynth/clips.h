// What functions of VapourSynth's plugins read: arguments, clips and their frames.
#pragma once

#include <VapourSynth4.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/vship/frames.h"

namespace acutance::vship {

/// Arguments of a call that a script may leave out.
class Arguments {
 public:
  Arguments(const VSMap* map, const VSAPI* api) : map_(map), api_(api) {}

  std::optional<int> Int(const char* name) const;
  int Int(const char* name, int otherwise) const { return Int(name).value_or(otherwise); }
  std::optional<double> Float(const char* name) const;
  double Float(const char* name, double otherwise) const { return Float(name).value_or(otherwise); }
  std::string Text(const char* name, const char* otherwise) const;
  std::vector<int> Ints(const char* name) const;

 private:
  const VSMap* map_;
  const VSAPI* api_;
};

struct FreeFrame {
  const VSAPI* api;
  void operator()(const VSFrame* frame) const { api->freeFrame(frame); }
};
using Frame = std::unique_ptr<const VSFrame, FreeFrame>;

/// A frame's planes.
class FramePlanes {
 public:
  FramePlanes(Frame frame, const VSAPI* api);
  Planes planes() const { return {data_.data(), strides_.data()}; }

 private:
  Frame frame_;
  std::array<const uint8_t*, 3> data_{};
  std::array<int64_t, 3> strides_{};
};

/// Where a function finds out what samples mean.
enum class ColorRule {
  kTags,         // properties of the reference's first frame; what is not there is guessed by the height
  kVszip,        // the matrix is the height's; light is linear or sRGB
  kRgb,          // properties, but RGB has sRGB's curve
  kLinearRgb,    // likewise, but red, green and blue are linear light
  kMeansNothing  // samples are numbers to the function; RGB is refused
};

/// A clip of a script.
class Clip {
 public:
  Clip(const VSMap* in, const char* name, const VSAPI* api) : api_(api), own_(api->mapGetNode(in, name, 0, nullptr)) {}
  ~Clip();
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

  /// Colors are what the properties of frame 0 of `tagged` tell by the rule; null: its own.
  Outcome Open(ColorRule rule, const Clip* tagged);

  const VSVideoInfo& info() const { return *api_->getVideoInfo(own_); }
  const Colorspace& colors() const { return colors_; }
  double frames_a_second() const;  // 25 where the clip does not tell

  void Request(int n, VSFrameContext* context) const;
  /// The frame as the script has it.
  Frame Get(int n, VSFrameContext* context) const { return {api_->getFrameFilter(n, own_, context), FreeFrame{api_}}; }
  FramePlanes Read(int n, VSFrameContext* context) const;
  VSFilterDependency Dependency(int pattern) const { return {own_, pattern}; }

 private:
  Outcome ReadColors(ColorRule rule, const Clip& tagged);

  const VSAPI* const api_;
  VSNode* const own_;
  Colorspace colors_{};
};

/// Both clips, which must have the same size and length.
Outcome OpenPair(Clip& reference, Clip& distorted, ColorRule rule);

}  // namespace acutance::vship
