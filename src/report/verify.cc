#include "report/verify.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "base/sha256.h"
#include "log/canonical_json.h"
#include "log/escape.h"
#include "log/json_text.h"
#include "log/log_writer.h"
#include "report/receipt.h"
#include "report/rescore.h"
#include "report/run_summary.h"
#include "report/run_view.h"
#include "run/model_spec.h"
#include "run/run_options.h"
#include "stats/bootstrap.h"
#include "stats/pooling.h"
#include "stats/statistics.h"

namespace acutance {
namespace {

int64_t CountOf(const Json& value) { return ParseInteger(value.text).value_or(0); }

std::string Shown(const std::optional<double>& score) { return score ? fmt::format("{:.17g}", *score) : "no score"; }

/// The frames of `claim` whose rows are looked at.
std::vector<size_t> DrawRows(int64_t frames, int64_t sample, uint64_t seed) {
  Random random(seed);
  std::vector<size_t> rows = RandomOrder(static_cast<size_t>(frames), random);
  rows.resize(static_cast<size_t>(sample));
  std::ranges::sort(rows);
  return rows;
}

class FrameComparison {
 public:
  FrameComparison(const ScoreLog& claim, Verification& result) : claim_(claim), result_(result) {}

  /// rows: those of the claim that were scored again, and the rows of the scores where they are.
  void Compare(const ScoreTable& scores, const std::vector<size_t>& rows, const std::vector<int64_t>& scored) {
    const std::vector<LogColumn> columns = LogColumns(scores, claim_.format == "xml" ? XmlName : Plain);
    std::vector<std::pair<const LoggedColumn*, const LogColumn*>> compared;
    for (const LoggedColumn& logged : claim_.columns) {
      const auto found = std::ranges::find(columns, logged.name, &LogColumn::name);
      if (found != columns.end()) compared.emplace_back(&logged, &*found);
      else result_.unchecked.push_back(logged.name);
    }
    if (compared.empty()) result_.differences.push_back("none of its scores is one of this run");
    size_t wrong = 0;
    for (size_t i = 0; i < rows.size(); ++i) {
      bool is_wrong = false;
      for (const auto& [logged, column] : compared) is_wrong |= Differs(*logged, rows[i], column->Score(scored[i]));
      wrong += is_wrong;
    }
    if (wrong > 1) result_.differences.push_back(fmt::format("{} of {} frames differ", wrong, rows.size()));
    result_.checked = std::ssize(rows);
  }

 private:
  static std::string Plain(std::string_view name) { return std::string(name); }

  bool Differs(const LoggedColumn& logged, size_t row, const std::optional<double>& score) {
    const std::optional<double>& claimed = logged.scores[row];
    if (!claimed && !score) return false;
    // A null is a score that is not finite, or none.
    const double nan = std::numeric_limits<double>::quiet_NaN();
    if (claim_.Prints(score.value_or(nan), claimed.value_or(nan))) return false;
    if (result_.differences.empty())
      result_.differences.push_back(fmt::format("frame {}: {} is {} there, and {} from the videos", claim_.frames[row],
                                                logged.name, Shown(claimed), Shown(score)));
    return true;
  }

