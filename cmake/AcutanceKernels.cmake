# Kernels: one source, compiled for every backend (src/kernel/README.md).
#
# acutance_kernel(<name> SOURCE <file> [VARIANTS <prefix>:<NAME=VALUE>,... ...] SHAPES <X>x<Y>[r<ROWS>]... [SET <set>]
#                 [NVCC <sm_NN>...])
#   declares the variants <prefix>_<shape>, or <shape> where there are no VARIANTS or the prefix is empty. SETs other
#   than "images" are for tests. NVCC: the GPUs on which nvcc's cubin was measured to be faster than clang's PTX.
# acutance_kernel_library(<set> <Function> [HIP_FILES])
#   makes the target acutance_kernel_<set> of all kernels declared for the set: `std::span<const KernelImage>
#   <Function>()`. What cannot be built for want of a tool is left out, with a message. HIP_FILES: code objects are not
#   embedded; acutance_hip_kernels puts them into files, one for each of ACUTANCE_HIP_TARGETS, and acutance_kernel_identity
#   says which kernels they must hold.
# Without any of ACUTANCE_BACKENDS there are no kernels. With any, emu's are compiled: they have the arguments' sizes.
set(all_backends cuda hip vulkan sycl emu)
set(ACUTANCE_BACKENDS ${all_backends} CACHE STRING "Devices that are built in: cuda, hip, vulkan, sycl, emu; empty: the CPU alone")
set(left_out ${all_backends})
list(REMOVE_ITEM left_out ${ACUTANCE_BACKENDS})
set(ACUTANCE_LEFT_OUT_BACKENDS "${left_out}" CACHE INTERNAL "")
foreach(backend ${ACUTANCE_BACKENDS})
  if(NOT backend IN_LIST all_backends)
    message(FATAL_ERROR "ACUTANCE_BACKENDS: there is no '${backend}', only ${all_backends}")
  endif()
endforeach()
if(ACUTANCE_LEFT_OUT_BACKENDS AND (ACUTANCE_TESTS OR ACUTANCE_BENCHMARKS) AND NOT WIN32)
  message(FATAL_ERROR "ACUTANCE_BACKENDS: tests and benchmarks need all of them (-DACUTANCE_TESTS=OFF -DACUTANCE_BENCHMARKS=OFF)")
endif()
# One of each group of GPUs with the same instructions: src/backend/hip/code_object.cc names the others.
set(ACUTANCE_HIP_TARGETS gfx900 gfx906 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1201
    CACHE STRING "AMD GPUs that kernels are compiled for; empty: none")
# Cubins may not be redistributed freely.
set(ACUTANCE_NVCC OFF CACHE STRING "Also embed nvcc's cubins: ON, where they are faster; ALL, of all kernels, to measure")
set(ACUTANCE_CUBIN_TARGETS sm_75 sm_80 sm_86 sm_89 sm_90 sm_100 sm_120 CACHE STRING "NVIDIA GPUs for ACUTANCE_NVCC=ALL")

find_package(Python3 REQUIRED COMPONENTS Interpreter)
# The interpreter itself: what is found may be a version manager's script, which takes longer than what it starts.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
                OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE)
set(ACUTANCE_PYTHON ${python} CACHE INTERNAL "")
find_program(ACUTANCE_CLANG NAMES clang++-19 clang++-20 clang++-21 DOC "Compiles kernels for NVIDIA and AMD GPUs")
find_program(ACUTANCE_LLD NAMES ld.lld-19 ld.lld-20 ld.lld-21 DOC "Links kernels for AMD GPUs")
find_program(ACUTANCE_GLSLC NAMES glslc DOC "Compiles kernels for Vulkan")
find_program(ACUTANCE_SPIRV_OPT NAMES spirv-opt DOC "Optimizes kernels for Vulkan")
find_program(ACUTANCE_SPIRV_VAL NAMES spirv-val DOC "Validates kernels for Vulkan")
find_program(ACUTANCE_NVCC_PROGRAM NAMES nvcc PATHS /usr/local/cuda/bin DOC "Compiles kernels for ACUTANCE_NVCC")

