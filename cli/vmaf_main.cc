// `vmaf`: libvmaf's command with its flags (docs/spec/system.md 5), on acutance's engine.
#include "base/system/process.h"
#include "cli/vmaf_command.h"

int main(int argc, char** argv) {
  acutance::SetMainProgram();
  acutance::TakeArguments(argc, argv);
  return acutance::cli::RunVmaf(argc, argv);
}
