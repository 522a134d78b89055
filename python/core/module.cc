// The extension module acutance._core: the C++ API for the Python files next to it, which users see.
#include <acutance/acutance.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <utility>

#include "python/core/arguments.h"
#include "python/core/clips.h"
#include "python/core/errors.h"
#include "python/core/stream.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace acutance::python {
namespace {

Model LoadModel(const nb::bytes& source, bool is_file, const nb::str& name, bool disable_clip, bool enable_transform,
                bool disable_transform) {
  const ModelOptions options{TextOf(name), disable_clip, enable_transform, disable_transform};
  return Take(is_file ? Model::LoadFile(TextOf(source), options) : Model::Load(TextOf(source), options));
}

/// Paths, and pages that quote them, need not be UTF-8.
nb::bytes ToBytes(const std::string& text) { return nb::bytes(text.data(), text.size()); }

std::vector<Model> ModelsOf(const nb::sequence& models) {
  return ListOf(models, [](nb::handle item) { return nb::cast<Model&>(item); });
}

/// features: pairs of a name and a dict of options.
std::vector<Feature> FeaturesOf(const nb::sequence& features) {
  return ListOf(features, [](nb::handle item) {
    const std::vector<nb::object> pair = ObjectsOf(item);
    if (pair.size() != 2) throw nb::next_overload();
    return Feature{TextOf(ItemOf<nb::str>(pair[0])), TextsOf(ItemOf<nb::dict>(pair[1]))};
  });
}

SessionOptions MakeOptions(const nb::sequence& models, const nb::sequence& features, int threads, int subsample,
                           int videos, const nb::str& backend, std::optional<int> device, const nb::bytes& maps,
                           std::optional<size_t> max_memory, std::optional<size_t> max_device_memory) {
  return {.models = ModelsOf(models),
          .features = FeaturesOf(features),
          .threads = threads,
          .subsample = subsample,
          .videos = videos,
          .backend = TextOf(backend),
          .device = device,
          .maps = TextOf(maps),
          .max_memory = max_memory,
          .max_device_memory = max_device_memory};
}

FormatHints MakeHints(std::optional<int> bit_depth, const std::optional<nb::str>& pixel_format) {
  FormatHints hints{bit_depth, {}};
  if (bit_depth && *bit_depth != 8 && *bit_depth != 10 && *bit_depth != 12 && *bit_depth != 16)
    RaiseArgument("bit_depth=" + std::to_string(*bit_depth) + ": there are 8, 10, 12 and 16");
  if (pixel_format) hints.pixel_format = PixelFormatOf(TextOf(*pixel_format));
  return hints;
}

using RawFormat = std::tuple<int, int, int, nb::str>;  // width, height, bit depth, pixel format

/// texts: pairs of an option's name and its value, as ScoreOptions::Set() takes them.
ScoreOptions MakeScoreOptions(const nb::sequence& models, const nb::sequence& features, const nb::sequence& texts,
                              int64_t first_frame, int64_t frame_count, const nb::bytes& maps_video) {
  ScoreOptions options;
  options.session.models = ModelsOf(models);
  options.session.features = FeaturesOf(features);
  options.first_frame = first_frame;
  options.frame_count = frame_count;
  options.maps_video = TextOf(maps_video);
  for (const nb::handle item : texts) {
    const std::vector<nb::object> pair = ObjectsOf(item);
    if (pair.size() != 2) throw nb::next_overload();
    Check(options.Set(TextOf(ItemOf<nb::str>(pair[0])), TextOf(ItemOf<nb::bytes>(pair[1]))));
  }
  return options;
}

/// Options whose run reports its progress to the task, and is ended by it.
ScoreOptions VideoProbe(ScoreOptions options, Task::Shared& shared) {
  options.on_progress = [&shared](const Progress& progress) {
    shared.SetProgress(progress);
    return shared.After();
  };
  options.watch_cancel = [&shared](std::function<void()> stop) { return shared.WatchCancel(std::move(stop)); };
  return options;
}

std::string PathOf(nb::handle path) { return TextOf(ItemOf<nb::bytes>(path)); }

/// A pair of the paths and of why the others are none.
nb::tuple VideosIn(const nb::bytes& folder, const ScoreOptions& options) {
  const FolderVideos found = Take(FindVideos(TextOf(folder), options));
  const auto list = [](const std::vector<std::string>& texts) {
    nb::list items;
    for (const std::string& text : texts) items.append(ToBytes(text));
    return items;
  };
  return nb::make_tuple(list(found.files), list(found.passed_over));
}

std::unique_ptr<Task> ScoreFiles(const nb::object& reference, const nb::sequence& distorted,
                                 const ScoreOptions& options) {
  const std::vector<std::string> others = ListOf(distorted, PathOf);
  std::optional<CachedReference> cached;
  if (nb::isinstance<CachedReference>(reference)) cached = nb::cast<CachedReference&>(reference);
  const std::string first = cached ? cached->path() : PathOf(reference);
  return std::make_unique<Task>([options, cached, first, others](Task::Shared& shared) {
    const ScoreOptions watched = VideoProbe(options, shared);
    return ToOutcome(cached ? acutance::Score(*cached, others, watched) : acutance::Score(first, others, watched));
  });
}

std::unique_ptr<Task> JudgeFiles(const nb::bytes& reference, const nb::bytes& distorted, const ScoreOptions& options,
                                 bool at_least, double bound, double confidence, bool certain, uint64_t seed) {
  const MeanGate gate{at_least, bound, confidence, certain, seed};
  return std::make_unique<Task>([=, first = TextOf(reference), other = TextOf(distorted)](Task::Shared& shared) {
    return ToOutcome(acutance::JudgeMean(first, other, gate, VideoProbe(options, shared)));
  });
}

std::unique_ptr<Task> JoinFiles(const nb::sequence& journals, int threads) {
  const std::vector<std::string> paths = ListOf(journals, PathOf);
  return std::make_unique<Task>([paths, threads](Task::Shared&) { return ToOutcome(acutance::Join(paths, threads)); });
}

/// An array that owns the values.
auto ToNumpy(std::vector<double> values) {
  auto* held = new std::vector<double>(std::move(values));
  const nb::capsule owner(held, [](void* memory) noexcept { delete static_cast<std::vector<double>*>(memory); });
  return nb::ndarray<nb::numpy, const double, nb::ndim<1>>(held->data(), {held->size()}, owner);
}

/// Name -> array.
nb::dict ToNumpy(const std::map<std::string, std::vector<double>>& named) {
  nb::dict arrays;
  for (const auto& [name, values] : named) arrays[nb::str(name.c_str(), name.size())] = nb::cast(ToNumpy(values));
  return arrays;
}

void BindCatalog(nb::module_& m) {
  m.def("version", [] { return std::string(Version()); });
  m.def("models", [] {
    std::vector<std::tuple<std::string, std::string, std::string>> models;
    for (const ModelInfo& model : ListModels()) models.emplace_back(model.name, model.viewing, model.description);
    return models;
  });
  m.def("features", [] {
    using Option = std::tuple<std::string, std::string, std::string, double, double>;
    using Names = std::vector<std::string>;
    std::vector<std::tuple<std::string, std::string, Names, std::vector<Option>, Names>> features;
    for (const FeatureInfo& feature : ListFeatures()) {
      std::vector<Option> options;
      for (const OptionInfo& option : feature.options)
        options.emplace_back(option.name, option.help, option.default_value, option.min, option.max);
      features.emplace_back(feature.name, feature.summary, feature.outputs, std::move(options),
                            feature.lower_is_better);
    }
    return features;
  });
  m.def("backends", [] {
    using Device = std::tuple<std::string, int, std::string, std::string>;
    std::vector<std::tuple<std::string, std::string, std::vector<Device>, std::string>> backends;
    const nb::gil_scoped_release release;
    for (const BackendInfo& backend : ListBackends()) {
      std::vector<Device> devices;
      for (const DeviceInfo& device : backend.devices)
        devices.emplace_back(device.backend, device.index, device.name, device.driver);
      backends.emplace_back(backend.name, backend.summary, std::move(devices), backend.missing);
    }
    return backends;
  });
}

void BindOptions(nb::module_& m) {
  nb::class_<Model>(m, "Model")
      .def_static("load", &LoadModel, "source"_a, "is_file"_a, "name"_a, "disable_clip"_a, "enable_transform"_a,
                  "disable_transform"_a)
      .def(
          "set_option",
          [](Model& model, const nb::str& feature, const nb::str& option, const nb::str& value) {
            Check(model.SetOption(TextOf(feature), TextOf(option), TextOf(value)));
          },
          "feature"_a, "option"_a, "value"_a)
      .def_prop_ro("name", &Model::name)
      .def_prop_ro("source", &Model::source)
      .def_prop_ro("score_names", &Model::score_names);
  nb::class_<SessionOptions>(m, "SessionOptions");
  m.def("options", &MakeOptions, "models"_a, "features"_a, "threads"_a, "subsample"_a, "videos"_a, "backend"_a,
        "device"_a.none(), "maps"_a, "max_memory"_a.none(), "max_device_memory"_a.none());
}

/// The fields of acutance.Input, in their order.
nb::object ToPython(const Input& input) {
  const auto text = [](std::string_view value) -> nb::object {
    if (value.empty()) return nb::none();
    return nb::str(value.data(), value.size());
  };
  const auto& [path, format, frame_rate, color, facts, made, damage, decoding] = input;
  nb::list changes;
  for (const auto& [change, sentence] : made) changes.append(nb::make_tuple(text(NameOf(change)), sentence));
  const auto display = [](const Mastering& found) { return std::pair(found.min_luminance, found.max_luminance); };
  const auto light = [](const LightLevel& found) { return std::pair(found.max_cll, found.max_fall); };
  return nb::make_tuple(
      nb::bytes(path.data(), path.size()), format.width, format.height, format.bit_depth,
      nb::str(PixelFormatName(format.pixel_format)), frame_rate, text(facts.codec), text(input.range()),
      text(input.transfer()), text(input.matrix()), text(input.primaries()), facts.is_rgb, facts.is_interlaced,
      facts.pixel_aspect, facts.dolby_vision_profile > 0 ? std::optional(facts.dolby_vision_profile) : std::nullopt,
      facts.mastering ? std::optional(display(*facts.mastering)) : std::nullopt,
      facts.light_level ? std::optional(light(*facts.light_level)) : std::nullopt, facts.bit_rate,
      damage.reason.empty() ? nb::object(nb::none())
                            : nb::make_tuple(text(damage.reason), damage.decoded, damage.lost, damage.frames),
      facts.codec.empty() ? nb::object(nb::none())
                          : nb::make_tuple(decoding.segments, text(decoding.one_decoder), decoding.decoder),
      changes);
}

/// The fields of acutance.Alignment, in their order.
nb::object ToPython(const Alignment& alignment) {
  const bool has_confidence = alignment.by == Alignment::By::kFingerprints;
  return nb::make_tuple(alignment.Describe(), std::string(NameOf(alignment.by)),
                        has_confidence ? std::optional(alignment.confidence) : std::nullopt, alignment.pairs,
                        alignment.unmatched_reference, alignment.unmatched_distorted, alignment.held_count());
}

/// curves: pairs of a name and a list of (rate, quality).
Encodes CompareKnown(const nb::sequence& curves) {
  std::vector<KnownCurve> known;
  for (const nb::handle item : curves) {
    const std::vector<nb::object> pair = ObjectsOf(item);
    KnownCurve& curve = known.emplace_back(KnownCurve{TextOf(ItemOf<nb::str>(pair.at(0))), {}});
    for (const nb::handle point : pair.at(1)) curve.points.push_back(nb::cast<std::pair<double, double>>(point));
  }
  return Take(CompareCurves(known));
}

void BindEncodes(nb::module_& m) {
  nb::class_<Encodes>(m, "Encodes")
      .def_prop_ro("text", [](const Encodes& encodes) { return ToBytes(encodes.text); })
      .def_prop_ro("json", [](const Encodes& encodes) { return ToBytes(encodes.json); })
      .def_prop_ro("ctc_csv", [](const Encodes& encodes) { return ToBytes(encodes.ctc_csv); });
  m.def("compare_curves", &CompareKnown, "curves"_a);
}

void BindResult(nb::module_& m) {
  nb::class_<Result>(m, "Result")
      .def(
          "frames", [](const Result& result, int video) { return result.frames(video); }, "video"_a)
      .def_prop_ro("videos", &Result::videos)
      .def_prop_ro("format",
                   [](const Result& result) {
                     const PictureFormat& format = result.format();
                     return RawFormat(format.width, format.height, format.bit_depth,
                                      nb::str(PixelFormatName(format.pixel_format)));
                   })
      .def_prop_ro("seconds", &Result::seconds)
      .def_prop_ro("device", &Result::device)
      .def_prop_ro("warnings", &Result::warnings)
      .def(
          "alignment",
          [](const Result& self, int video) -> nb::object {
            const std::optional<Alignment> alignment = self.alignment(video);
            return alignment ? ToPython(*alignment) : nb::none();
          },
          "video"_a)
      .def_prop_ro("models", &Result::models)
      .def("names", &Result::names, "video"_a)
      .def(
          "scores",
          [](const Result& result, const nb::str& name, int video) {
            return ToNumpy(Take(result.Scores(TextOf(name), video)));
          },
          "name"_a, "video"_a)
      .def(
          "pool",
          [](const Result& result, const nb::str& name, const nb::str& method, int64_t first, int64_t last, int video,
             double frame_rate) {
            return Take(result.Pool(TextOf(name), TextOf(method), {first, last}, video, frame_rate));
          },
          "name"_a, "method"_a, "first"_a, "last"_a, "video"_a, "frame_rate"_a)
      .def(
          "mean_interval",
          [](const Result& result, const nb::str& name, double confidence, int64_t first, int64_t last, int video,
             double frame_rate) {
            const Interval found =
                Take(result.MeanInterval(TextOf(name), confidence, {first, last}, video, frame_rate));
            return std::pair(found.low, found.high);
          },
          "name"_a, "confidence"_a, "first"_a, "last"_a, "video"_a, "frame_rate"_a)
      .def("aggregates", &Result::Aggregates, "video"_a)
      .def(
          "write_log",
          [](const Result& result, const nb::bytes& path, const nb::str& format, int video, const nb::str& precision) {
            Check(result.WriteLog(TextOf(path), TextOf(format), video, TextOf(precision)));
          },
          "path"_a, "format"_a, "video"_a, "precision"_a)
      .def_prop_ro("inputs",
                   [](const Result& result) {
                     nb::list inputs;
                     for (const Input& input : result.inputs()) inputs.append(ToPython(input));
                     return inputs;
                   })
      .def_prop_ro("model_reasons", &Result::model_reasons)
      .def(
          "report",
          [](const Result& result, bool is_small, const Encodes* encodes) {
            return ToBytes(result.Report(is_small, encodes ? *encodes : Encodes()));
          },
          "is_small"_a, "encodes"_a.none() = nb::none())
      .def(
          "write_report",
          [](const Result& result, const nb::bytes& path, const Encodes* encodes) {
            Check(result.WriteReport(TextOf(path), encodes ? *encodes : Encodes()));
          },
          "path"_a, "encodes"_a.none() = nb::none())
      .def(
          "compare", [](const Result& result, const nb::str& by) { return Take(result.Compare(TextOf(by))); }, "by"_a)
      .def(
          "ladder",
          [](const Result& result, const nb::sequence& curves, const nb::str& by) {
            const auto curve_of = [](nb::handle item) {
              const std::vector<nb::object> pair = ObjectsOf(item);
              return Curve{TextOf(ItemOf<nb::str>(pair.at(0))), nb::cast<int>(pair.at(1))};
            };
            return Take(result.Ladder(ListOf(curves, curve_of), TextOf(by)));
          },
          "curves"_a, "by"_a)
      .def(
          "write_maps", [](const Result& result, const nb::bytes& folder) { Check(result.WriteMaps(TextOf(folder))); },
          "folder"_a)
      .def(
          "summary",
          [](const Result& result, const nb::str& require, const nb::str& segments, const nb::str& pool) {
            return ToBytes(Take(result.Summary({TextOf(require), TextOf(segments), TextOf(pool)})));
          },
          "require"_a, "segments"_a, "pool"_a);
}

void BindCachedReference(nb::module_& m) {
  nb::class_<CachedReference>(m, "CachedReference")
      .def(
          "__init__",
          [](CachedReference* self, const nb::bytes& path, std::optional<size_t> most_bytes,
             std::optional<size_t> most_device_bytes) {
            new (self) CachedReference(TextOf(path), most_bytes, most_device_bytes);
          },
          "path"_a, "most_bytes"_a.none(), "most_device_bytes"_a.none())
      .def_prop_ro("frames", &CachedReference::frames)
      .def_prop_ro("bytes", &CachedReference::bytes)
      .def_prop_ro("device_frames", &CachedReference::device_frames);
}

struct KeptDevices {
  std::shared_ptr<void> devices = KeepDevices();
};

void BindRuns(nb::module_& m) {
  nb::class_<KeptDevices>(m, "KeptDevices").def(nb::init<>());
  nb::class_<Task>(m, "Task")
      .def("wait", &Task::Wait, "seconds"_a.none(), nb::call_guard<nb::gil_scoped_release>())
      .def("cancel", &Task::Cancel, nb::call_guard<nb::gil_scoped_release>())
      .def("stop", &Task::Stop)
      .def("progress",
           [](const Task& task) {
             const Progress progress = task.progress();
             return std::make_tuple(progress.frames, progress.total, progress.score);
           })
      .def("result", [](Task& task) {
        ReturnArrays();
        return std::visit([](auto outcome) { return nb::cast(std::move(outcome)); }, Take(task.Take()));
      });
  nb::class_<ScoreOptions>(m, "ScoreOptions");
  m.def("score_options", &MakeScoreOptions, "models"_a, "features"_a, "texts"_a, "first_frame"_a, "frame_count"_a,
        "maps_video"_a);
  m.def("videos_in", &VideosIn, "folder"_a, "options"_a);
  m.def("score", &ScoreFiles, "reference"_a, "distorted"_a, "options"_a);
  m.def("judge_mean", &JudgeFiles, "reference"_a, "distorted"_a, "options"_a, "at_least"_a, "bound"_a, "confidence"_a,
        "certain"_a, "seed"_a);
  nb::class_<MeanVerdict>(m, "MeanVerdict").def("fields", [](const MeanVerdict& verdict) {
    return nb::make_tuple(verdict.holds, verdict.certain, verdict.confidence, verdict.score, verdict.mean_of_read,
                          verdict.least_mean, verdict.greatest_mean, verdict.frames, verdict.frames_read,
                          ToBytes(verdict.text), verdict.warnings);
  });
  m.def("join", &JoinFiles, "journals"_a, "threads"_a);
  nb::class_<Stream>(m, "Stream")
      .def(
          "__init__",
          [](Stream* stream, const SessionOptions& options, std::optional<int> bit_depth,
             const std::optional<nb::str>& pixel_format,
             bool copy) { new (stream) Stream(options, MakeHints(bit_depth, pixel_format), copy); },
          "options"_a, "bit_depth"_a.none(), "pixel_format"_a.none(), "copy"_a)
      .def_prop_ro("needs_chroma", &Stream::needs_chroma)
      .def_prop_ro("frames_added", &Stream::frames_added)
      .def_prop_ro("frames_done", &Stream::frames_done)
      .def(
          "add",
          [](Stream& stream, const nb::sequence& reference, const nb::sequence& distorted) {
            stream.Add(ObjectsOf(reference), ListOf(distorted, ObjectsOf));
          },
          "reference"_a, "distorted"_a)
      .def(
          "score",
          [](Stream& stream, const nb::str& name, int64_t frame, int video) {
            return stream.Score(TextOf(name), frame, video);
          },
          "name"_a, "frame"_a, "video"_a)
      .def("finish", &Stream::Finish)
      .def("close", &Stream::Close);
}

void BindClips(nb::module_& m) {
  nb::class_<ClipMatrices>(m, "ClipMatrices")
      .def_prop_ro("of_frames", [](const ClipMatrices& scores) { return ToNumpy(scores.of_frames); })
      .def_prop_ro("of_clips", [](const ClipMatrices& scores) { return ToNumpy(scores.of_clips); });
  nb::class_<ClipScorer>(m, "ClipScorer")
      .def(
          "__init__",
          [](ClipScorer* self, SessionOptions options, std::optional<int> bit_depth, const nb::str& pixel_format,
             std::optional<double> frame_rate, const nb::dict& declared, int sessions) {
            const FormatHints hints = MakeHints(bit_depth, pixel_format);
            options.frame_rate = frame_rate;
            options.declared = TextsOf(declared);
            new (self) ClipScorer(std::move(options), hints.bit_depth, *hints.pixel_format, sessions);
          },
          "options"_a, "bit_depth"_a.none(), "pixel_format"_a, "frame_rate"_a.none(), "declared"_a, "sessions"_a)
      .def_prop_ro("needs_chroma", &ClipScorer::needs_chroma)
      .def(
          "score",
          [](ClipScorer& scorer, const nb::sequence& reference, const nb::sequence& distorted) {
            return scorer.Score(ObjectsOf(reference), ObjectsOf(distorted));
          },
          "reference"_a, "distorted"_a);
}

}  // namespace
}  // namespace acutance::python

NB_MODULE(_core, m) {
  acutance::python::BindCatalog(m);
  acutance::python::BindOptions(m);
  acutance::python::BindEncodes(m);
  acutance::python::BindResult(m);
  acutance::python::BindCachedReference(m);
  acutance::python::BindRuns(m);
  acutance::python::BindClips(m);
}
