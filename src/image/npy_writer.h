// Arrays of numbers in NumPy's file format, version 1.0 (numpy.org, numpy.lib.format).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

namespace acutance {

/// What stands before the values of a float64 array; always 128 bytes.
std::string NpyHeader(std::initializer_list<int64_t> shape);

/// What stands after it.
std::string NpyValues(std::span<const double> values);

/// The file of a float64 array of rows x columns.
std::string NpyFile(std::span<const double> values, int rows, int columns);

}  // namespace acutance
