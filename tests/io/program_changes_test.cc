// Tests of transport streams whose program changes, on packets made here.
#include "io/ffmpeg/program_changes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace acutance {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr int kH264 = 0x1b, kMpeg2 = 2, kSound = 0x0f;

struct Track {
  int type, pid;
};

uint32_t ChecksumOf(const Bytes& bytes) {
  uint32_t sum = 0xffffffff;
  for (const uint8_t byte : bytes)
    for (int bit = 7; bit >= 0; --bit) {
      const bool is_set = (sum >> 31 ^ (byte >> bit & 1)) != 0;
      sum = sum << 1 ^ (is_set ? 0x04c11db7 : 0);
    }
  return sum;
}

/// One packet, `counter` of its PID, which begins a section or a picture.
Bytes Packet(int pid, int counter, const Bytes& payload) {
  Bytes packet = {0x47, static_cast<uint8_t>(0x40 | pid >> 8), static_cast<uint8_t>(pid),
                  static_cast<uint8_t>(0x10 | counter)};
  packet.insert(packet.end(), payload.begin(), payload.end());
  packet.resize(ProgramChanges::kPacket, 0xff);
  return packet;
}

Bytes Table(int pid, int id, int number, const Bytes& body) {
  const size_t size = 5 + body.size() + 4;
  Bytes section = {
      static_cast<uint8_t>(id), 0xb0, static_cast<uint8_t>(size), 0, static_cast<uint8_t>(number), 0xc1, 0, 0};
  section.insert(section.end(), body.begin(), body.end());
  const uint32_t sum = ChecksumOf(section);
  for (int shift = 24; shift >= 0; shift -= 8) section.push_back(static_cast<uint8_t>(sum >> shift));
  section.insert(section.begin(), 0);  // it begins at once
  return Packet(pid, 0, section);
}

uint8_t High(int pid) { return static_cast<uint8_t>(0xe0 | pid >> 8); }
uint8_t Low(int pid) { return static_cast<uint8_t>(pid); }

/// The tables of a program and then `pictures` packets of each track.
void AddPart(int number, int table_pid, const std::vector<Track>& tracks, int pictures, Bytes& stream) {
  const auto add = [&](const Bytes& packet) { stream.insert(stream.end(), packet.begin(), packet.end()); };
  add(Table(0, 0, 1, {0, static_cast<uint8_t>(number), High(table_pid), Low(table_pid)}));
  Bytes body = {0xff, 0xff, 0xf0, 0};
  for (const Track& track : tracks)
    body.insert(body.end(), {static_cast<uint8_t>(track.type), High(track.pid), Low(track.pid), 0xf0, 0});
  add(Table(table_pid, 2, number, body));
  for (int k = 0; k < pictures; ++k)
    for (const Track& track : tracks) add(Packet(track.pid, k & 0xf, {0, 0, 1, 0xe0, static_cast<uint8_t>(number)}));
}

struct Passed {
  Bytes bytes;
  std::string left_out;
};

Passed Pass(const Bytes& stream, size_t step) {
  ProgramChanges changes({reinterpret_cast<const char*>(stream.data()), std::min<size_t>(stream.size(), 377)});
  EXPECT_TRUE(changes.is_active());
  Passed passed;
  Bytes some(step / 2 + 1);
  const auto take = [&] {
    while (const size_t count = changes.Take(some.data(), some.size()))
      passed.bytes.insert(passed.bytes.end(), some.begin(), some.begin() + static_cast<ptrdiff_t>(count));
  };
  for (size_t at = 0; at < stream.size(); at += step) {
    changes.Add(std::span(stream).subspan(at, std::min(step, stream.size() - at)));
    take();
  }
  changes.End();
  take();
  passed.left_out = changes.Describe();
  return passed;
}

/// The programs of the packets of a PID, after their counters were checked.
std::string ProgramsOn(const Bytes& stream, int pid) {
  std::string programs;
  int next = -1;
  for (size_t at = 0; at + ProgramChanges::kPacket <= stream.size(); at += ProgramChanges::kPacket) {
    if (((stream[at + 1] & 0x1f) << 8 | stream[at + 2]) != pid) continue;
    const int counter = stream[at + 3] & 0xf;
    if (next >= 0) {
      EXPECT_EQ(counter, next);
    }
    next = (counter + 1) & 0xf;
    programs += static_cast<char>('0' + stream[at + 8]);
  }
  return programs;
}

