// Parts of PTX files as clang writes them.
#pragma once

#include <string>
#include <string_view>

namespace acutance::cuda {

/// The file without its entries other than `symbol`: the driver compiles all that it gets, and a kernel's file has all
/// of its variants.
std::string OnlyEntry(std::string_view ptx, std::string_view symbol);

/// The compute capability that the files name as their target, and the least that they run on.
inline constexpr int kPtxCapability = 75, kLeastCapability = 60;

/// The file with the target kLeastCapability: the text of the kernels uses nothing that came later. GPUs from
/// kPtxCapability on get it as it is, since the older target also means the older scheduling of a warp's threads.
std::string ForOldGpus(std::string ptx);

}  // namespace acutance::cuda
