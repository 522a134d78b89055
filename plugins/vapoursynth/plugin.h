// VapourSynth plugins on acutance's C++ API and their functions (docs/use/vship.md).
#pragma once

#include <VapourSynth4.h>
#include <acutance/acutance.h>
#include <fmt/format.h>

#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "plugins/vapoursynth/clips.h"

namespace acutance_vapoursynth {

/// A property of frames that has the value of a feature's output.
struct PropertySpec {
  std::string name;  // also set with an underscore before it
  std::string output;
};

/// What a call of a function that scores pairs of frames asks for.
struct PairSettings {
  std::vector<acutance::Feature> features;
  std::vector<PropertySpec> properties;  // empty: all outputs by their names
  bool returns_reference = false;        // else the distorted clip
  bool is_ordered = false;               // values need all frames before
  bool draws_maps = false;               // the output is the feature's map
  int history = 0;                       // the number of earlier pictures of the reference that a frame reads
  std::string backend = "cpu";           // as in FrameScorerOptions, with the next
  int device = 0;
  int scorers = 1;              // the number of frames that are scored at a time
  std::string average_label{};  // what the averages over all frames are printed with at the end; empty: not
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
  acutance::Status (*read)(const PairCall& call, PairSettings& settings) = nullptr;
  VSPublicFunction create = nullptr;  // null: it scores pairs
  const char* result = "clip:vnode;";
};

/// A plugin, which VapourSynth loads from a file of its own.
struct Plugin {
  const char *space, *identifier, *description;
  int version;  // scripts read it to know which functions there are
  std::span<const Function> functions;
};

extern const Plugin kVship, kVszip, kJulek, kSsimulacra2, kVmaf;

void Register(const Plugin& own, VSPlugin* plugin, const VSPLUGINAPI* api);

/// Makes the filter of a function that scores pairs, which is its data.
void VS_CC CreatePairFilter(const VSMap* in, VSMap* out, void* function, VSCore* core, const VSAPI* api);

template <class... Args>
acutance::Status Failure(fmt::format_string<Args...> format, Args&&... args) {
  return {acutance::StatusCode::kUnsupported, fmt::format(format, std::forward<Args>(args)...)};
}

/// Runs `body`, which returns a Status, for VapourSynth, which catches no exceptions.
template <class Body>
acutance::Status Guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    return {acutance::StatusCode::kOutOfMemory, error.what()};
  }
}

/// Runs a filter's Get as VapourSynth calls it.
template <class Filter>
const VSFrame* VS_CC GetFrame(int n, int reason, void* filter, void**, VSFrameContext* context, VSCore* core,
                              const VSAPI* api) {
  const VSFrame* frame = nullptr;
  const acutance::Status status = Guarded([&] {
    frame = static_cast<Filter*>(filter)->Get(n, reason, context, core);
    return acutance::Status();
  });
  if (!status.ok()) api->setFilterError(status.message().c_str(), context);
  return frame;
}

}  // namespace acutance_vapoursynth
