#include "cli/batch_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "base/environment.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/status.h"
#include "base/system/file.h"
#include "base/usable_cpus.h"
#include "cli/batch_worker.h"
#include "cli/exit_status.h"
#include "cli/score_options.h"
#include "cli/score_request.h"
#include "cli/terminal.h"
#include "devices/backends.h"
#include "log/escape.h"
#include "log/json_text.h"
#include "log/output_file.h"
#include "log/read/json_file.h"
#include "report/summary.h"

namespace acutance::cli {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Outcome {
  int status = -1;  // of `acutance score`; -1: not run
  bool was_there = false;
  std::string error;
  Json frames;
  Json scores = Json::Object();  // pooled, by model
};

/// Reads what `acutance score --json` wrote to `path`; false: it is incomplete.
bool ReadOutcome(const std::string& path, Outcome& outcome) {
  const Result<Json> result = ReadJson(path);
  if (!result.ok() || !result->IsObject()) return false;
  if (const Json* frames = result->Find("frames")) outcome.frames = *frames;
  const Json* videos = result->Find("results");
  const Json* models = videos && !videos->items.empty() ? videos->items[0].Find("models") : nullptr;
  if (models && models->keys.empty()) models = videos->items[0].Find("features");  // as of HDR videos
  for (size_t m = 0; models && m < models->keys.size(); ++m)
    if (const Json* pools = models->items[m].Find("pools")) outcome.scores[models->keys[m]] = *pools;
  return true;
}

uintmax_t SizeOf(const std::string& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(SystemPath(path), error);
  return error ? 0 : size;
}

/// A hash of what a result depends on; the pair is scored again when it changes.
std::string KeyOf(const BatchJob& job, const std::vector<std::string>& options) {
  std::string text;
  for (const std::string& path : {job.reference, job.distorted}) {
    std::error_code error;
    const auto time = fs::last_write_time(SystemPath(path), error).time_since_epoch().count();
    text += fmt::format("{}\n{} bytes, {}\n", path, SizeOf(path), error ? 0 : time);
  }
  for (const std::string& option : options) text += option + "\n";
  return fmt::format("{:016x}\n", Hash(text));
}

std::string DividedBytes(const std::string& bytes, size_t jobs) {
  const Result<size_t> all = ParseBytes(bytes);
  return all.ok() ? fmt::format("{}", *all / jobs) : bytes;  // a wrong one is the pairs' error
}

/// Options whose limits on memory hold for all jobs together.
std::vector<std::string> Divided(std::vector<std::string> options, size_t jobs) {
  for (size_t i = 0; i < options.size(); ++i) {
    for (const std::string name : {"--max-memory", "--max-vram"}) {
      if (options[i] == name && i + 1 < options.size()) options[i + 1] = DividedBytes(options[i + 1], jobs);
      else if (options[i].starts_with(name + "="))
        options[i] = name + "=" + DividedBytes(options[i].substr(name.size() + 1), jobs);
    }
  }
  return options;
}

/// The number of pairs at a time, as measured with 16 cores: two for each pair that they score, four where they only
/// decode for a device, all where that decodes, too. Two pairs at least, one of which starts or ends while the other is
/// scored.
int JobsOf(const BatchTexts& texts) {
  if (texts.jobs > 0) return texts.jobs;
  ScoreRequest score;
  std::vector<std::string> words = {"reference", "distorted"};
  words.insert(words.end(), texts.options.begin(), texts.options.end());
  const bool on_cpu = !ParseScoreOptions(std::move(words), score).ok() || RunsOnCpu(score.run.device);
  const int cpus = UsableCpus();
  const bool decodes_there = !on_cpu && score.run.decoder != Decoder::kCpu;
  return std::min(cpus, decodes_there ? 2 : std::max(2, cpus / (on_cpu ? 2 : 4)));
}

class Batch {
 public:
  Batch(std::string_view command, const BatchTexts& texts, std::vector<BatchJob> jobs)
      : command_(command), texts_(texts), jobs_(std::move(jobs)), outcomes_(jobs_.size()), progress_(texts.quiet) {}

