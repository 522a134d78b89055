#include "cli/commands.h"

#include <fmt/format.h>

#include "cli/exit_status.h"
#include "log/json_text.h"
#include "model/builtin_models.h"
#include "report/summary.h"
#include "run/auto_model.h"
#include "run/doctor/doctor.h"
#include "run/run_options.h"

namespace acutance::cli {
namespace {

std::string FindingsJson(const std::vector<Finding>& findings) {
  Json all = Json::Array();
  for (const Finding& finding : findings)
    all.Append({{"cause", finding.cause},
                {"confidence", finding.confidence},
                {"sentence", finding.sentence},
                {"command", finding.command}});
  return JsonText(
      {{"schema", kSchemaName}, {"kind", "doctor"}, {"cause", findings.front().cause}, {"findings", std::move(all)}});
}

/// What the model does not fit, and the options that choose one which does.
using Problem = std::optional<std::pair<std::string, std::string>>;

Problem CheckModel(const Model& model, Viewing viewing, const PairFacts& facts) {
  if (const auto mismatch = ViewingMismatch(model, viewing))
    return {{*mismatch, fmt::format(" --viewing {}", kViewingNames[static_cast<int>(viewing)])}};
  if (const auto mismatch = RateMismatch(model, facts.frame_rate)) return {{*mismatch, " --model auto"}};
  const auto mismatch = SizeMismatch(model, facts.pictures);
  if (!mismatch) return std::nullopt;
  // A model for a smaller screen than the pictures' is another one; pictures that are smaller are put on the screen.
  const size_t scale = mismatch->find("--scale ");
  if (scale == mismatch->npos) return {{*mismatch, " --viewing 4k"}};
  const std::string size = mismatch->substr(scale, mismatch->find(' ', scale + 8) - scale);
  return {{*mismatch, fmt::format(" --model {} {}", model.source, size)}};
}

/// Fills request.check_model.
Status ReadModel(const DoctorTexts& texts, DoctorRequest& request) {
  if (texts.model.empty() || texts.model == "auto") return {};
  ACU_ASSIGN_OR_RETURN(const Model model, LoadBuiltinModel(texts.model, texts.model));
  const Viewing viewing = FindViewing(texts.viewing).value_or(Viewing::kBySize);
  request.check_model = [model, viewing](const PairFacts& facts) { return CheckModel(model, viewing, facts); };
  return {};
}

}  // namespace

int RunDoctorCommand(DoctorTexts texts) {
  DoctorRequest request{texts.reference, texts.distorted, {}};
  Status status = ReadModel(texts, request);
  if (status.ok()) status = CompleteRequest(texts.run);
  if (!status.ok()) return Fail("doctor", status, kUsage);
  request.open = texts.run.open;
  request.open.take_all = true;
  request.open.decoder_threads = 0;
  const Result<std::vector<Finding>> findings = Diagnose(request);
  if (!findings.ok()) return Fail("doctor", findings.status());
  if (texts.json) {
    fmt::print("{}", FindingsJson(*findings));
    return kOk;
  }
  for (const Finding& finding : *findings) {
    fmt::print("{} ({:.0f} % sure): {}\n", finding.cause, 100 * finding.confidence, finding.sentence);
    if (!finding.command.empty()) fmt::print("    {}\n", finding.command);
  }
  return kOk;
}

}  // namespace acutance::cli
