// What a user of the installed library writes: the score of one grey frame against itself.
#include <cstdio>
#include <memory>
#include <utility>

#include "engine/session.h"
#include "model/builtin_models.h"

int main() {
  using namespace acutance;
  Result<Model> model = LoadBuiltinModel("vmaf_v0.6.1", "vmaf");
  if (!model.ok()) return 1;
  SessionOptions options;
  options.models.push_back({.model = std::make_shared<const Model>(std::move(model).value())});
  Result<std::unique_ptr<Session>> session = Session::Create(std::move(options));
  const PictureFormat format{64, 48, 8, PixelFormat::k400};
  if (!session.ok() || !(*session)->Start(format).ok()) return 2;
  const Picture grey = AllocatePicture(format)->Share();
  if (!(*session)->Add(grey, {grey}).ok() || !(*session)->Flush().ok()) return 3;
  const ScoreTable& scores = (*session)->scores(0);
  const std::optional<double> vmaf = scores.Get(scores.Find("vmaf"), 0);
  if (!vmaf) return 4;
  std::printf("vmaf %f\n", *vmaf);
  return *vmaf > 90 ? 0 : 5;
}
