#include "cli/commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/files.h"
#include "base/system/file.h"
#include "cli/exit_status.h"
#include "cli/frame_watch.h"
#include "cli/score_command.h"
#include "cli/spec_run.h"
#include "cli/terminal.h"
#include "log/json_text.h"
#include "log/output_file.h"
#include "report/comparison.h"
#include "report/ctc.h"
#include "report/ladder.h"
#include "report/page_encodes.h"
#include "report/summary_json.h"
#include "run/video_cache.h"
#include "stats/avm_bd_rate.h"

namespace acutance::cli {
namespace {

/// An error where there is no score `by`; empty: the first model's, or that of the features that HDR videos get.
Status CheckBy(const std::string& by, const Session& session, bool chooses_models) {
  if (!by.empty()) return CheckNames({{.text = by, .score = by, .pool = NamedPool{}}}, session);
  if (!session.models().empty() || chooses_models) return {};
  return Error(StatusCode::kInvalidArgument, "--by NAME: there is no model, so name a feature's score");
}

/// names: an error where there is no such score as is compared or required.
ScoredRun RunEncodes(const ScoreRequest& score, const std::string& by, Status& names) {
  WatchInterrupt();
  Progress progress(score.quiet);
  RunRequest request = score.run;
  request.on_start = [&](const Session& session) {
    names = CheckNames(score.requirements, session);
    if (names.ok()) names = CheckBy(by, session, score.run.choose_models.has_value());
    return names;
  };
  request.on_frame = [&](const Session& session, std::optional<int64_t> total) {
    if (progress.IsDue()) progress.Update({session.frames_done(), total, {}, {}, session.first_frame()});
    return FrameAction::kContinue;
  };
  request.on_warning = [&](const std::string& warning) { progress.Note("acutance: warning: " + warning); };
  return LoadModelsAndRun(std::move(request));
}

/// A finished run. status: the exit status, 0 on success; by: the name of the score that is compared.
struct EncodesRun {
  int status = kOk;
  ScoredRun run;
  std::optional<Summary> summary;
  std::string by;
};

EncodesRun ScoreEncodes(const char* command, EncodesTexts& texts) {
  EncodesRun encodes;
  const auto fail = [&](const Status& status, int exit_status) {
    encodes.status = Fail(command, status, exit_status);
    return std::move(encodes);
  };
  ScoreRequest& score = texts.score;
  if (const Status status = Complete(score); !status.ok()) return fail(status, kUsage);
  if (score.has_gate || score.stream_frames || !score.run.journal.empty())
    return fail(
        Error(StatusCode::kInvalidArgument, "--at-least, --at-most, --progress and --journal are for `acutance score`"),
        kUsage);
  AddFeatureOf(texts.by, score.run);
  if (const Status status = CheckOutputs(score); !status.ok()) return fail(status, kFailed);
  Status names;
  encodes.run = RunEncodes(score, texts.by, names);
  if (const auto& error = encodes.run.error) {
    const int failed = error->status.code() == StatusCode::kCancelled ? kInterrupted : kFailed;
    return fail(error->status, names.ok() ? failed : kUsage);
  }
  Result<Summary> summary = MakeSummary(ChoiceOf(score), ViewOf(encodes.run));
  if (!summary.ok()) return fail(summary.status(), kUsage);
  encodes.summary = *std::move(summary);
  const std::vector<ModelRun>& models = encodes.run.session->models();
  encodes.by = texts.by;
  if (encodes.by.empty() && !models.empty()) encodes.by = models.front().main_score_key();
  if (encodes.by.empty()) {
    const ScoreTable& scores = *encodes.summary->videos.front().scores;
    encodes.by = scores.columns()[static_cast<size_t>(FindQualityColumn(scores, "").value_or(0))].shown;
  }
  return encodes;
}

Result<std::vector<std::string>> VideosIn(const std::string& folder, const OpenOptions& options) {
  ACU_ASSIGN_OR_RETURN(FolderVideos found, FindVideos(folder, options));
  for (const std::string& reason : found.passed_over) PrintWarning("passed over, no video: " + reason);
  return std::move(found.files);
}

/// "DIR", "NAME=FILE,FILE" or "FILE"; files without a name are one curve.
Result<std::vector<LadderCurve>> ReadCurves(const std::vector<std::string>& texts, const OpenOptions& options) {
  std::vector<LadderCurve> curves;
  const auto add = [&](const std::string& name, std::vector<std::string> files) {
    auto curve = std::ranges::find(curves, name, &LadderCurve::name);
    if (curve == curves.end()) curve = curves.insert(curves.end(), {name, {}, {}, {}});
    curve->encodes.insert(curve->encodes.end(), files.begin(), files.end());
  };
  for (const std::string& text : texts) {
    if (const auto info = InfoOf(text); info && info->kind == FileKind::kFolder) {
      ACU_ASSIGN_OR_RETURN(const std::vector<std::string> files, VideosIn(text, options));
      const std::filesystem::path folder = SystemPath(text).lexically_normal();
      add((folder.has_filename() ? folder : folder.parent_path()).filename().string(), files);
    } else if (const size_t equals = text.find('='); equals != text.npos && !Exists(text)) {
      std::vector<std::string> files;
      for (std::string_view rest = std::string_view(text).substr(equals + 1); !rest.empty();) {
        const std::string_view file = rest.substr(0, rest.find(','));
        files.emplace_back(file);
        rest.remove_prefix(std::min(rest.size(), file.size() + 1));
      }
      if (equals == 0 || files.empty())
        return Error(StatusCode::kInvalidArgument, "{}: expected a folder, a file, or NAME=FILE,FILE,...", text);
      add(text.substr(0, equals), files);
    } else {
      add("encodes", {text});
    }
  }
  return curves;
}

Status PutFirst(const std::string& anchor, std::vector<LadderCurve>& curves) {
  if (anchor.empty()) return {};
  const auto found = std::ranges::find(curves, anchor, &LadderCurve::name);
  if (found == curves.end()) {
    std::vector<std::string> names;
    names.reserve(curves.size());
    for (const LadderCurve& curve : curves) names.push_back(curve.name);
    return Error(StatusCode::kInvalidArgument, "--anchor {}: there is no such curve (there are {})", anchor,
                 fmt::join(names, ", "));
  }
  std::rotate(curves.begin(), found, found + 1);
  return {};
}

/// Writes the logs; returns the exit status.
int Conclude(const char* command, const ScoreRequest& score, const EncodesRun& encodes, const std::string& part) {
  const Status status = WriteOutputs(score, encodes.run, *encodes.summary, part);
  return status.ok() ? JudgeOutputs(score, *encodes.summary) : Fail(command, status);
}

/// The BD-rates of AVM's rule against the first curve.
int PrintAvmBdRates(const std::vector<LadderCurve>& curves, const EncodesTexts& texts) {
  const LadderCurve& anchor = curves.front();
  if (texts.by == "vmaf_neg")
    PrintWarning("AVM's summaries do not cut vmaf_neg where it saturates, as they cut vmaf; --by vmaf-neg cuts it");
  Json differences = Json::Array();
  for (size_t i = 1; i < curves.size(); ++i) {
    const Result<double> rate = AvmBdRate(anchor.points, curves[i].points, SaturatesByAvm(texts.by));
    const std::string found = rate.ok() ? fmt::format("BD-rate {:+.4f} %", *rate) : rate.status().message();
    if (!texts.json) fmt::print("{} against {}: {}\n", curves[i].name, anchor.name, found);
    differences.Append({{"anchor", anchor.name},
                        {"test", curves[i].name},
                        {"bd_rate", rate.ok() ? Json(*rate) : Json()},
                        {"refusal", rate.ok() ? Json() : Json(found)}});
  }
  if (texts.json)
    fmt::print(
        "{}",
        JsonText(
            {{"schema", kSchemaName}, {"kind", "bd"}, {"method", "avm"}, {"differences", std::move(differences)}}));
  return kOk;
}

}  // namespace

int RunCompareCommand(EncodesTexts& texts) {
  const EncodesRun encodes = ScoreEncodes("compare", texts);
  if (encodes.status != kOk) return encodes.status;
  const Result<Comparison> comparison = CompareEncodes(*encodes.summary, encodes.by);
  if (!comparison.ok()) return Fail("compare", comparison.status(), kUsage);
  if (texts.score.json)
    fmt::print("{}", JsonText({{"schema", kSchemaName},
                               {"kind", "compare"},
                               {"comparison", ComparisonJson(*comparison)},
                               {"summary", SummaryDocument(*encodes.summary)}}));
  else fmt::print("{}", ComparisonText(*comparison));
  return Conclude("compare", texts.score, encodes, EncodesPart(*comparison));
}

int RunLadderCommand(EncodesTexts& texts) {
  RunRequest& run = texts.score.run;
  Result<std::vector<LadderCurve>> curves = ReadCurves(run.distorted, run.open);
  if (!curves.ok()) return Fail("ladder", curves.status(), kUsage);
  if (const Status status = PutFirst(texts.anchor, *curves); !status.ok()) return Fail("ladder", status, kUsage);
  run.distorted.clear();
  for (const LadderCurve& curve : *curves)
    run.distorted.insert(run.distorted.end(), curve.encodes.begin(), curve.encodes.end());
  const EncodesRun encodes = ScoreEncodes("ladder", texts);
  if (encodes.status != kOk) return encodes.status;
  const Summary& summary = *encodes.summary;
  const Result<Ladder> ladder = LadderOf(summary, encodes.by, *curves);
  if (!ladder.ok()) return Fail("ladder", ladder.status());
  if (!texts.ctc.empty()) {
    for (const std::string& warning : CtcWarnings(summary)) PrintWarning(warning);
    if (const Status status = WriteFile(texts.ctc, CtcCsv(summary, *curves)); !status.ok())
      return Fail("ladder", status);
  }
  if (texts.score.json)
    fmt::print("{}", JsonText({{"schema", kSchemaName},
                               {"kind", "ladder"},
                               {"ladder", LadderJson(*ladder)},
                               {"summary", SummaryDocument(summary)}}));
  else fmt::print("{}", LadderText(*ladder));
  return Conclude("ladder", texts.score, encodes, EncodesPart(*ladder));
}

int RunBdCommand(const EncodesTexts& texts) {
  const bool by_avm = texts.method == "avm";
  Result<std::vector<LadderCurve>> curves = ReadPoints(texts.points, by_avm ? PointCells::kAvm : PointCells::kNumbers);
  if (!curves.ok()) return Fail("bd", curves.status());
  if (const Status status = PutFirst(texts.anchor, *curves); !status.ok()) return Fail("bd", status, kUsage);
  if (by_avm) return PrintAvmBdRates(*curves, texts);
  const Ladder ladder = MakeLadder(kKnownQuality, *std::move(curves), 1);
  if (texts.json)
    fmt::print("{}", JsonText({{"schema", kSchemaName}, {"kind", "ladder"}, {"ladder", LadderJson(ladder)}}));
  else fmt::print("{}", LadderText(ladder));
  return kOk;
}

}  // namespace acutance::cli
