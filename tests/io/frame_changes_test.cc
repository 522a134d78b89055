// What changes inside a video, and which ICC profiles mean sRGB.
#include "io/frame_changes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "io/icc_profile.h"

namespace acutance {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FrameDeclaration Usual() { return {.form = {{32, 24, 8, PixelFormat::k420}}, .color = {.full_range = false}}; }

/// The sentences of a video of eight frames, of which those from the fourth to the sixth differ.
std::vector<std::string> ChangesTo(const FrameDeclaration& other, const FrameDeclaration& first = Usual()) {
  FrameChanges changes;
  changes.Start(first);
  for (int frame = 1; frame < 8; ++frame) changes.Add(frame, frame >= 3 && frame < 6 ? other : first);
  std::vector<std::string> sentences;
  for (const InputChange& change : changes.Describe()) sentences.push_back(change.text);
  return sentences;
}

TEST(FrameChanges, FormsAreCounted) {
  EXPECT_THAT(ChangesTo(Usual()), IsEmpty());
  FrameDeclaration other = Usual();
  other.form.full_range = true;
  EXPECT_THAT(ChangesTo(other),
              ElementsAre("changes at frame 3 from limited range to full range: 3 of its 8 frames are "
                          "converted to limited range"));
  other = Usual();
  other.form.format = {16, 12, 10, PixelFormat::k422};
  EXPECT_THAT(ChangesTo(other), ElementsAre(HasSubstr("from 32x24 to 16x12: 3 of its 8 frames are scaled"),
                                            HasSubstr("from 420 to 422"), HasSubstr("from 8 bits to 10 bits")));
  other.form.format = {24, 32, 8, PixelFormat::k420};
  EXPECT_THAT(ChangesTo(other), ElementsAre(HasSubstr("which squashes them")));
}

TEST(FrameChanges, ColorsAreNamed) {
  FrameDeclaration other = Usual();
  other.color.transfer = Transfer::kSdr;
  EXPECT_THAT(ChangesTo(other), IsEmpty()) << "undeclared is SDR";
  other.color.transfer = Transfer::kPq;
  EXPECT_THAT(ChangesTo(other), ElementsAre(HasSubstr("at frame 3 from SDR to HDR by PQ"),
                                            HasSubstr("at frame 6 from HDR by PQ to SDR")));
  other = Usual();
  other.color.matrix = Matrix::kBt601;
  EXPECT_THAT(ChangesTo(other), IsEmpty()) << "undeclared is no other one";
  FrameDeclaration first = Usual();
  first.color.matrix = Matrix::kBt709;
  EXPECT_THAT(ChangesTo(other, first), ElementsAre(HasSubstr("from the matrix of BT.709 to the matrix of BT.601"),
                                                   HasSubstr("from the matrix of BT.601 to")));
}

TEST(FrameChanges, ShapesAreNamed) {
  FrameDeclaration other = Usual();
  other.pixel_aspect = 4.0 / 3;
  EXPECT_THAT(ChangesTo(other), IsEmpty()) << "declared at frame 3 for the first time";
  FrameDeclaration first = Usual();
  first.pixel_aspect = 1;
  EXPECT_THAT(ChangesTo(other, first), testing::Contains(HasSubstr("to pixels 1.333 times as wide as high")));
  other = Usual();
  other.orientation = Orientation{.transposed = true, .mirrored_x = true};
  EXPECT_THAT(ChangesTo(other), ElementsAre(HasSubstr("from no rotation to a rotation by 90 degrees clockwise")));
}

TEST(FrameChanges, SentencesAreFew) {
  FrameChanges changes;
  changes.Start(Usual());
  for (int frame = 1; frame < 100; ++frame) {
    FrameDeclaration other = Usual();
    other.form.format.width += 2 * frame;
    changes.Add(frame, other);
  }
  EXPECT_EQ(changes.Describe().size(), 11u);
}

void Append(std::string& bytes, uint32_t number, int size = 4) {
  for (int i = size - 1; i >= 0; --i) bytes += static_cast<char>(number >> (8 * i));
}

struct Tag {
  const char* name;
  std::string data;
};

std::string Colors(double x, double y, double z) {
  std::string data("XYZ \0\0\0\0", 8);
  for (const double value : {x, y, z}) Append(data, static_cast<uint32_t>(static_cast<int32_t>(value * 65536)));
  return data;
}

std::string Gamma(double gamma) {
  std::string data("curv\0\0\0\0\0\0\0\1", 12);
  Append(data, static_cast<uint32_t>(gamma * 256), 2);
  return data;
}

std::string Profile(const std::vector<Tag>& tags) {
  std::string table, data;
  Append(table, static_cast<uint32_t>(tags.size()));
  for (const Tag& tag : tags) {
    table += tag.name;
    Append(table, static_cast<uint32_t>(132 + 12 * tags.size() + data.size()));
    Append(table, static_cast<uint32_t>(tag.data.size()));
    data += tag.data;
  }
  std::string head(128, '\0');
  head.replace(16, 4, "RGB ");
  return head + table + data;
}

std::string ProfileOf(double red_x, double gamma, const std::string& name) {
  std::string text("desc\0\0\0\0", 8);
  Append(text, static_cast<uint32_t>(name.size() + 1));
  return Profile({{"desc", text + name + '\0'},
                  {"rXYZ", Colors(red_x, 0.2225, 0.0139)},
                  {"gXYZ", Colors(0.3851, 0.7169, 0.0971)},
                  {"bXYZ", Colors(0.1431, 0.0606, 0.7141)},
                  {"rTRC", Gamma(gamma)},
                  {"gTRC", Gamma(gamma)},
                  {"bTRC", Gamma(gamma)}});
}

IccProfile Read(const std::string& bytes) { return ReadIccProfile(std::as_bytes(std::span(bytes))); }

TEST(IccProfile, ColorsAndCurveDecide) {
  EXPECT_TRUE(Read(ProfileOf(0.4361, 2.2, "any")).is_srgb);
  EXPECT_EQ(Read(ProfileOf(0.4361, 2.2, "any")).description, "any");
  EXPECT_FALSE(Read(ProfileOf(0.4361, 1, "linear")).is_srgb);
  EXPECT_FALSE(Read(ProfileOf(0.4361, 1.8, "old")).is_srgb);
  EXPECT_FALSE(Read(ProfileOf(0.5151, 2.2, "wide")).is_srgb);
}

TEST(IccProfile, DamagedOnesAreReadToTheirEnd) {
  const std::string whole = ProfileOf(0.4361, 2.2, "any");
  for (size_t size = 0; size < whole.size(); ++size) EXPECT_FALSE(Read(whole.substr(0, size)).is_srgb);
  for (size_t at = 128; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = '\xff';
    Read(changed);
  }
}

}  // namespace
}  // namespace acutance