  Status Run() {
    InterruptScope watch([this] { Interrupt(); });
    for (size_t i = 0; i < jobs_.size(); ++i) {
      weight_ += Weight(i);
      if (Restore(i)) weight_restored_ += Weight(i);
      else waiting_.push_back(i);
    }
    seats_.resize(std::min(static_cast<size_t>(JobsOf(texts_)), waiting_.size()));
    for (const char* name : {"ACUTANCE_MAX_MEMORY", "ACUTANCE_MAX_VRAM"})
      if (const char* bytes = Variable(name); bytes && !seats_.empty())
        SetVariable(name, DividedBytes(bytes, seats_.size()));
    for (Seat& seat : seats_) ACU_RETURN_IF_ERROR(StartNext(seat));
    while (std::ranges::any_of(seats_, [](const Seat& seat) { return seat.job.has_value(); })) {
      ACU_RETURN_IF_ERROR(AwaitSome());
      ShowProgress();
    }
    seats_.clear();
    progress_.Clear();
    return WriteSummaries();
  }

  std::vector<bool> AreDone() const {
    std::vector<bool> done;
    for (size_t i = 0; i < jobs_.size(); ++i) done.push_back(IsDone(i));
    return done;
  }

  int Report() const {
    const int done = Count(kOk) + Count(kNotReached), failed = static_cast<int>(jobs_.size()) - done;
    for (size_t i = 0; i < jobs_.size(); ++i)
      if (!IsDone(i) && !interrupted_)
        fmt::print(stderr, "acutance {}: {}: {}\n", command_, jobs_[i].name, outcomes_[i].error);
    fmt::print(
        "{} of {} pairs are scored{}{}; {}\n", done, jobs_.size(),
        Count(kNotReached) > 0 ? fmt::format(", {} of them do not meet what is required", Count(kNotReached)) : "",
        failed > 0 ? fmt::format(", {} {}", failed, interrupted_ ? "are left" : "failed") : "",
        Join(texts_.out, "summary.csv"));
    if (interrupted_) return kInterrupted;
    return failed > 0 ? kFailed : Count(kNotReached) > 0 ? kNotReached : kOk;
  }

 private:
  std::string PathOf(size_t job, const char* extension) const { return Join(texts_.out, jobs_[job].name + extension); }
  bool IsDone(size_t job) const { return outcomes_[job].status == kOk || outcomes_[job].status == kNotReached; }
  int Count(int status) const { return static_cast<int>(std::ranges::count(outcomes_, status, &Outcome::status)); }
  double Weight(size_t job) const {
    return 1 + static_cast<double>(SizeOf(jobs_[job].reference) + SizeOf(jobs_[job].distorted));
  }

  /// Reuses the result of an earlier run where its key is the same.
  bool Restore(size_t job) {
    std::istringstream key(ReadText(PathOf(job, ".key")));
    std::string hash;
    int status = -1;
    if (!(key >> hash >> status) || hash + "\n" != KeyOf(jobs_[job], texts_.options)) return false;
    if (texts_.retry && status != kOk) return false;
    Outcome outcome{.status = status, .was_there = true};
    if (!ReadOutcome(PathOf(job, ".json"), outcome)) return false;
    outcomes_[job] = std::move(outcome);
    return true;
  }

  std::vector<std::string> CommandOf(size_t job) const {
    std::vector<std::string> command = {"score", AsPath(jobs_[job].reference), AsPath(jobs_[job].distorted), "--json",
                                        "-q"};
    for (const std::string& option : Divided(texts_.options, seats_.size()))
      command.push_back(WithName(option, jobs_[job].name));
    const auto names_threads = [](const std::string& option) {
      return option.starts_with("-t") || option.starts_with("--threads");
    };
    if (std::ranges::none_of(texts_.options, names_threads))
      command.push_back(fmt::format("--threads={}", std::max<size_t>(1, UsableCpus() / seats_.size())));
    return command;
  }

