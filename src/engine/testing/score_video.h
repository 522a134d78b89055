// Sessions over test pictures, and comparisons of their scores.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/test_picture.h"
#include "engine/session.h"
#include "log/log_writer.h"

namespace acutance {

inline Picture Frame(const PictureFormat& format, int frame, int salt) {
  return MakeTestPicture(format, frame, salt).value();
}

inline std::unique_ptr<Session> OpenSession(SessionSpec spec) {
  auto opened = Session::Open(std::move(spec));
  EXPECT_TRUE(opened.ok()) << opened.status().message();
  return std::move(opened).value();
}

/// Adds frames 0 to count - 1 of one distorted video.
inline void AddFrames(Session& session, const PictureFormat& format, int count) {
  for (int i = 0; i < count; ++i) EXPECT_TRUE(session.Add(Frame(format, i, 0), {Frame(format, i, 3)}).ok());
}

/// Scores `frames` frames. picture: of video `video`, 0 for the reference.
inline std::unique_ptr<Session> ScoreVideo(SessionSpec spec, int frames,
                                           const std::function<Picture(int frame, int video)>& picture) {
  std::unique_ptr<Session> session = OpenSession(std::move(spec));
  for (int i = 0; i < frames; ++i) {
    std::vector<Picture> distorted;
    for (int d = 0; d < session->distorted_count(); ++d) distorted.push_back(picture(i, d + 1));
    EXPECT_TRUE(session->Add(picture(i, 0), std::move(distorted)).ok());
  }
  const Status flushed = session->Flush();
  EXPECT_TRUE(flushed.ok()) << flushed.message();
  return session;
}

inline void ExpectSameTables(const ScoreTable& a, const ScoreTable& b) {
  ASSERT_EQ(a.columns().size(), b.columns().size());
  for (size_t c = 0; c < a.columns().size(); ++c) {
    EXPECT_EQ(a.columns()[c].stored, b.columns()[c].stored);
    EXPECT_EQ(a.columns()[c].scores, b.columns()[c].scores) << a.columns()[c].stored;
  }
  EXPECT_EQ(a.aggregates(), b.aggregates());
}

inline void ExpectSameScores(const Session& a, const Session& b) {
  ASSERT_EQ(a.distorted_count(), b.distorted_count());
  for (int d = 0; d < a.distorted_count(); ++d) {
    SCOPED_TRACE("video " + std::to_string(d));
    ExpectSameTables(a.scores(d), b.scores(d));
  }
}

inline std::string LogOf(const Session& session, int distorted, const LogFormat& format) {
  std::string text;
  const LogInput input = {.scores = session.scores(distorted),
                          .frame_count = session.frames_added(),
                          .n_subsample = session.subsample(),
                          .version = "",
                          .numbers = NumberFormat::Parse("max").value()};
  format.write(input, [&](std::string_view part) { text += part; });
  return text;
}

inline std::shared_ptr<DevicePicker> Emu() { return std::make_shared<DevicePicker>(DeviceChoice{"emu", 0, {}}); }

}  // namespace acutance