  const ScoreLog& claim_;
  Verification& result_;
};

/// Scores the claim's frames again, all or a sample of them. pairs: null where they have no fixed offset.
Status CompareFrames(const ScoreLog& claim, const RunRequest& request, const FixedPairs* pairs,
                     const VerifyOptions& options, Verification& result, ScoredRun& run) {
  result.frames = std::ssize(claim.frames);
  const int64_t sample = SampleSize(result.frames, options);
  const bool is_full = options.full || pairs == nullptr || 2 * sample > result.frames;
  std::vector<size_t> rows = DrawRows(result.frames, is_full ? result.frames : sample, options.seed);
  std::vector<int64_t> scored;
  if (is_full) {
    run = RunScore(request);
    if (run.error) return run.error->status;
    for (const size_t row : rows) scored.push_back(claim.frames[row]);
    const int64_t end = claim.frames.back() + 1;
    if (run.encodes[0].frames < end || run.encodes[0].frames >= end + request.subsample)
      result.differences.push_back(
          fmt::format("it has {} frames, and the videos have {} pairs", result.frames, run.encodes[0].frames));
    while (!rows.empty() && claim.frames[rows.back()] >= run.encodes[0].frames) rows.pop_back();
  } else {
    std::vector<int64_t> wanted(rows.begin(), rows.end());
    ACU_ASSIGN_OR_RETURN(Rescored again, ScoreSomePairs(request, *pairs, wanted));
    run = std::move(again.run);
    scored = std::move(again.rows);
    result.confidence = ChanceToFind(result.frames, sample, options.touched);
  }
  if (claim.columns.empty()) result.checked = result.frames;  // its hashes are compared
  else FrameComparison(claim, result).Compare(run.encodes[0].scores(), rows, scored);
  return {};
}

/// Pooled values against the claim's own frames; exact where all scores are there in full precision.
void CheckPooled(const ScoreLog& log, Verification& result) {
  constexpr double kRounding = 1.01e-6;  // of two numbers with six decimals
  const double least = log.numbers.IsLegacy() ? kRounding : 0;
  for (const auto& [name, pooled] : log.pooled) {
    const LoggedColumn* column = log.Find(name);
    if (!column && log.format == "xml") column = log.Find(XmlName(name));
    if (!column ||
        !std::ranges::all_of(column->scores, [](const auto& score) { return score && std::isfinite(*score); }))
      continue;
    std::vector<double> scores;
    for (const auto& score : column->scores) scores.push_back(*score);
    for (const auto& [method, claimed] : pooled)
      for (const NamedPoolingMethod& each : PoolingMethods()) {
        if (each.name != method) continue;
        const double value = each.pool(scores);
        const double bound = least > 0 ? least : 1e-4 * std::max(1.0, std::fabs(value));
        if (!log.Prints(value, claimed) && !(std::fabs(value - claimed) <= bound))
          result.differences.push_back(fmt::format("the {} of {} is {:.17g} there, and {:.17g} of its own frames",
                                                   method, name, claimed, value));
      }
  }
}

/// Pooled values of a run over all frames.
void CheckPooled(const ScoreLog& log, const ScoredRun& run, Verification& result) {
  const ScoredEncode& encode = run.encodes[0];
  const LogInput input{encode.scores(), encode.frames, encode.session->subsample()};
  for (const LogColumn& column : LogColumns(encode.scores(), [](std::string_view name) { return std::string(name); })) {
    const auto claimed = std::ranges::find(log.pooled, column.label, &std::pair<std::string, NamedNumbers>::first);
    const auto pooled = PoolForLog(input, column);
    if (claimed == log.pooled.end() || !pooled) continue;
    for (const auto& [method, value] : claimed->second)
      for (size_t i = 0; i < pooled->size(); ++i)
        if (PoolingMethods()[i].name == method && !log.Prints((*pooled)[i], value))
          result.differences.push_back(fmt::format("the {} of {} is {:.17g} there, and {:.17g} from the videos", method,
                                                   column.label, value, (*pooled)[i]));
  }
  for (const auto& [name, value] : log.aggregates) {
    const auto is_it = [&](const auto& own) { return name == own.first || name == XmlName(own.first); };
    const auto own = std::ranges::find_if(encode.scores().aggregates(), is_it);
    if (own == encode.scores().aggregates().end()) result.unchecked.push_back(name);
    else if (!log.Prints(own->second, value))
      result.differences.push_back(
          fmt::format("{} is {:.17g} there, and {:.17g} from the videos", name, value, own->second));
  }
}

}  // namespace

double ChanceToFind(int64_t frames, int64_t sample, double touched) {
  const auto wrong = static_cast<int64_t>(std::ceil(static_cast<double>(frames) * touched));
  if (sample > frames - wrong) return 1;
  double missed = 1;  // the sample lies in the frames that are right
  for (int64_t i = 0; i < wrong; ++i)
    missed *= static_cast<double>(frames - sample - i) / static_cast<double>(frames - i);
  return 1 - missed;
}

int64_t SampleSize(int64_t frames, const VerifyOptions& options) {
  int64_t low = 0, high = frames;  // the chance grows with the sample
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (ChanceToFind(frames, middle, options.touched) >= options.confidence) high = middle;
    else low = middle + 1;
  }
  return low;
}

const Json* FindReceipt(const Json& document) {
  if (JsonAt(document, "kind").IsText("receipt")) return &document;
  const Json* const member = document.Find("receipt");
  return member && member->IsObject() ? member : nullptr;
}

