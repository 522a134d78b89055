// Fuzz target: a model file, with the SVM text inside. A model that loads also predicts.

#include "model/model_parser.h"
#include "model/predict.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = fuzz::Exact(data, size);
  const Result<Model> model = ParseModel(text, "fuzz.json", "fuzz");
  static_cast<void>(model.ok());
  return 0;
}