TEST(ProgramChanges, KeepStreamsThatDoNotChange) {
  Bytes stream;
  for (int part = 0; part < 3; ++part) AddPart(1, 0x1000, {{kH264, 0x100}, {kSound, 0x101}}, 5, stream);
  EXPECT_EQ(Pass(stream, 1000).bytes, stream);
  Bytes several;
  AddPart(1, 0x1000, {{kH264, 0x100}, {kH264, 0x102}}, 5, several);
  AddPart(2, 0x1000, {{kH264, 0x200}}, 5, several);
  EXPECT_EQ(Pass(several, 1000).bytes, several) << "which of two videos continues is not known";
}

TEST(ProgramChanges, LetTheVideoContinueUnderItsFirstPid) {
  Bytes stream;
  AddPart(1, 0x1000, {{kH264, 0x100}, {kSound, 0x101}}, 5, stream);
  AddPart(2, 0x1001, {{kH264, 0x200}, {kSound, 0x100}}, 21, stream);
  AddPart(2, 0x1001, {{kSound, 0x100}, {kH264, 0x300}}, 2, stream);
  AddPart(1, 0x1000, {{kH264, 0x100}, {kSound, 0x101}}, 3, stream);
  for (const size_t step : {1, 100, 188, 1000, 100'000}) {
    const Passed passed = Pass(stream, step);
    ASSERT_EQ(passed.bytes.size(), stream.size());
    EXPECT_EQ(ProgramsOn(passed.bytes, 0x100), "11111" + std::string(23, '2') + "111") << step;
    EXPECT_EQ(passed.left_out, "");
  }
}

TEST(ProgramChanges, FindPacketsBehindAPartOfOne) {
  Bytes stream;
  AddPart(1, 0x1000, {{kH264, 0x100}}, 3, stream);
  stream.resize(stream.size() - 60);
  AddPart(2, 0x1000, {{kH264, 0x200}}, 4, stream);
  const Passed passed = Pass(stream, 500);
  const Bytes second(passed.bytes.end() - 6 * 188, passed.bytes.end());
  EXPECT_EQ(ProgramsOn(second, 0x100), "2222");
}

TEST(ProgramChanges, CountThePicturesOfAnotherCodec) {
  Bytes stream;
  AddPart(1, 0x1000, {{kH264, 0x100}}, 3, stream);
  AddPart(2, 0x1000, {{kMpeg2, 0x100}}, 4, stream);
  AddPart(1, 0x1000, {{kH264, 0x100}}, 2, stream);
  const Passed passed = Pass(stream, 1000);
  EXPECT_EQ(ProgramsOn(passed.bytes, 0x100), "11111");
  EXPECT_EQ(passed.left_out, "changes to a program of another codec: 4 of its pictures are not scored");
}

TEST(ProgramChanges, IgnoreDamagedTables) {
  Bytes stream;
  AddPart(1, 0x1000, {{kH264, 0x100}}, 3, stream);
  const size_t table = stream.size() + 188;
  AddPart(1, 0x1000, {{kH264, 0x200}}, 4, stream);
  stream[table + 20] ^= 1;
  EXPECT_EQ(Pass(stream, 1000).bytes, stream);
}

TEST(ProgramChanges, BeginAnewAtAnotherPlace) {
  Bytes stream;
  AddPart(1, 0x1000, {{kH264, 0x100}}, 3, stream);
  const size_t first = stream.size();
  AddPart(2, 0x1000, {{kH264, 0x200}}, 4, stream);
  ProgramChanges changes({reinterpret_cast<const char*>(stream.data()), 377});
  Bytes passed(stream.size());
  changes.Add(stream);
  changes.End();
  EXPECT_EQ(changes.Take(passed.data(), passed.size()), stream.size());
  changes.Jump();
  changes.Add(std::span(stream).first(first));
  changes.End();
  EXPECT_EQ(changes.Take(passed.data(), passed.size()), first);
  EXPECT_TRUE(std::equal(stream.begin(), stream.begin() + static_cast<ptrdiff_t>(first), passed.begin()));
  EXPECT_FALSE(ProgramChanges("G").is_active());
}

}  // namespace
}  // namespace acutance
