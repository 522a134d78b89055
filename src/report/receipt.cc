#include "report/receipt.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string_view>
#include <utility>

#include "base/files.h"
#include "base/number.h"
#include "base/sha256.h"
#include "base/system/file.h"
#include "log/canonical_json.h"
#include "log/json_text.h"
#include "model/builtin_models.h"
#include "report/summary_json.h"
#include "stats/bootstrap.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

constexpr uint64_t kPiece = uint64_t{64} << 10;

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json FileJson(const std::string& path, uint64_t most) {
  const std::optional<FileHash> hash = HashFile(path, most);
  if (!hash) return {};
  return {{"bytes", hash->bytes}, {"hashed_bytes", hash->hashed}, {"sha256", hash->sha256}};
}

Json SamplesJson(const SampleHash& hash) {
  if (hash.luma.empty()) return {};
  return {{"frames", hash.frames},
          {"rows_per_hashed", kRowsPerHashed},
          {"luma_sha256", hash.luma},
          {"chroma_sha256", TextOrNull(hash.chroma)}};
}

Json InputJson(const Input& input, const SampleHash& samples, uint64_t most) {
  Json changes = Json::Array();
  for (const auto& [change, text] : input.changes)
    changes.Append({{"change", std::string(NameOf(change))}, {"text", text}});
  return {{"path", input.path},
          {"file", FileJson(input.path, most)},
          {"samples", SamplesJson(samples)},
          {"width", input.format.width},
          {"height", input.format.height},
          {"bit_depth", input.format.bit_depth},
          {"pixel_format", PixelFormatName(input.format.pixel_format)},
          {"changes", std::move(changes)}};
}

Json PairsJson(const SummaryVideo& video, const std::string& csv) {
  const Alignment* const alignment = video.alignment;
  return {{"by", alignment ? std::string(NameOf(alignment->by)) : "index"},
          {"late", alignment ? alignment->late() : 0},
          {"dropped", alignment ? alignment->dropped() : 0},
          {"repeated", alignment ? alignment->repeated() : 0},
          {"held", alignment ? alignment->held_count() : 0},
          {"sha256", Sha256Hex(csv)}};
}

std::vector<std::optional<double>> Column(const Summary& summary, const SummaryVideo& video,
                                          const ScoreTable::Column& column) {
  std::vector<std::optional<double>> scores;
  for (int64_t frame = 0; frame < FramesOf(summary, video); frame += summary.n_subsample)
    scores.push_back(static_cast<size_t>(frame) < column.scores.size() ? column.scores[static_cast<size_t>(frame)]
                                                                       : std::nullopt);
  return scores;
}

Json ScoreJson(const Summary& summary, const SummaryVideo& video, const ScoreTable::Column& column) {
  Json json = {
      {"mean", nullptr}, {"low", nullptr}, {"high", nullptr}, {"sha256", HashScores(Column(summary, video, column))}};
  const auto scores = ScoresOf(summary, video, column);
  if (!scores) return json;
  const PoolContext context = ContextOf(summary, column);
  json["mean"] = context.clip_mean.value_or(Mean(*scores));
  if (const auto interval = MeanInterval(*scores, BlockLength(scores->size(), context.scores_per_second), {})) {
    json["low"] = interval->low;
    json["high"] = interval->high;
  }
  return json;
}

Json ResultJson(const Summary& summary, const RunView& view, size_t d) {
  const SummaryVideo& video = summary.videos[d];
  Json scores = Json::Object(), aggregates = Json::Object();
  for (const ScoreTable::Column& column : video.scores->columns())
    scores[column.shown] = ScoreJson(summary, video, column);
  for (const auto& [name, value] : video.scores->aggregates()) aggregates[name] = value;
  return {{"distorted", video.distorted},
          {"frames", FramesOf(summary, video)},
          {"pairs", PairsJson(video, PairsCsv(*view.run, d))},
          {"scores", std::move(scores)},
          {"aggregates", std::move(aggregates)}};
}

Json ModelsJson(const Summary& summary) {
  Json models = Json::Array();
  std::set<std::string> seen;
  for (const SummaryModel& model : summary.models)
    if (seen.insert(model.source).second)
      models.Append(
          {{"name", model.column}, {"source", model.source}, {"sha256", TextOrNull(HashModel(model.source))}});
  return models;
}

std::string Build() {
#if defined(__x86_64__)
  constexpr std::string_view kMachine = "x86-64";
#elif defined(__aarch64__)
  constexpr std::string_view kMachine = "arm64";
#else
  constexpr std::string_view kMachine = "another processor";
#endif
  return fmt::format("compiler {}, {}", __VERSION__, kMachine);
}

