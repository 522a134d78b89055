// Fuzz target: a support vector machine, with the number of features before it.
#include "model/model_parser.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

ACU_FUZZ_TARGET(input) {
  const int features = 1 + input.Byte() % 64;
  const std::string text(input.rest());
  static_cast<void>(ParseSvm(text, features).ok());
}
