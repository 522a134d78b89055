#include "base/system/child_process.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

extern char** environ;  // no header of macOS declares it

namespace acutance {
namespace {

using Clock = std::chrono::steady_clock;

/// Standard input, output and error of the child.
class SpawnFiles {
 public:
  explicit SpawnFiles(const std::string& output) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawn_file_actions_addopen(&actions_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_addopen(&actions_, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
    ::posix_spawn_file_actions_adddup2(&actions_, STDOUT_FILENO, STDERR_FILENO);
  }
  ~SpawnFiles() { ::posix_spawn_file_actions_destroy(&actions_); }
  SpawnFiles(const SpawnFiles&) = delete;

  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

}  // namespace

Result<int> RunChild(const std::vector<std::string>& words, const std::string& output, double seconds) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const SpawnFiles files(output);
  pid_t child = -1;
  if (const int error = ::posix_spawnp(&child, arguments[0], files.get(), nullptr, arguments.data(), environ))
    return Error(StatusCode::kIo, "could not start {}: {}", words[0], std::strerror(error));
  const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
  for (auto pause = std::chrono::microseconds(500); true; pause = std::min(2 * pause, decltype(pause)(20000))) {
    int state = 0;
    const pid_t ended = ::waitpid(child, &state, WNOHANG);
    if (ended == child) return WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
    if (ended < 0 && errno != EINTR) return Error(StatusCode::kIo, "{}: {}", words[0], std::strerror(errno));
    if (Clock::now() > deadline) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &state, 0);
      return Error(StatusCode::kIo, "{} did not end within {:g} s and was stopped", words[0], seconds);
    }
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace acutance