/// ", 960x540 bicubic to 1920x1080, crop": what was done to a video, in short.
std::string ShortChanges(const Json& receipt, const Json& input) {
  std::string text;
  for (const Json& change : JsonAt(input, "changes").items) {
    const std::string& name = JsonAt(change, "change").text;
    if (name != "scale") {
      text += ", " + name;
      continue;
    }
    std::string filter = "bicubic";
    for (const Json& option : JsonAt(receipt, "options").items)
      if (JsonAt(option, "name").IsText("scale-filter")) filter = JsonAt(option, "value").text;
    const Json& pictures = JsonAt(receipt, "pictures");
    text += fmt::format(", {}x{} {} to {}x{}", JsonAt(input, "width").text, JsonAt(input, "height").text, filter,
                        JsonAt(pictures, "width").text, JsonAt(pictures, "height").text);
  }
  return text;
}

}  // namespace

std::optional<FileHash> HashFile(const std::string& path, uint64_t most) {
  std::error_code error;
  if (!IsRegularFile(path)) return std::nullopt;
  FileHash result{.bytes = std::filesystem::file_size(SystemPath(path), error)};
  std::ifstream file(SystemPath(path), std::ios::binary);
  if (error || !file) return std::nullopt;
  const uint64_t pieces =
      result.bytes <= most ? (result.bytes + kPiece - 1) / kPiece : std::max<uint64_t>(most / kPiece, 2);
  const bool is_whole = result.bytes <= most;
  Sha256 hash;
  std::string piece(kPiece, '\0');
  for (uint64_t i = 0; i < pieces; ++i) {
    const uint64_t begin = is_whole ? i * kPiece : (result.bytes - kPiece) / (pieces - 1) * i;
    file.seekg(static_cast<std::streamoff>(begin));
    const uint64_t count = std::min(kPiece, result.bytes - begin);
    file.read(piece.data(), static_cast<std::streamsize>(count));
    if (!file) return std::nullopt;
    hash.Add(std::string_view(piece).substr(0, count));
    result.hashed += count;
  }
  result.sha256 = HexOf(hash.Finish());
  return result;
}

uint64_t MostHashed(int64_t frames, int width, int height) {
  constexpr uint64_t kLeast = uint64_t{1} << 19, kShare = 256;
  return kLeast + static_cast<uint64_t>(frames) * static_cast<uint64_t>(width) * static_cast<uint64_t>(height) / kShare;
}

std::string HashModel(const std::string& source) {
  if (const BuiltinModel* const builtin = FindBuiltinModel(source)) return Sha256Hex(builtin->Json());
  const std::optional<FileHash> hash = HashFile(source, std::numeric_limits<uint64_t>::max());
  return hash ? hash->sha256 : "";
}

std::string HashScores(std::span<const std::optional<double>> scores) {
  Sha256 hash;
  for (const std::optional<double>& score : scores) {
    const bool is_nan = !score || std::isnan(*score);
    hash.AddNumber(is_nan ? uint64_t{0x7FF8} << 48 : std::bit_cast<uint64_t>(*score));
  }
  return HexOf(hash.Finish());
}

