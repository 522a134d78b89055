// Fuzz target: the text of a support vector machine, with the number of features before it.
#include "model/model_parser.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::Input input(data, size);
  const int features = 1 + input.Byte() % 64;
  const std::string text(input.rest());
  static_cast<void>(ParseSvm(text, features).ok());
  return 0;
}
