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

/// A clip as scripts have it and as it is scored: RGB comes as YUV 4:4:4 of 16 bits.
class Clip {
 public:
  Clip(const VSMap* in, const char* name, const VSAPI* api) : api_(api), own_(api->mapGetNode(in, name, 0, nullptr)) {}
  ~Clip();
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

  /// Colors are what the properties of frame 0 of `tagged` tell by the rule; null: its own.
  Outcome Open(ColorRule rule, const Clip* tagged, VSCore* core);

  const VSVideoInfo& info() const { return *api_->getVideoInfo(own_); }
  const Colorspace& colors() const { return colors_; }
  double frames_a_second() const;  // 25 where the clip does not tell

  void Request(int n, VSFrameContext* context) const;
  /// The frame as the script has it.
  Frame Get(int n, VSFrameContext* context) const { return {api_->getFrameFilter(n, own_, context), FreeFrame{api_}}; }
  FramePlanes Read(int n, VSFrameContext* context) const;
  /// Adds the nodes from which frames are requested.
  void AddNodes(int pattern, std::vector<VSFilterDependency>& nodes) const;

 private:
  Outcome ReadColors(ColorRule rule, const Clip& tagged);
  Outcome ConvertRgb(bool is_linear, VSCore* core);

  const VSAPI* const api_;
  VSNode* const own_;
  VSNode* converted_ = nullptr;  // null: it is scored as it is
  Colorspace colors_{};
};

/// Both clips, which must have the same size and length.
Outcome OpenPair(Clip& reference, Clip& distorted, ColorRule rule, VSCore* core);

}  // namespace acutance::vship