set(kernel_backends emu sycl)
set(kernel_gaps)
if(ACUTANCE_CLANG)
  list(APPEND kernel_backends cuda)
  if(ACUTANCE_LLD AND ACUTANCE_HIP_TARGETS)
    list(APPEND kernel_backends hip)
  elseif(ACUTANCE_HIP_TARGETS)
    list(APPEND kernel_gaps "hip (install lld-19)")
  endif()
else()
  list(APPEND kernel_gaps "cuda and hip (install clang-19 and lld-19)")
endif()
if(ACUTANCE_GLSLC AND ACUTANCE_SPIRV_OPT AND ACUTANCE_SPIRV_VAL)
  list(APPEND kernel_backends vulkan)
else()
  list(APPEND kernel_gaps "vulkan (install glslc and spirv-tools)")
endif()
if(ACUTANCE_NVCC AND NOT ACUTANCE_NVCC_PROGRAM)
  list(APPEND kernel_gaps "nvcc's cubins (nvcc was not found)")
endif()
list(REMOVE_ITEM kernel_backends ${ACUTANCE_LEFT_OUT_BACKENDS})
list(JOIN kernel_backends " " text)
list(JOIN kernel_gaps ", " gaps)
message(STATUS "Kernels: built for ${text}")
if(gaps)
  message(STATUS "Kernels: not built for ${gaps}")
endif()
set(ACUTANCE_KERNEL_BACKENDS ${kernel_backends} CACHE INTERNAL "")

function(acutance_kernel name)
  cmake_parse_arguments(arg "" "SOURCE;SET" "VARIANTS;SHAPES;NVCC" ${ARGN})
  if(NOT arg_SET)
    set(arg_SET images)
  endif()
  if(NOT arg_VARIANTS)
    set(arg_VARIANTS ":")
  endif()
  cmake_path(ABSOLUTE_PATH arg_SOURCE OUTPUT_VARIABLE source)
  set(rows)
  foreach(variant ${arg_VARIANTS})
    string(REGEX MATCH "^([a-z0-9_]*):(.*)$" matched "${variant}")
    set(prefix "${CMAKE_MATCH_1}")
    set(defines "${CMAKE_MATCH_2}")
    if(prefix)
      string(APPEND prefix "_")
    endif()
    if(defines)
      string(APPEND defines ",")
    endif()
    foreach(shape ${arg_SHAPES})
      if(NOT shape MATCHES "^([0-9]+)x([0-9]+)(r([0-9]+))?$")
        message(FATAL_ERROR "kernel ${name}: shape '${shape}' is not like 64x4 or 64x4r8")
      endif()
      set(x ${CMAKE_MATCH_1})
      set(y ${CMAKE_MATCH_2})
      set(r 1)
      if(CMAKE_MATCH_4)
        set(r ${CMAKE_MATCH_4})
      endif()
      math(EXPR rest "(${x} * ${y}) % 64")
      if(NOT rest EQUAL 0)
        message(FATAL_ERROR "kernel ${name}: a workgroup of ${x}x${y} items is no multiple of 64, the largest wave")
      endif()
      list(APPEND rows "${prefix}${shape}|${x}|${y}|${r}|${defines}BLOCK_X=${x},BLOCK_Y=${y},ROWS=${r}")
    endforeach()
  endforeach()
  set_property(GLOBAL APPEND PROPERTY ACUTANCE_KERNELS_${arg_SET} ${name})
  set_property(GLOBAL PROPERTY ACUTANCE_KERNEL_${name}_SOURCE ${source})
  set_property(GLOBAL PROPERTY ACUTANCE_KERNEL_${name}_NVCC ${arg_NVCC})
  set_property(GLOBAL PROPERTY ACUTANCE_KERNEL_${name}_VARIANTS "${rows}")
