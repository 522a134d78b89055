// `acutance ctc`: rate points of an encoder's releases, and AVM's tables of their BD-rates.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/files.h"
#include "base/system/file.h"
#include "cli/batch_run.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/terminal.h"
#include "log/json_text.h"
#include "log/output_file.h"
#include "log/read/json_file.h"
#include "report/avm_encodes.h"
#include "report/avm_rate_files.h"
#include "report/avm_summary.h"

#include "base/system/file.h"

namespace acutance::cli {
namespace {

/// "TAG=DIR", or "DIR", whose tag is its name; a folder whose path has an equals sign is one.
std::pair<std::string, std::string> TagAndFolder(const std::string& text) {
  if (const size_t equals = text.find('='); equals != text.npos && !Exists(text))
    return {text.substr(0, equals), text.substr(equals + 1)};
  const std::filesystem::path folder = SystemPath(text).lexically_normal();
  return {(folder.has_filename() ? folder : folder.parent_path()).filename().string(), text};
}

/// The folder of a release's anchor: of `--anchor TAG=DIR` with its tag, or of `--anchor DIR`.
Result<std::string> AnchorOf(const std::string& tag, const std::vector<std::string>& anchors) {
  const std::string* of_all = nullptr;
  for (const std::string& text : anchors) {
    if (text.find('=') == text.npos || Exists(text)) of_all = &text;
    else if (text.starts_with(tag + "=")) return text.substr(tag.size() + 1);
  }
  if (of_all != nullptr) return *of_all;
  return Error(StatusCode::kInvalidArgument, "{} has no anchor: give --anchor DIR, or --anchor {}=DIR", tag, tag);
}

/// A folder's files of rate points.
Result<std::vector<std::string>> RateFilesIn(const std::string& folder) {
  ACU_ASSIGN_OR_RETURN(std::vector<std::string> names, NamesIn(folder));
  std::erase_if(names,
                [](const std::string& name) { return !name.starts_with("RDResults_") || !name.ends_with(".csv"); });
  return names;
}

/// Tags are names of folders in the output, and options must not change what is scored.
Status CheckTexts(const CtcTexts& texts) {
  std::set<std::string> tags;
  for (const std::string& text : texts.releases) {
    const std::string tag = TagAndFolder(text).first;
    if (tag.empty() || tag == "." || tag == ".." || tag.find_first_of("/\\") != tag.npos)
      return Error(StatusCode::kInvalidArgument, "'{}': a tag is a name that a folder can have", tag);
    if (!tags.insert(tag).second)
      return Error(StatusCode::kInvalidArgument, "two releases have the tag {}: give another one, as TAG=DIR", tag);
  }
  static constexpr std::string_view kPassed[] = {"--backend",    "--device",   "--threads", "-t",
                                                 "--max-memory", "--max-vram", "--decoder", "--verify"};
  for (const std::string& option : texts.options)
    if (option.starts_with("-") && std::ranges::find(kPassed, option.substr(0, option.find('='))) == std::end(kPassed))
      return Error(StatusCode::kInvalidArgument,
                   "{}: the test conditions say what is scored; after -- there may only be {}", option,
                   fmt::join(kPassed, ", "));
  return {};
}

/// Where the user stops the scoring.
Status Interrupted() { return Error(StatusCode::kCancelled, "interrupted; run the same command again to continue"); }

/// Reads the rate points of releases, and scores encodes of those that have none, each folder once.
class Releases {
 public:
  explicit Releases(const CtcTexts& texts) : texts_(texts) {}

  /// Whether a release was scored: then files of rate points are a result without tables, too.
  bool has_scored() const { return has_scored_; }
  /// Whether some encode could not be scored.
  bool has_failures() const { return has_failures_; }

  /// name: of the folder in the output where encodes are scored.
  Result<AvmRelease> Read(const std::string& name, const std::string& folder) {
    if (const auto read = read_.find(folder); read != read_.end()) return read->second;
    ACU_ASSIGN_OR_RETURN(const std::vector<std::string> files, RateFilesIn(folder));
    ACU_ASSIGN_OR_RETURN(const std::string points, files.empty() ? Score(name, folder) : Result<std::string>(folder));
    ACU_ASSIGN_OR_RETURN(read_[folder], ReadAvmRelease(points));
    return read_[folder];
  }

  /// The anchor's name must be none of a release's.
  Result<AvmRelease> ReadAnchor(const std::string& folder) {
    std::string& name = anchors_[folder];
    if (name.empty()) name = fmt::format("anchor-{}-{}", anchors_.size(), TagAndFolder(folder).first);
    return Read(name, folder);
  }