Result<Verification> VerifyLog(const ScoreLog& log, RunRequest request, const VerifyOptions& options) {
  Verification result{.subject = log.path, .seed = options.seed};
  CheckPooled(log, result);
  const int64_t step = log.Step();
  if (step == 0) return Error(StatusCode::kUnsupported, "{}: the distance of its frames varies", log.path);
  request.subsample = static_cast<int>(step);
  // As libvmaf's tool and FFmpeg's filter pair frames.
  if (std::ranges::find(request.given, "align", &std::pair<std::string, std::string>::first) == request.given.end())
    request.pairing = {.mode = AlignmentRequest::Mode::kIndex};
  ACU_RETURN_IF_ERROR(NameScores(log, request, result.notes));
  using Mode = AlignmentRequest::Mode;
  const Mode mode = request.pairing.mode;
  std::optional<FixedPairs> pairs;
  if (step == 1 && log.frames.front() == 0 && (mode == Mode::kIndex || mode == Mode::kOffset))
    pairs =
        FixedPairs{request.skip_reference, mode == Mode::kOffset ? request.pairing.late : 0, std::ssize(log.frames)};
  ScoredRun run;
  ACU_RETURN_IF_ERROR(CompareFrames(log, request, pairs ? &*pairs : nullptr, options, result, run));
  if (result.confidence == 1) CheckPooled(log, run, result);
  else if (!log.aggregates.empty()) result.notes.push_back("aggregates were not compared: --full does");
  return result;
}

