// The part of FlatBuffers (flatbuffers.dev/internals) that Arrow's headers need. They are built from the last byte to
// the first; places are counted from the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace acutance {

class FlatBuffer {
 public:
  using Place = uint32_t;

  /// A field of a table: a number of that many bytes, or the place of a string, vector or table.
  struct Field {
    int id;
    int bytes;
    uint64_t value;
    bool is_place = false;
  };
  static Field Number(int id, int bytes, int64_t value) { return {id, bytes, static_cast<uint64_t>(value)}; }
  static Field At(int id, Place place) { return {id, 4, place, true}; }

  Place String(std::string_view text) {
    Align(4, text.size() + 1);
    bytes_ += '\0';
    bytes_.append(text.rbegin(), text.rend());
    Push(text.size(), 4);
    return size();
  }

  Place Vector(const std::vector<Place>& items) {
    Align(4, 4 * items.size());
    for (auto item = items.rbegin(); item != items.rend(); ++item) PushPlace(*item);
    Push(items.size(), 4);
    return size();
  }

  /// A vector of `count` structs that consist of words of 8 bytes.
  Place Structs(const std::vector<int64_t>& words, size_t count) {
    Align(8, 8 * words.size());
    for (auto word = words.rbegin(); word != words.rend(); ++word) Push(static_cast<uint64_t>(*word), 8);
    Push(count, 4);
    return size();
  }

  Place Table(std::vector<Field> fields) {
    std::ranges::stable_sort(fields, std::ranges::greater(), &Field::bytes);
    const uint32_t end = size();
    std::vector<uint32_t> places;
    for (const Field& field : fields) {
      Align(static_cast<size_t>(field.bytes), static_cast<size_t>(field.bytes));
      if (field.is_place) PushPlace(static_cast<Place>(field.value));
      else Push(field.value, field.bytes);
      places.push_back(size());
    }
    int count = 0;
    for (const Field& field : fields) count = std::max(count, field.id + 1);
    Align(4, 4);
    const uint32_t index_bytes = 4 + 2 * static_cast<uint32_t>(count);
    Push(index_bytes, 4);  // the index of fields lies in front of the table
    const Place table = size();
    for (int id = count - 1; id >= 0; --id) {
      const auto field = std::ranges::find(fields, id, &Field::id);
      Push(field == fields.end() ? 0 : table - places[static_cast<size_t>(field - fields.begin())], 2);
    }
    Push(table - end, 2);
    Push(index_bytes, 2);
    return table;
  }

  /// The bytes, a multiple of 8.
  std::string Finish(Place root) {
    Align(8, 4);
    PushPlace(root);
    return {bytes_.rbegin(), bytes_.rend()};
  }

 private:
  Place size() const { return static_cast<Place>(bytes_.size()); }
  /// So that what is pushed next, of that many bytes, begins at a multiple.
  void Align(size_t multiple, size_t bytes) {
    while ((bytes_.size() + bytes) % multiple != 0) bytes_ += '\0';
  }
  void Push(uint64_t value, int bytes) {
    for (int b = bytes - 1; b >= 0; --b) bytes_ += static_cast<char>(value >> 8 * b);
  }
  void PushPlace(Place place) { Push(size() + 4 - place, 4); }

  std::string bytes_;  // the last one first
};

}  // namespace acutance
