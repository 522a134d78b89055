#include "cli/doctor_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "doctor/doctor.h"

namespace acutance::cli {
namespace {

std::string FindingsJson(const std::vector<Finding>& findings) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const Finding& finding : findings)
    all.push_back({{"cause", finding.cause},
                   {"confidence", finding.confidence},
                   {"sentence", finding.sentence},
                   {"command", finding.command}});
  const nlohmann::ordered_json document = {{"cause", findings.front().cause}, {"findings", std::move(all)}};
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

int RunDoctorCommand(const DoctorTexts& texts) {
  DoctorRequest request{texts.reference, texts.distorted, {}};
  if (!texts.raw.size.empty()) {
    const Result<PictureFormat> raw = ParseRawFormat(texts.raw);
    if (!raw.ok()) {
      fmt::print(stderr, "acutance doctor: {}\n", raw.status().message());
      return 2;
    }
    request.open.raw = *raw;
  }
  request.open.decoder_threads = 0;
  const Result<std::vector<Finding>> findings = Diagnose(request);
  if (!findings.ok()) {
    fmt::print(stderr, "acutance doctor: {}\n", findings.status().message());
    return 1;
  }
  if (texts.json) {
    fmt::print("{}", FindingsJson(*findings));
    return 0;
  }
  for (const Finding& finding : *findings) {
    fmt::print("{} ({:.0f} % sure): {}\n", finding.cause, 100 * finding.confidence, finding.sentence);
    if (!finding.command.empty()) fmt::print("    {}\n", finding.command);
  }
  return 0;
}

}  // namespace acutance::cli
