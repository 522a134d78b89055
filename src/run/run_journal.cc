#include "run/run_journal.h"

#include <utility>

#include "run/run_header.h"

namespace acutance {
namespace {

constexpr size_t kRestoredAtOnce = 256;

Status OtherProgram(const std::string& path, int64_t frame) {
  return Error(StatusCode::kBadData, "journal {}: frame {} does not fit what its header says; begin a new journal",
               path, frame);
}

}  // namespace

Restorer::Restorer(Session& session) : session_(session), frames_(kRestoredAtOnce) {}

Status Restorer::Add(const JournalRecord& record, const std::string& path) {
  FrameResults& frame = frames_[count_];
  session_.MakeRoom(record.frame, frame);
  if (!TakeKeptWords(record.words, frame)) return OtherProgram(path, record.frame);
  return ++count_ == kRestoredAtOnce ? Flush() : Status();
}

Status Restorer::Flush() {
  if (count_ == 0) return {};
  std::vector<FrameResults*> frames;
  for (size_t i = 0; i < count_; ++i) frames.push_back(&frames_[i]);
  count_ = 0;
  return session_.Restore(frames);
}

Result<std::unique_ptr<RunJournal>> RunJournal::Open(const RunRequest& request, const PictureFormat& format,
                                                     Session& session) {
  ACU_ASSIGN_OR_RETURN(const JournalHeader header, DescribeRun(request, format));
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<JournalWriter> writer, JournalWriter::Open(request.journal, header));
  std::unique_ptr<RunJournal> journal(new RunJournal(std::move(writer), session));
  ACU_RETURN_IF_ERROR(journal->Restore(request));
  session.Keep(
      [writer = journal->writer_.get()](std::span<FrameResults* const> frames) { return writer->Append(frames); });
  return journal;
}

Status RunJournal::Restore(const RunRequest& request) {
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<JournalReader> reader, JournalReader::Open(request.journal));
  ACU_RETURN_IF_ERROR(RestoreFrames(*reader, request.skip_reference));
  is_complete_ = reader->end().has_value();
  return is_complete_ ? Status() : writer_->GoOnAfter(*reader);
}

Status RunJournal::RestoreFrames(JournalReader& reader, int64_t first) {
  Restorer restorer(session_);
  int64_t next = first;
  for (; const std::optional<JournalRecord> record = reader.Next(); ++next) {
    if (record->frame != next) return OtherProgram(reader.path(), record->frame);
    if (first == 0) ACU_RETURN_IF_ERROR(restorer.Add(*record, reader.path()));
  }
  restored_ = next - first;
  if (first > 0) session_.StartAt(next);
  return restorer.Flush();
}

Status RunJournal::End() {
  if (std::exchange(is_complete_, true)) return {};
  return writer_->End(session_.frames_added());
}

}  // namespace acutance
