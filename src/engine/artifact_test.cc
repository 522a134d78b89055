// Artifacts of a session: their order, who gets them, and what ends a run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/temp_dir.h"
#include "engine/artifact_files.h"
#include "engine/session.h"

namespace acutance {
namespace {

using testing::HasSubstr;

constexpr PictureFormat kFormat{232, 50, 8, PixelFormat::k400};
constexpr int kHeatmaps = 5;

/// Bands, other ones in each frame.
Picture BandedPicture(int frame, int video) {
  const MutablePicture picture = AllocatePicture(kFormat).value();
  for (int y = 0; y < kFormat.height; ++y)
    for (int x = 0; x < kFormat.width; ++x)
      picture.Row<uint8_t>(0, y)[x] = static_cast<uint8_t>(40 + ((x * (frame + 1) + y * (video + 2)) >> 6));
  return picture.Share();
}

Status Score(SessionSpec spec, int frames) {
  const int videos = spec.distorted_count;
  spec.format = kFormat;
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<Session> session, Session::Open(std::move(spec)));
  for (int f = 0; f < frames; ++f) {
    std::vector<Picture> distorted;
    for (int v = 0; v < videos; ++v) distorted.push_back(BandedPicture(f, v));
    ACU_RETURN_IF_ERROR(session->Add(BandedPicture(f, 9), std::move(distorted)));
  }
  return session->Flush();
}

std::string BytesOf(const Picture& picture) {
  std::string bytes;
  for (int y = 0; y < picture.format.height; ++y)
    bytes.append(picture.planes[0].Row<char>(y), picture.format.width * picture.format.BytesPerSample());
  return bytes;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Seen {
  std::string name;
  int64_t frame;
  int distorted;
  std::string bytes;
  bool operator==(const Seen&) const = default;
};

std::vector<Seen> ArtifactsOf(int threads, int videos, int frames) {
  std::vector<Seen> seen;
  SessionSpec spec = {.features = {{"psnr", {}}, {"cambi", {{"tvi_threshold", "0.03"}}}},
                      .threads = threads,
                      .distorted_count = videos,
                      .on_artifact = [&](const Artifact& artifact) {
                        seen.push_back({artifact.name, artifact.frame, artifact.distorted, BytesOf(artifact.picture)});
                        return Status();
                      }};
  EXPECT_TRUE(Score(std::move(spec), frames).ok());
  return seen;
}

TEST(Artifacts, ComeInFrameOrderOnAnyNumberOfThreads) {
  const std::vector<Seen> one = ArtifactsOf(1, 2, 6);
  ASSERT_EQ(one.size(), 6u * 2 * kHeatmaps);
  EXPECT_EQ(one[0].name, "cambi_heatmap_scale_0_tvit_0.03");
  for (size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].frame, static_cast<int64_t>(i / (2 * kHeatmaps)));
    EXPECT_EQ(one[i].distorted, static_cast<int>(i / kHeatmaps % 2));
  }
  EXPECT_TRUE(one[0].bytes != one[kHeatmaps].bytes);
  EXPECT_TRUE(one[0].bytes != std::string(one[0].bytes.size(), '\0'));
  for (const int threads : {2, 5}) EXPECT_TRUE(ArtifactsOf(threads, 2, 6) == one) << threads;
}

TEST(Artifacts, AnErrorOfTheSinkEndsTheSession) {
  int calls = 0;
  SessionSpec spec = {.features = {{"cambi", {}}}, .on_artifact = [&](const Artifact& artifact) {
                        ++calls;
                        return artifact.frame == 1 ? Error(StatusCode::kIo, "the disk is full") : Status();
                      }};
  EXPECT_EQ(Score(std::move(spec), 4).message(), "the disk is full");
  EXPECT_EQ(calls, kHeatmaps + 1);
}

TEST(Artifacts, NoFeatureThatHasAnyIsAnError) {
  SessionSpec spec = {.features = {{"psnr", {}}}, .on_artifact = [](const Artifact&) { return Status(); }};
  EXPECT_THAT(Score(std::move(spec), 1).message(), HasSubstr("none of the features has any"));
}

TEST(Artifacts, AreFilesOfEachFrame) {
  const test::TempDir folder;
  for (const int videos : {1, 2}) {
    SessionSpec spec = {.features = {{"cambi", {}}},
                        .distorted_count = videos,
                        .on_artifact = MakeMapFiles(folder / "maps/new", videos).value()};
    ASSERT_TRUE(Score(std::move(spec), 3).ok());
  }
  const std::string alone = ReadFile(folder / "maps/new/cambi_heatmap_scale_1_000002.tif");
  EXPECT_EQ(alone.size(), 256u + 116 * 25 * 2);
  EXPECT_TRUE(ReadFile(folder / "maps/new/video0_cambi_heatmap_scale_1_000002.tif") == alone);
  EXPECT_TRUE(ReadFile(folder / "maps/new/video1_cambi_heatmap_scale_1_000002.tif") != alone);
  EXPECT_THAT(MakeMapFiles(folder / "maps/new/cambi_heatmap_scale_1_000002.tif", 1).status().message(),
              HasSubstr("could not make the folder"));
}

SessionSpec WithHeatmaps(const std::string& folder) {
  SessionSpec spec = {.features = {{"cambi", {{"heatmaps_path", folder}}}}};
  return spec;
}

TEST(RawArtifacts, HaveAllFramesInAFile) {
  const test::TempDir folder;
  std::string expected;
  SessionSpec spec = WithHeatmaps(folder / "a/b");
  spec.threads = 3;
  spec.on_artifact = [&](const Artifact& artifact) {
    if (artifact.name == "cambi_heatmap_scale_0") expected += BytesOf(artifact.picture);
    return Status();
  };
  const std::string path = folder / "a/b/cambi_heatmap_scale_0_232x50_16b.gray";
  ASSERT_TRUE(Score(WithHeatmaps(folder / "a/b"), 7).ok());
  EXPECT_EQ(std::filesystem::file_size(path), 7u * 232 * 50 * 2);
  ASSERT_TRUE(Score(std::move(spec), 4).ok());  // replaces it
  EXPECT_TRUE(ReadFile(path) == expected);
  EXPECT_TRUE(std::filesystem::exists(folder / "a/b/cambi_heatmap_scale_4_15x4_16b.gray"));
}

TEST(RawArtifacts, FilesThatCannotBeAreAnError) {
  const test::TempDir folder;
  std::ofstream(folder / "file") << "no folder";
  EXPECT_THAT(Score(WithHeatmaps(folder / "file/maps"), 1).message(), HasSubstr("could not make the folder"));
  std::filesystem::create_directories(folder / "maps/cambi_heatmap_scale_0_232x50_16b.gray");
  EXPECT_THAT(Score(WithHeatmaps(folder / "maps"), 1).message(), HasSubstr("could not write"));
  SessionSpec two = WithHeatmaps(folder / "two");
  two.distorted_count = 2;
  EXPECT_THAT(Score(std::move(two), 1).message(), HasSubstr("score one at a time"));
  SessionSpec twice = WithHeatmaps(folder / "twice");
  twice.features.push_back({"cambi", {{"heatmaps_path", folder / "twice"}, {"window_size", "31"}}});
  EXPECT_THAT(Score(std::move(twice), 1).message(), HasSubstr("a folder of its own"));
}

}  // namespace
}  // namespace acutance
