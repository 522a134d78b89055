// `acutance verify` and `acutance diff`: numbers of other runs.
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>

#include "base/system/file.h"
#include "base/usable_cpus.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/terminal.h"
#include "log/json_text.h"
#include "log/read/score_log.h"
#include "report/receipt.h"
#include "report/score_diff.h"
#include "report/summary.h"
#include "report/verify.h"

namespace acutance::cli {
namespace {

Json VerificationJson(const Verification& result) {
  return {{"schema", kSchemaName},
          {"kind", "verification"},
          {"subject", result.subject},
          {"holds", result.differences.empty() && result.unchecked.empty()},
          {"frames", result.frames},
          {"checked", result.checked},
          {"confidence", result.confidence},
          {"seed", result.seed},
          {"differences", result.differences},
          {"unchecked", result.unchecked},
          {"notes", result.notes}};
}

std::string_view VerdictOf(const Verification& result) {
  if (!result.differences.empty()) return "not what the videos give";
  return result.unchecked.empty() ? "verified" : "partly verified";
}

void PrintVerification(const Verification& result, double touched) {
  for (const std::string& note : result.notes) fmt::print("{}\n", note);
  for (const std::string& difference : result.differences) fmt::print("differs: {}\n", difference);
  if (!result.unchecked.empty())
    fmt::print("not compared, as this run does not compute it: {}; name the options of its run, such as --feature\n",
               fmt::join(result.unchecked, ", "));
  const std::string how =
      result.checked == result.frames
          ? fmt::format("all {} frames were scored again", result.frames)
          : fmt::format(
                "{} of {} frames were scored again (--seed {}): if {:g} % were wrong, one of them would be "
                "among these with {:.4g} %",
                result.checked, result.frames, result.seed, 100 * touched, 100 * result.confidence);
  fmt::print("{}: {}; {}\n", result.subject, VerdictOf(result), how);
}

/// The receipt in a JSON file; nullopt: it is another file, or a log.
std::optional<Json> ReadReceipt(const std::string& path) {
  std::ifstream file(SystemPath(path), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!text.starts_with('{')) return std::nullopt;
  const Result<Json> document = ParseJson(text, {.bytes = size_t{2} << 30, .values = size_t{1} << 26});
  const Json* const receipt = document.ok() ? FindReceipt(*document) : nullptr;
  return receipt ? std::optional(*receipt) : std::nullopt;
}

Result<Verification> Verify(const VerifyTexts& texts, const VerifyOptions& options) {
  RunRequest request = texts.run;
  request.on_warning = [](const std::string& warning) { PrintWarning(warning); };
  if (const std::optional<Json> receipt = ReadReceipt(texts.file))
    return VerifyReceipt(texts.file, *receipt, std::move(request), options);
  ACU_ASSIGN_OR_RETURN(const ScoreLog log, ReadScoreLog(texts.file));
  if (log.format == "summary")
    return Error(StatusCode::kInvalidArgument, "{} is a summary without a receipt: name a log or a receipt",
                 texts.file);
  if (request.reference.empty() || request.distorted.size() != 1)
    return Error(StatusCode::kInvalidArgument, "a log does not name its videos: give --ref and --dis");
  return VerifyLog(log, std::move(request), options);
}

}  // namespace

int RunVerifyCommand(const VerifyTexts& texts) {
  VerifyOptions options{.full = texts.full, .touched = texts.touched / 100, .confidence = texts.confidence / 100};
  options.seed = texts.seed.value_or(std::random_device()());
  const Result<Verification> result = Verify(texts, options);
  if (!result.ok()) return Fail("verify", result.status(), kUsage);
  if (texts.json) fmt::print("{}", JsonText(VerificationJson(*result)));
  else PrintVerification(*result, options.touched);
  if (!result->differences.empty()) return kFailed;
  return result->unchecked.empty() ? kOk : kUsage;  // a part of it could not be checked
}

int RunDiffCommand(const DiffTexts& texts) {
  DiffOptions options{.by = texts.by, .frame_rate = texts.fps, .segments = {}, .worse_than = texts.worse_than};
  const auto diff = [&]() -> Result<std::vector<VideoDiff>> {
    if (!texts.segments.empty()) {
      ACU_ASSIGN_OR_RETURN(options.segments, ParseParts(texts.segments));
    }
    ACU_ASSIGN_OR_RETURN(const std::vector<ScoreLog> before, LoadScores(texts.before, UsableCpus()));
    ACU_ASSIGN_OR_RETURN(const std::vector<ScoreLog> after, LoadScores(texts.after, UsableCpus()));
    return DiffScores(before, after, options);
  };
  const Result<std::vector<VideoDiff>> videos = diff();
  if (!videos.ok()) return Fail("diff", videos.status(), kUsage);
  fmt::print("{}", texts.json       ? JsonText(DiffJson(*videos))
                   : texts.markdown ? DiffMarkdown(*videos)
                                    : DiffText(*videos));
  int status = kOk;
  for (const VideoDiff& video : *videos)
    for (const std::string& failure : video.failures) {
      fmt::print(stderr, "acutance diff: {}\n", failure);
      status = kFailed;
    }
  return status;
}

}  // namespace acutance::cli
