#include "base/shell_word.h"

#include <algorithm>

namespace acutance {
namespace {

/// Bytes of letters beyond ASCII mean nothing to a shell either.
bool IsPlain(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
  return is_letter || (c >= '0' && c <= '9') || std::string_view("_-./:,+=@%").find(c) != std::string_view::npos;
}

}  // namespace

std::string ShellWord(std::string_view path) {
  std::string word(path.size() > 1 && path.front() == '-' ? "./" : "");
  if (!path.empty() && std::ranges::all_of(path, IsPlain)) return word.append(path);
  word.insert(word.begin(), '\'');
  for (const char c : path) {
    if (c == '\'') word += "'\\''";
    else word += c;
  }
  return word + '\'';
}

}  // namespace acutance