endfunction()

# Adds the command that compiles all variants of the kernel for one dialect into `outputs`.
function(acutance_compile_kernel name dialect out outputs)
  get_property(source GLOBAL PROPERTY ACUTANCE_KERNEL_${name}_SOURCE)
  get_property(variants GLOBAL PROPERTY ACUTANCE_KERNEL_${name}_VARIANTS)
  set(specs)
  foreach(variant ${variants})
    string(REPLACE "|" ";" field "${variant}")
    list(GET field 0 title)
    list(GET field 4 defines)
    list(APPEND specs "${name}_${title}:${defines}")
  endforeach()
  set(compiler ${CMAKE_SOURCE_DIR}/src/kernel/compile_kernel.py)
  list(GET outputs 0 first)
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND ${ACUTANCE_PYTHON} ${compiler} ${dialect} --source ${source} --root ${CMAKE_SOURCE_DIR}/src --out ${out}
            --depfile ${first}.d ${ARGN} ${specs}
    DEPFILE ${first}.d
    DEPENDS ${source} ${compiler} ${CMAKE_SOURCE_DIR}/src/kernel/check_spirv.py
            ${CMAKE_SOURCE_DIR}/src/kernel/prologue.glsl ${CMAKE_SOURCE_DIR}/src/kernel/prologue.sycl
    COMMENT "Compiling kernel ${name} for ${dialect}"
    VERBATIM)
endfunction()

# Adds the commands that make the kernel's AMD code objects, one for the targets of each wave size: its text is read and
# optimized once for them, which takes as long as generating the code of one.
function(acutance_compile_code_objects name)
  foreach(wave 64 32)
    set(targets ${ACUTANCE_HIP_TARGETS})
    if(wave EQUAL 64)
      list(FILTER targets INCLUDE REGEX "^gfx9")
    else()
      list(FILTER targets EXCLUDE REGEX "^gfx9")
    endif()
    if(targets)
      list(TRANSFORM targets REPLACE "(.+)" "${folder}/${name}.\\1.hsaco" OUTPUT_VARIABLE outputs)
      list(JOIN targets "," joined)
      acutance_compile_kernel(${name} hip ${folder}/${name} "${outputs}" --tool ${ACUTANCE_CLANG}
                              --linker ${ACUTANCE_LLD} --target ${joined})
    endif()
  endforeach()
endfunction()

# The C++ source that compiles one variant for backend/emu.
function(acutance_emu_source name title defines path)
  get_property(source GLOBAL PROPERTY ACUTANCE_KERNEL_${name}_SOURCE)
  string(REGEX REPLACE "([A-Z_]+)=([^,]*),?" "#define \\1 \\2\n" defines "${defines}")
  set(symbol ${name}_${title}_emu)
  file(CONFIGURE OUTPUT ${path} @ONLY CONTENT [=[
// Generated by acutance_kernel().
#define ACU_DIALECT_EMU
@defines@#include "kernel/kernel.h"

namespace acutance_kernel {
namespace {
#include "@source@"
}  // namespace
}  // namespace acutance_kernel

extern const AcuEmuKernel @symbol@;
constexpr AcuEmuKernel @symbol@ =
    acutance_kernel::DescribeKernel<acutance_kernel::KernelArgs, acutance_kernel::KernelShared,
                                    acutance_kernel::KernelBody>();
]=])
endfunction()

# Text that puts a file into the read-only data, and the expression for its bytes: <prefix>_embed and <prefix>_bytes.
function(acutance_embed symbol path prefix)
  set(${prefix}_embed "ACU_EMBED(${symbol}, \"${path}\")\n" PARENT_SCOPE)
  set(${prefix}_bytes "{${symbol}, ${symbol}_end}" PARENT_SCOPE)
endfunction()

