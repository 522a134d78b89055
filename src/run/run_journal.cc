#include "run/run_journal.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/files.h"
#include "base/hash.h"
#include "base/system/file.h"
#include "engine/feature_set.h"
#include "engine/named_model.h"
#include "metric/registry.h"
#include "model/model_parser.h"
#include "run/run_options.h"

namespace acutance {
namespace {

constexpr int kResults = 1;  // incremented when a metric's stored results change
constexpr PixelFormat kPixelFormats[] = {PixelFormat::k400, PixelFormat::k420, PixelFormat::k422, PixelFormat::k444};

/// The size of a regular file and a hash of 1 MB of it, in pieces spread over the file.
Result<std::string> Fingerprint(const std::string& path) {
  constexpr int64_t kPieces = 256, kPieceBytes = 4096;
  std::error_code error;
  if (!IsRegularFile(path))
    return Error(StatusCode::kInvalidArgument,
                 "a journal needs videos that are files, which can be read again, and {} is none", path);
  const auto size = static_cast<int64_t>(std::filesystem::file_size(SystemPath(path), error));
  std::ifstream file(SystemPath(path), std::ios::binary);
  uint64_t hash = Hash(std::string_view());
  std::string piece(kPieceBytes, '\0');
  for (int64_t i = 0; i < kPieces && file; ++i) {
    file.seekg(std::max<int64_t>(size - kPieceBytes, 0) / (kPieces - 1) * i);
    file.read(piece.data(), kPieceBytes);
    hash = Hash(std::string_view(piece).substr(0, static_cast<size_t>(file.gcount())), hash);
    if (file.eof()) file.clear();
  }
  if (error || !file) return Error(StatusCode::kIo, "could not read {} for its journal", path);
  return fmt::format("{} bytes, {:016x}", size, hash);
}

Status AddVideo(const std::string& name, const std::string& path, JournalHeader& header) {
  ACU_ASSIGN_OR_RETURN(std::string fingerprint, Fingerprint(path));
  std::error_code error;
  const auto modified = std::filesystem::last_write_time(SystemPath(path), error).time_since_epoch();
  const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(modified).count();
  header.push_back({name, {std::move(fingerprint)}});
  header.push_back({name + " path", {path}});
  header.push_back({name + " modified", {fmt::format("{}", nanoseconds)}});
  return {};
}

constexpr const char* kByIndex = "frame by frame";  // the videos' frames are aligned by their numbers

std::vector<std::string> NamedOptions(const std::string& name, const OptionTexts& options) {
  std::vector<std::string> fields = {name};
  for (const auto& [option, value] : options) fields.push_back(option + "=" + value);
  return fields;
}

OptionTexts OptionsIn(const std::vector<std::string>& fields) {
  OptionTexts options;
  for (size_t i = 1; i < fields.size(); ++i) {
    const size_t sign = std::min(fields[i].find('='), fields[i].size() - 1);
    options[fields[i].substr(0, sign)] = fields[i].substr(sign + 1);
  }
  return options;
}

Status AddModel(const ModelRequest& request, JournalHeader& header) {
  const Model& model = *request.model;
  std::vector<std::string> fields = {model.source, model.name, "built in"};
  if (!IsNamedModel(model.source)) {
    ACU_ASSIGN_OR_RETURN(fields[2], Fingerprint(model.source));
  }
  if (request.flags.disable_clip) fields.emplace_back("disable_clip");
  if (request.flags.enable_transform) fields.emplace_back("enable_transform");
  if (request.flags.disable_transform) fields.emplace_back("disable_transform");
  if (!request.predict) fields.emplace_back("no_prediction");
  header.push_back({"model", std::move(fields)});
  for (const ModelFeature& feature : model.features)
    header.push_back({"model feature", NamedOptions(feature.name, feature.options)});
  for (const auto& own : request.of_videos)
    for (const ModelFeature& feature : own->features)
      header.push_back({"video's feature", NamedOptions(feature.name, feature.options)});
  return {};
}

std::string DescribeCrop(const CropChoice& crop) {
  if (crop.find_bars) return ", without bars";
  if (!crop.reference) return "";
  return ", cropped to " + ToText(*crop.reference) + (crop.distorted ? " and " + ToText(*crop.distorted) : "");
}

/// "size of reference by bicubic, depths raised". Results depend on it where videos differ.
std::string DescribeFit(const FitOptions& fit) {
  std::string text = "sizes must be equal";
  if (fit.size) {
    const CommonSize& size = *fit.size;
    const std::string given = fmt::format("{}x{}", size.width, size.height);
    text = fmt::format("size of {} by {}",
                       size.of == CommonSize::Of::kReference   ? "reference"
                       : size.of == CommonSize::Of::kDistorted ? "distorted"
                                                               : given,
                       kScaleFilterNames[static_cast<int>(size.filter)]);
  }
  if (fit.heed_display) text += ", as shown";
  if (fit.fit_chroma) text += ", chroma brought to the reference's";
  if (fit.deinterlace != Deinterlacing::kOff)
    text += fmt::format(", deinterlaced: {}", kDeinterlacingNames[static_cast<int>(fit.deinterlace)]);
  return text + (fit.raise_bit_depth ? ", depths raised" : "") + (fit.heed_color ? ", ranges converted" : "");
}

/// Adds a line for each option that scores depend on and that no other line has.
void AddOptions(const RunRequest& request, JournalHeader& header) {
  for (const RunOption& option : RunOptions()) {
    const std::string value = option.show ? option.show(request) : "";
    if (!value.empty() && value != option.fallback)
      header.push_back({"option", {fmt::format("{}={}", option.name, value)}});
  }
}

/// A model whose features have no options yet.
struct LoadedModel {
  Model model;
  ModelRequest request;
  size_t next_feature = 0;
  std::vector<OptionTexts> own{};  // the options of the features, by distorted video

