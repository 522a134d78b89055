// Runs a fuzz target where libFuzzer is missing: fuzz_y4m SECONDS DICTIONARY FAILURE FOLDER... runs each file of the
// folders, then random changes of them, the same each time, for that many seconds (five times as many with
// ACUTANCE_LONG_TESTS). An input that ends the process or takes too long is written to the file FAILURE.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

constexpr unsigned kLongestSeconds = 60;   // for one input, on a busy machine with sanitizers
constexpr long kMostKilobytes = 3L << 20;  // of memory, for all inputs

constexpr size_t kMostBytes = 16384;  // of an input

/// The words of a libFuzzer dictionary from seeds.py: a quoted word a line, all bytes as \xNN.
std::vector<std::string> ReadDictionary(const std::filesystem::path& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::string& word = words.emplace_back();
    for (size_t i = 3; i + 2 < line.size(); i += 4)
      word += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
  }
  return words;
}

/// Mutates seeds to inputs, of which some become seeds, so that changes add up.
class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
      : pool_(std::move(seeds)), fixed_(pool_.size()), words_(std::move(words)) {
    for (const char* word : {"0", "-1", "1", "255", "65536", "2147483648", "4294967295", "18446744073709551616",
                             "1e309", "nan", "\n", ":", "="})
      words_.push_back(word);
  }

  std::string Next() {
    constexpr size_t kMostAdded = 200, kAddOneIn = 50;
    std::string input = Some(pool_);
    for (size_t changes = 1 + Below(4); changes > 0; --changes) Change(input);
    if (input.size() > kMostBytes) input.resize(kMostBytes);
    if (Below(kAddOneIn) == 0) {
      if (pool_.size() < fixed_ + kMostAdded) pool_.push_back(input);
      else pool_[fixed_ + Below(kMostAdded)] = input;
    }
    return input;
  }

 private:
  size_t Below(size_t count) { return count == 0 ? 0 : static_cast<size_t>(dice_() % count); }
  const std::string& Some(const std::vector<std::string>& texts) { return texts[Below(texts.size())]; }
  char SomeByte() {
    constexpr uint8_t kEdges[] = {0, 1, 0x7f, 0x80, 0xff};
    return static_cast<char>(Below(2) ? kEdges[Below(std::size(kEdges))] : Below(256));
  }

  void Change(std::string& input) {
    const size_t at = Below(input.size() + 1), rest = input.size() - at, kind = Below(8);
    if (kind == 0 && rest) input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
    if (kind == 1 && rest) input[at] = SomeByte();
    if (kind == 2) input.insert(at, 1 + Below(4), SomeByte());
    if (kind == 3) input.erase(at, 1 + Below(std::min<size_t>(rest, 32)));
    if (kind == 4) input.insert(Below(input.size() + 1), input.substr(at, 1 + Below(64)));
    if (kind == 5) input.insert(at, Some(words_));
    if (kind == 6) input.replace(at, std::min(rest, 1 + Below(12)), Some(words_));
    if (kind == 7) {  // the end of another input
      const std::string& other = Some(pool_);
      input.replace(at, std::string::npos, other.substr(Below(other.size() + 1)));
    }
  }

  std::vector<std::string> pool_;
  size_t fixed_;
  std::vector<std::string> words_;
  std::mt19937_64 dice_{1};
};

/// The child's state, shared with its parent.
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
    const double turns = std::getenv("ACUTANCE_LONG_TESTS") ? 5 : 1;
    RunAll(shared, turns * std::stod(argv[1]), seeds, ReadDictionary(argv[2]));
    return 0;
  }
  int status = 0;
  rusage usage{};
  if (::wait4(child, &status, 0, &usage) != child) return std::perror("wait4"), 2;
  return Report(argv[0], shared, status, usage, argv[3]) ? 0 : 1;
}