# The commands and sources of one kernel. A macro: it appends to the variables of acutance_kernel_library().
macro(acutance_kernel_sources name)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/kernels)
  file(MAKE_DIRECTORY ${folder})
  get_property(variants GLOBAL PROPERTY ACUTANCE_KERNEL_${name}_VARIANTS)
  set(files)
  set(spirv_files)
  set(sycl_files)
  set(shared_binaries "")

  if(cuda IN_LIST ACUTANCE_KERNEL_BACKENDS)
    list(APPEND files ${folder}/${name}.ptx)
    acutance_compile_kernel(${name} cuda ${folder}/${name}.ptx ${folder}/${name}.ptx
                            --tool ${ACUTANCE_CLANG} --target sm_75)
    acutance_embed(${name}_ptx ${folder}/${name}.ptx ptx)
    string(APPEND embeds "${ptx_embed}")
    string(APPEND shared_binaries "      {\"cuda\", \"ptx\", ${ptx_bytes}},\n")
  endif()
  if(ACUTANCE_NVCC AND ACUTANCE_NVCC_PROGRAM)
    get_property(cubins GLOBAL PROPERTY ACUTANCE_KERNEL_${name}_NVCC)
    if(ACUTANCE_NVCC STREQUAL "ALL")
      set(cubins ${ACUTANCE_CUBIN_TARGETS})
    endif()
    foreach(target ${cubins})
      set(file ${folder}/${name}.${target}.cubin)
      list(APPEND files ${file})
      acutance_compile_kernel(${name} cuda ${file} ${file} --tool ${ACUTANCE_NVCC_PROGRAM} --nvcc --target ${target})
      acutance_embed(${name}_${target} ${file} cubin)
      string(APPEND embeds "${cubin_embed}")
      string(APPEND shared_binaries "      {\"cuda\", \"${target}\", ${cubin_bytes}},\n")
    endforeach()
  endif()
  if(hip IN_LIST ACUTANCE_KERNEL_BACKENDS)
    acutance_compile_code_objects(${name})
    if(NOT arg_HIP_FILES)
      foreach(target ${ACUTANCE_HIP_TARGETS})
        set(file ${folder}/${name}.${target}.hsaco)
        list(APPEND files ${file})
        acutance_embed(${name}_${target} ${file} hsaco)
        string(APPEND embeds "${hsaco_embed}")
        string(APPEND shared_binaries "      {\"hip\", \"${target}\", ${hsaco_bytes}},\n")
      endforeach()
    endif()
  endif()

  foreach(variant ${variants})
    string(REPLACE "|" ";" field "${variant}")
    list(GET field 0 title)
    list(GET field 1 x)
    list(GET field 2 y)
    list(GET field 3 rows)
    list(GET field 4 defines)
    set(symbol ${name}_${title})
    list(APPEND sources ${folder}/${symbol}.emu.cc)
    acutance_emu_source(${name} ${title} "${defines}" ${folder}/${symbol}.emu.cc)
    string(APPEND externs "extern const AcuEmuKernel ${symbol}_emu;\n")

    set(sycl_source "{}")
    if(sycl IN_LIST ACUTANCE_KERNEL_BACKENDS)
      list(APPEND sycl_files ${folder}/${symbol}.sycl)
      acutance_embed(${symbol}_sycl ${folder}/${symbol}.sycl sycl)
      string(APPEND embeds "${sycl_embed}")
      set(sycl_source "Text(${symbol}_sycl, ${symbol}_sycl_end)")
    endif()
    set(spirv "")
    if(vulkan IN_LIST ACUTANCE_KERNEL_BACKENDS)
      list(APPEND spirv_files ${folder}/${symbol}.spv)
      acutance_embed(${symbol}_spv ${folder}/${symbol}.spv spv)
      string(APPEND embeds "${spv_embed}")
      set(spirv "      {\"vulkan\", \"spirv\", ${spv_bytes}},\n")
    endif()
    string(APPEND binaries "  static const std::vector<KernelBinary> ${symbol}_binaries = {\n"
                           "${shared_binaries}${spirv}  };\n")
    string(APPEND images "      {\"${name}\", \"${title}\", \"${symbol}\", ${x}, ${y}, ${rows}, "
                         "${symbol}_emu.args_bytes, ${symbol}_emu.buffer_args, ${symbol}_emu.shared_bytes, "
                         "${symbol}_binaries, ${sycl_source}, ${symbol}_emu.entry},\n")
  endforeach()
  if(sycl_files)
    acutance_compile_kernel(${name} sycl ${folder} "${sycl_files}")
  endif()
  if(spirv_files)
    acutance_compile_kernel(${name} vulkan ${folder} "${spirv_files}" --tool ${ACUTANCE_GLSLC})
  endif()

  list(APPEND embedded ${files} ${spirv_files} ${sycl_files})
