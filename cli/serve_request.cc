#include "cli/serve_request.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/cancellation_token.h"
#include "base/system/file.h"
#include "base/threads/exception_barrier.h"
#include "cli/exit_status.h"
#include "cli/frame_watch.h"
#include "cli/score_command.h"
#include "cli/score_options.h"
#include "cli/spec_run.h"
#include "log/json_text.h"
#include "report/summary_json.h"

namespace acutance::cli {
namespace {

/// A pipe can be read once, and its writer may never come.
Status CheckFile(const std::string& path) {
  const std::optional<FileInfo> found = InfoOf(path);
  // Opening reports absent files and folders better.
  if (!found || found->kind == FileKind::kRegular || found->kind == FileKind::kFolder) return {};
  return Error(StatusCode::kInvalidArgument, "{} is no regular file, and references are read again and again", path);
}

}  // namespace

size_t ReferenceStore::TakenByOthers() const {
  size_t bytes = 0;
  for (const Entry& entry : entries_)
    if (&entry != &entries_.front()) bytes += entry.reference->MostBytes();
  return bytes;
}

/// Others that were not read to their ends stop growing until they are used again. If that is not enough, the least
/// recently used are dropped.
void ReferenceStore::MakeRoom(size_t bytes) {
  const auto has_room = [&] { return TakenByOthers() + bytes <= most_bytes_; };
  for (auto entry = entries_.rbegin(); &*entry != &entries_.front() && !has_room(); ++entry) {
    if (entry->reference->MostBytes() == entry->reference->bytes()) continue;
    entry->reference->KeepUpTo(entry->reference->bytes());
    entry->may_grow = false;
  }
  while (entries_.size() > 1 && !has_room()) entries_.pop_back();
}

/// A file that does not declare its number of frames gets at least half of the memory, one that is too large none.
void ReferenceStore::LetFirstGrow() {
  Entry& first = entries_.front();
  const size_t needed = first.needed.value_or(most_bytes_ / 2);
  if (needed > most_bytes_) return;
  MakeRoom(needed);
  first.reference->KeepUpTo(first.needed ? needed : most_bytes_ - std::min(most_bytes_, TakenByOthers()));
  first.may_grow = true;
}

Result<std::shared_ptr<CachedReference>> ReferenceStore::Find(const std::string& path, const OpenOptions& options) {
  auto found = std::ranges::find_if(entries_, [&](const Entry& entry) { return entry.reference->path() == path; });
  if (found != entries_.end() && found->reference->HasChanged()) {
    entries_.erase(found);  // it may take more than before
    found = entries_.end();
  }
  if (found != entries_.end()) {
    entries_.splice(entries_.begin(), entries_, found);
  } else {
    ACU_RETURN_IF_ERROR(CheckFile(path));
    ACU_ASSIGN_OR_RETURN(const std::optional<size_t> needed, PictureBytes(path, options));
    entries_.push_front({std::make_shared<CachedReference>(path, 0, devices_), needed});
  }
  if (!entries_.front().may_grow) LetFirstGrow();
  return entries_.front().reference;
}

std::vector<std::shared_ptr<CachedReference>> ReferenceStore::references() const {
  std::vector<std::shared_ptr<CachedReference>> references;
  for (const Entry& entry : entries_) references.push_back(entry.reference);
  return references;
}

bool ReferenceStore::Drop(const std::string& path) {
  return std::erase_if(entries_, [&](const Entry& entry) { return entry.reference->path() == path; }) > 0;
}

namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A text, or a list of texts.
Result<std::vector<std::string>> TextsOf(const Json& request, const char* name) {
  std::vector<std::string> texts;
  const Json* found = request.Find(name);
  if (!found) return texts;
  for (const Json& item : found->IsArray() ? std::span<const Json>(found->items) : std::span(found, 1)) {
    if (!item.IsString())
      return Error(StatusCode::kInvalidArgument, "\"{}\": expected a text, or a list of texts", name);
    texts.push_back(item.text);
    if (texts.back().find('\0') != std::string::npos)
      return Error(StatusCode::kInvalidArgument, "\"{}\": there is a null character in it", name);
  }
  return texts;
}

std::vector<std::string> AsPaths(std::vector<std::string> names) {
  for (std::string& name : names) name = AsPath(name);
  return names;
}

Status CheckFields(const Json& request) {
  constexpr std::array<std::string_view, 5> kFields = {"id", "op", "reference", "distorted", "options"};
  for (const std::string& name : request.keys)
    if (std::ranges::find(kFields, name) == kFields.end())
      return Error(StatusCode::kInvalidArgument, "\"{}\": there is no such field (there are {})", name,
                   fmt::join(kFields, ", "));
  return {};
}

/// Parses the options of `acutance score` as its command line does.
Status ReadOptions(const std::string& reference, const std::vector<std::string>& distorted,
                   const std::vector<std::string>& options, ScoreRequest& score) {
  std::vector<std::string> words = {reference};
  words.insert(words.end(), distorted.begin(), distorted.end());
  words.insert(words.end(), options.begin(), options.end());
  if (const Status status = ParseScoreOptions(std::move(words), score); !status.ok())
    return Error(status.code(), "\"options\": {}", status.message());
  if (score.run.reference != reference || score.run.distorted != distorted)
    return Error(StatusCode::kInvalidArgument, "\"options\": \"reference\" and \"distorted\" name the videos");
  if (score.at_least || score.at_most || score.stream_frames || score.fail_fast || !score.run.journal.empty())
    return Error(StatusCode::kInvalidArgument,
                 "\"options\": --at-least, --at-most, --progress, --fail-fast and --journal are for `acutance score`");
  score.json = true;  // the answer has what that prints
  return Complete(score);
}

/// Cancels a run whose client has gone, in every step of the run.
class RunGuard {
 public:
  RunGuard(std::shared_ptr<CancellationToken> run, std::function<bool()> is_in_vain)
      : run_(std::move(run)), is_in_vain_(std::move(is_in_vain)) {}
  ~RunGuard() {
    {
      const std::lock_guard lock(mutex_);
      has_ended_ = true;
    }
    ended_.notify_one();
    if (thread_.joinable()) thread_.join();
  }
  RunGuard(const RunGuard&) = delete;

