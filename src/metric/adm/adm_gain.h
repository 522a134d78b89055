// A gain limit of 1 to 100 as kernels take it (adm_decouple.kernel.h). In this form integers
// compute the product with an integer as a double would round it.
#pragma once

#include <cmath>
#include <cstdint>

namespace acutance {

struct AdmGainBits {
  int32_t integer;     // the limit, if it is one; else 0
  uint32_t high, low;  // the limit is (high * 2^32 + low) / 2^(32 + shift): all 53 bits of it
  int32_t shift;
};

inline AdmGainBits MakeAdmGainBits(double limit) {
  int exponent;  // 1 to 7
  const uint64_t mantissa = static_cast<uint64_t>(std::ldexp(std::frexp(limit, &exponent), 53));
  const bool integer = limit == std::floor(limit);
  return {integer ? static_cast<int32_t>(limit) : 0, static_cast<uint32_t>(mantissa >> 32),
          static_cast<uint32_t>(mantissa), 53 - exponent - 32};
}

}  // namespace acutance
