// The C++ API gives the engine's scores, and misuse of it gives errors.
#include <acutance/acutance.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <vector>

#include "api/test_clips.h"
#include "base/temp_dir.h"

namespace {

using acutance::Expected;
using acutance::Model;
using acutance::Picture;
using acutance::PictureFormat;
using acutance::PixelFormat;
using acutance::Pooling;
using acutance::Session;
using acutance::SessionOptions;
using acutance::StatusCode;
using acutance::test::kFormat;
using acutance::test::MakePicture;
using acutance::test::Sample;
using acutance::test::ScoreFrames;
using acutance::test::VmafAndPsnr;
using acutance::test::WriteClip;
using testing::HasSubstr;

TEST(Api, ThreadsGiveTheSameScores) {
  SessionOptions options = VmafAndPsnr();
  const auto one = ScoreFrames(options, 6);
  options.threads = 3;
  const auto three = ScoreFrames(options, 6);
  ASSERT_TRUE(one.ok() && three.ok()) << one.status().message() << three.status().message();
  ASSERT_EQ(one->names(), three->names());
  EXPECT_THAT(one->names(), testing::IsSupersetOf({"vmaf", "integer_adm2", "integer_motion2", "psnr_y"}));
  for (const std::string& name : one->names()) EXPECT_EQ(*one->Scores(name), *three->Scores(name)) << name;
  EXPECT_EQ(one->frames(), 6);
  EXPECT_EQ(one->Aggregates(), three->Aggregates());
  EXPECT_EQ(one->Aggregates().size(), 3u);
}

TEST(Api, ARestartedSessionScoresAsANewOne) {
  const SessionOptions options = VmafAndPsnr();
  const auto expected = ScoreFrames(options, 4);
  ASSERT_TRUE(expected.ok());
  auto session = Session::Create(options);
  ASSERT_TRUE(session.ok());
  EXPECT_EQ(session->Restart().code(), StatusCode::kInvalidArgument);
  for (const int frames : {6, 4}) {
    for (int i = 0; i < frames; ++i) ASSERT_TRUE(session->Add(MakePicture(i, 0), MakePicture(i, 24)).ok());
    const auto result = session->Finish();
    ASSERT_TRUE(result.ok()) << result.status().message();
    EXPECT_EQ(result->frames(), frames);
    if (frames == 4)
      for (const std::string& name : expected->names()) EXPECT_EQ(*result->Scores(name), *expected->Scores(name));
    EXPECT_TRUE(session->Restart().ok());
    EXPECT_EQ(session->frames_added(), 0);
  }
}

TEST(Api, PsnrIsWhatItsFormulaSays) {
  SessionOptions options;
  options.features = {{"psnr", {}}};
  const auto result = ScoreFrames(options, 1);
  ASSERT_TRUE(result.ok());
  double sse = 0;
  for (int y = 0; y < kFormat.height; ++y)
    for (int x = 0; x < kFormat.width; ++x) sse += std::pow(Sample(x, y, 0, 0) - Sample(x, y, 0, 24), 2);
  const double mse = sse / (kFormat.width * kFormat.height);
  EXPECT_NEAR(result->Scores("psnr_y")->front(), 10 * std::log10(255.0 * 255.0 / mse), 1e-9);
}

TEST(Api, PoolingAgreesWithTheScores) {
  const auto result = ScoreFrames(VmafAndPsnr(), 5);
  ASSERT_TRUE(result.ok());
  const std::vector<double> scores = *result->Scores("vmaf");
  double sum = 0;
  for (double score : scores) sum += score;
  EXPECT_EQ(*result->Pool("vmaf"), sum / 5);
  EXPECT_EQ(*result->Pool("vmaf", Pooling::kMin), *std::ranges::min_element(scores));
  EXPECT_EQ(*result->Pool("vmaf", Pooling::kMax, {1, 2}), std::max(scores[1], scores[2]));
  EXPECT_EQ(*result->Pool("VMAF_integer_feature_adm2_score"), *result->Pool("integer_adm2"));
  EXPECT_LT(*result->Pool("vmaf", Pooling::kHarmonicMean), *result->Pool("vmaf"));
  EXPECT_EQ(*result->Pool("vmaf", "mean"), *result->Pool("vmaf"));
  EXPECT_EQ(*result->Pool("vmaf", "p0"), *result->Pool("vmaf", Pooling::kMin));
  EXPECT_EQ(*result->Pool("vmaf", "worst_second", {}, 0, 1), *result->Pool("vmaf", Pooling::kMin));
  EXPECT_EQ(result->Pool("vmaf", "worst_second").status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(result->Pool("vmaf", "perc5").status().message(), HasSubstr("worst_percent"));
  const auto interval = result->MeanInterval("vmaf");
  ASSERT_TRUE(interval.ok());
  EXPECT_LT(interval->low, *result->Pool("vmaf"));
  EXPECT_GT(interval->high, *result->Pool("vmaf"));
  EXPECT_FALSE(result->MeanInterval("vmaf", 1.5).ok());
  EXPECT_EQ(result->Pool("vmaf", Pooling::kMean, {2, 9}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(result->Pool("vmaff").status().message(), HasSubstr("did you mean 'vmaf'?"));
  EXPECT_EQ(result->Scores("vmaf", 1).status().code(), StatusCode::kInvalidArgument);
}

TEST(Api, SubsamplingLeavesGaps) {
  SessionOptions options = VmafAndPsnr();
  options.subsample = 2;
  const auto result = ScoreFrames(options, 5);
  ASSERT_TRUE(result.ok());
  const std::vector<double> scores = *result->Scores("vmaf");
  EXPECT_TRUE(std::isnan(scores[1]) && std::isnan(scores[3]));
  EXPECT_EQ(*result->Pool("vmaf"), (scores[0] + scores[2] + scores[4]) / 3);
}

TEST(Api, WrappedSamplesAreReadInPlaceAndReleased) {
  std::atomic<int> released = 0;
  SessionOptions options;
  options.features = {{"psnr", {}}};
  options.threads = 2;
  auto session = *Session::Create(options);
  for (int i = 0; i < 12; ++i) {
    const Picture samples = MakePicture(i, 24);
    const std::vector<acutance::PlaneView> planes = {{samples.data(0), samples.stride(0)},
                                                     {samples.data(1), samples.stride(1)},
                                                     {samples.data(2), samples.stride(2)}};
    const std::shared_ptr<const void> owner(samples.data(0), [&, samples](const void*) { ++released; });
    const auto wrapped = Picture::Wrap(kFormat, planes, owner);
    ASSERT_TRUE(wrapped.ok());
    EXPECT_EQ(wrapped->data(1), samples.data(1));
    ASSERT_TRUE(session.Add(MakePicture(i, 0), *wrapped).ok());
  }
  const auto result = session.Finish();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(released, 12);
  const auto direct = ScoreFrames(options, 12);
  EXPECT_EQ(*result->Scores("psnr_cb"), *direct->Scores("psnr_cb"));
}

/// A decoder with four surfaces, fewer than the frames of a batch on any device.
TEST(Api, APauseEndsABatch) {
  SessionOptions options;
  options.features = {{"motion", {}}};
  options.backend = "emu";
  auto session = *Session::Create(options);
  std::counting_semaphore<4> surfaces(4);
  const Picture samples = MakePicture(0, 0);
  const std::vector<acutance::PlaneView> luma = {{samples.data(0), samples.stride(0)}};
  for (int i = 0; i < 9; ++i) {
    ASSERT_TRUE(surfaces.try_acquire_for(std::chrono::seconds(20))) << "frame " << i;
    const std::shared_ptr<const void> owner(samples.data(0), [&surfaces](const void*) { surfaces.release(); });
    ASSERT_TRUE(session.Add(samples, *Picture::Wrap(kFormat, luma, owner)).ok());
  }
  EXPECT_TRUE(session.Finish().ok());
}

TEST(Api, ScoresCanBeReadOnTheWay) {
  SessionOptions options = VmafAndPsnr();
  auto session = *Session::Create(options);
  EXPECT_FALSE(session.Score("psnr_y", 0));
  ASSERT_TRUE(session.Add(MakePicture(0, 0), MakePicture(0, 24)).ok());
  const auto score = session.Score("psnr_y", 0);
  ASSERT_TRUE(score);
  EXPECT_FALSE(session.Score("psnr_y", 1));
  EXPECT_EQ(session.Finish()->Scores("psnr_y")->front(), *score);
}

TEST(Api, SeveralVideosShareAReference) {
  SessionOptions options;
  options.features = {{"psnr", {}}};
  options.videos = 2;
  auto session = *Session::Create(options);
  ASSERT_TRUE(session.Add(MakePicture(0, 0), {MakePicture(0, 24), MakePicture(0, 8)}).ok());
  EXPECT_EQ(session.Add(MakePicture(1, 0), MakePicture(1, 24)).code(), StatusCode::kInvalidArgument);
  const auto result = session.Finish();
  ASSERT_TRUE(result.ok());
  EXPECT_LT(*result->Pool("psnr_y"), *result->Pool("psnr_y", Pooling::kMean, {}, 1));
}

TEST(Api, ModelOptionsChangeFeatureNames) {
  SessionOptions options = VmafAndPsnr();
  ASSERT_TRUE(options.models[0].SetOption("adm", "adm_enhn_gain_limit", "1").ok());
  const auto result = ScoreFrames(options, 2);
  ASSERT_TRUE(result.ok());
  EXPECT_THAT(result->names(), testing::Contains("integer_adm2_egl_1"));
  EXPECT_EQ(options.models[0].SetOption("adm", "adm_enhn_gain_limit", "1000").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(options.models[0].SetOption("adn", "x", "1").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(options.models[0].SetOption("psnr", "enable_mse", "true").code(), StatusCode::kInvalidArgument);
}

TEST(Api, MisuseIsAnErrorWithAMessage) {
  EXPECT_THAT(Model::Load("vmaf_v0.6.2").status().message(), HasSubstr("vmaf_v0.6.1"));
  EXPECT_EQ(Model::LoadFile("no/such/model.json").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(Session::Create({}).status().code(), StatusCode::kInvalidArgument);
  SessionOptions options = VmafAndPsnr();
  options.backend = "cudda";
  EXPECT_THAT(Session::Create(options).status().message(), HasSubstr("did you mean 'cuda'?"));
  options = VmafAndPsnr();
  auto unused = *Session::Create(options);
  EXPECT_FALSE(unused.Finish().ok());
  auto session = *Session::Create(options);
  ASSERT_TRUE(session.Add(MakePicture(0, 0), MakePicture(0, 1)).ok());
  EXPECT_EQ(session.Add(MakePicture(1, 0), MakePicture(1, 1, {64, 80})).code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(session.Start(kFormat).ok());
  EXPECT_TRUE(session.Add(MakePicture(1, 0), MakePicture(1, 1)).ok());
  EXPECT_TRUE(session.Finish().ok());
  EXPECT_FALSE(session.Finish().ok());
  EXPECT_FALSE(session.Add(MakePicture(1, 0), MakePicture(1, 1)).ok());
}

TEST(Api, ThreadsMayShareASession) {
  SessionOptions options = VmafAndPsnr();
  options.threads = 3;
  auto session = *Session::Create(options);
  std::atomic<int> added = 0;
  const auto feed = [&] {
    for (int i = 0; i < 30; ++i) added += session.Add(MakePicture(7, 0), MakePicture(7, 24)).ok();
  };
  std::thread other(feed);
  std::thread reader([&] {
    while (session.frames_done() < 30) session.Score("psnr_y", session.frames_added() - 1);
  });
  feed();
  other.join();
  reader.join();
  EXPECT_EQ(added, 60);
  std::atomic<int> finished = 0;
  const auto finish = [&] { finished += session.Finish().ok(); };
  std::thread closer(finish);
  finish();
  closer.join();
  EXPECT_EQ(finished, 1);
  EXPECT_EQ(session.Score("psnr_y", 59), session.Score("psnr_y", 0));
  EXPECT_TRUE(session.Score("psnr_y", 59));
}

TEST(Api, PicturesAreChecked) {
  EXPECT_EQ(Picture::Allocate({0, 16}).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Picture::Allocate({16, 16, 11}).status().code(), StatusCode::kInvalidArgument);
  const Picture samples = MakePicture(0, 0);
  const auto wrap = [&](std::vector<acutance::PlaneView> planes, PictureFormat format = kFormat) {
    return Picture::Wrap(format, planes, samples.owner()).status();
  };
  EXPECT_TRUE(wrap({{samples.data(0), 96}}).ok());
  EXPECT_THAT(wrap({{samples.data(0), 95}}).message(), HasSubstr("95"));
  EXPECT_FALSE(wrap({{samples.data(0), -95}}).ok());
  EXPECT_TRUE(wrap({{samples.data(0), std::numeric_limits<ptrdiff_t>::min()}}).ok());  // no sanitizer objects
  EXPECT_FALSE(wrap({{samples.data(0), 96}, {samples.data(1), 48}}).ok());
  EXPECT_FALSE(wrap({{nullptr, 96}}).ok());
  EXPECT_FALSE(wrap({{samples.data(0), 193}}, {96, 8, 10, PixelFormat::k400}).ok());

  SessionOptions options = VmafAndPsnr();
  auto session = *Session::Create(options);
  const std::vector<acutance::PlaneView> luma = {{samples.data(0), samples.stride(0)}};
  const Picture without_chroma = *Picture::Wrap(kFormat, luma, samples.owner());
  EXPECT_TRUE(session.NeedsChroma());
  EXPECT_THAT(session.Add(without_chroma, without_chroma).message(), HasSubstr("chroma"));
}

TEST(Api, DevicePicturesNeedADeviceThatReadsThem) {
  const auto on_device = [](const Picture& picture, int device = 0) {
    const std::vector<acutance::PlaneView> planes = {{picture.data(0), picture.stride(0)},
                                                     {picture.data(1), picture.stride(1)},
                                                     {picture.data(2), picture.stride(2)}};
    return *Picture::WrapDevice(picture.format(), device, planes, picture.owner());
  };
  const Picture reference = MakePicture(0, 0), distorted = MakePicture(0, 24);
  SessionOptions options;
  options.features = {{"psnr", {}}};
  auto cpu = *Session::Create(options);
  EXPECT_EQ(cpu.Add(on_device(reference), on_device(distorted)).code(), StatusCode::kUnsupported);
  EXPECT_EQ(cpu.Add(reference, on_device(distorted)).code(), StatusCode::kUnsupported);
  ASSERT_TRUE(cpu.Add(reference, distorted).ok());
  options.backend = "emu";  // its device memory is the host's
  auto device = *Session::Create(options);
  EXPECT_THAT(device.Add(on_device(reference, 1), distorted).message(), HasSubstr("choose device 1"));
  ASSERT_TRUE(device.Add(on_device(reference), on_device(distorted)).ok());
  EXPECT_EQ(*device.Finish()->Scores("psnr_y"), *cpu.Finish()->Scores("psnr_y"));

  const std::vector<acutance::PlaneView> upside_down = {{reference.data(0), -reference.stride(0)}};
  EXPECT_THAT(Picture::WrapDevice(kFormat, 0, upside_down, nullptr).status().message(), HasSubstr("top to bottom"));
}

TEST(Api, WarningsAreToldOnce) {
  const acutance::test::TempDir folder;
  WriteClip(folder / "clip.y4m", 2, 0);
  acutance::ScoreOptions options;
  options.session = VmafAndPsnr();
  options.session.features.push_back({"vif", {{"debug", "true"}}});  // the model's VIF came first
  const auto of_files = acutance::Score(folder / "clip.y4m", {folder / "clip.y4m"}, options);
  ASSERT_TRUE(of_files.ok()) << of_files.status().message();
  EXPECT_THAT(of_files->warnings(), testing::ElementsAre(HasSubstr("debug=true is ignored")));
  EXPECT_EQ(ScoreFrames(options.session, 2)->warnings(), of_files->warnings());
}

TEST(Api, ARunGoesOnFromItsJournalAndPartsAreJoined) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m", distorted = folder / "distorted.y4m";
  WriteClip(reference, 6, 0);
  WriteClip(distorted, 6, 24);
  const auto whole = ScoreFrames(VmafAndPsnr(), 6);
  acutance::ScoreOptions options;
  options.session = VmafAndPsnr();
  options.journal = folder / "first";
  options.frame_count = 4;
  options.on_progress = [](const acutance::Progress& progress) {
    EXPECT_EQ(progress.total, 4);
    return progress.frames >= 1 ? acutance::FrameAction::kStop : acutance::FrameAction::kContinue;
  };
  ASSERT_TRUE(acutance::Score(reference, {distorted}, options).ok());
  EXPECT_FALSE(acutance::Join({options.journal}).ok());  // not at its end
  options.on_progress = nullptr;
  const auto first = acutance::Score(reference, {distorted}, options);
  ASSERT_TRUE(first.ok()) << first.status().message();
  EXPECT_EQ(*first->Scores("vmaf"), *ScoreFrames(VmafAndPsnr(), 4)->Scores("vmaf"));
  options.journal = folder / "second";
  options.first_frame = 4;
  options.frame_count = 0;
  ASSERT_TRUE(acutance::Score(reference, {distorted}, options).ok());
  const auto joined = acutance::Join({folder / "second", folder / "first"});
  ASSERT_TRUE(joined.ok()) << joined.status().message();
  EXPECT_EQ(joined->names(), whole->names());
  for (const std::string& name : whole->names()) EXPECT_EQ(*joined->Scores(name), *whole->Scores(name)) << name;
  EXPECT_EQ(acutance::Join({folder / "second"}).status().code(), StatusCode::kInvalidArgument);
}

TEST(Api, FilesScoreAsTheirPictures) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m", distorted = folder / "distorted.y4m";
  WriteClip(reference, 6, 0);
  WriteClip(distorted, 6, 24);
  acutance::ScoreOptions options;
  options.session = VmafAndPsnr();
  int calls = 0;
  options.on_progress = [&](const acutance::Progress& progress) {
    EXPECT_EQ(progress.total, 6);
    ++calls;
    return acutance::FrameAction::kContinue;
  };
  const auto result = acutance::Score(reference, {distorted}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(calls, 6);
  EXPECT_EQ(*result->Scores("vmaf"), *ScoreFrames(VmafAndPsnr(), 6)->Scores("vmaf"));

  EXPECT_TRUE(result->WriteLog(folder / "log.json", "json").ok());
  EXPECT_FALSE(result->WriteLog(folder / "log.json", "yaml").ok());
  EXPECT_EQ(result->WriteLog("no/such/folder/log.xml", "xml").code(), StatusCode::kIo);

  options.on_progress = [](const acutance::Progress&) { return acutance::FrameAction::kCancel; };
  EXPECT_EQ(acutance::Score(reference, {distorted}, options).status().code(), StatusCode::kCancelled);
  calls = 0;
  options.on_progress = [&](const acutance::Progress&) {
    return ++calls == 3 ? acutance::FrameAction::kStop : acutance::FrameAction::kContinue;
  };
  const auto some = acutance::Score(reference, {distorted}, options);
  ASSERT_TRUE(some.ok()) << some.status().message();
  EXPECT_EQ(some->frames(), 3);
  EXPECT_EQ(*some->Scores("vmaf"), *ScoreFrames(VmafAndPsnr(), 3)->Scores("vmaf"));
  options.on_progress = nullptr;
  options.watch_cancel = [](const std::function<void()>& cancel) {
    cancel();
    return nullptr;
  };
  EXPECT_EQ(acutance::Score(reference, {distorted}, options).status().code(), StatusCode::kCancelled);
  options.watch_cancel = nullptr;
  EXPECT_THAT(acutance::Score("no/such.y4m", {distorted}, options).status().message(), HasSubstr("no/such.y4m"));
  options.first_frame = -1;
  EXPECT_THAT(acutance::Score(reference, {distorted}, options).status().message(), HasSubstr("first_frame -1"));
}

TEST(Api, FramesArePairedAsAsked) {
  const acutance::test::TempDir folder;
  WriteClip(folder / "a.y4m", 6, 0);
  acutance::ScoreOptions options;
  options.session.features = {{"psnr", {}}};
  options.no_model = true;
  options.align = "+2";
  const auto late = acutance::Score(folder / "a.y4m", {folder / "a.y4m"}, options);
  ASSERT_TRUE(late.ok()) << late.status().message();
  ASSERT_TRUE(late->alignment());
  EXPECT_EQ(late->alignment()->by, acutance::Alignment::By::kGiven);
  EXPECT_THAT(late->alignment()->pairs,
              testing::ElementsAre(testing::Pair(0, 2), testing::Pair(1, 3), testing::Pair(2, 4), testing::Pair(3, 5)));
  EXPECT_FALSE(late->alignment(1));
  std::ofstream(folder / "pairs.csv") << "0,0\n3,1\n";
  options.align = folder / "pairs.csv";
  ASSERT_TRUE(options.Set("missing", "hold").ok());
  const auto held = acutance::Score(folder / "a.y4m", {folder / "a.y4m"}, options);
  ASSERT_TRUE(held.ok()) << held.status().message();
  EXPECT_EQ(held->alignment()->held_count(), 2);
  EXPECT_EQ(held->frames(), 4);
  options.align = "index";
  EXPECT_FALSE(acutance::Score(folder / "a.y4m", {folder / "a.y4m"}, options)->alignment());
  options.align = "soon";
  EXPECT_THAT(acutance::Score(folder / "a.y4m", {folder / "a.y4m"}, options).status().message(),
              HasSubstr("align \"soon\": expected auto"));
}

TEST(Api, ComparesThePartThatIsAskedFor) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m";
  WriteClip(reference, 2, 0);
  acutance::ScoreOptions options;
  options.session.features = {{"psnr", {}}};
  options.no_model = true;
  options.align = "index";
  options.crop = "64:48:16:8";
  options.deinterlace = "both";
  const auto part = acutance::Score(reference, {reference}, options);
  ASSERT_TRUE(part.ok()) << part.status().message();
  EXPECT_EQ(part->format().width, 64);
  EXPECT_THAT(part->warnings(), testing::Contains(HasSubstr("is cropped to 64:48:16:8")));
  EXPECT_THAT(part->warnings(), testing::Contains(HasSubstr("is deinterlaced: the top field")));
  options.crop = "64:48";
  EXPECT_THAT(acutance::Score(reference, {reference}, options).status().message(),
              HasSubstr("crop \"64:48\": expected"));
  options.crop = "none";
  options.deinterlace = "always";
  EXPECT_THAT(acutance::Score(reference, {reference}, options).status().message(),
              HasSubstr("deinterlace \"always\": expected one of auto, on, off, ref, dis, both"));
}

TEST(Api, VideosOfDifferentSizesAreScaledAsAsked) {
  const acutance::test::TempDir folder;
  const std::string reference = folder / "reference.y4m", small = folder / "small.y4m";
  WriteClip(reference, 2, 0);
  WriteClip(small, 2, 24, {48, 40});
  acutance::ScoreOptions options;
  options.session.features = {{"psnr", {}}};
  options.no_model = true;
  const auto score = [&](const std::string& scale, const std::string& filter) {
    options.scale = scale;
    options.scale_filter = filter;
    options.align = "index";  // the small one has another pattern
    return acutance::Score(reference, {small}, options);
  };
  const auto by_reference = score("ref", "bicubic"), by_distorted = score("dis", "lanczos"),
             given = score("72x60", "area");
  ASSERT_TRUE(by_reference.ok()) << by_reference.status().message();
  ASSERT_TRUE(by_distorted.ok()) << by_distorted.status().message();
  ASSERT_TRUE(given.ok()) << given.status().message();
  EXPECT_EQ(by_reference->format().width, kFormat.width);
  EXPECT_THAT(by_reference->warnings(), testing::ElementsAre(HasSubstr("is scaled from 48x40 to 96x80 (bicubic)")));
  EXPECT_EQ(by_distorted->format().width, 48);
  EXPECT_THAT(by_distorted->warnings(), testing::ElementsAre(HasSubstr("is scaled from 96x80 to 48x40 (lanczos)")));
  EXPECT_EQ(given->format().height, 60);
  EXPECT_THAT(given->warnings(), testing::Each(HasSubstr("to 72x60 (area)")));
  EXPECT_EQ(given->warnings().size(), 2u);

  EXPECT_THAT(score("96", "area").status().message(), HasSubstr("1920x1080"));
  EXPECT_THAT(score("0x5", "area").status().message(), HasSubstr("scale \"0x5\""));
  EXPECT_THAT(score("ref", "cubic").status().message(), HasSubstr("bicubic, lanczos, bilinear, area"));
}

TEST(Api, MapsAreFilesInAFolder) {
  const acutance::test::TempDir folder;
  WriteClip(folder / "a.y4m", 2, 0, {224, 216});
  acutance::ScoreOptions options;
  options.session.features = {{"cambi", {}}};
  options.no_model = true;
  options.session.maps = folder / "maps";
  const auto result = acutance::Score(folder / "a.y4m", {folder / "a.y4m"}, options);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_TRUE(std::filesystem::exists(folder / "maps/cambi_heatmap_scale_0_000001.tif"));

  options.session.maps = folder / "of pictures";
  auto session = acutance::Session::Create(options.session);
  ASSERT_TRUE(session.ok()) << session.status().message();
  const Picture picture = MakePicture(0, 0, {224, 216, 8, PixelFormat::k420});
  ASSERT_TRUE(session->Add(picture, picture).ok());
  ASSERT_TRUE(session->Finish().ok());
  EXPECT_TRUE(std::filesystem::exists(folder / "of pictures/cambi_heatmap_scale_4_000000.tif"));

  options.session.on_artifact = [](const acutance::Artifact&) { return acutance::Status(); };
  EXPECT_THAT(acutance::Score(folder / "a.y4m", {folder / "a.y4m"}, options).status().message(),
              HasSubstr("one of them"));
  EXPECT_THAT(acutance::Session::Create(options.session).status().message(), HasSubstr("one of them"));
}

TEST(Api, ListsWhatThereIs) {
  EXPECT_EQ(acutance::ListModels().front().name, "vmaf_v0.6.1");
  EXPECT_THAT(acutance::ListFeatures(), testing::Contains(testing::Field(&acutance::FeatureInfo::name, "psnr")));
  for (const acutance::FeatureInfo& feature : acutance::ListFeatures()) {
    if (feature.name == "butteraugli") {
      EXPECT_EQ(feature.lower_is_better, feature.outputs);
    } else if (feature.name == "adm") {
      EXPECT_THAT(feature.lower_is_better, testing::ElementsAre("integer_aim"));
    } else if (feature.name == "ciede" || feature.name == "motion") {
      EXPECT_THAT(feature.lower_is_better, testing::IsEmpty()) << feature.name;
    }
  }
  EXPECT_THAT(acutance::ListBackends(), testing::Contains(testing::Field(&acutance::BackendInfo::name, "cuda")));
  EXPECT_FALSE(acutance::Version().empty());
}

}  // namespace