void RemoveMember(std::string_view key, Json& object) {
  for (size_t i = object.keys.size(); i-- > 0;) {
    if (object.keys[i] != key) continue;
    object.keys.erase(object.keys.begin() + static_cast<std::ptrdiff_t>(i));
    object.items.erase(object.items.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

Json MakeReceipt(const Summary& summary, const RunView& view) {
  const ScoredRun& run = *view.run;
  if (run.samples.size() != run.inputs.size() || run.samples.empty()) return {};
  const uint64_t most = MostHashed(summary.frame_count, summary.width, summary.height);
  Json inputs = Json::Array(), results = Json::Array(), options = Json::Array(), devices = Json::Array();
  for (size_t v = 0; v < run.inputs.size(); ++v) inputs.Append(InputJson(run.inputs[v], run.samples[v], most));
  for (size_t d = 0; d < summary.videos.size(); ++d) results.Append(ResultJson(summary, view, d));
  for (const auto& [name, value] : run.given) options.Append({{"name", name}, {"value", value}});
  for (const SummaryDevice& device : summary.devices)
    devices.Append({{"backend", device.backend}, {"name", device.name}});
  return {{"schema", kSchemaName},
          {"kind", "receipt"},
          {"version", summary.version},
          {"build", Build()},
          {"devices", std::move(devices)},
          {"options", std::move(options)},
          {"models", ModelsJson(summary)},
          {"pictures",
           {{"width", summary.width},
            {"height", summary.height},
            {"bit_depth", summary.bit_depth},
            {"pixel_format", summary.pixel_format}}},
          {"frame_rate", summary.frame_rate},
          {"frames", summary.frame_count},
          {"subsample", summary.n_subsample},
          {"inputs", std::move(inputs)},
          {"results", std::move(results)}};
}

void AddFrameScores(const Summary& summary, Json& receipt) {
  Json& results = receipt["results"];
  for (size_t d = 0; d < summary.videos.size(); ++d) {
    const SummaryVideo& video = summary.videos[d];
    const auto is_model = [&](const ScoreTable::Column& column) {
      return std::ranges::find(summary.models, column.stored, &SummaryModel::column) != summary.models.end();
    };
    Json frames = Json::Object();
    for (const ScoreTable::Column& column : video.scores->columns())
      if (summary.models.empty() || is_model(column)) frames[column.shown] = Json(Column(summary, video, column));
    results.items[d]["frame_scores"] = std::move(frames);
  }
}

std::string HashReceipt(Json receipt) {
  Json plain = Json::Object();
  for (size_t i = 0; i < receipt.keys.size(); ++i)
    if (receipt.keys[i] != "sha256" && receipt.keys[i] != "lines") plain[receipt.keys[i]] = std::move(receipt.items[i]);
  for (Json& result : plain["results"].items) RemoveMember("frame_scores", result);
  return Sha256Hex(CanonicalJson(plain));
}

void SealReceipt(Json& receipt) {
  if (!receipt.IsObject()) return;
  receipt["sha256"] = HashReceipt(receipt);
  Json lines = Json::Array();
  for (size_t d = 0; d < JsonAt(receipt, "results").items.size(); ++d) lines.Append(ReceiptLine(receipt, d));
  receipt["lines"] = std::move(lines);
}

std::vector<std::string> ReceiptLines(const Summary& summary) {
  std::vector<std::string> lines;
  for (const Json& line : JsonAt(summary.receipt, "lines").items) lines.push_back(line.text);
  return lines;
}

namespace {

/// The feature that stands for a run without a model. Canonical JSON sorts names, so their order says nothing.
std::string MainFeature(const std::vector<std::string>& names) {
  const auto is_of_chroma = [](const std::string& name) {
    return name.ends_with("_cb") || name.ends_with("_cr") || name.ends_with("_u") || name.ends_with("_v");
  };
  return *std::ranges::min_element(
      names, {}, [&](const std::string& name) { return std::pair(is_of_chroma(name), std::string_view(name)); });
}

/// The aggregate that a feature without a mean of its own stands for: "cvvdp_clip" of "cvvdp", whose frames have the
/// value up to them; empty: there is none.
std::string ClipScoreOf(const std::string& feature, const std::vector<std::string>& aggregates) {
  constexpr std::string_view kClip = "_clip";
  for (std::string name : aggregates) {
    const size_t at = name.find(kClip);
    if (at != name.npos && name.substr(0, at) + name.substr(at + kClip.size()) == feature) return name;
  }
  return "";
}

}  // namespace

std::string ReceiptLine(const Json& receipt, size_t video) {
  constexpr size_t kDigits = 16;  // of the hash: 64 bits, which no search finds in another receipt by chance
  const Json& result = JsonAt(receipt, "results").items[video];
  const Json& scores = JsonAt(result, "scores");
  const auto& models = JsonAt(receipt, "models").items;
  std::string name, key;
  if (!models.empty()) {
    name = SystemPath(JsonAt(models.front(), "source").text).stem().string();
    if (FindBuiltinModel(JsonAt(models.front(), "source").text)) name = JsonAt(models.front(), "source").text;
    key = JsonAt(models.front(), "name").text;
  } else if (!scores.keys.empty()) {
    name = key = MainFeature(scores.keys);
  }
  const Json& aggregates = JsonAt(result, "aggregates");
  const std::string clip = models.empty() ? ClipScoreOf(key, aggregates.keys) : "";
  const Json whole = {{"mean", clip.empty() ? Json() : JsonAt(aggregates, clip)}, {"low", nullptr}, {"high", nullptr}};
  if (!clip.empty()) name = clip;
  const Json& score = clip.empty() ? JsonAt(scores, key) : whole;
  const double mean = JsonNumber(JsonAt(score, "mean"));
  std::string text = std::isfinite(mean) ? fmt::format("{} {:.2f}", name, mean) : name + " without a finite mean";
  const double low = JsonNumber(JsonAt(score, "low")), high = JsonNumber(JsonAt(score, "high"));
  if (!JsonAt(score, "low").IsNull() && std::isfinite(low) && std::isfinite(high))
    text += fmt::format(" [{:.1f}, {:.1f}]", low, high);
  const auto& inputs = JsonAt(receipt, "inputs").items;
  if (video + 1 < inputs.size()) text += ShortChanges(receipt, inputs[video + 1]);
  const Json& pairs = JsonAt(result, "pairs");
  text += fmt::format(", {} pairs, {:+.0f}", JsonAt(result, "frames").text, JsonNumber(JsonAt(pairs, "late")));
  for (const char* const what : {"dropped", "repeated", "held"})
    if (JsonNumber(JsonAt(pairs, what)) > 0) text += fmt::format(", {} {}", JsonAt(pairs, what).text, what);
  return text + fmt::format(", acutance {} sha256:{}", JsonAt(receipt, "version").text,
                            JsonAt(receipt, "sha256").text.substr(0, kDigits));
}

}  // namespace acutance
