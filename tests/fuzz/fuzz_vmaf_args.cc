// Fuzz target: the command line of `vmaf`, an argument a line.
#include <getopt.h>

#include <vector>

#include "cli/vmaf_args.h"
#include "tests/fuzz/fuzz.h"

ACU_FUZZ_TARGET(input) {
  std::string name = "vmaf";
  std::vector<std::string> texts = input.Arguments();
  std::vector<char*> arguments = {name.data()};
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  opterr = 0;  // silences getopt
  static_cast<void>(acutance::cli::ParseVmafArgs(static_cast<int>(texts.size()) + 1, arguments.data()).ok());
}