endmacro()

# The identity of a build of the kernels, as a file and as the function KernelsIdentity().
function(acutance_kernel_identity kernels identity)
  set(lines "")
  foreach(kernel ${kernels})
    get_property(source GLOBAL PROPERTY ACUTANCE_KERNEL_${kernel}_SOURCE)
    get_property(variants GLOBAL PROPERTY ACUTANCE_KERNEL_${kernel}_VARIANTS)
    file(RELATIVE_PATH source ${CMAKE_SOURCE_DIR}/src ${source})
    list(JOIN variants " " variants)
    string(APPEND lines "${kernel} ${variants}\nsource ${source}\n")
  endforeach()
  foreach(tool ${ACUTANCE_CLANG} ${ACUTANCE_LLD})
    execute_process(COMMAND ${tool} --version OUTPUT_VARIABLE version)
    string(REGEX REPLACE "\n.*" "" version "${version}")
    string(APPEND lines "${version}\n")
  endforeach()
  set(list ${identity}.list)
  file(CONFIGURE OUTPUT ${list} CONTENT "${lines}" @ONLY)
  set(maker ${CMAKE_SOURCE_DIR}/src/kernel/kernel_files.py)
  add_custom_command(
    OUTPUT ${identity}
    COMMAND ${ACUTANCE_PYTHON} ${maker} identity --list ${list} --root ${CMAKE_SOURCE_DIR}/src --out ${identity}
            --depfile ${identity}.d
    DEPFILE ${identity}.d
    DEPENDS ${list} ${maker}
    COMMENT "Identifying the kernels"
    VERBATIM)
  file(CONFIGURE OUTPUT ${identity}.cc @ONLY CONTENT [=[
// Generated by acutance_kernel_identity().
#include "exec/kernel_image.h"

namespace acutance {

std::string_view KernelsIdentity() {
  return
#include "@identity@"
      ;
}

}  // namespace acutance
]=])
  set_source_files_properties(${identity}.cc PROPERTIES OBJECT_DEPENDS ${identity})
  acutance_library(kernel_identity PLAIN SOURCES ${identity}.cc DEPS acutance_base)
endfunction()

# One file for each AMD GPU, at the same place next to the programs in the build folder as where they are installed.
function(acutance_hip_kernel_files kernels identity)
  set(files)
  set(maker ${CMAKE_SOURCE_DIR}/src/kernel/kernel_files.py)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/kernels)
  if(hip IN_LIST ACUTANCE_KERNEL_BACKENDS)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/acutance-kernels)
    foreach(target ${ACUTANCE_HIP_TARGETS})
      list(TRANSFORM kernels REPLACE "(.+)" "${folder}/\\1.${target}.hsaco" OUTPUT_VARIABLE objects)
      set(file ${CMAKE_BINARY_DIR}/lib/acutance-kernels/${target}.kernels)
      add_custom_command(
        OUTPUT ${file}
        COMMAND ${ACUTANCE_PYTHON} ${maker} pack --identity ${identity} --family ${target} --folder ${folder}
                --out ${file} ${kernels}
        DEPENDS ${objects} ${identity} ${maker}
        COMMENT "Gathering the kernels for ${target}"
        VERBATIM)
      list(APPEND files ${file})
    endforeach()
  endif()
  add_custom_target(acutance_hip_kernels ALL DEPENDS ${files})
  set_property(GLOBAL PROPERTY ACUTANCE_HIP_KERNEL_FILES ${files})