 private:
  /// The folder of the files of rate points that it wrote.
  Result<std::string> Score(const std::string& name, const std::string& folder) {
    if (texts_.references.empty())
      return Error(StatusCode::kInvalidArgument,
                   "{} has no RDResults_*.csv; to score the encodes in it, name the folder of their references: "
                   "--references DIR",
                   folder);
    ACU_ASSIGN_OR_RETURN(const AvmEncodes found, FindAvmEncodes(folder, texts_.references));
    for (const std::string& note : found.notes) PrintWarning(note);
    if (found.encodes.empty())
      return Error(StatusCode::kBadData, "{} has neither RDResults_*.csv nor encodes with names as CLIP_RA_QP_110.obu",
                   folder);
    const std::string out = Join(texts_.output, name), scores = Join(out, "scores");
    std::vector<BatchJob> jobs;
    for (const AvmEncode& encode : found.encodes) jobs.push_back({encode.name, encode.reference, encode.video});
    BatchTexts batch{.list = {},
                     .out = scores,
                     .jobs = texts_.jobs,
                     .retry = false,
                     .quiet = texts_.quiet,
                     .options = AvmScoreOptions(texts_.version)};
    batch.options.insert(batch.options.end(), texts_.options.begin(), texts_.options.end());
    const BatchEnd end = RunBatch("ctc", batch, jobs);
    if (end.status == kInterrupted) return Interrupted();
    if (end.is_scored.empty()) return Error(StatusCode::kIo, "the encodes in {} were not scored", folder);
    has_scored_ = true;
    has_failures_ |= end.status != kOk;
    std::vector<AvmScored> scored;
    for (size_t i = 0; i < jobs.size(); ++i) {
      if (!end.is_scored[i]) continue;  // its error was printed, and its line is left out, as AVM does
      ACU_ASSIGN_OR_RETURN(Json summary, ReadJson(Join(scores, jobs[i].name + ".json")));
      scored.push_back({&found.encodes[i], std::move(summary)});
    }
    return WriteRatePoints(scored, out);
  }

  static Result<std::string> WriteRatePoints(const std::vector<AvmScored>& scored, const std::string& out) {
    std::vector<std::string> notes;
    ACU_ASSIGN_OR_RETURN(const std::vector<std::string> earlier, RateFilesIn(out));
    for (const std::string& name : earlier) RemoveFile(Join(out, name));
    for (const auto& [name, text] : AvmRateFiles(scored, notes)) {
      const std::string path = Join(out, name);
      ACU_RETURN_IF_ERROR(WriteFile(path, text));
      fmt::print("{}\n", path);
    }
    for (const std::string& note : notes) PrintWarning(note);
    return out;
  }

  const CtcTexts& texts_;
  std::map<std::string, AvmRelease> read_;      // by folder
  std::map<std::string, std::string> anchors_;  // names, by folder
  bool has_scored_ = false, has_failures_ = false;
};

Result<std::vector<AvmComparison>> ReadComparisons(const CtcTexts& texts, Releases& releases) {
  std::vector<AvmComparison> comparisons;
  for (const std::string& text : texts.releases) {
    const auto [tag, folder] = TagAndFolder(text);
    AvmComparison comparison{tag, {}, {}};
    ACU_ASSIGN_OR_RETURN(comparison.test, releases.Read(tag, folder));
    if (texts.anchors.empty() && releases.has_scored()) continue;
    ACU_ASSIGN_OR_RETURN(const std::string anchor, AnchorOf(tag, texts.anchors));
    ACU_ASSIGN_OR_RETURN(comparison.anchor, releases.ReadAnchor(anchor));
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

}  // namespace

int RunCtcCommand(const CtcTexts& texts) {
  if (const Status status = CheckTexts(texts); !status.ok()) return Fail("ctc", status, kUsage);
  Releases releases(texts);
  const Result<std::vector<AvmComparison>> comparisons = ReadComparisons(texts, releases);
  if (!comparisons.ok())
    return Fail("ctc", comparisons.status(),
                comparisons.status().code() == StatusCode::kCancelled ? kInterrupted : kFailed);
  const int done = releases.has_failures() ? kFailed : kOk;
  if (comparisons->empty()) return done;  // releases were scored, and there is no anchor
  const AvmSummary summary = CompareAvmReleases(*comparisons);
  for (const std::string& note : summary.notes) PrintWarning(note);
  if (summary.rows.empty())
    return Fail("ctc",
                Error(StatusCode::kBadData, "no clip has all points of one configuration in a release and its anchor"));
  (void)MakeFolder(texts.output);  // writing says what went wrong
  const auto refused = texts.refused == "zero" ? AvmRefused::kZero : AvmRefused::kEmpty;
  for (const auto& [name, text] : AvmTables(summary, refused)) {
    const std::string path = Join(texts.output, fmt::format("{}-{}.csv", name, texts.name));
    if (const Status status = WriteFile(path, text); !status.ok()) return Fail("ctc", status);
    fmt::print("{}\n", path);
  }
  return done;
}

}  // namespace acutance::cli
