#include "cli/batch_worker.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/system/terminal.h"
#include "cli/command_line.h"
#include "cli/exit_status.h"
#include "run/score_run.h"

namespace acutance::cli {
namespace {

/// Texts, each ended by a null character: out, log, words.
std::string PacketOf(const WorkerTask& task) {
  std::string packet;
  const auto add = [&](const std::string& text) { packet.append(text.c_str(), text.size() + 1); };
  add(task.out);
  add(task.log);
  for (const std::string& word : task.words) add(word);
  return packet;
}

WorkerTask ReadPacket(std::string_view packet) {
  std::vector<std::string> texts;
  for (size_t end = 0; (end = packet.find('\0')) != packet.npos; packet.remove_prefix(end + 1))
    texts.emplace_back(packet.substr(0, end));
  WorkerTask task{.words = {}, .out = texts[0], .log = texts[1]};
  task.words.assign(texts.begin() + 2, texts.end());
  return task;
}

/// Closes the files that a task wrote.
void CloseOutputs() {
  Redirect(kNullFile, kStandardOutput);
  Redirect(kNullFile, kStandardError);
  std::clearerr(stdout);
}

int RunTask(WorkerTask task) {
  if (!Redirect(task.log, kStandardError)) return kFailed;
  if (!Redirect(task.out, kStandardOutput))
    return Fail("batch", Error(StatusCode::kIo, "could not write {}: {}", task.out, std::strerror(errno)));
  std::string name = "acutance";
  std::vector<char*> arguments = {name.data()};
  for (std::string& word : task.words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  return RunProgram(static_cast<int>(arguments.size()) - 1, arguments.data());
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> StartBatchWorker() { return WorkerProcess::Start(std::string(kWorkerCommand)); }

Status Give(const WorkerTask& task, WorkerProcess& worker) {
  const std::string packet = PacketOf(task);
  if (packet.size() > kLongestPacket)
    return Error(StatusCode::kInvalidArgument, "the options of a pair have {} bytes at most", kLongestPacket);
  return worker.Send(packet);
}

int RunBatchWorker() {
  WorkerChannel channel = WorkerChannel::OfParent();
  const std::shared_ptr<DeviceCache> devices = ShareDevices();
  while (const std::optional<std::string> packet = channel.Receive()) {
    const int status = RunTask(ReadPacket(*packet));
    CloseOutputs();
    if (!channel.Answer(status)) break;
  }
  return kOk;
}

}  // namespace acutance::cli
