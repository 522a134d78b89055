// Python's arguments as C++ values. nanobind's own conversions to strings and vectors may not throw: they end the
// process where there is no memory. These throw std::bad_alloc, which Python gets as a MemoryError.
#pragma once

#include <nanobind/nanobind.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace acutance::python {

inline std::string TextOf(const nanobind::bytes& path) { return {path.c_str(), path.size()}; }

inline std::string TextOf(const nanobind::str& text) {
  Py_ssize_t size = 0;
  const char* data = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
  if (data) return {data, static_cast<size_t>(size)};
  PyErr_Clear();
  throw nanobind::next_overload();  // a TypeError: half a character
}

/// The items of a sequence, each converted by `convert(handle)`.
template <class Convert>
auto ListOf(const nanobind::handle& sequence, Convert&& convert) {
  std::vector<decltype(convert(sequence))> items;
  for (const nanobind::handle item : sequence) items.push_back(convert(item));
  return items;
}

/// An item that must be of a Python type: nb::str and its like.
template <class Type>
Type ItemOf(const nanobind::handle& item) {
  if (!nanobind::isinstance<Type>(item)) throw nanobind::next_overload();
  return nanobind::borrow<Type>(item);
}

inline std::vector<nanobind::object> ObjectsOf(const nanobind::handle& sequence) {
  return ListOf(sequence, [](nanobind::handle item) { return nanobind::borrow(item); });
}

inline std::map<std::string, std::string> TextsOf(const nanobind::dict& texts) {
  std::map<std::string, std::string> found;
  for (const auto& [name, value] : texts)
    found.emplace(TextOf(ItemOf<nanobind::str>(name)), TextOf(ItemOf<nanobind::str>(value)));
  return found;
}

}  // namespace acutance::python
