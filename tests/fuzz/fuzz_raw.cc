// Fuzz target: raw video with the arguments that describe it, a line each; the samples follow.
#include "cli/raw_format.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/video.h"

using namespace acutance::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input input(data, size);
  const int how = input.Byte();
  acutance::cli::RawTexts texts;
  texts.size = input.Line();
  texts.pixel_format = input.Line();
  texts.bit_depth = static_cast<int8_t>(input.Byte());
  const acutance::Result<acutance::PictureFormat> format = acutance::cli::ParseRawFormat(texts);
  if (!format.ok()) return 0;
  const FileOf file(input.rest(), how & 1);
  ReadAll(file.path(), {.raw = *format, .keep_mapped = (how & 2) != 0}, how & 4, how >> 5);
  return 0;
}
