// Fuzz target: the command line of `vmaf`, an argument a line.
#include <getopt.h>

#include <vector>

#include "cli/vmaf_args.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kMostArguments = 200;
  acutance::fuzz::Input input(data, size);
  std::vector<std::string> texts = {"vmaf"};
  while (!input.empty() && texts.size() < kMostArguments) texts.push_back(input.Line().c_str());
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  opterr = 0;  // getopt says what is wrong
  static_cast<void>(acutance::cli::ParseVmafArgs(static_cast<int>(texts.size()), arguments.data()).ok());
  return 0;
}
