#include "base/sha256.h"

#include <gtest/gtest.h>

namespace acutance {
namespace {

// FIPS 180-4's examples, and the lengths around a block as sha256sum has them.
TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(Sha256Hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Sha256Hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Sha256Hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Sha256Hex(std::string(1000000, 'a')), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, PartsOfAnyLength) {
  const std::string text(300, 'x');
  for (size_t part = 1; part < 200; ++part) {
    Sha256 hash;
    for (size_t at = 0; at < text.size(); at += part) hash.Add(std::string_view(text).substr(at, part));
    EXPECT_EQ(HexOf(hash.Finish()), Sha256Hex(text)) << part;
  }
}

// A whole block, so that its padding is a block of its own: both ways give the digest.
TEST(Sha256, PlainLoops) {
  std::array<std::byte, 128> message{};
  for (size_t i = 0; i < 64; ++i) message[i] = static_cast<std::byte>(i * 37 + 11);
  Sha256 hash;
  hash.Add(std::span(message).first(64));
  message[64] = std::byte{0x80};
  message[126] = std::byte{2};  // 512 bits
  Sha256::State state = Sha256::kStart;
  Sha256::CompressPlainly(message.data(), state);
  Sha256::CompressPlainly(message.data() + 64, state);
  Sha256::Digest digest;
  for (size_t i = 0; i < 32; ++i) digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  EXPECT_EQ(HexOf(hash.Finish()), HexOf(digest));
}

TEST(Sha256, Numbers) {
  Sha256 hash;
  hash.AddNumber(0x0807060504030201);
  EXPECT_EQ(HexOf(hash.Finish()), Sha256Hex("\1\2\3\4\5\6\7\10"));
}

}  // namespace
}  // namespace acutance
