#include "model/lost_points.h"

#include <gtest/gtest.h>

#include "model/builtin_models.h"

namespace acutance {
namespace {

double Points(const LostPoints& lost, Damage damage) { return lost.points[static_cast<int>(damage)]; }

/// cambi, speed_chroma, adm3, motion3 of vmaf_v1.0.16_3d0h. adm3 = 0.7 adm2 + 0.3 (1 - aim).
LostPoints Lost(std::vector<double> values, double aim = 0) {
  const Model model = LoadBuiltinModel("vmaf_v1.0.16_3d0h", "vmaf").value();
  const FeatureDamage damage[] = {
      {Damage::kBanding}, {Damage::kColor}, {Damage::kDetail, 1, Damage::kAddedDetail, 0.3 * aim}, {}};
  return FindLostPoints(model, values, damage, {});
}

TEST(LostPoints, AddUpToWhatIsMissing) {
  const LostPoints lost = Lost({6, 3, 0.9, 4}, 0.02);
  double sum = 0;
  for (const double points : lost.points) sum += points;
  EXPECT_GT(lost.best - lost.score, 10);
  EXPECT_NEAR(sum, lost.best - lost.score, 1e-9);
}

TEST(LostPoints, BlameWhatIsWrong) {
  const LostPoints banding = Lost({12, 0.5, 0.995, 4}), blur = Lost({0.1, 0.5, 0.8, 4}),
                   color = Lost({0.1, 12, 0.995, 4});
  EXPECT_GT(Points(banding, Damage::kBanding), 0.8 * (banding.best - banding.score));
  EXPECT_GT(Points(blur, Damage::kDetail), 0.8 * (blur.best - blur.score));
  EXPECT_GT(Points(color, Damage::kColor), 0.6 * (color.best - color.score));
}

TEST(LostPoints, ShareAdm3BetweenItsParts) {
  // Of the 0.06 that are missing aim's part is 0.3 * 0.1.
  const LostPoints lost = Lost({0, 0, 0.94, 4}, 0.1), whole = Lost({0, 0, 0.94, 4});
  EXPECT_NEAR(Points(lost, Damage::kAddedDetail), Points(whole, Damage::kDetail) / 2, 1e-9);
  EXPECT_NEAR(Points(lost, Damage::kDetail), Points(whole, Damage::kDetail) / 2, 1e-9);
  EXPECT_EQ(Points(whole, Damage::kAddedDetail), 0);
}

TEST(LostPoints, OfThePlainModelAreDetailAndTexture) {
  const Model model = LoadBuiltinModel("vmaf_v0.6.1", "vmaf").value();
  const std::vector<double> values = {0.9, 4, 0.5, 0.8, 0.9, 0.95};
  const FeatureDamage texture{Damage::kTexture, 1};
  const FeatureDamage damage[] = {{Damage::kDetail, 1}, {}, texture, texture, texture, texture};
  const LostPoints lost = FindLostPoints(model, values, damage, {});
  EXPECT_GT(Points(lost, Damage::kDetail), 1);
  EXPECT_GT(Points(lost, Damage::kTexture), 1);
  EXPECT_EQ(Points(lost, Damage::kBanding), 0);
  EXPECT_NEAR(Points(lost, Damage::kDetail) + Points(lost, Damage::kTexture), lost.best - lost.score, 1e-9);
}

TEST(LostPoints, HaveAMean) {
  const LostPoints frames[] = {Lost({6, 3, 0.9, 4}), Lost({0, 0, 1, 4})};
  const LostPoints mean = MeanLostPoints(frames);
  EXPECT_NEAR(mean.score, (frames[0].score + frames[1].score) / 2, 1e-12);
  EXPECT_NEAR(Points(mean, Damage::kBanding), Points(frames[0], Damage::kBanding) / 2, 1e-12);
}

}  // namespace
}  // namespace acutance