  std::vector<std::shared_ptr<const Model>> OfVideos() const {
    std::vector<std::shared_ptr<const Model>> models;
    const size_t features = model.features.size();
    for (size_t first = 0; first + features <= own.size() && features > 0; first += features) {
      Model one = model;
      for (size_t f = 0; f < features; ++f) one.features[f].options = own[first + f];
      models.push_back(std::make_shared<const Model>(std::move(one)));
    }
    return models;
  }
};

Result<LoadedModel> LoadModel(const std::vector<std::string>& fields) {
  const std::string &source = fields[0], &name = fields[1], &content = fields[2];
  if (IsNamedModel(source)) {
    ACU_ASSIGN_OR_RETURN(Model model, LoadNamedModel(source, name));
    return LoadedModel{std::move(model), {}};
  }
  ACU_ASSIGN_OR_RETURN(Model model, LoadModelFile(source, name));
  ACU_ASSIGN_OR_RETURN(const std::string found, Fingerprint(source));
  if (found == content) return LoadedModel{std::move(model), {}};
  return Error(StatusCode::kInvalidArgument, "model {} is not what it was when the journal was written", source);
}

/// Takes the lines of a header one after another.
class RunReader {
 public:
  Result<DescribedRun> Read(const JournalHeader& header) && {
    for (const JournalLine& line : header) ACU_RETURN_IF_ERROR(ReadLine(line.key, line.fields));
    for (LoadedModel& loaded : models_) {
      loaded.request.of_videos = loaded.OfVideos();
      loaded.request.model = std::make_shared<const Model>(std::move(loaded.model));
      run_.request.models.push_back(std::move(loaded.request));
    }
    ACU_RETURN_IF_ERROR(CheckPictureFormat(run_.format));
    return std::move(run_);
  }

