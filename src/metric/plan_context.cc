#include "metric/plan_context.h"

#include <algorithm>

namespace acutance {
namespace {

void AddInput(PlanContext& context, PlanInput input) {
  const auto same = [&](const PlanInput& other) {
    return other.video == input.video && other.plane == input.plane && other.derived == input.derived;
  };
  if (std::ranges::none_of(context.inputs, same)) context.inputs.push_back(std::move(input));
}

void AddPlanes(PlanContext& context, Video video, unsigned planes, const PictureFormat& format,
               const std::string& derived) {
  for (int plane = 0; plane < format.PlaneCount(); ++plane)
    if (planes >> plane & 1) AddInput(context, {video, plane, derived, format});
}

}  // namespace

PlanContext MakePlanContext(std::span<const InputSpec> inputs, const PictureFormat& format, int frames, int videos,
                            std::string_view family) {
  PlanContext context;
  context.format = format;
  context.frames = frames;
  context.videos = videos;
  context.workload = ClassifyWorkload(format.width, format.height);
  context.family = family;
  for (const InputSpec& input : inputs) {
    int& history = context.history[static_cast<int>(input.video)];
    history = std::max(history, input.history);
    const DerivedInput* derived = input.derived.get();
    AddPlanes(context, input.video, derived ? derived->planes() : input.planes, format, "");
    if (derived) AddPlanes(context, input.video, input.planes, derived->Format(format), derived->key());
  }
  return context;
}

Result<Plan> MakePlan(const Metric& metric, const OptionValues& options, const PlanContext& context) {
  ACU_ASSIGN_OR_RETURN(const auto setup, Prepare(metric, options));
  return metric.make_plan(*setup, context);
}

Result<std::optional<Plan>> MakeDerivePlan(std::span<const InputSpec> inputs, const PlanContext& context) {
  std::vector<std::pair<Video, std::string>> done;
  std::optional<Plan> plan;
  for (const InputSpec& input : inputs) {
    if (!input.derived) continue;
    std::pair which(input.video, input.derived->key());
    if (std::ranges::count(done, which) > 0) continue;
    done.push_back(std::move(which));
    if (!plan) plan.emplace(context, 0, 0);
    ACU_RETURN_IF_ERROR(input.derived->AddLaunches(*plan, context, input.video));
  }
  return plan;
}

}  // namespace acutance
