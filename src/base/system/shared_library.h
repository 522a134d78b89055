// Shared libraries opened at run time, and their functions: a build links no driver, and starts on machines without
// one.
#pragma once

#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

/// When the functions that a library calls are looked up: all at once, or each at its first call.
enum class Binding { kNow, kLazy };

/// A library that stays open until the process ends: drivers have threads of their own and do not survive dlclose.
class SharedLibrary {
 public:
  /// Opens the first of `names` that the loader finds. The error's message is the loader's reason for the last one.
  static Result<SharedLibrary> Open(const std::vector<std::string>& names, Binding binding = Binding::kNow);

  const std::string& name() const { return name_; }
  /// The file that the loader found.
  std::filesystem::path file() const;

  /// Whether the library has the symbol, to which it points `to`.
  template <class Symbol>
  bool Find(const char* symbol, Symbol*& to) const {
    to = reinterpret_cast<Symbol*>(Address(symbol));
    return to != nullptr;
  }

  /// The same for a symbol that every usable library has: see missing().
  template <class Symbol>
  void Require(const char* symbol, Symbol*& to) {
    if (!Find(symbol, to) && missing_.empty()) missing_ = symbol;
  }

  /// The first required symbol that the library lacks; empty: it has all of them.
  std::string_view missing() const { return missing_; }

 private:
  void* Address(const char* symbol) const;
  SharedLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}

  std::string name_;
  void* handle_;
  std::string_view missing_;
};

/// The file of a version of a library: LibraryFile("avutil", 59) is "libavutil.so.59", on Windows "avutil-59.dll".
std::string LibraryFile(std::string_view name, int version);
/// The first name, or on Windows the second, of a driver's library.
std::string DriverFile(std::string_view elsewhere, std::string_view on_windows);
/// The version of the library `name` that a file of this name holds; nullopt: it is another file.
std::optional<int> VersionOf(std::string_view file, std::string_view name);

/// Whether this process has a library of that name or file open.
bool IsLibraryOpen(const std::string& name);
/// The program or library that holds the function or variable at `address`; empty where the system does not know. A
/// program has the name that it was started by, which need not be a path.
std::filesystem::path FileWith(const void* address);

/// What `load(name)` returned at the first call with this name. It outlives everything that may call the library.
template <class Loaded>
const Loaded& LoadOnce(const std::string& name, Loaded (*load)(const std::string&)) {
  static std::mutex mutex;
  static auto* loaded = new std::map<std::string, Loaded>();
  const std::lock_guard lock(mutex);
  auto entry = loaded->find(name);
  if (entry == loaded->end()) entry = loaded->emplace(name, load(name)).first;
  return entry->second;
}

}  // namespace acutance