  /// A process, and the pair that it works on.
  struct Seat {
    std::unique_ptr<WorkerProcess> worker;  // null: none was started yet, or it is gone
    std::optional<size_t> job;
  };

  /// Gives the seat the next pair, where there is one. A worker may have died since its last pair: a new one follows.
  Status StartNext(Seat& seat) {
    const std::lock_guard lock(mutex_);
    if (waiting_.empty() && seat.worker) seat.worker->Dismiss();
    if (interrupted_ || waiting_.empty()) return {};
    const size_t job = waiting_.front();
    const WorkerTask task = {CommandOf(job), PathOf(job, ".part"), PathOf(job, ".log")};
    if (!seat.worker || !Give(task, *seat.worker).ok()) {
      ACU_ASSIGN_OR_RETURN(seat.worker, StartBatchWorker());
      ACU_RETURN_IF_ERROR(Give(task, *seat.worker));
    }
    seat.job = job;
    waiting_.pop_front();
    return {};
  }

  Status AwaitSome() {
    std::vector<const WorkerProcess*> workers;
    for (const Seat& seat : seats_) workers.push_back(seat.job ? seat.worker.get() : nullptr);
    const auto is_ready = std::make_unique<bool[]>(seats_.size());
    ACU_RETURN_IF_ERROR(AwaitAny(workers, {is_ready.get(), seats_.size()}));
    for (size_t i = 0; i < seats_.size(); ++i)
      if (is_ready[i]) {
        ACU_RETURN_IF_ERROR(End(seats_[i]));
        ACU_RETURN_IF_ERROR(StartNext(seats_[i]));
      }
    return {};
  }

  Status End(Seat& seat) {
    const std::lock_guard lock(mutex_);
    const size_t job = *std::exchange(seat.job, std::nullopt);
    const int status = seat.worker->Await();
    if (seat.worker->is_gone()) seat.worker.reset();
    weight_done_ += Weight(job);
    return Conclude(job, status);
  }

  Status Conclude(size_t job, int status) {
    Outcome& outcome = outcomes_[job];
    const std::string part = PathOf(job, ".part");
    const bool whole = ReadOutcome(part, outcome);
    outcome.status = (status == kOk || status == kNotReached) && !whole ? kFailed : status;
    if (!IsDone(job)) {
      outcome.error = status > 128 && status != kInterrupted ? fmt::format("ended by signal {}", status - 128)
                                                             : ErrorsIn(ReadText(PathOf(job, ".log")));
      RemoveFile(part);
      return {};
    }
    if (!Rename(part, PathOf(job, ".json"))) return Error(StatusCode::kIo, "could not write {}", PathOf(job, ".json"));
    if (SizeOf(PathOf(job, ".log")) == 0) RemoveFile(PathOf(job, ".log"));
    // The key is written last: a result without one is not reused.
    return WriteFile(PathOf(job, ".key"), KeyOf(jobs_[job], texts_.options) + fmt::format("{}\n", outcome.status));
  }

  /// The errors of the command: its lines except warnings, else the last line, which a library may have printed.
  static std::string ErrorsIn(const std::string& log) {
    std::string errors, line;
    for (std::istringstream lines(log); std::getline(lines, line);)
      if (line.starts_with("acutance") && !line.starts_with("acutance: warning: "))
        errors += (errors.empty() ? "" : "; ") + line;
    return errors.empty() ? line : errors;
  }

  void Interrupt() {
    const std::lock_guard lock(mutex_);
    interrupted_ = true;
    for (const Seat& seat : seats_)
      if (seat.job) seat.worker->Interrupt();
  }