endfunction()

# One table embeds every kernel of the set: its headers are read once, not once a kernel.
function(acutance_kernel_library set function)
  cmake_parse_arguments(arg "HIP_FILES" "" "" ${ARGN})
  if(NOT ACUTANCE_BACKENDS)
    get_property(source GLOBAL PROPERTY ACUTANCE_NO_KERNELS)
    acutance_library(kernel_${set} PLAIN SOURCES ${source} DEPS acutance_base)
    return()
  endif()
  get_property(kernels GLOBAL PROPERTY ACUTANCE_KERNELS_${set})
  set(sources)
  set(embedded)
  set(embeds "")
  set(externs "")
  set(binaries "")
  set(images "")
  foreach(kernel ${kernels})
    acutance_kernel_sources(${kernel})
  endforeach()
  set(read_only ".pushsection .rodata")
  set(hide ".hidden")
  set(read_only_end ".popsection")
  if(WIN32) # COFF's assembler; no symbol leaves a DLL there that is not named
    set(read_only ".section .rdata,\\\"dr\\\"")
    set(hide "#")
    set(read_only_end ".text")
  endif()
  set(table ${CMAKE_CURRENT_BINARY_DIR}/kernels/${set}.cc)
  file(CONFIGURE OUTPUT ${table} @ONLY CONTENT [=[
// Generated by acutance_kernel_library().
#include <algorithm>
#include <vector>

#include "exec/kernel_image.h"
#include "kernel/emu_item.h"

// Declares a file's bytes, from `symbol` to `symbol_end`; a zero byte follows.
#define ACU_EMBED(symbol, path)                                                                       \
  asm("@read_only@\n.balign 64\n" ACU_EMBED_LABEL(#symbol) ".incbin \"" path "\"\n"                   \
      ACU_EMBED_LABEL(#symbol "_end") ".byte 0\n@read_only_end@");                                    \
  extern "C" const std::byte symbol[], symbol##_end[];
#define ACU_EMBED_LABEL(name) "@hide@ " name "\n.globl " name "\n" name ":\n"

[[maybe_unused]] static std::string_view Text(const std::byte* begin, const std::byte* end) {
  return {reinterpret_cast<const char*>(begin), static_cast<size_t>(end - begin)};
}

@embeds@
@externs@
namespace acutance {

std::span<const KernelImage> @function@();

static std::vector<KernelImage> MakeImages() {
@binaries@  std::vector<KernelImage> images = {
@images@  };
  std::sort(images.begin(), images.end(),
            [](const KernelImage& a, const KernelImage& b) { return a.symbol < b.symbol; });
  return images;
}

std::span<const KernelImage> @function@() {
  static const std::vector<KernelImage> images = MakeImages();
  return images;
}

}  // namespace acutance
]=])
  set_source_files_properties(${table} PROPERTIES OBJECT_DEPENDS "${embedded}")
  set_source_files_properties(${table} PROPERTIES COMPILE_OPTIONS -O0) # runs once
  acutance_library(kernel_${set} PLAIN SOURCES ${table} ${sources} DEPS acutance_base)
  if(arg_HIP_FILES)
    set(identity ${CMAKE_CURRENT_BINARY_DIR}/kernels/${set}.identity)
    acutance_kernel_identity("${kernels}" ${identity})
    acutance_hip_kernel_files("${kernels}" ${identity})
  endif()
endfunction()