  Status Start() {
    return StartThread(thread_, [this] {
      constexpr auto kPatience = std::chrono::milliseconds(50);
      std::unique_lock lock(mutex_);
      while (!ended_.wait_for(lock, kPatience, [this] { return has_ended_; }) && !run_->is_cancelled())
        if (is_in_vain_()) run_->Cancel();
    });
  }

 private:
  const std::shared_ptr<CancellationToken> run_;
  const std::function<bool()> is_in_vain_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;
};

/// The id of a request, also of one with errors.
Json IdOf(const Json& request) {
  const Json* id = request.Find("id");
  return id ? *id : Json();
}

}  // namespace

std::string ScoreServer::Answer(std::string_view line, const std::function<bool()>& is_gone) {
  Json answer = {{"schema", kSchemaName}, {"kind", "reply"}, {"id", nullptr}};
  const auto fail = [&](const Status& status) {
    answer["status"] = status.code() == StatusCode::kInvalidArgument ? kUsage : kFailed;
    answer["error"] = status.message();
  };
  const Status status = CatchExceptions([&]() -> Status {
    const Result<Json> request = ParseJson(line, {.may_text_follow = false});
    if (!request.ok() || !request->IsObject())
      return Error(StatusCode::kInvalidArgument, "expected a JSON object in each line, such as {}",
                   R"({"reference": "ref.mp4", "distorted": "encode.mp4"})");
    answer["id"] = IdOf(*request);
    ACU_ASSIGN_OR_RETURN(Reply reply, AnswerRequest(*request, is_gone));
    answer["status"] = reply.status;
    for (size_t i = 0; i < reply.fields.keys.size(); ++i)
      answer[reply.fields.keys[i]] = std::move(reply.fields.items[i]);
    return {};
  });
  if (!status.ok()) fail(status);
  return JsonLine(answer);
}

