// Fuzz target: the command line of `acutance score`, an argument a line.
#include "cli/score_options.h"
#include "tests/fuzz/fuzz.h"

ACU_FUZZ_TARGET(input) {
  acutance::cli::ScoreRequest score;
  if (acutance::cli::ParseScoreOptions(input.Arguments(), score).ok())
    static_cast<void>(acutance::cli::Complete(score).ok());
}
