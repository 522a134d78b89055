// `acutance fit`: scores and opinions, and models trained on them.
#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/exit_status.h"
#include "log/json_text.h"
#include "log/output_file.h"
#include "report/fit/agreement.h"
#include "report/fit/opinion_table.h"
#include "report/fit/train_model.h"
#include "report/summary.h"

namespace acutance::cli {
namespace {

Result<OpinionTable> ReadTable(const FitTexts& texts) {
  ACU_ASSIGN_OR_RETURN(OpinionTable table, ReadOpinions(texts.opinions));
  if (!texts.scores.empty()) ACU_RETURN_IF_ERROR(AddBatchScores(texts.scores, table));
  return table;
}

void Print(const FitTexts& texts, const Agreements& agreements, const TrainedModel* trained) {
  if (texts.json) {
    Json document = {{"schema", kSchemaName}, {"kind", "fit"}, {"agreements", AgreementsJson(agreements)}};
    document["training"] = trained ? Json{{"model", texts.train},
                                          {"C", trained->options.c},
                                          {"gamma", trained->options.gamma},
                                          {"nu", trained->options.nu},
                                          {"folds", trained->options.folds},
                                          {"cross_validation", AgreementsJson(trained->agreements)}}
                                   : Json();
    fmt::print("{}", JsonText(document));
    return;
  }
  fmt::print("{}", AgreementsText(agreements));
  if (trained)
    fmt::print("\n{}: nu-SVR with C {}, gamma {}, nu {}; predictions of contents that were not trained on:\n{}",
               texts.train, trained->options.c, trained->options.gamma, trained->options.nu,
               AgreementsText(trained->agreements));
}

Result<TrainedModel> Train(const FitTexts& texts, const OpinionTable& table) {
  ACU_ASSIGN_OR_RETURN(TrainedModel trained, TrainModel(table, texts.training));
  ACU_RETURN_IF_ERROR(WriteFile(texts.train, trained.json));
  return trained;
}

}  // namespace

int RunFitCommand(const FitTexts& texts) {
  const Result<OpinionTable> table = ReadTable(texts);
  if (!table.ok()) return Fail("fit", table.status());
  for (const std::string& note : table->notes) PrintWarning(note);
  const Result<Agreements> agreements = CompareWithOpinions(*table);
  if (!agreements.ok()) return Fail("fit", agreements.status());
  if (texts.train.empty()) return Print(texts, *agreements, nullptr), kOk;
  const Result<TrainedModel> trained = Train(texts, *table);
  if (!trained.ok()) return Fail("fit", trained.status());
  return Print(texts, *agreements, &*trained), kOk;
}

}  // namespace acutance::cli
