#include "run/run_journal.h"

#include <span>

#include "run/run_header.h"

namespace acutance {
namespace {

Status OtherProgram(const std::string& path, int64_t frame) {
  return Error(StatusCode::kBadData, "journal {}: frame {} does not fit what its header says; begin a new journal",
               path, frame);
}

}  // namespace

Status RestoreFrame(const JournalRecord& record, const std::string& path, FrameResults& to) {
  return record.frame == to.index && TakeKeptWords(record.words, to) ? Status() : OtherProgram(path, record.frame);
}

Result<std::unique_ptr<RunJournal>> RunJournal::Open(const RunRequest& request, const PictureFormat& format,
                                                     SessionSpec& spec) {
  ACU_ASSIGN_OR_RETURN(const JournalHeader header, DescribeRun(request, format));
  ACU_ASSIGN_OR_RETURN(std::unique_ptr<JournalWriter> writer, JournalWriter::Open(request.journal, header));
  std::unique_ptr<RunJournal> journal(new RunJournal(std::move(writer)));
  if (!journal->writer_->is_new()) {
    ACU_ASSIGN_OR_RETURN(journal->reader_, JournalReader::Open(request.journal));
  }
  if (request.skip_reference > 0) ACU_RETURN_IF_ERROR(journal->SkipPart(request.skip_reference));
  spec.first_frame = request.skip_reference + journal->restored_;
  spec.writes_scores = request.skip_reference == 0;
  spec.restored = [self = journal.get()](FrameResults& frame) { return self->Restore(frame); };
  spec.on_results = [writer = journal->writer_.get()](std::span<FrameResults* const> frames) {
    return writer->Append(frames);
  };
  return journal;
}

/// Reads the frames of a part, which has no scores to restore.
Status RunJournal::SkipPart(int64_t first) {
  while (const std::optional<JournalRecord> record = NextRecord()) {
    if (record->frame != first + restored_) return OtherProgram(reader_->path(), record->frame);
    ++restored_;
  }
  return {};
}

std::optional<JournalRecord> RunJournal::NextRecord() { return reader_ ? reader_->Next() : std::nullopt; }

Result<bool> RunJournal::Restore(FrameResults& frame) {
  if (const std::optional<JournalRecord> record = NextRecord()) {
    ACU_RETURN_IF_ERROR(RestoreFrame(*record, reader_->path(), frame));
    ++restored_;
    return true;
  }
  is_complete_ = reader_ && reader_->end().has_value();
  if (!is_complete_) ACU_RETURN_IF_ERROR(writer_->ContinueAfter(reader_.get()));
  return false;
}

Status RunJournal::End(int64_t frame) {
  if (std::exchange(is_complete_, true)) return {};
  return writer_->End(frame);
}

}  // namespace acutance
