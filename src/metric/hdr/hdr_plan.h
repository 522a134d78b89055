// What the definitions of the three metrics share: a frame's light on the CPU and in plans for devices.
#pragma once

#include "exec/plan.h"
#include "metric/blocks/reference_of.h"
#include "metric/hdr/hdr.h"
#include "metric/hdr/hdr_args.h"

namespace acutance {

inline HdrPair HdrPairOf(const FrameView& frame) { return {FloatColorsOf(*frame.at(0)), FloatColorsOf(*frame.at(1))}; }

/// A batch's pictures in columns and strips.
struct HdrPlanSize {
  explicit HdrPlanSize(const PlanContext& context);
  int width, strips;
};

/// Light of a video's pictures.
struct HdrLightView {
  HdrLightView(const HdrSettings& settings, const PlanContext& context, Video video);
  std::array<PlaneView, 3> planes;
};

/// A buffer for sums of columns.
BufferRef AddHdrColumns(Plan& plan, const PlanContext& context, int sums);

/// The arguments of a kernel that adds up columns, without a map.
HdrStripsArgs MakeHdrStripsArgs(const HdrSettings& settings, const PlanContext& context, BufferRef columns);

/// Adds the launch that folds the sums of columns into the plan's words [strip][sum].
struct HdrSumsSpec {
  BufferRef columns;
  int sums = 1;
  unsigned largest = 0;  // a mask: of these sums the largest number counts
};
Status AddHdrSums(Plan& plan, const PlanContext& context, const HdrSumsSpec& spec);

}  // namespace acutance
