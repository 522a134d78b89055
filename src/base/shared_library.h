// Shared libraries opened at run time, and their functions: a build links no driver, and starts on machines without
// one.
#pragma once

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace acutance {

/// A library that stays open until the process ends: drivers have threads of their own and do not survive dlclose.
class SharedLibrary {
 public:
  /// Opens the first of `names` that the loader finds. The error's message is the loader's reason for the last one.
  /// binding: RTLD_NOW or RTLD_LAZY.
  static Result<SharedLibrary> Open(const std::vector<std::string>& names, int binding = RTLD_NOW) {
    std::string reason;
    for (const std::string& name : names) {
      if (void* handle = ::dlopen(name.c_str(), binding | RTLD_LOCAL)) return SharedLibrary(name, handle);
      reason = ::dlerror();
    }
    return Status(StatusCode::kNoDevice, std::move(reason));
  }

  const std::string& name() const { return name_; }
  void* handle() const { return handle_; }

  /// Whether the library has the symbol, to which it points `to`.
  template <class Symbol>
  bool Find(const char* symbol, Symbol*& to) const {
    to = reinterpret_cast<Symbol*>(::dlsym(handle_, symbol));
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
  SharedLibrary(std::string name, void* handle) : name_(std::move(name)), handle_(handle) {}

  std::string name_;
  void* handle_;
  std::string_view missing_;
};

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
