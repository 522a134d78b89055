// Random changes of inputs, for fuzzing without libFuzzer.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace acutance::fuzz {

constexpr size_t kMostBytes = 16384;  // of an input

/// The words of a libFuzzer dictionary from seeds.py: a quoted word a line, all bytes as \xNN.
inline std::vector<std::string> ReadDictionary(const std::filesystem::path& path) {
  std::vector<std::string> words;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::string& word = words.emplace_back();
    for (size_t i = 3; i + 2 < line.size(); i += 4)
      word += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
  }
  return words;
}

/// Mutates seeds to inputs, of which some become seeds, so that changes add up.
class Mutator {
 public:
  Mutator(std::vector<std::string> seeds, std::vector<std::string> words)
      : pool_(std::move(seeds)), fixed_(pool_.size()), words_(std::move(words)) {
    for (const char* word : {"0", "-1", "1", "255", "65536", "2147483648", "4294967295", "18446744073709551616",
                             "1e309", "nan", "\n", ":", "="})
      words_.push_back(word);
  }

  std::string Next() {
    constexpr size_t kMostAdded = 200, kAddOneIn = 50;
    std::string input = Some(pool_);
    for (size_t changes = 1 + Below(4); changes > 0; --changes) Change(input);
    if (input.size() > kMostBytes) input.resize(kMostBytes);
    if (Below(kAddOneIn) == 0) {
      if (pool_.size() < fixed_ + kMostAdded) pool_.push_back(input);
      else pool_[fixed_ + Below(kMostAdded)] = input;
    }
    return input;
  }

 private:
  size_t Below(size_t count) { return count == 0 ? 0 : static_cast<size_t>(dice_() % count); }
  const std::string& Some(const std::vector<std::string>& texts) { return texts[Below(texts.size())]; }
  char SomeByte() {
    constexpr uint8_t kEdges[] = {0, 1, 0x7f, 0x80, 0xff};
    return static_cast<char>(Below(2) ? kEdges[Below(std::size(kEdges))] : Below(256));
  }

  void Change(std::string& input) {
    const size_t at = Below(input.size() + 1), rest = input.size() - at, kind = Below(8);
    if (kind == 0 && rest) input[at] = static_cast<char>(input[at] ^ (1 << Below(8)));
    if (kind == 1 && rest) input[at] = SomeByte();
    if (kind == 2) input.insert(at, 1 + Below(4), SomeByte());
    if (kind == 3) input.erase(at, 1 + Below(std::min<size_t>(rest, 32)));
    if (kind == 4) input.insert(Below(input.size() + 1), input.substr(at, 1 + Below(64)));
    if (kind == 5) input.insert(at, Some(words_));
    if (kind == 6) input.replace(at, std::min(rest, 1 + Below(12)), Some(words_));
    if (kind == 7) {  // the end of another input
      const std::string& other = Some(pool_);
      input.replace(at, std::string::npos, other.substr(Below(other.size() + 1)));
    }
  }

  std::vector<std::string> pool_;
  size_t fixed_;
  std::vector<std::string> words_;
  std::mt19937_64 dice_{1};
};

}  // namespace acutance::fuzz
