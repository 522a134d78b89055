// Arrays of numbers in NumPy's file format, version 1.0 (numpy.org, numpy.lib.format).
#pragma once

#include <span>
#include <string>

namespace acutance {

/// The file of a float64 array of rows x columns.
std::string NpyFile(std::span<const double> values, int rows, int columns);

}  // namespace acutance
