// Shell quoting of paths, for commands in messages.
#pragma once

#include <string>
#include <string_view>

namespace acutance {

/// A file's path as one word of a POSIX shell's command: quoted where a shell would take it for something else, and
/// after "./" where a program would take it for an option. "-" alone stays, for it names standard input.
std::string ShellWord(std::string_view path);

}  // namespace acutance
