// `acutance`: scores perceptual video quality, for people and scripts.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <system_error>

#include "base/process.h"
#include "cli/command_line.h"

int main(int argc, char** argv) {
  acutance::SetMainProgram();
  try {
    const int status = acutance::cli::RunCommandLine(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    fmt::print(stderr, "acutance: could not write the results to standard output\n");
    return 1;
  } catch (const std::system_error& error) {
    const bool is_output = std::ferror(stdout) != 0;  // fmt::print says "file"
    std::fprintf(stderr, "acutance: %s\n",
                 is_output ? ("could not write the results to standard output: " + error.code().message()).c_str()
                           : error.what());
    return 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "acutance: %s\n", error.what());
    return 1;
  }
}
