// Fuzz target: a y4m video as a file or a pipe. The first byte says how it is read.
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/video.h"

using namespace acutance::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const int how = input.Byte();
  const FileOf file("YUV4MPEG2" + std::string(input.rest()), how & 1);
  ReadAll(file.path(), {.keep_mapped = (how & 2) != 0}, how & 4, how >> 5);
  return 0;
}
