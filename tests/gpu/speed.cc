#include "tests/gpu/speed.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <vector>

#include "exec/plan.h"
#include "exec/run_plan.h"
#include "tests/parity/pictures.h"

namespace acutance {
namespace {

constexpr int kRounds = 3;
constexpr int64_t kPixelsARound = 400'000'000;

using Runners = std::array<std::unique_ptr<PlanRunner>, 2>;

/// Batches go to the runners in turn: one is filled while the other's work is under way.
Result<double> SecondsFor(Runners& runners, int batches, const std::vector<const Picture*>& references,
                          const std::vector<const Picture*>& distorted) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < batches + 2; ++i) {
    PlanRunner& runner = *runners[i % 2];
    if (i >= 2) ACU_RETURN_IF_ERROR(runner.Wait());
    if (i < batches) ACU_RETURN_IF_ERROR(runner.Start(references, distorted));
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<const Picture*> Pointers(const std::vector<Picture>& pictures) {
  std::vector<const Picture*> pointers;
  pointers.reserve(pictures.size());
  for (const Picture& picture : pictures) pointers.push_back(&picture);
  return pointers;
}

}  // namespace

Result<Speed> MeasureSpeed(Device& device, const Metric& metric, const PictureFormat& format) {
  const OptionValues options(metric.options);
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Extractor> extractor, metric.make(options, format));
  const int history = extractor->Lag();
  const auto plan_for = [&](const PlanContext& context) { return metric.make_plan(options, context); };
  ACU_ASSIGN_OR_RETURN(const Plan asked, plan_for(MakePlanContext(format, 1, history, device.info().family)));
  const int batch = asked.preferred_batch();
  const PlanContext context = MakePlanContext(format, batch, history, device.info().family);
  ACU_ASSIGN_OR_RETURN(const Plan plan, plan_for(context));

  Runners runners;
  for (std::unique_ptr<PlanRunner>& runner : runners) {
    ACU_ASSIGN_OR_RETURN(runner, PlanRunner::Make(device, {plan}, context, {}));
  }
  const std::vector<Picture> reference = MakeClip(format, Content::kFilm, history + batch, 1);
  const std::vector<Picture> distorted = MakeClip(format, Content::kFilm, batch, 2);
  const int64_t pixels = static_cast<int64_t>(format.width) * format.height * batch;
  const int batches = static_cast<int>(std::max<int64_t>(4, kPixelsARound / pixels));
  double best = 1e30;
  for (int round = 0; round < kRounds; ++round) {
    ACU_ASSIGN_OR_RETURN(const double seconds, SecondsFor(runners, batches, Pointers(reference), Pointers(distorted)));
    best = std::min(best, seconds);
  }
  return Speed{batch, batches * batch / best};
}

}  // namespace acutance
