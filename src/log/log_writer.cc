#include "log/log_writer.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "base/did_you_mean.h"
#include "log/log_formats.h"
#include "log/output_file.h"

namespace acutance {
namespace {

constexpr LogFormat kFormats[] = {{"xml", WriteXml}, {"json", WriteJson}, {"csv", WriteCsv}, {"sub", WriteSub}};

}  // namespace

std::span<const LogFormat> LogFormats() { return kFormats; }

const LogFormat* FindLogFormat(std::string_view name) {
  const auto found = std::find_if(std::begin(kFormats), std::end(kFormats),
                                  [&](const LogFormat& format) { return format.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

Status WriteLogFile(const std::string& path, std::string_view format, const LogInput& input) {
  const LogFormat* writer = FindLogFormat(format);
  if (writer == nullptr) {
    std::vector<std::string_view> names;
    for (const LogFormat& known : kFormats) names.push_back(known.name);
    return Error(StatusCode::kInvalidArgument, "unknown log format '{}'{} (known: {})", format,
                 DidYouMean(format, names), fmt::join(names, ", "));
  }
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<OutputFile> file, OutputFile::Open(path));
  writer->write(input, [&](std::string_view text) { file->Write(text); });
  return file->Commit();
}

}  // namespace acutance