 private:
  Status ReadLine(const std::string& key, const std::vector<std::string>& fields) {
    RunRequest& request = run_.request;
    if (key == "pictures") ReadFormat(fields[0]);
    if (key == "frames") ACU_RETURN_IF_ERROR(ReadRange(fields[0]));
    if (key == "subsample") std::sscanf(fields[0].c_str(), "%d", &request.subsample);
    if (key == "reference path") request.reference = fields[0];
    if (key.starts_with("distorted") && key.ends_with(" path")) request.distorted.push_back(fields[0]);
    if (key == "video declares" && fields.size() == 2) run_.video[fields[0]] = fields[1];
    if (key == "pairs" && fields[0] != kByIndex) request.alignment_fingerprint = fields[0];
    if (key == "feature") request.features.push_back({fields[0], OptionsIn(fields)});
    if (key == "model feature") ReadModelFeature(fields);
    if (key == "video's feature" && !models_.empty()) models_.back().own.push_back(OptionsIn(fields));
    return key == "model" && fields.size() >= 3 ? ReadModel(fields) : Status();
  }

  void ReadFormat(const std::string& text) {
    PictureFormat& format = run_.format;
    std::sscanf(text.c_str(), "%dx%d, %d bit", &format.width, &format.height, &format.bit_depth);
    for (const PixelFormat each : kPixelFormats)
      if (text.ends_with(PixelFormatName(each))) format.pixel_format = each;
  }

  Status ReadRange(const std::string& text) {
    long long first = 0, end = 0;
    const int numbers = std::sscanf(text.c_str(), "%lld:%lld", &first, &end);
    if (numbers < 1 || first < 0 || (numbers == 2 && end <= first))
      return Error(StatusCode::kBadData, "the journal's frames are '{}', which is no part of a video", text);
    run_.request.skip_reference = run_.request.skip_distorted = first;
    run_.request.frame_limit = numbers == 2 ? end - first : 0;
    return {};
  }

  Status ReadModel(const std::vector<std::string>& fields) {
    ACU_ASSIGN_OR_RETURN(LoadedModel loaded, LoadModel(fields));
    const auto has = [&](const char* flag) { return std::ranges::find(fields, flag) != fields.end(); };
    loaded.request.flags = {has("disable_clip"), has("enable_transform"), has("disable_transform")};
    loaded.request.predict = !has("no_prediction");
    models_.push_back(std::move(loaded));
    return {};
  }

  void ReadModelFeature(const std::vector<std::string>& fields) {
    if (models_.empty()) return;
    LoadedModel& loaded = models_.back();
    if (loaded.next_feature < loaded.model.features.size())
      loaded.model.features[loaded.next_feature++].options = OptionsIn(fields);
  }