  void ShowProgress() {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left = weight_ - weight_restored_ - weight_done_;
    const auto known = std::ranges::count_if(outcomes_, [](const Outcome& outcome) { return outcome.status >= 0; });
    if (texts_.quiet) return;
    progress_.Note(fmt::format("{} of {} pairs, {} failed, about {:.0f} s left", known, jobs_.size(),
                               known - Count(kOk) - Count(kNotReached), seconds / weight_done_ * left));
  }

  Json Entry(size_t job) const {
    const Outcome& outcome = outcomes_[job];
    Json entry = {{"name", jobs_[job].name},
                  {"reference", jobs_[job].reference},
                  {"distorted", jobs_[job].distorted},
                  {"status", StatusWord(job)},
                  {"error", outcome.error.empty() ? Json() : Json(outcome.error)},
                  {"frames", IsDone(job) ? outcome.frames : Json()},
                  {"scores", IsDone(job) ? outcome.scores : Json::Object()}};
    return entry;
  }

  const char* StatusWord(size_t job) const {
    if (outcomes_[job].status < 0 || outcomes_[job].status == kInterrupted) return "left";
    return outcomes_[job].status == kOk ? "ok" : outcomes_[job].status == kNotReached ? "not_reached" : "failed";
  }

  Status WriteSummaries() const {
    Json entries = Json::Array();
    std::vector<std::pair<std::string, std::string>> titles;  // model and pooling
    for (size_t i = 0; i < jobs_.size(); ++i) {
      entries.Append(Entry(i));
      const Json& scores = *entries.items.back().Find("scores");
      for (size_t m = 0; m < scores.keys.size(); ++m)
        for (const std::string& pool : scores.items[m].keys)
          if (const std::pair title(scores.keys[m], pool); std::ranges::find(titles, title) == titles.end())
            titles.push_back(title);
    }
    std::string csv = "name,reference,distorted,status,frames";
    for (const auto& [model, pool] : titles) csv += "," + CsvField(model + "." + pool);
    csv += ",error\n";
    for (const Json& entry : entries.items) {
      for (const char* field : {"name", "reference", "distorted", "status"})
        csv += CsvField(entry.Find(field)->text) + ",";
      csv += entry.Find("frames")->text;  // null is written as an empty field
      for (const auto& [model, pool] : titles) {
        const Json* pools = entry.Find("scores")->Find(model);
        const Json* value = pools ? pools->Find(pool) : nullptr;
        csv += "," + (value ? value->text : "");
      }
      csv += "," + CsvField(entry.Find("error")->text) + "\n";
    }
    ACU_RETURN_IF_ERROR(WriteFile(Join(texts_.out, "summary.csv"), csv));
    return WriteFile(Join(texts_.out, "summary.json"),
                     JsonText({{"schema", kSchemaName}, {"kind", "batch"}, {"jobs", std::move(entries)}}));
  }

  const std::string_view command_;
  const BatchTexts& texts_;
  const std::vector<BatchJob> jobs_;
  std::vector<Outcome> outcomes_;
  Progress progress_;
  const Clock::time_point start_ = Clock::now();
  double weight_ = 0, weight_restored_ = 0, weight_done_ = 0;  // bytes of the files
  std::deque<size_t> waiting_;                                 // pairs
  std::mutex mutex_;                                           // guards the jobs and workers of the seats
  std::vector<Seat> seats_;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace

std::string WithName(std::string option, const std::string& name) {
  for (size_t at = 0; (at = option.find(kNamePlaceholder, at)) != option.npos; at += name.size())
    option.replace(at, kNamePlaceholder.size(), name);
  return option;
}

BatchEnd RunBatch(std::string_view command, const BatchTexts& texts, const std::vector<BatchJob>& jobs) {
  if (const Status made = MakeFolder(texts.out); !made.ok()) return {Fail(command, made)};
  WatchInterrupt();
  Batch batch(command, texts, jobs);
  const Status run = batch.Run();
  if (!run.ok()) return {Fail(command, run)};
  return {batch.Report(), batch.AreDone()};
}

}  // namespace acutance::cli
