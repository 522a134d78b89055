// A Unix socket that listens, and the lines of its connections.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace acutance::cli {

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int number() const { return number_; }

 private:
  int number_;
};

/// A listening socket in the file system, which only its owner can open; its destructor removes the file.
class ListeningSocket {
 public:
  /// The socket that a killed server left at `path` is replaced; one that answers, or another file, is an error.
  static Result<ListeningSocket> Open(const std::string& path);
  ListeningSocket(ListeningSocket&&) = default;
  ~ListeningSocket();

  int number() const { return socket_.number(); }
  /// The next connection; a negative number where there is none after all.
  Descriptor Accept() const;

 private:
  ListeningSocket(std::string path, Descriptor socket, ino_t inode)
      : path_(std::move(path)), socket_(std::move(socket)), inode_(inode) {}

  std::string path_;
  Descriptor socket_;
  ino_t inode_;
};

/// Reads and writes lines of a connection.
class LineSocket {
 public:
  LineSocket(int descriptor, size_t longest) : descriptor_(descriptor), longest_(longest) {}

  /// The next line without its newline; nullopt at the end. A line that is too long ends the connection
  /// and sets is_too_long().
  std::optional<std::string> ReadLine();
  bool is_too_long() const { return is_too_long_; }

  /// False: the other side is gone.
  bool WriteLine(std::string_view line);

  /// Whether the other side has closed the connection as a whole, not only its sending half.
  bool IsGone() const;

 private:
  const int descriptor_;
  const size_t longest_;
  std::string buffer_;
  bool is_too_long_ = false;
};

}  // namespace acutance::cli
