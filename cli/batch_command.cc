// `acutance batch`: a list of pairs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/csv.h"
#include "base/files.h"
#include "base/status.h"
#include "base/system/file.h"
#include "cli/batch_run.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/score_options.h"
#include "cli/terminal.h"
#include "log/output_file.h"
#include "log/read/json_file.h"
#include "log/table/rows_file.h"
#include "report/batch_page.h"
#include "report/score_rows.h"

namespace acutance::cli {
namespace {

struct Columns {
  size_t reference, distorted, name;  // places; name: `count` where there is no such column
  size_t count;
};

Result<Columns> ReadHeading(const std::string& path, const std::string& line) {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> titles, SplitCsv(line));
  const auto find = [&](std::string_view title) {
    return static_cast<size_t>(std::ranges::find(titles, title) - titles.begin());
  };
  const Columns columns{find("reference"), find("distorted"), find("name"), titles.size()};
  for (const std::string& title : titles)
    if (title != "reference" && title != "distorted" && title != "name")
      return Error(StatusCode::kBadData, "{}: there is no column '{}' (there are reference, distorted and name)", path,
                   title);
  if (columns.reference == titles.size() || columns.distorted == titles.size())
    return Error(StatusCode::kBadData, "{}: the first line names the columns, reference and distorted among them",
                 path);
  return columns;
}

std::string FormatOfTable(const std::string& path) {
  const std::string extension = SystemPath(path).extension().string();
  return extension.empty() ? "" : extension.substr(1);
}

bool IsFileName(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('/') == name.npos && name != "summary" && name.size() < 200;
}

/// The pairs of a CSV file: columns reference, distorted and, optionally, name, in any order, named by the first line.
/// Paths are relative to the current folder.
Result<std::vector<BatchJob>> ReadBatchList(const std::string& path) {
  std::ifstream file(SystemPath(path));
  if (!file) return Error(StatusCode::kIo, "could not open {}", path);
  std::string line;
  const auto next = [&] {
    if (!std::getline(file, line)) return false;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return true;
  };
  if (!next()) return Error(StatusCode::kBadData, "{} is empty", path);
  if (constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf"; line.starts_with(kByteOrderMark))
    line.erase(0, kByteOrderMark.size());  // spreadsheets write it
  ACU_ASSIGN_OR_RETURN(const Columns columns, ReadHeading(path, line));
  std::vector<BatchJob> jobs;
  std::set<std::string> names;
  for (int number = 2; next(); ++number) {
    if (line.empty()) continue;
    const auto fields = SplitCsv(line);
    if (!fields.ok() || fields->size() != columns.count)
      return Error(StatusCode::kBadData, "{}, line {}: {}", path, number,
                   fields.ok() ? fmt::format("there are {} fields, and {} columns", fields->size(), columns.count)
                               : fields.status().message());
    BatchJob job{"", (*fields)[columns.reference], (*fields)[columns.distorted]};
    if (columns.name < columns.count) job.name = (*fields)[columns.name];
    if (job.name.empty())
      job.name = fmt::format("{:04}_{}", jobs.size() + 1, SystemPath(job.distorted).stem().string());
    if (job.reference.empty() || job.distorted.empty() || !IsFileName(job.name) || !names.insert(job.name).second)
      return Error(StatusCode::kBadData,
                   "{}, line {}: a job has a reference, a distorted video and a name of its own that a file can have",
                   path, number);
    jobs.push_back(std::move(job));
  }
  if (jobs.empty()) return Error(StatusCode::kBadData, "{} has no pair", path);
  return jobs;
}

template <class Target>
bool IsPath(std::span<const Option<Target>> rows, const std::string& word) {
  return std::ranges::any_of(rows, [&](const Option<Target>& row) {
    return row.type == OptionType::kPath &&
           (word == fmt::format("--{}", row.name) || word == fmt::format("-{}", row.letter));
  });
}

/// An error where an option that writes a file lacks {name}: pairs would overwrite each other's files.
Status CheckFiles(const std::vector<std::string>& options) {
  for (size_t i = 0; i < options.size(); ++i) {
    const bool is_short = options[i].size() > 2 && options[i][0] == '-' && options[i][1] != '-';  // "-oFILE"
    const std::string option = is_short ? options[i].substr(0, 2) : options[i].substr(0, options[i].find('='));
    if (!IsPath(RunOptions(), option) && !IsPath(ScoreOptions(), option)) continue;
    const std::string& value = option == options[i] && i + 1 < options.size() ? options[i + 1] : options[i];
    if (value.find(kNamePlaceholder) == value.npos)
      return Error(StatusCode::kInvalidArgument, "{}: each pair needs a file of its own; put {} into the path", option,
                   kNamePlaceholder);
  }
  return {};
}

/// The rows of all pairs that were scored, with their names in the first column, in one file.
Status WriteScores(const BatchTexts& texts, const std::vector<BatchJob>& jobs, const BatchEnd& end) {
  DataTable all;
  for (size_t i = 0; i < jobs.size(); ++i) {
    if (!end.is_scored[i]) continue;
    const std::string path = Join(texts.out, jobs[i].name + ".rows");
    ACU_ASSIGN_OR_RETURN(DataTable rows, ReadRows(ReadText(path)));
    rows.columns.insert(rows.columns.begin(),
                        {"name", DataColumn::Values<std::string>(static_cast<size_t>(rows.rows()), jobs[i].name)});
    for (auto& [key, value] : rows.metadata) key += "." + jobs[i].name;
    AppendRows(std::move(rows), all);
  }
  if (all.columns.empty()) return Error(StatusCode::kBadData, "no pair was scored: {} is not written", texts.scores);
  return WriteTable(texts.scores, *FindTableFormat(FormatOfTable(texts.scores)), all);
}

/// Makes pairs keep their rows for the file of all.
Status KeepRows(BatchTexts& texts) {
  if (!FindTableFormat(FormatOfTable(texts.scores)))
    return Error(StatusCode::kInvalidArgument, "--scores {}: the name of a file ends with .parquet or .arrow",
                 texts.scores);
  for (const std::string& option : texts.options)
    if (option.starts_with("-o") || option.starts_with("--output"))
      return Error(StatusCode::kInvalidArgument, "--scores keeps a file of each pair, so that {} cannot write another",
                   option);
  texts.options.insert(texts.options.end(), {"--output", Join(texts.out, "{name}.rows")});
  return {};
}

/// Makes pairs find what is wrong in their worst seconds.
void AskForCauses(BatchTexts& texts) {
  const bool has_count = std::ranges::any_of(
      texts.options, [](const std::string& option) { return option.starts_with("--worst-seconds"); });
  if (!has_count) texts.options.insert(texts.options.end(), {"--worst-seconds", "5"});
}

/// The file of a pair's own page; empty: it has none.
std::string ReportOf(const BatchTexts& texts, const std::string& name) {
  std::string path;
  constexpr std::string_view kOption = "--report";
  for (size_t i = 0; i < texts.options.size(); ++i) {
    const std::string& option = texts.options[i];
    if (option == kOption && i + 1 < texts.options.size()) path = texts.options[i + 1];
    else if (option.starts_with(kOption) && option[kOption.size()] == '=') path = option.substr(kOption.size() + 1);
  }
  path = WithName(path, name);
  return IsRegularFile(path) ? path : "";
}

bool AreSameFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::weakly_canonical(SystemPath(a), error) ==
         std::filesystem::weakly_canonical(SystemPath(b), error);
}

/// Whether the files of all pairs can be written, and are none that the run reads or writes otherwise.
Status CheckOutputs(const BatchTexts& texts, const std::vector<BatchJob>& jobs) {
  ACU_RETURN_IF_ERROR(MakeFolder(texts.out));
  std::vector<std::string> videos;
  std::vector<std::string> others = {texts.list, Join(texts.out, "summary.json"), Join(texts.out, "summary.csv")};
  for (const BatchJob& job : jobs) {
    videos.insert(videos.end(), {job.reference, job.distorted});
    for (const char* extension : {".json", ".key", ".log", ".part"})
      others.push_back(Join(texts.out, job.name + extension));
  }
  for (const std::string& file : {texts.scores, texts.report}) {
    if (file.empty()) continue;
    ACU_RETURN_IF_ERROR(OutputFile::Check(file, videos));
    if (std::ranges::any_of(others, [&](const std::string& other) { return AreSameFile(file, other); }))
      return Error(StatusCode::kInvalidArgument, "{} is the list or a file of its results: choose another name", file);
  }
  return {};
}

Status WriteReport(const BatchTexts& texts, const std::vector<BatchJob>& jobs, const BatchEnd& end) {
  ACU_ASSIGN_OR_RETURN(const Json list, ReadJson(Join(texts.out, "summary.json")));
  std::vector<BatchPagePair> pairs;
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Json& entry = list.Find("jobs")->items[i];
    BatchPagePair& pair = pairs.emplace_back(
        BatchPagePair{jobs[i].name, jobs[i].reference, entry.Find("status")->text, entry.Find("error")->text, {}, {}});
    if (!end.is_scored[i]) continue;
    if (const std::string report = ReportOf(texts, pair.name); !report.empty())
      pair.report = AddressFrom(texts.report, report);
    ACU_ASSIGN_OR_RETURN(pair.summary, ReadJson(Join(texts.out, pair.name + ".json")));
  }
  return WriteFile(texts.report, MakeBatchPage(pairs));
}

}  // namespace

int RunBatchCommand(BatchTexts texts) {
  Result<std::vector<BatchJob>> jobs = ReadBatchList(texts.list);
  Status status = jobs.ok() ? CheckFiles(texts.options) : jobs.status();
  if (status.ok() && !texts.scores.empty()) status = KeepRows(texts);
  if (!status.ok()) return Fail("batch", status, kUsage);
  if (status = CheckOutputs(texts, *jobs); !status.ok()) return Fail("batch", status);
  if (!texts.report.empty()) AskForCauses(texts);
  const BatchEnd end = RunBatch("batch", texts, *jobs);
  if (end.is_scored.empty() || end.status == kInterrupted) return end.status;
  Status written = texts.scores.empty() ? Status() : WriteScores(texts, *jobs, end);
  if (written.ok() && !texts.report.empty()) {
    written = WriteReport(texts, *jobs, end);
    if (written.ok()) fmt::print("report: {}\n", texts.report);
  }
  return written.ok() ? end.status : Fail("batch", written);
}

}  // namespace acutance::cli
