// GLSL 4.60 for Vulkan 1.2, after g++ -E has expanded all macros; prologue.glsl names the extensions.
#pragma once

// Alignment of the sample type: the default of 16 would let the compiler assume more than a row start has.
#define ACU_DECLARE_BUFFER(T, BYTES)                                                                             \
  layout(buffer_reference, scalar, buffer_reference_align = BYTES) buffer AcuBuffer_##T { T data[]; };           \
  layout(buffer_reference, scalar, buffer_reference_align = BYTES) restrict readonly buffer AcuConstBuffer_##T { \
    T data[];                                                                                                    \
  };                                                                                                             \
  const int AcuBytes_##T = BYTES;
ACU_DECLARE_BUFFER(uint8_t, 1)
ACU_DECLARE_BUFFER(int16_t, 2)
ACU_DECLARE_BUFFER(uint16_t, 2)
ACU_DECLARE_BUFFER(int32_t, 4)
ACU_DECLARE_BUFFER(uint32_t, 4)
ACU_DECLARE_BUFFER(float, 4)
ACU_DECLARE_BUFFER(int64_t, 8)
ACU_DECLARE_BUFFER(uint64_t, 8)
ACU_DECLARE_BUFFER(double, 8)

#define ACU_JOIN_INNER(A, B) A##B
#define ACU_JOIN(A, B) ACU_JOIN_INNER(A, B)  // in two steps, for a T that is itself a macro (PIXEL)
#define BUFFER(T) ACU_JOIN(AcuBuffer_, T)
#define CONST_BUFFER(T) ACU_JOIN(AcuConstBuffer_, T)
#define ACU_AT(T, BUFFER_, FIRST) (uint64_t(BUFFER_) + uint64_t(FIRST) * uint64_t(ACU_JOIN(AcuBytes_, T)))
#define BUFFER_AT(T, BUFFER_, FIRST) BUFFER(T)(ACU_AT(T, BUFFER_, FIRST))
#define CONST_BUFFER_AT(T, BUFFER_, FIRST) CONST_BUFFER(T)(ACU_AT(T, BUFFER_, FIRST))

#define KERNEL_USES(ARGS, SHARED)                                              \
  layout(local_size_x = BLOCK_X, local_size_y = BLOCK_Y, local_size_z = 1) in; \
  layout(push_constant, scalar) uniform AcuPush { ARGS args; };                \
  shared SHARED group;
#define KERNEL_MAIN() void main()
#define FUNCTION(R) R
#define CONTEXT(...) __VA_ARGS__
#define PASS(...) __VA_ARGS__
#define IN_OUT(T) inout T
#define CONSTANT(T, NAME) const T NAME
#define TABLE(T, NAME, N) const T NAME[N]
#define UNROLL [[unroll]]
#define DOUBLE(X) X##lf  // a bare 0.1 is a float

#define double_bits(V) doubleBitsToUint64(V)
#define bits_double(V) uint64BitsToDouble(V)
#define float_bits(V) floatBitsToUint(V)
#define bits_float(V) uintBitsToFloat(V)

#define local_x() int32_t(gl_LocalInvocationID.x)
#define local_y() int32_t(gl_LocalInvocationID.y)
#define group_x() int32_t(gl_WorkGroupID.x)
#define group_y() int32_t(gl_WorkGroupID.y)
#define group_z() int32_t(gl_WorkGroupID.z)
#define groups_x() int32_t(gl_NumWorkGroups.x)
#define groups_y() int32_t(gl_NumWorkGroups.y)
#define group_barrier() barrier()

#define wave_size() int32_t(gl_SubgroupSize)
#define wave_lane() int32_t(gl_SubgroupInvocationID)
#define wave_index() int32_t(gl_SubgroupID)
#define wave_count() int32_t(gl_NumSubgroups)
#define wave_sum(V) subgroupAdd(V)
#define wave_xor(V, MASK) subgroupShuffleXor(V, uint32_t(MASK))
#define leading_zeros(V) (31 - findMSB(V))
#define estimate_reciprocal(V) (1.0f / (V))  // within 2.5 units in the last place, says Vulkan
#define estimate_square_root(V) sqrt(V)
