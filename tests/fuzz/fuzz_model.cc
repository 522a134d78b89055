// Fuzz target: a model file, with its SVM.
#include "model/model_parser.h"
#include "tests/fuzz/fuzz.h"

using namespace acutance;

ACU_FUZZ_TARGET(input) { static_cast<void>(ParseModel(fuzz::Exact(input.rest()), "fuzz.json", "fuzz").ok()); }
