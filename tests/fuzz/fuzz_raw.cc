// Fuzz target: raw video with the arguments that describe it, a line each; the samples follow.
#include "run/run_options.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/video.h"

using namespace acutance::fuzz;

ACU_FUZZ_TARGET(input) {
  const int how = input.Byte();
  acutance::RunRequest run;
  for (const char* name : {"size", "pixel-format", "bit-depth"}) {
    const acutance::RunOption& option = *acutance::FindRunOption(name);
    if (!ReadOption(option, input.Line(), acutance::OptionStyle::kCommand, run).ok()) return;
  }
  if (!CompleteRequest(run).ok()) return;
  const FileOf file(input.rest(), how & 1);
  ReadAll(file.path(),
          {.raw = run.open.raw, .raw_is_semi_planar = run.open.raw_is_semi_planar, .keep_mapped = (how & 2) != 0},
          how & 4, how >> 5);
}
