#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/files.h"
#include "base/system/process.h"
#include "base/system/temporary_folder.h"
#include "base/usable_cpus.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/terminal.h"
#include "log/json_text.h"
#include "log/output_file.h"
#include "report/conform/conform_report.h"
#include "report/conform/library_tool.h"

namespace acutance::cli {
namespace {

int UsageError(const Status& status) { return Fail("conform", status, kUsage); }

/// A folder for clips and logs that is removed with it.
class WorkFolder {
 public:
  WorkFolder() : path_(MakeTemporaryFolder("acutance-conform")) {}
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder&) = delete;

  const std::string* path() const { return path_.empty() ? nullptr : &path_; }

 private:
  const std::string path_;
};

/// The program under test: a command, a library in a process of this program, or this installation's own `vmaf`.
Result<ConformTool> ToolOf(const ConformTexts& texts) {
  if (!texts.tool.empty() + !texts.library.empty() + !texts.backend.empty() != 1)
    return Error(StatusCode::kInvalidArgument, "name what to test: -- TOOL [ARGS], --library FILE or --backend NAME");
  if (!texts.tool.empty()) return ConformTool::Of(texts.tool);
  const std::string self = ProgramFile().string();
  if (!texts.library.empty())
    return ConformTool{{self, std::string(kLibraryToolCommand), texts.library, "--cpumask", texts.cpumask}};
  ACU_RETURN_IF_ERROR(CheckDeviceChoice({texts.backend, std::nullopt, {}}));
  const std::string vmaf = ProgramFile().replace_filename("vmaf").replace_extension(ProgramFile().extension()).string();
  if (!Exists(vmaf)) return Error(StatusCode::kIo, "no {}: --backend tests it", vmaf);
  return ConformTool{{vmaf, "--backend", texts.backend}};
}

int Record(const ConformTool& tool, const std::string& path, const std::string& folder, int jobs) {
  const Result<GoldenValues> golden = RecordGoldenValues(tool, folder, jobs);
  if (!golden.ok()) return Fail("conform", golden.status());
  const Status written = WriteFile(path, golden->Text());
  return written.ok() ? kOk : Fail("conform", written);
}

int WriteClips(const std::string& folder) {
  for (const ClipSpec& clip : Clips())
    if (const Result<ClipFiles> files = WriteClip(clip, folder); !files.ok()) return Fail("conform", files.status());
  return kOk;
}

int Report(const ConformTexts& texts, const ConformTool& tool, const ConformResult& result) {
  fmt::print("{}", texts.json ? JsonText(ConformJson(tool, result)) : ConformText(tool, result));
  if (!texts.junit.empty())
    if (const Status status = WriteFile(texts.junit, ConformJunit(tool, result)); !status.ok())
      return Fail("conform", status);
  return result.Conforms() ? kOk : kFailed;
}

}  // namespace

int RunConformCommand(const ConformTexts& texts) {
  if (!texts.clips.empty()) return WriteClips(texts.clips);
  const Result<ConformTool> tool = ToolOf(texts);
  if (!tool.ok()) return UsageError(tool.status());
  const WorkFolder folder;
  if (!folder.path()) return Fail("conform", Error(StatusCode::kIo, "could not make a temporary folder; set TMPDIR"));
  const int jobs = texts.jobs > 0 ? texts.jobs : UsableCpus();
  if (!texts.record.empty()) return Record(*tool, texts.record, *folder.path(), jobs);
  const Result<GoldenValues> golden = GoldenValues::BuiltIn();
  if (!golden.ok()) return Fail("conform", golden.status());
  ConformOptions options{texts.tolerance, jobs, texts.only};
  const bool shows = IsTerminal(kStandardError) && !texts.quiet;
  if (shows) options.on_progress = [](int done, int of) { fmt::print(stderr, "\r{} of {} runs", done, of); };
  const Result<ConformResult> result = TestConformance(*tool, *golden, *folder.path(), options);
  if (shows) fmt::print(stderr, "\r\033[K");
  return result.ok() ? Report(texts, *tool, *result) : Fail("conform", result.status());
}

int RunLibraryToolCommand(int argc, char** argv) {
  const Status status = RunLibraryTool(argv[2], std::vector<std::string>(argv + 3, argv + argc));
  return status.ok() ? kOk : Fail("conform", status);
}

}  // namespace acutance::cli
