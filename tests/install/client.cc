// What a user of the installed library writes: the score of one grey frame against itself.
#include <acutance/acutance.h>

#include <cstdio>

int main() {
  acutance::SessionOptions options;
  if (auto model = acutance::Model::Load("vmaf_v0.6.1")) options.models.push_back(*model);
  auto session = acutance::Session::Create(options);
  auto grey = acutance::Picture::Allocate({64, 48, 8, acutance::PixelFormat::k400});
  if (!session || !grey || !session->Add(*grey, *grey).ok()) return 1;
  const auto result = session->Finish();
  const auto vmaf = result ? result->Pool("vmaf") : result.status();
  if (!vmaf) return 2;
  std::printf("vmaf %f\n", *vmaf);
  return *vmaf > 90 ? 0 : 3;
}
