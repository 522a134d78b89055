// The plugins of VapourSynth in libvship.so and their functions (docs/use/vship.md).
#pragma once

#include <VapourSynth4.h>

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/vship/handler.h"
#include "api/vship/vapoursynth/clips.h"

namespace acutance::vship {

/// A property of frames, which has a value of the scorer's.
struct PropertySpec {
  std::string name;  // also set with an underscore before it
  size_t value;
};

/// What a call of a function that scores pairs of frames asks for.
struct PairSettings {
  std::function<Outcome(const FramePair&, std::unique_ptr<Scorer>&)> make;
  std::vector<PropertySpec> properties;
  bool returns_reference = false;  // else the distorted clip
  bool is_ordered = false;         // values need all frames before
  bool makes_maps = false;         // the output is the metric's map
  int history = 0;                 // how many pictures of the reference before a frame's own are read
  int handlers = 1;                // so many frames are scored at a time
  std::function<void(int frame, const Scorer&)> on_score = nullptr;
  std::function<void(const Scorer&)> at_end = nullptr;  // with a scorer that has begun
};

/// A call whose clips are open.
struct PairCall {
  const Arguments& arguments;
  const Clip &reference, &distorted;
};

struct Function {
  std::string_view label;  // before its errors
  const char *name, *arguments;
  ColorRule colors = ColorRule::kTags;
  Outcome (*read)(const PairCall& call, PairSettings& settings) = nullptr;
  VSPublicFunction create = nullptr;  // null: it scores pairs
  const char* result = "clip:vnode;";
};

struct Plugin {
  std::string_view name;  // the namespace
  const char *identifier, *description;
  int version;
  std::span<const Function> functions;
};

/// Makes the filter of a function that scores pairs, which is its data.
void VS_CC CreatePairFilter(const VSMap* in, VSMap* out, void* function, VSCore* core, const VSAPI* api);

/// VMAF and CAMBI of the plugin vmaf, whose scores go to a log.
void VS_CC CreateVmafLog(const VSMap* in, VSMap* out, void*, VSCore* core, const VSAPI* api);
void VS_CC CreateCambiLog(const VSMap* in, VSMap* out, void*, VSCore* core, const VSAPI* api);

/// The metric that the plugin vmaf has under a number; nullopt: none.
std::optional<std::string> VmafFeatureName(int feature);

/// GpuInfo of vship.
void VS_CC DescribeDevices(const VSMap* in, VSMap* out, void*, VSCore*, const VSAPI* api);

}  // namespace acutance::vship
