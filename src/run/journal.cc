#include "run/journal.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/hash.h"

namespace acutance {
namespace {

// A record has 64-bit numbers: frame, count, `count` results, and a checksum of all before it. On a machine of the
// other byte order the checksum of the header differs.
constexpr int64_t kEndMark = -1;  // instead of a frame: the only result says where the run ended
constexpr std::string_view kFingerprint = "acutance journal 1\n";
constexpr size_t kMostHeaderBytes = size_t{1} << 24;

std::string_view AsText(const int64_t& word) { return {reinterpret_cast<const char*>(&word), sizeof word}; }

std::string_view AsText(std::span<const int64_t> words) {
  return {reinterpret_cast<const char*>(words.data()), words.size_bytes()};
}

/// Fields are separated by tabs; in a field, tabs, newlines and backslashes are escaped with a backslash.
std::string LineText(const JournalLine& line) {
  std::string text = line.key + ":";
  for (const std::string& field : line.fields) {
    text += &field == &line.fields.front() ? ' ' : '\t';
    for (const char c : field) {
      if (c == '\t' || c == '\n' || c == '\\') text += '\\';
      text += c == '\t' ? 't' : c == '\n' ? 'n' : c;
    }
  }
  return text;
}

std::optional<JournalLine> ReadLine(std::string_view text) {
  const size_t colon = text.find(": ");
  if (colon == text.npos) return std::nullopt;
  JournalLine line{std::string(text.substr(0, colon)), {""}};
  for (size_t i = colon + 2; i < text.size(); ++i) {
    const bool is_escaped = text[i] == '\\' && i + 1 < text.size();
    const char c = text[i += is_escaped];
    if (c == '\t') line.fields.emplace_back();
    else line.fields.back() += !is_escaped ? c : c == 't' ? '\t' : c == 'n' ? '\n' : c;
  }
  return line;
}

std::string HeaderText(const JournalHeader& header) {
  std::string text(kFingerprint);
  for (const JournalLine& line : header) text += LineText(line) + "\n";
  return text + "\n";
}

/// The header and its checksum, as a file begins.
std::string StartOf(const JournalHeader& header) {
  const std::string text = HeaderText(header);
  return text + std::string(AsText(static_cast<int64_t>(Hash(text))));
}

Status NoJournal(const std::string& path) {
  return Error(StatusCode::kBadData, "{} is no journal of acutance; choose another file for --journal", path);
}

std::string FieldsOf(const JournalLine* line) {
  return line ? fmt::format("{}", fmt::join(line->fields, " ")) : "nothing";
}

/// The lines that have to agree.
JournalHeader Compared(const JournalHeader& header, bool are_parts) {
  JournalHeader lines = header;
  std::erase_if(lines, [&](const JournalLine& line) {
    const bool is_of_part = line.key == "frames" || line.key.ends_with(" modified");
    return line.key.ends_with(" path") || (are_parts && is_of_part);
  });
  return lines;
}

/// Whether the file is shorter than `start` and begins as it does: its writer was killed before the first record.
bool IsCutInHeader(const std::string& path, const std::string& start) {
  std::ifstream file(SystemPath(path), std::ios::binary);
  std::string content(start.size(), '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  content.resize(static_cast<size_t>(file.gcount()));
  return content.size() < start.size() && start.starts_with(content);
}

}  // namespace

Status CompareHeaders(const std::string& path, const JournalHeader& there, const JournalHeader& here, bool are_parts) {
  const JournalHeader a = Compared(there, are_parts), b = Compared(here, are_parts);
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  const JournalLine* there_line = in_a == a.end() ? nullptr : &*in_a;
  const JournalLine* here_line = in_b == b.end() ? nullptr : &*in_b;
  if (!there_line && !here_line) return {};
  const std::string& key = here_line ? here_line->key : there_line->key;
  if (there_line && there_line->key != key) there_line = nullptr;  // a line that only `here` has
  return Error(StatusCode::kInvalidArgument,
               "{} is the journal of another run: its {} is '{}', here it is '{}'; choose another file for --journal",
               path, key, FieldsOf(there_line), FieldsOf(here_line));
}

std::vector<int64_t> StoredResults(const FrameResults& frame) {
  std::vector<int64_t> words = frame.kept;
  words.reserve(words.size() + frame.values.size());
  for (const double value : frame.values) words.push_back(std::bit_cast<int64_t>(value));
  return words;
}

bool RestoreResults(std::span<const int64_t> words, FrameResults& frame) {
  const size_t own = frame.kept.size();
  if (words.size() != own + frame.values.size()) return false;
  for (size_t i = 0; i < own; ++i) frame.kept[i] = words[i];
  for (size_t i = 0; i < frame.values.size(); ++i) frame.values[i] = std::bit_cast<double>(words[own + i]);
  return true;
}

JournalReader::JournalReader(std::string path, int64_t size)
    : path_(std::move(path)), size_(size), file_(SystemPath(path_), std::ios::binary) {}

Result<std::unique_ptr<JournalReader>> JournalReader::Open(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(SystemPath(path), error);
  std::unique_ptr<JournalReader> reader(new JournalReader(path, error ? 0 : static_cast<int64_t>(size)));
  if (error || !reader->file_)
    return Error(StatusCode::kNotFound, "could not open journal {}: {}", path,
                 error ? error.message() : std::generic_category().message(errno));
  ACU_RETURN_IF_ERROR(reader->ReadHeader());
  return reader;
}

Status JournalReader::ReadHeader() {
  std::string text(kFingerprint.size(), '\0'), line;
  file_.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (text != kFingerprint) return NoJournal(path_);
  while (std::getline(file_, line) && !line.empty() && text.size() < kMostHeaderBytes) {
    const std::optional<JournalLine> read = ReadLine(line);
    if (!read) return NoJournal(path_);
    header_.push_back(*read);
    text += line + '\n';
  }
  text += '\n';
  int64_t checksum = 0;
  file_.read(reinterpret_cast<char*>(&checksum), sizeof checksum);
  seed_ = Hash(text);
  if (!file_ || checksum != static_cast<int64_t>(seed_)) return NoJournal(path_);
  bytes_ = static_cast<int64_t>(text.size() + sizeof checksum);
  return {};
}

std::optional<JournalRecord> JournalReader::Next() {
  std::optional<JournalRecord> record = ReadRecord();
  if (!record) return record;
  if (record->frame == kEndMark && record->words.size() == 1) {
    end_ = record->words[0];
    bytes_ = file_.tellg();
    return std::nullopt;
  }
  if (record->frame < 0 || (next_ && record->frame != *next_)) return std::nullopt;
  next_ = record->frame + 1;
  bytes_ = file_.tellg();
  return record;
}

/// nullopt at the end of the file, or where the checksum is wrong.
std::optional<JournalRecord> JournalReader::ReadRecord() {
  const auto read = [this](int64_t* words, size_t count) {
    return static_cast<bool>(
        file_.read(reinterpret_cast<char*>(words), static_cast<std::streamsize>(count * sizeof *words)));
  };
  int64_t head[2] = {}, checksum = 0;
  if (end_ || !read(head, 2) || head[1] < 0 || head[1] > (size_ - bytes_) / 8) return std::nullopt;
  JournalRecord record{head[0], std::vector<int64_t>(static_cast<size_t>(head[1]))};
  if (!read(record.words.data(), record.words.size()) || !read(&checksum, 1)) return std::nullopt;
  const uint64_t hash = Hash(AsText(record.words), Hash(AsText(head), seed_));
  return checksum == static_cast<int64_t>(hash) ? std::optional(std::move(record)) : std::nullopt;
}

Result<std::unique_ptr<JournalWriter>> JournalWriter::Open(const std::string& path, const JournalHeader& header) {
  Descriptor file = OpenFile(path, OpenMode::kUpdate);
  if (!file.ok())
    return Error(StatusCode::kIo, "could not open journal {}: {}", path, std::generic_category().message(errno));
  std::unique_ptr<JournalWriter> writer(new JournalWriter(path, std::move(file)));
  const int number = writer->file_.number();
  const std::optional<FileInfo> info = InfoOf(number);
  if (!info || info->kind != FileKind::kRegular)
    return Error(StatusCode::kIo, "journal {} is not a regular file", path);
  if (!LockFile(number)) return Error(StatusCode::kIo, "another process writes to journal {}", path);
  std::string start = StartOf(header);
  writer->seed_ = Hash(HeaderText(header));
  if (IsCutInHeader(path, start)) {
    writer->start_ = std::move(start);
    return writer;
  }
  ACU_ASSIGN_OR_RETURN(const std::unique_ptr<JournalReader> reader, JournalReader::Open(path));
  ACU_RETURN_IF_ERROR(CompareHeaders(path, reader->header(), header, /*are_parts=*/false));
  writer->seed_ = reader->seed();
  return writer;
}

Status JournalWriter::Failed(const char* what) {
  return error_ = Error(StatusCode::kIo, "could not {} journal {}: {}; the frames before are stored", what, path_,
                        std::generic_category().message(errno));
}

Status JournalWriter::ContinueAfter(const JournalReader* reader) {
  const int file = file_.number();
  if (!Truncate(file, reader ? reader->bytes() : 0) || SeekTo(file, 0, SEEK_END) < 0) return Failed("truncate");
  return Write(std::exchange(start_, {}));
}

Status JournalWriter::Write(std::string_view bytes) {
  if (!error_.ok()) return error_;
  return WriteAll(file_.number(), bytes) ? Status() : Failed("write to");
}

std::string JournalWriter::Record(int64_t frame, std::span<const int64_t> words) const {
  const int64_t head[2] = {frame, static_cast<int64_t>(words.size())};
  const uint64_t hash = Hash(AsText(words), Hash(AsText(head), seed_));
  std::string record(AsText(head));
  record += AsText(words);
  return record += AsText(static_cast<int64_t>(hash));
}

Status JournalWriter::Append(std::span<FrameResults* const> frames) {
  std::string records;
  for (const FrameResults* frame : frames) records += Record(frame->index, StoredResults(*frame));
  return Write(records);
}

Status JournalWriter::End(int64_t frame) { return Write(Record(kEndMark, {&frame, 1})); }

}  // namespace acutance
