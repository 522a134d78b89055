// Runs a fuzz target where libFuzzer is missing: fuzz_y4m SECONDS DICTIONARY FAILURE FOLDER... runs each file of the
// folders, then random changes of them, the same each time, for that many seconds. An input that ends the process or
// takes too long is written to the file FAILURE.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/mutator.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

using namespace acutance::fuzz;

namespace {

constexpr unsigned kLongestSeconds = 60;   // for one input, on a busy machine with sanitizers
constexpr long kMostKilobytes = 3L << 20;  // of memory, for all inputs

/// What the child is at, seen by its parent.
struct Shared {
  size_t count, size;
  uint8_t input[kMostBytes];
};

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> ReadSeeds(char** folders, char** end) {
  std::vector<std::filesystem::path> paths;
  for (; folders != end; ++folders)
    if (std::filesystem::exists(*folders))
      for (const auto& entry : std::filesystem::directory_iterator(*folders)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> seeds;
  for (const auto& path : paths) seeds.push_back(ReadFile(path).substr(0, kMostBytes));
  return seeds;
}

void RunOne(Shared& shared, const std::string& input) {
  std::memcpy(shared.input, input.data(), input.size());
  shared.size = input.size();
  ::alarm(kLongestSeconds);
  // A copy that fills its allocation, so that sanitizers see reads behind its end.
  const std::vector<uint8_t> exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
  ++shared.count;
}

void RunAll(Shared& shared, double seconds, const std::vector<std::string>& seeds, std::vector<std::string> words) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  for (const std::string& seed : seeds) RunOne(shared, seed);
  Mutator mutator(seeds, std::move(words));
  while (Clock::now() < end) RunOne(shared, mutator.Next());
}

/// Says how the child ended; whether it went well.
bool Report(const char* name, const Shared& shared, int status, const rusage& usage, const char* failure) {
  std::printf("%s: %zu executions, %ld MB\n", name, shared.count, usage.ru_maxrss >> 10);
  if (status == 0 && usage.ru_maxrss <= kMostKilobytes) return true;
  std::ofstream(failure, std::ios::binary).write(reinterpret_cast<const char*>(shared.input), shared.size);
  const bool is_slow = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
  std::printf("%s: %s (status %d); the last input is in %s\n", name, is_slow ? "takes too long" : "FAILED", status,
              failure);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return std::fprintf(stderr, "usage: %s SECONDS DICTIONARY FAILURE FOLDER...\n", argv[0]), 2;
  const std::vector<std::string> seeds = ReadSeeds(argv + 4, argv + argc);
  if (seeds.empty()) return std::fprintf(stderr, "%s: no seeds\n", argv[0]), 2;
  void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return std::perror("mmap"), 2;
  Shared& shared = *static_cast<Shared*>(memory);
  const pid_t child = ::fork();
  if (child < 0) return std::perror("fork"), 2;
  if (child == 0) {
    RunAll(shared, std::stod(argv[1]), seeds, ReadDictionary(argv[2]));
    return 0;
  }
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) return std::perror("wait4"), 2;
  return Report(argv[0], shared, status, usage, argv[3]) ? 0 : 1;
}
