// `acutance`: scores perceptual video quality, for people and scripts. Under the name `vmaf`, as wheels and the
// container's image call it, it is that command: both in one file take half the space.
#include <string_view>

#include "base/system/process.h"
#include "cli/command_line.h"
#include "cli/vmaf_command.h"

/// Allocates nothing: no one would catch the exception.
static bool IsVmaf(std::string_view program) {
  program.remove_prefix(program.find_last_of("/\\") + 1);
  return program == "vmaf" || program == "vmaf.exe";
}

int main(int argc, char** argv) {
  acutance::SetMainProgram();
  acutance::TakeArguments(argc, argv);
  if (argc > 0 && IsVmaf(argv[0])) return acutance::cli::RunVmaf(argc, argv);
  return acutance::cli::RunProgram(argc, argv);
}
