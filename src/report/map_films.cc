#include "report/map_films.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/threads/parallel_for.h"
#include "engine/frame_maps.h"
#include "engine/session.h"
#include "image/npy_writer.h"
#include "io/ffmpeg/motion_jpeg_writer.h"
#include "log/output_file.h"
#include "metric/registry.h"
#include "report/image_files.h"
#include "report/picture_image.h"
#include "report/run_maps.h"
#include "run/score_run.h"

namespace acutance {
namespace {

constexpr int kWidth = 960, kJpegQuality = 80;

/// The films and arrays of one feature's map.
struct MapFiles {
  std::unique_ptr<OutputFile> film, array;
  std::unique_ptr<MotionJpegWriter> images;  // of the film
  int64_t frames = 0;
  int rows = 0, columns = 0;
  double most = 1e-300;  // the greatest loss of a block
};

/// The maps of one distorted picture, by the names of their files.
using NamedMaps = std::vector<std::pair<std::string, FrameMap>>;

class MapFilms : public FrameObserver {
 public:
  MapFilms(std::string folder, int threads) : folder_(std::move(folder)), threads_(threads) {}

  Status Start(const Session& session, const ScoredRun& run) override {
    session_ = &session;
    run_ = &run;
    files_.clear();
    waiting_.clear();
    return MakeFolder(folder_);
  }

  Status Add(const FramePair& pair) override {
    if (!pair.reference.planes[0].data)
      return Error(StatusCode::kUnsupported,
                   "maps of all frames are made of pictures in the host's memory, and a device decodes these");
    waiting_.push_back(pair);
    return static_cast<int>(waiting_.size()) < threads_ ? Status() : Work();
  }

  Status Finish() override {
    ACU_RETURN_IF_ERROR(Work());
    if (files_.empty())
      return Error(
          StatusCode::kInvalidArgument, "none of the features has maps; add one that has: {}",
          fmt::join(MetricNames([](const Metric& metric) { return metric.map.source != MapSource::kNone; }), ", "));
    for (auto& [name, files] : files_) {
      files.array->Replace(NpyHeader({files.frames, files.rows, files.columns}));
      ACU_RETURN_IF_ERROR(files.array->Commit());
      ACU_RETURN_IF_ERROR(files.images->Finish());
      ACU_RETURN_IF_ERROR(files.film->Commit());
    }
    return {};
  }

 private:
  /// The maps of all pictures that wait, then their images.
  Status Work() {
    const size_t videos = waiting_.empty() ? 0 : waiting_.front().distorted.size();
    std::vector<NamedMaps> maps(waiting_.size() * videos);
    const auto for_each = [&](const std::function<Status(int)>& work) {
      return ParallelFor(threads_, static_cast<int>(maps.size()), work);
    };
    ACU_RETURN_IF_ERROR(for_each([&](int i) -> Status {
      ACU_ASSIGN_OR_RETURN(maps[i], MapsOf(waiting_[i / videos], i % videos));
      return {};
    }));
    std::vector<std::vector<std::string>> images(maps.size());
    std::vector<std::vector<double>> most(maps.size());
    for (size_t i = 0; i < maps.size(); ++i)
      for (const auto& [name, map] : maps[i]) {
        double& greatest = files_[name].most;
        greatest = std::max(greatest, *std::ranges::max_element(map.losses));
        most[i].push_back(greatest);
      }
    ACU_RETURN_IF_ERROR(for_each([&](int i) {
      images[i] = ImagesOf(waiting_[i / videos].distorted[i % videos], maps[i], most[i]);
      return Status();
    }));
    for (size_t i = 0; i < maps.size(); ++i)
      for (size_t m = 0; m < maps[i].size(); ++m)
        ACU_RETURN_IF_ERROR(Write(maps[i][m].first, maps[i][m].second,
                                  waiting_[i / videos].distorted[i % videos].format, images[i][m]));
    waiting_.clear();
    return {};
  }

  Result<NamedMaps> MapsOf(const FramePair& pair, size_t video) const {
    NamedMaps named;
    for (const MetricRun& run : session_->metric_runs()) {
      if (!run.Serves(static_cast<int>(video))) continue;
      ACU_ASSIGN_OR_RETURN(std::vector<FrameMap> maps, MakeFrameMaps(run, pair.reference, pair.distorted[video]));
      for (FrameMap& map : maps) {
        const std::string prefix =
            session_->run_videos() > 1 ? fmt::format("video{}_", session_->number(static_cast<int>(video))) : "";
        std::string name = prefix + map.name + run.options.KeySuffix();
        named.emplace_back(std::move(name), std::move(map));
      }
    }
    return named;
  }

  std::vector<std::string> ImagesOf(const Picture& picture, const NamedMaps& maps,
                                    const std::vector<double>& most) const {
    const RgbImage encode = DarkGray(ToImage(picture, run_->color.full_range.value_or(false), kWidth));
    std::vector<std::string> images;
    for (size_t m = 0; m < maps.size(); ++m) {
      const FrameMap& map = maps[m].second;
      images.push_back(
          Jpeg(MapOverImage(encode, picture.format, map.losses, map.size, map.columns, most[m]), kJpegQuality));
    }
    return images;
  }

  Status Write(const std::string& name, const FrameMap& map, const PictureFormat& format, const std::string& image) {
    MapFiles& files = files_[name];
    if (!files.film) ACU_RETURN_IF_ERROR(Open(name, map, format, files));
    ACU_RETURN_IF_ERROR(files.images->Add(image));
    files.array->Write(NpyValues(map.losses));
    ++files.frames;
    return {};
  }

  Status Open(const std::string& name, const FrameMap& map, const PictureFormat& format, MapFiles& files) const {
    constexpr double kUnknownRate = 25;
    const std::string path = folder_ + "/" + name;
    const auto [width, height] = ImageSize(format, kWidth);
    const double rate = run_->frame_rate.value_or(kUnknownRate) / session_->subsample();
    ACU_ASSIGN_OR_RETURN(files.film, OutputFile::Open(path + ".mkv"));
    ACU_ASSIGN_OR_RETURN(files.array, OutputFile::Open(path + ".npy"));
    const auto write = [film = files.film.get()](std::string_view bytes) { film->Write(bytes); };
    ACU_ASSIGN_OR_RETURN(files.images, OpenMotionJpegWriter(width, height, rate, write));
    files.rows = map.rows;
    files.columns = map.columns;
    files.array->Write(NpyHeader({0, files.rows, files.columns}));  // Finish knows the frames
    return {};
  }

  const std::string folder_;
  const int threads_;
  const Session* session_ = nullptr;
  const ScoredRun* run_ = nullptr;
  std::vector<FramePair> waiting_;
  std::map<std::string, MapFiles> files_;
};

}  // namespace

std::shared_ptr<FrameObserver> MakeMapFilms(std::string folder, int threads) {
  return std::make_shared<MapFilms>(std::move(folder), threads);
}

}  // namespace acutance