Result<ScoreServer::Reply> ScoreServer::AnswerRequest(const Json& request, const std::function<bool()>& is_gone) {
  ACU_RETURN_IF_ERROR(CheckFields(request));
  const Json* op = request.Find("op");
  if (!op || op->IsText("score")) return Score(request, is_gone);
  if (op->IsText("drop")) return Drop(request);
  if (op->IsText("status")) return Describe();
  return Error(StatusCode::kInvalidArgument, "\"op\": there are score, drop and status");
}

Result<ScoreServer::Reply> ScoreServer::Score(const Json& request, const std::function<bool()>& is_gone) {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> reference, TextsOf(request, "reference"));
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> distorted, TextsOf(request, "distorted"));
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> options, TextsOf(request, "options"));
  if (reference.size() != 1 || distorted.empty())
    return Error(StatusCode::kInvalidArgument, "name one \"reference\" and at least one \"distorted\" video");
  if (reference[0] == "-" || std::ranges::find(distorted, "-") != distorted.end())
    return Error(StatusCode::kInvalidArgument, "the server's standard input (-) is no video");
  ScoreRequest score;
  ACU_RETURN_IF_ERROR(ReadOptions(AsPath(reference[0]), AsPaths(distorted), options, score));
  const std::lock_guard lock(run_mutex_);
  return Run(score, is_gone);
}

Result<ScoreServer::Reply> ScoreServer::Run(ScoreRequest& score, const std::function<bool()>& is_gone) {
  ACU_RETURN_IF_ERROR(CheckOutputs(score));
  const auto start = Clock::now();
  RunRequest& request = score.run;
  {
    const std::lock_guard lock(store_mutex_);
    ACU_ASSIGN_OR_RETURN(request.cached_reference, references_.Find(request.reference, request.open));
  }
  const int64_t kept_frames = request.cached_reference->frames(),
                device_frames = request.cached_reference->device_frames();
  const std::shared_ptr<CancellationToken> cancel = CancellationToken::Make();
  RunGuard guard(cancel, [&] { return is_stopped_ || is_gone(); });
  ACU_RETURN_IF_ERROR(guard.Start());
  request.open.cancellation = cancel;
  double until_start = 0;
  request.watch_cancel = [&](std::function<void()> stop) {
    until_start = SecondsSince(start);
    return cancel->Watch(std::move(stop));
  };
  request.on_start = [&](const Session& session) { return CheckNames(score.requirements, session); };
  const ScoredRun run = LoadModelsAndRun(request);
  if (run.error) return run.error->status;
  ACU_ASSIGN_OR_RETURN(const Summary summary, MakeSummary(ChoiceOf(score), ViewOf(run)));
  ACU_RETURN_IF_ERROR(WriteOutputs(score, run, summary));
  const bool all_hold = std::ranges::all_of(summary.verdicts, &Verdict::holds);
  return Reply{all_hold ? kOk : kNotReached,
               {{"kept_frames", kept_frames},
                {"device_frames", device_frames},
                {"start_seconds", until_start},
                {"seconds", SecondsSince(start)},
                {"summary", SummaryDocument(summary)}}};
}

Result<ScoreServer::Reply> ScoreServer::Drop(const Json& request) {
  ACU_ASSIGN_OR_RETURN(const std::vector<std::string> reference, TextsOf(request, "reference"));
  if (reference.size() != 1) return Error(StatusCode::kInvalidArgument, "name one \"reference\" to drop");
  const std::lock_guard lock(store_mutex_);
  return Reply{kOk, {{"dropped", references_.Drop(AsPath(reference[0]))}}};
}

ScoreServer::Reply ScoreServer::Describe() {
  const std::lock_guard lock(store_mutex_);
  Json references = Json::Array();
  for (const auto& reference : references_.references())
    references.Append({{"reference", reference->path()},
                       {"frames", reference->frames()},
                       {"bytes", reference->bytes()},
                       {"device_frames", reference->device_frames()}});
  return {kOk,
          {{"max_memory", references_.most_bytes()},
           {"device_bytes", references_.device_bytes()},
           {"references", std::move(references)}}};
}

}  // namespace acutance::cli
