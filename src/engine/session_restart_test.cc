// A session that scores one video after another gives each the scores of a session of its own.
#include <gtest/gtest.h>

#include <vector>

#include "engine/session.h"
#include "engine/testing/score_video.h"
#include "model/builtin_models.h"

namespace acutance {
namespace {

const PictureFormat kFormat{64, 48, 8, PixelFormat::k420};

/// Features that compare frames, a model of them, and features whose values of the clip are no mean of frames.
SessionSpec SpecOf(int threads, std::shared_ptr<DevicePicker> devices) {
  return {.models = {{std::make_shared<const Model>(LoadBuiltinModel("vmaf_v0.6.1", "").value()), {}}},
          .features = {{"motion", {{"motion_five_frame_window", "true"}}},
                       {"motion", {}},
                       {"xpsnr", {}},
                       {"cvvdp", {}},
                       {"psnr", {{"enable_apsnr", "true"}}}},
          .threads = threads,
          .format = kFormat,
          .devices = std::move(devices)};
}

void AddClip(Session& session, int clip, int frames) {
  for (int i = 0; i < frames; ++i)
    ASSERT_TRUE(session.Add(Frame(kFormat, 7 * clip + i, clip), {Frame(kFormat, 7 * clip + i, 3 + clip)}).ok());
  const Status flushed = session.Flush();
  ASSERT_TRUE(flushed.ok()) << flushed.message();
}

void ExpectClipsAsAlone(const SessionSpec& spec) {
  const auto many = OpenSession(spec);
  const std::vector<int> lengths = {5, 1, 19, 2};
  for (int clip = 0; clip < static_cast<int>(lengths.size()); ++clip) {
    SCOPED_TRACE(clip);
    if (clip > 0) {
      ASSERT_TRUE(many->Restart().ok());
    }
    AddClip(*many, clip, lengths[clip]);
    const auto alone = OpenSession(SpecOf(1, nullptr));
    AddClip(*alone, clip, lengths[clip]);
    ExpectSameScores(*many, *alone);
    EXPECT_EQ(many->frames_done(), lengths[clip]);
  }
}

TEST(SessionRestart, ClipsScoreAsAlone) {
  for (const int threads : {1, 3}) ExpectClipsAsAlone(SpecOf(threads, nullptr));
}

TEST(SessionRestart, ClipsOnADeviceScoreAsAlone) { ExpectClipsAsAlone(SpecOf(2, Emu())); }

TEST(SessionRestart, ComesAfterTheFlush) {
  const auto session = OpenSession(SpecOf(1, nullptr));
  EXPECT_EQ(session->Restart().code(), StatusCode::kInvalidArgument);
  AddClip(*session, 0, 2);
  EXPECT_TRUE(session->Restart().ok());
  EXPECT_EQ(session->Restart().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(session->Flush().code(), StatusCode::kInvalidArgument);  // there is no frame
}

}  // namespace
}  // namespace acutance
