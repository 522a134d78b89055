// Fuzz target: a y4m video as a file or a pipe. The first byte selects how it is read.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/video.h"

using namespace acutance::fuzz;

ACU_FUZZ_TARGET(input) {
  const int how = input.Byte();
  const FileOf file("YUV4MPEG2" + std::string(input.rest()), how & 1);
  ReadAll(file.path(), {.keep_mapped = (how & 2) != 0}, how & 4, how >> 5);
}