namespace {

/// Checks what a receipt says without the videos' samples.
void CheckSeal(const Json& receipt, Verification& result) {
  if (!JsonAt(receipt, "sha256").IsText(HashReceipt(receipt)))
    result.differences.push_back("the receipt was changed: its SHA-256 is not that of what it says");
  const auto& lines = JsonAt(receipt, "lines").items;
  for (size_t d = 0; d < lines.size() && d < JsonAt(receipt, "results").items.size(); ++d)
    if (lines[d].text != ReceiptLine(receipt, d))
      result.differences.push_back(
          fmt::format("the line '{}' is not that of the receipt, '{}'", lines[d].text, ReceiptLine(receipt, d)));
}

void CheckFiles(const Json& receipt, const RunRequest& request, Verification& result) {
  const auto& inputs = JsonAt(receipt, "inputs").items;
  for (size_t v = 0; v < inputs.size() && v <= request.distorted.size(); ++v) {
    const std::string& path = v == 0 ? request.reference : request.distorted[v - 1];
    const Json& claimed = JsonAt(inputs[v], "file");
    if (claimed.IsNull()) continue;
    // A receipt that hashed nothing would let any file pass.
    const Json& pictures = JsonAt(receipt, "pictures");
    const uint64_t most =
        MostHashed(CountOf(JsonAt(receipt, "frames")), static_cast<int>(CountOf(JsonAt(pictures, "width"))),
                   static_cast<int>(CountOf(JsonAt(pictures, "height"))));
    const std::optional<FileHash> hash = HashFile(path, most);
    if (!hash || hash->bytes != static_cast<uint64_t>(CountOf(JsonAt(claimed, "bytes"))))
      result.differences.push_back(fmt::format("{} has {} bytes, and the receipt's file {}", path,
                                               hash ? hash->bytes : 0, JsonAt(claimed, "bytes").text));
    else if (!JsonAt(claimed, "sha256").IsText(hash->sha256))
      result.differences.push_back(fmt::format("{} is another file than the receipt's {}: SHA-256 {} instead of {}",
                                               path, JsonAt(inputs[v], "path").text, hash->sha256,
                                               JsonAt(claimed, "sha256").text));
  }
}

void CheckModels(const Json& receipt, Verification& result) {
  for (const Json& model : JsonAt(receipt, "models").items) {
    const std::string& source = JsonAt(model, "source").text;
    if (const std::string hash = HashModel(source);
        !JsonAt(model, "sha256").IsText(hash) && !JsonAt(model, "sha256").IsNull())
      result.differences.push_back(
          fmt::format("model {} has SHA-256 {}, and the receipt's {}", source, hash, JsonAt(model, "sha256").text));
  }
}

/// The scores of frames of a receipt's result; no columns: the receipt does not have them.
ScoreLog ClaimOf(const std::string& path, const Json& receipt, const Json& result) {
  ScoreLog claim{.path = path, .format = "receipt", .numbers = NumberFormat::Parse("max").value()};
  const int64_t step = std::max<int64_t>(CountOf(JsonAt(receipt, "subsample")), 1);
  for (int64_t frame = 0; frame < CountOf(JsonAt(result, "frames")); frame += step) claim.frames.push_back(frame);
  const Json& scores = JsonAt(result, "frame_scores");
  for (size_t i = 0; i < scores.keys.size(); ++i) {
    LoggedColumn column{scores.keys[i]};
    for (const Json& score : scores.items[i].items)
      column.scores.push_back(score.IsNull() ? std::nullopt : std::optional(JsonNumber(score)));
    column.scores.resize(claim.frames.size());
    claim.columns.push_back(std::move(column));
  }
  return claim;
}

/// Means and hashes of the columns whose frames the receipt lists.
void CheckOwnScores(const Json& receipt, const Json& result, const ScoreLog& claim, Verification& to) {
  const auto& models = JsonAt(receipt, "models").items;
  for (const LoggedColumn& column : claim.columns) {
    const Json& score = JsonAt(JsonAt(result, "scores"), column.name);
    if (!JsonAt(score, "sha256").IsText(HashScores(column.scores)))
      to.differences.push_back(fmt::format("the scores of {} are not those whose hash the receipt has", column.name));
    // The mean of a clip is that of its frames for models; features may define another one.
    const auto is_it = [&](const Json& model) { return JsonAt(model, "name").IsText(column.name); };
    std::vector<double> scores;
    for (const std::optional<double>& each : column.scores) scores.push_back(each.value_or(std::nan("")));
    const double mean = Mean(scores), said = JsonNumber(JsonAt(score, "mean"));
    if (std::ranges::any_of(models, is_it) && std::isfinite(mean) && mean != said)
      to.differences.push_back(
          fmt::format("the mean of {} is {:.17g} there, and {:.17g} of its own frames", column.name, said, mean));
  }
}

/// The scores of which the receipt lists no frames.
std::string OthersOf(const Json& result, const ScoreLog& claim) {
  std::vector<std::string> names;
  for (const std::string& name : JsonAt(result, "scores").keys)
    if (claim.Find(name) == nullptr) names.push_back(name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Compares a member of a receipt with that of a run over all frames, and all members of objects.
void CompareMembers(const Json& said, const Json& found, const std::string& name, Verification& to) {
  if (said.IsObject() && found.IsObject()) {
    for (size_t i = 0; i < said.keys.size(); ++i) {
      const std::string inner = name + "." + said.keys[i];
      if (const Json* const own = found.Find(said.keys[i])) CompareMembers(said.items[i], *own, inner, to);
      else to.unchecked.push_back(inner);
    }
    for (const std::string& key : found.keys)
      if (said.Find(key) == nullptr) to.differences.push_back(fmt::format("{}.{} is missing there", name, key));
  } else if (const std::string one = CanonicalJson(said), other = CanonicalJson(found); one != other) {
    to.differences.push_back(fmt::format("{} is {} there, and {} from the videos", name, one, other));
  }
}

/// The samples of a video, which are null where a device decoded them.
void CompareSamples(const Json& said, const Json& found, const std::string& path, Verification& to) {
  if (!said.IsObject() || !found.IsObject()) {
    to.notes.push_back(fmt::format("the samples of {} were not compared", path));
    return;
  }
  for (const char* const planes : {"luma_sha256", "chroma_sha256"}) {
    const Json &one = JsonAt(said, planes), &other = JsonAt(found, planes);
    if (one.IsNull() || other.IsNull() || one.IsText(other.text)) continue;
    to.differences.push_back(fmt::format("the decoded samples of {} have another hash", path));
    return;
  }
}

/// What a run over all frames says: the same receipt, except for paths, files, program and devices.
Status CheckWholeRun(const Json& receipt, size_t d, const RunRequest& request, const ScoredRun& run, Verification& to) {
  ACU_ASSIGN_OR_RETURN(const Summary summary,
                       MakeSummary({.reference = request.reference, .distorted = request.distorted}, ViewOf(run)));
  const Json& own = summary.receipt;
  if (!own.IsObject()) {
    to.notes.push_back("the receipt's other members were not compared");
    return {};
  }
  const auto without = [](Json object, std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) RemoveMember(key, object);
    return object;
  };
  const auto compare = [&](const Json& said, const Json& found, const std::string& name,
                           std::initializer_list<std::string_view> keys) {
    CompareMembers(without(said, keys), without(found, keys), name, to);
  };
  compare(JsonAt(receipt, "results").items[d], JsonAt(own, "results").items[0], "result",
          {"distorted", "frame_scores"});
  for (const size_t v : {size_t{0}, d + 1}) {
    const Json &said = JsonAt(receipt, "inputs").items[v], &found = JsonAt(own, "inputs").items[v == 0 ? 0 : 1];
    compare(said, found, v == 0 ? "reference" : "distorted", {"path", "file", "samples"});
    CompareSamples(JsonAt(said, "samples"), JsonAt(found, "samples"), run.inputs[v == 0 ? 0 : 1].path, to);
  }
  for (const char* const member : {"models", "pictures", "frame_rate", "subsample"})
    CompareMembers(JsonAt(receipt, member), JsonAt(own, member), member, to);
  return {};
}

/// The receipt's pairs, where all have the same offset.
std::optional<FixedPairs> PairsOf(const Json& receipt, const Json& result, const RunRequest& request) {
  const Json& pairs = JsonAt(result, "pairs");
  for (const char* const what : {"dropped", "repeated", "held"})
    if (CountOf(JsonAt(pairs, what)) > 0) return std::nullopt;
  if (CountOf(JsonAt(receipt, "subsample")) > 1) return std::nullopt;
  const int64_t late = CountOf(JsonAt(pairs, "late"));
  return FixedPairs{request.skip_reference + std::max<int64_t>(0, -late), late, CountOf(JsonAt(result, "frames"))};
}

Result<RunRequest> RequestOf(const Json& receipt, RunRequest request) {
  const auto& inputs = JsonAt(receipt, "inputs").items;
  if (inputs.size() < 2 || JsonAt(receipt, "results").items.size() + 1 != inputs.size())
    return Error(StatusCode::kBadData, "the receipt names no videos");
  if (request.reference.empty()) request.reference = JsonAt(inputs[0], "path").text;
  if (request.distorted.empty())
    for (size_t v = 1; v < inputs.size(); ++v) request.distorted.push_back(JsonAt(inputs[v], "path").text);
  if (request.distorted.size() + 1 != inputs.size())
    return Error(StatusCode::kInvalidArgument, "the receipt is of {} distorted videos, and {} were named",
                 inputs.size() - 1, request.distorted.size());
  for (const Json& option : JsonAt(receipt, "options").items) {
    const std::string &name = JsonAt(option, "name").text, &value = JsonAt(option, "value").text;
    const RunOption* const row = FindRunOption(name);
    if (row == nullptr || row->journal.empty())
      return Error(StatusCode::kBadData, "the receipt has an option '{}', which this version does not know", name);
    ACU_RETURN_IF_ERROR(ReadOption(*row, value, OptionStyle::kCommand, request));
  }
  ACU_RETURN_IF_ERROR(CompleteRequest(request));
  std::vector<std::string> warnings;
  ACU_RETURN_IF_ERROR(LoadModels(request, warnings));
  return request;
}

}  // namespace

Result<Verification> VerifyReceipt(const std::string& path, const Json& receipt, RunRequest request,
                                   const VerifyOptions& options) {
  Verification result{.subject = path, .seed = options.seed};
  CheckSeal(receipt, result);
  ACU_ASSIGN_OR_RETURN(const RunRequest all, RequestOf(receipt, std::move(request)));
  CheckFiles(receipt, all, result);
  CheckModels(receipt, result);
  for (size_t d = 0; d < all.distorted.size(); ++d) {
    const Json& claimed = JsonAt(receipt, "results").items[d];
    const ScoreLog claim = ClaimOf(path, receipt, claimed);
    if (claim.frames.empty()) return Error(StatusCode::kBadData, "{}: the receipt has no frames", path);
    CheckOwnScores(receipt, claimed, claim, result);
    RunRequest one = all;
    one.distorted = {all.distorted[d]};
    one.hash_samples = true;
    const std::optional<FixedPairs> pairs = PairsOf(receipt, claimed, one);
    Verification part;
    ScoredRun run;
    VerifyOptions how = options;
    how.full |= claim.columns.empty();  // hashes alone are of all frames
    ACU_RETURN_IF_ERROR(CompareFrames(claim, one, pairs ? &*pairs : nullptr, how, part, run));
    if (part.confidence == 1) ACU_RETURN_IF_ERROR(CheckWholeRun(receipt, d, one, run, part));
    else if (const std::string names = OthersOf(claimed, claim); !names.empty())
      part.notes.push_back(
          fmt::format("of {} the receipt has no scores of frames: --full compares their hashes", names));
    std::ranges::move(part.differences, std::back_inserter(result.differences));
    std::ranges::move(part.unchecked, std::back_inserter(result.unchecked));
    std::ranges::move(part.notes, std::back_inserter(result.notes));
    result.frames += part.frames;
    result.checked += part.checked;
    result.confidence = std::min(result.confidence, part.confidence);
  }
  return result;
}

}  // namespace acutance
