// `acutance look`: a page with frames of two videos, in one place, to be compared by eye.
#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/system/child_process.h"
#include "base/system/file.h"
#include "base/system/temporary_folder.h"
#include "base/system/terminal.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/score_command.h"
#include "cli/terminal.h"

namespace acutance::cli {
namespace {

/// Shows the page where there is a screen. Failing that, its path is printed anyway.
void Open(const std::string& page) {
  constexpr double kSeconds = 10;
  const std::vector<std::string> words = IsTerminal(kStandardOutput) ? PageOpener(page) : std::vector<std::string>();
  if (words.empty()) return;
  const std::string folder = MakeTemporaryFolder("acutance-look");
  (void)RunChild(words, Join(folder, "output"), kSeconds);
  std::error_code ignored;
  std::filesystem::remove_all(SystemPath(folder), ignored);
}

}  // namespace

Status PrepareLook(const LookTexts& texts, ScoreRequest& request) {
  request.look = true;
  if (request.report.empty()) {
    const std::string folder = MakeTemporaryFolder("acutance-look");
    if (folder.empty())
      return Error(StatusCode::kIo, "there is no folder for temporary files; name the page: --report FILE");
    request.report = Join(folder, "look.html");
  }
  if (!texts.at) return {};
  if (request.run.skip_reference > 0 || request.run.frame_limit > 0)
    return Error(StatusCode::kInvalidArgument, "--at names one frame, and --frames others: give one of them");
  request.run.skip_reference = request.run.skip_distorted = *texts.at;
  request.run.frame_limit = 1;
  return {};
}

int RunLookCommand(const ScoreRequest& request) {
  const int status = RunScoreCommand(request);
  if (status == kOk || status == kNotReached) Open(request.report);
  return status;
}

}  // namespace acutance::cli
