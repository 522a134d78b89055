// Arguments, clips and frames of VapourSynth scripts.
#pragma once

#include <VapourSynth4.h>
#include <acutance/acutance.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace acutance_vapoursynth {

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

/// A frame, and its planes for acutance.
struct FrameData {
  FrameData(Frame shown, const VSAPI* api);

  Frame frame;
  acutance::FramePlanes planes;
};

/// The source of a function's knowledge of colors.
enum class ColorRule {
  kTags,       // properties of the reference's first frame; the height decides on missing ones
  kVszip,      // the height decides on the matrix; light is linear or sRGB
  kRgb,        // properties, but RGB has sRGB's curve
  kLinearRgb,  // properties, but red, green and blue are linear light
  kNumbers     // the function compares samples as numbers; RGB is refused
};

/// A clip of a script.
class Clip {
 public:
  Clip(const VSMap* in, const char* name, const VSAPI* api) : api_(api), own_(api->mapGetNode(in, name, 0, nullptr)) {}
  ~Clip();
  Clip(const Clip&) = delete;
  Clip& operator=(const Clip&) = delete;

  /// Reads the format, whose colors are those of the properties of `tagged`'s frame 0 by the rule; null: its own.
  acutance::Status Open(ColorRule rule, const Clip* tagged);

  const VSVideoInfo& info() const { return *api_->getVideoInfo(own_); }
  const acutance::FrameFormat& format() const { return format_; }
  double frames_per_second() const;  // 25 where the clip declares none

  void Request(int n, VSFrameContext* context) const { api_->requestFrameFilter(n, own_, context); }
  /// The frame as the script has it.
  Frame Get(int n, VSFrameContext* context) const { return {api_->getFrameFilter(n, own_, context), FreeFrame{api_}}; }
  FrameData Read(int n, VSFrameContext* context) const { return {Get(n, context), api_}; }
  VSFilterDependency Dependency(int pattern) const { return {own_, pattern}; }

 private:
  acutance::Status ReadColors(ColorRule rule, const Clip& tagged);

  const VSAPI* const api_;
  VSNode* const own_;
  acutance::FrameFormat format_{};
};

/// Both clips, which must have the same size and length.
acutance::Status OpenPair(Clip& reference, Clip& distorted, ColorRule rule);

}  // namespace acutance_vapoursynth
