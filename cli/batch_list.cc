#include "cli/batch_list.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/csv.h"

namespace acutance::cli {

namespace {

struct Columns {
  size_t reference, distorted, name;  // name: as many as there are columns where there is none
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

bool IsFileName(std::string_view name) {
  return !name.empty() && name[0] != '.' && name.find('/') == name.npos && name != "summary" && name.size() < 200;
}

}  // namespace

Result<std::vector<BatchJob>> ReadBatchList(const std::string& path) {
  std::ifstream file(path);
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
      job.name = fmt::format("{:04}_{}", jobs.size() + 1, std::filesystem::path(job.distorted).stem().string());
    if (job.reference.empty() || job.distorted.empty() || !IsFileName(job.name) || !names.insert(job.name).second)
      return Error(StatusCode::kBadData,
                   "{}, line {}: a job has a reference, a distorted video and a name of its own that a file can have",
                   path, number);
    jobs.push_back(std::move(job));
  }
  if (jobs.empty()) return Error(StatusCode::kBadData, "{} has no pair", path);
  return jobs;
}

}  // namespace acutance::cli
