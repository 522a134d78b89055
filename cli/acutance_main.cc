// `acutance`: scores perceptual video quality, for people and scripts.
#include "base/system/process.h"
#include "cli/command_line.h"

int main(int argc, char** argv) {
  acutance::SetMainProgram();
  acutance::TakeArguments(argc, argv);
  return acutance::cli::RunProgram(argc, argv);
}