  DescribedRun run_;
  std::vector<LoadedModel> models_;
};

Status OtherProgram(const std::string& path, int64_t frame) {
  return Error(StatusCode::kBadData, "journal {}: frame {} does not fit what its header says; begin a new journal",
               path, frame);
}

/// The names of options that metrics of the run must not guess (Metric::must_be_declared).
std::set<std::string> DeclarationsNeeded(const RunRequest& request) {
  std::set<std::string> names;
  const auto add = [&](const std::string& metric) {
    const Metric* found = FindMetric(MetricName(metric));
    if (found && !found->must_be_declared.empty())
      names.insert(std::string(kDeclared) + std::string(found->must_be_declared));
  };
  for (const FeatureRequest& feature : request.features) add(feature.metric);
  for (const ModelRequest& model : request.models)
    for (const ModelFeature& feature : model.model->features) add(std::string(MetricNameOfOutput(feature.name)));
  return names;
}

}  // namespace

Result<JournalHeader> DescribeRun(const RunRequest& request, const PictureFormat& format, const OptionTexts& video) {
  const int64_t first = request.skip_reference, count = request.frame_limit;
  JournalHeader header = {{"acutance", {fmt::format("{}, results {}", ACUTANCE_VERSION, kResults)}},
                          {"pictures",
                           {fmt::format("{}x{}, {} bit, {}", format.width, format.height, format.bit_depth,
                                        PixelFormatName(format.pixel_format))}},
                          {"frames", {fmt::format("{}:", first) + (count > 0 ? fmt::format("{}", first + count) : "")}},
                          {"subsample", {fmt::format("{}", request.subsample)}},
                          {"fit", {DescribeFit(request.fit) + DescribeCrop(request.crop)}}};
  AddOptions(request, header);
  ACU_RETURN_IF_ERROR(AddVideo("reference", request.reference, header));
  for (size_t d = 0; d < request.distorted.size(); ++d)
    ACU_RETURN_IF_ERROR(AddVideo(fmt::format("distorted {}", d + 1), request.distorted[d], header));
  header.push_back({"pairs", {request.alignment_fingerprint.empty() ? kByIndex : request.alignment_fingerprint}});
  for (const ModelRequest& model : request.models) ACU_RETURN_IF_ERROR(AddModel(model, header));
  for (const FeatureRequest& feature : request.features)
    header.push_back({"feature", NamedOptions(feature.metric, feature.options)});
  std::set<std::string> declarations = DeclarationsNeeded(request);
  declarations.insert("fps");  // for times of rows, and metrics over time
  for (const std::string& name : declarations)
    if (const auto declared = video.find(name); declared != video.end())
      header.push_back({"video declares", {name, declared->second}});
  return header;
}

Result<DescribedRun> ReadRun(const JournalHeader& header) { return RunReader().Read(header); }

Status RestoreFrame(const JournalRecord& record, const std::string& path, FrameResults& to) {
  return record.frame == to.index && RestoreResults(record.words, to) ? Status() : OtherProgram(path, record.frame);
}

Result<std::unique_ptr<RunJournal>> RunJournal::Open(const RunRequest& request, const PictureFormat& format,
                                                     SessionSpec& spec) {
  ACU_ASSIGN_OR_RETURN(const JournalHeader header, DescribeRun(request, format, spec.video));
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<JournalWriter> writer, JournalWriter::Open(request.journal, header));
  std::unique_ptr<RunJournal> journal(new RunJournal(std::move(writer)));
  if (!journal->writer_->is_new()) {
    ACU_ASSIGN_OR_RETURN(journal->reader_, JournalReader::Open(request.journal));
  }
  if (request.skip_reference > 0) ACU_RETURN_IF_ERROR(journal->SkipPart(request.skip_reference));
  spec.first_frame = request.skip_reference + journal->restored_;
  spec.writes_scores = request.skip_reference == 0;
  spec.restored = [self = journal.get()](FrameResults& frame) { return self->Restore(frame); };
  spec.on_results = [writer = journal->writer_.get()](std::span<FrameResults* const> frames) {
    return writer->Append(frames);
  };
  return journal;
}

/// Reads the frames of a part, which has no scores to restore.
Status RunJournal::SkipPart(int64_t first) {
  while (const std::optional<JournalRecord> record = NextRecord()) {
    if (record->frame != first + restored_) return OtherProgram(reader_->path(), record->frame);
    ++restored_;
  }
  return {};
}

std::optional<JournalRecord> RunJournal::NextRecord() { return reader_ ? reader_->Next() : std::nullopt; }

Result<bool> RunJournal::Restore(FrameResults& frame) {
  if (const std::optional<JournalRecord> record = NextRecord()) {
    ACU_RETURN_IF_ERROR(RestoreFrame(*record, reader_->path(), frame));
    ++restored_;
    return true;
  }
  is_complete_ = reader_ && reader_->end().has_value();
  if (!is_complete_) ACU_RETURN_IF_ERROR(writer_->ContinueAfter(reader_.get()));
  return false;
}

Status RunJournal::End(int64_t frame) {
  if (std::exchange(is_complete_, true)) return {};
  return writer_->End(frame);
}

}  // namespace acutance
