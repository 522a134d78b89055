// `acutance`: scores perceptual video quality, for people and scripts.
#include "base/process.h"
#include "cli/command_line.h"

int main(int argc, char** argv) {
  acutance::SetMainProgram();
  return acutance::cli::RunProgram(argc, argv);
}
