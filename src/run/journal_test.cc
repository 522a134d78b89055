#include "run/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "base/temp_dir.h"

namespace acutance {
namespace {

using testing::HasSubstr;

const JournalHeader kHeader = {{"pictures", {"8x8, 8 bit, 420"}},
                               {"reference", {"10 bytes, 0a"}},
                               {"reference path", {"a\nb\\.y4m"}},
                               {"reference modified", {"5"}},
                               {"frames", {"0:"}},
                               {"feature", {"psnr", "a=b\tc"}}};
constexpr int64_t kJournalFrames = 5;

FrameResults MakeFrame(int64_t index) {
  FrameResults frame;
  frame.index = index;
  frame.kept = {index, -index, int64_t{1} << 62};
  frame.values = {0.1 * static_cast<double>(index), -0.0};
  return frame;
}

void Append(JournalWriter& writer, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) {
    FrameResults frame = MakeFrame(i);
    FrameResults* const frames[] = {&frame};
    ASSERT_TRUE(writer.Append(frames).ok());
  }
}

/// Reads frames, checks each, and returns how many there were.
int64_t ReadAll(JournalReader& reader) {
  int64_t count = 0;
  for (; const auto record = reader.Next(); ++count) {
    EXPECT_EQ(record->frame, count);
    EXPECT_EQ(record->words, StoredResults(MakeFrame(count)));
  }
  return count;
}

int64_t CountFrames(const std::string& path) { return ReadAll(*JournalReader::Open(path).value()); }

/// Opens the journal as a run does, and continues after its last frame.
void Continue(const std::string& path, int64_t end) {
  auto writer = JournalWriter::Open(path, kHeader);
  ASSERT_TRUE(writer.ok()) << writer.status().message();
  const auto reader = (*writer)->is_new() ? nullptr : JournalReader::Open(path).value();
  const int64_t count = reader ? ReadAll(*reader) : 0;
  ASSERT_TRUE((*writer)->ContinueAfter(reader.get()).ok());
  Append(**writer, count, end);
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

std::string OpenError(const std::string& path, const JournalHeader& header) {
  return JournalWriter::Open(path, header).status().message();
}

class JournalTest : public testing::Test {
 protected:
  JournalTest() { Continue(path_, kJournalFrames); }

  const test::TempDir folder_;
  const std::string path_ = folder_ / "journal";
};

TEST_F(JournalTest, StoredResultsAreReadBack) {
  auto reader = JournalReader::Open(path_).value();
  EXPECT_EQ(reader->header(), kHeader);
  EXPECT_EQ(ReadAll(*reader), kJournalFrames);
  EXPECT_EQ(reader->end(), std::nullopt);
  FrameResults frame = MakeFrame(0);
  ASSERT_TRUE(RestoreResults(StoredResults(MakeFrame(3)), frame));
  EXPECT_EQ(frame.kept, MakeFrame(3).kept);
  EXPECT_EQ(frame.values, MakeFrame(3).values);
  EXPECT_FALSE(RestoreResults(std::vector<int64_t>(4), frame));
}

TEST_F(JournalTest, ARunThatWasStoppedContinues) {
  Continue(path_, 2 * kJournalFrames);
  EXPECT_EQ(CountFrames(path_), 2 * kJournalFrames);
  {
    auto writer = JournalWriter::Open(path_, kHeader).value();
    auto reader = JournalReader::Open(path_).value();
    ReadAll(*reader);
    ASSERT_TRUE(writer->ContinueAfter(reader.get()).ok());
    ASSERT_TRUE(writer->End(2 * kJournalFrames).ok());
  }
  auto reader = JournalReader::Open(path_).value();
  ReadAll(*reader);
  EXPECT_EQ(reader->end(), 2 * kJournalFrames);
}

TEST_F(JournalTest, ARecordCutAtAnyByteIsWrittenAgain) {
  const std::string whole = ReadFile(path_);
  const size_t record = 8 * (2 + StoredResults(MakeFrame(0)).size() + 1);
  for (size_t bytes = whole.size() - record; bytes < whole.size(); ++bytes) {
    WriteFile(path_, whole.substr(0, bytes));
    EXPECT_EQ(CountFrames(path_), kJournalFrames - 1) << bytes;
    Continue(path_, kJournalFrames);
    EXPECT_EQ(ReadFile(path_), whole) << bytes;
  }
}

TEST_F(JournalTest, AFileCutInItsHeaderBeginsAgain) {
  const std::string whole = ReadFile(path_);
  const size_t header = whole.find("\n\n") + 2 + 8;
  for (size_t bytes = 0; bytes < header; ++bytes) {
    WriteFile(path_, whole.substr(0, bytes));
    Continue(path_, kJournalFrames);
    EXPECT_EQ(ReadFile(path_), whole) << bytes;
  }
}

// A run that cannot begin leaves nothing behind that another one would be compared with.
TEST_F(JournalTest, AFileHasNoHeaderBeforeItsRunBegins) {
  const std::string path = folder_ / "fresh";
  ASSERT_TRUE(JournalWriter::Open(path, kHeader).ok());
  JournalHeader other = kHeader;
  other.back().fields = {"vif"};
  EXPECT_EQ(OpenError(path, other), "");
}

TEST_F(JournalTest, ADamagedByteIsNeverBelieved) {
  const std::string whole = ReadFile(path_);
  for (size_t at = 0; at < whole.size(); ++at) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
    WriteFile(path_, damaged);
    auto reader = JournalReader::Open(path_);
    if (reader.ok()) {
      EXPECT_LT(ReadAll(**reader), kJournalFrames) << at;
    }
  }
}

TEST_F(JournalTest, RecordsOfAnotherJournalAreNoneHere) {
  const std::string other = folder_ / "other";
  JournalHeader header = kHeader;
  header.back().fields = {"vif"};
  ASSERT_TRUE(JournalWriter::Open(other, header).value()->ContinueAfter(nullptr).ok());
  const std::string whole = ReadFile(path_);
  WriteFile(other, ReadFile(other) + whole.substr(whole.find("\n\n") + 2 + 8));
  EXPECT_EQ(CountFrames(other), 0);
}

TEST_F(JournalTest, AnotherRunIsRefusedByWhatDiffers) {
  JournalHeader header = kHeader;
  header[1].fields = {"11 bytes, 0b"};
  EXPECT_THAT(OpenError(path_, header), HasSubstr("its reference is '10 bytes, 0a', here it is '11 bytes, 0b'"));
  header = kHeader;
  header[5].fields = {"vif"};
  EXPECT_THAT(OpenError(path_, header), HasSubstr("its feature is 'psnr a=b\tc', here it is 'vif'"));
  header = kHeader;
  header.push_back({"feature", {"vif"}});
  EXPECT_THAT(OpenError(path_, header), HasSubstr("its feature is 'nothing', here it is 'vif'"));
  header = kHeader;
  header.pop_back();
  EXPECT_THAT(OpenError(path_, header), HasSubstr("its feature is 'psnr a=b\tc', here it is 'nothing'"));
  header = kHeader;
  header[2].fields = {"/elsewhere/c.y4m"};
  EXPECT_EQ(OpenError(path_, header), "");
}

TEST_F(JournalTest, PartsMayDifferInFramesAndTimes) {
  JournalHeader header = kHeader;
  header[3].fields = {"6"};
  header[4].fields = {"100:200"};
  EXPECT_TRUE(CompareHeaders(path_, kHeader, header, /*are_parts=*/true).ok());
  EXPECT_FALSE(CompareHeaders(path_, kHeader, header, /*are_parts=*/false).ok());
}

TEST_F(JournalTest, OneProcessWritesAtATime) {
  const auto writer = JournalWriter::Open(path_, kHeader).value();
  EXPECT_THAT(OpenError(path_, kHeader), HasSubstr("another process writes to journal"));
}

TEST_F(JournalTest, FilesThatCannotBeJournalsStayAsTheyAre) {
  const std::string text = folder_ / "text";
  WriteFile(text, "a text that is still needed");
  EXPECT_THAT(OpenError(text, kHeader), HasSubstr("is no journal"));
  EXPECT_EQ(ReadFile(text), "a text that is still needed");
  EXPECT_THAT(OpenError(folder_ / "no/journal", kHeader), HasSubstr("could not open journal"));
  EXPECT_THAT(OpenError("/dev/null", kHeader), HasSubstr("not a regular file"));
  EXPECT_THAT(JournalReader::Open(folder_ / "none").status().message(), HasSubstr("could not open journal"));
}

}  // namespace
}  // namespace acutance
