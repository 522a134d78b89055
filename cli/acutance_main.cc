// `acutance`: scores perceptual video quality, for people and scripts. Under the name `vmaf`, as wheels and the
// container's image call it, it is that command: both in one file take half the space.
#include "base/system/file.h"
#include "base/system/process.h"
#include "cli/command_line.h"
#include "cli/vmaf_command.h"

int main(int argc, char** argv) {
  acutance::SetMainProgram();
  acutance::TakeArguments(argc, argv);
  const bool is_vmaf = argc > 0 && acutance::SystemPath(argv[0]).stem() == "vmaf";
  return is_vmaf ? acutance::cli::RunVmaf(argc, argv) : acutance::cli::RunProgram(argc, argv);
}
