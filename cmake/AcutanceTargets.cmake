# acutance_library(<name> SOURCES ... DEPS ... [PLAIN])   target acutance_<name>, one per folder; PLAIN: no precompiled
#                                                         headers, and each source compiled by itself; on Windows,
#                                                         x_windows.cc takes the place of x_posix.cc
# acutance_use_precompiled(<target>)   those headers for another library
# acutance_join_sources(<target>)      several sources of another library in one compilation
# acutance_test(<name> SOURCES ... DEPS ... [LABELS ...] [TIMEOUT s] [SLOW] [APART])   SLOW: `make unit` leaves it out;
#                                               APART: each source is compiled by itself
# acutance_bench(<name> SOURCES ... DEPS ...)
# acutance_one_object(<name> <static> <file>)   an archive of one object: <static> and all that it is linked with inside the
#                                               tree, where libvmaf's names alone are global
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(acutance_flags INTERFACE)
# Contraction would fuse a*b+c and change bits between machines (docs/develop/numbers.md).
if(CMAKE_CXX_COMPILER_FRONTEND_VARIANT STREQUAL "MSVC") # clang-cl
  target_compile_options(acutance_flags INTERFACE /W3 /EHsc /utf-8 /clang:-ffp-contract=off)
else()
  target_compile_options(acutance_flags INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers
                                                  -ffp-contract=off)
endif()
# A unique symbol cannot be made local (libvmaf/archive.py).
target_compile_options(acutance_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
# Clang evaluates no square roots when it compiles, and refuses functions of them that GCC may evaluate then.
target_compile_options(acutance_flags INTERFACE $<$<CXX_COMPILER_ID:Clang,AppleClang>:-Wno-invalid-constexpr>)
# Instruction sets that Highway need not compile for (libvmaf/library/meson.build has the same). On Arm, NEON alone, called
# without a check at run time: Highway's check takes AES for granted, which a Raspberry Pi 4 lacks, and SVE's vectors fit
# neither the arrays nor the structures that hold vectors here.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)")
  target_compile_definitions(acutance_flags INTERFACE
    TOOLCHAIN_MISS_SYS_AUXV_H "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
endif()
target_include_directories(acutance_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
if(WIN32)
  target_compile_definitions(acutance_flags INTERFACE NOMINMAX=1 WIN32_LEAN_AND_MEAN=1)
endif()
if(ACUTANCE_SANITIZE)
  target_compile_options(acutance_flags INTERFACE -fsanitize=${ACUTANCE_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(acutance_flags INTERFACE -fsanitize=${ACUTANCE_SANITIZE})
endif()

# Half of a usual source's time goes into reading the standard library. GCC's copy of it does not fit executables, which
# are compiled as such, nor clang, for which tools/lint.sh leaves it out.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
add_library(acutance_precompiled STATIC ${CMAKE_BINARY_DIR}/precompiled.cc)
target_link_libraries(acutance_precompiled PUBLIC acutance_flags fmt::fmt)
target_precompile_headers(acutance_precompiled PRIVATE
  <algorithm> <array> <atomic> <bit> <chrono> <cmath> <condition_variable> <cstddef> <cstdint> <cstdio> <cstdlib> <cstring>
  <deque> <filesystem> <fstream> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span> <string>
  <string_view> <thread> <utility> <vector> <fmt/format.h>)

function(acutance_use_precompiled target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${target} REUSE_FROM acutance_precompiled)
    # GCC 12 suspects its own strings, about which it is silent where their headers are not precompiled.
    target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-free-nonheap-object -Wno-stringop-overread)
  endif()
endfunction()

# The same for tests, which are executables, with GoogleTest.
if(ACUTANCE_TESTS AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  find_package(GTest REQUIRED)
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled_tests.cc CONTENT "int main() {}\n")
  add_executable(acutance_test_precompiled EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled_tests.cc)
  target_link_libraries(acutance_test_precompiled PRIVATE acutance_flags fmt::fmt GTest::gmock GTest::gtest_main)
  target_compile_options(acutance_test_precompiled PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(acutance_test_precompiled PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_precompile_headers(acutance_test_precompiled PRIVATE
    <algorithm> <array> <atomic> <chrono> <cmath> <cstdint> <cstdlib> <cstring> <filesystem> <fstream> <functional>
    <map> <memory> <mutex> <optional> <random> <set> <span> <string> <string_view> <thread> <utility> <vector>
    <fmt/format.h> <gmock/gmock.h> <gtest/gtest.h>)
endif()

# Most of a usual source's time goes into its headers, which sources that are compiled together share; a name that two
# of them have in unnamed namespaces is an error. -DCMAKE_UNITY_BUILD=OFF compiles each by itself, as lint, sanitizers and
# coverage (RelWithDebInfo) do. A source that Highway includes again for each set of instructions stays alone.
function(acutance_join_sources target)
  if(DEFINED CMAKE_UNITY_BUILD OR CMAKE_BUILD_TYPE STREQUAL "RelWithDebInfo")
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON)
  get_target_property(sources ${target} SOURCES)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source)
    if(EXISTS ${source})
      file(STRINGS ${source} vectors REGEX "<hwy/foreach_target.h>" LIMIT_COUNT 1)
      if(vectors OR source MATCHES "/system/[a-z_]+_windows\\.cc$") # windows.h defines common words as macros
        set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      endif()
    endif()
  endforeach()
endfunction()

function(acutance_library name)
  cmake_parse_arguments(arg "PLAIN" "" "SOURCES;DEPS" ${ARGN})
  if(WIN32)
    list(TRANSFORM arg_SOURCES REPLACE "_posix\\.cc$" "_windows.cc")
  endif()
  add_library(acutance_${name} STATIC ${arg_SOURCES})
  if(ACUTANCE_FUZZ)
    # Clang takes many minutes for vector code with these checks; the asan preset has it, and fuzzing is after the rest.
    foreach(source ${arg_SOURCES})
      if(source MATCHES "(_cpu|_simd|_bench)\\.cc$")
        set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -fno-sanitize=all)
      endif()
    endforeach()
  endif()
  target_link_libraries(acutance_${name} PUBLIC acutance_flags ${arg_DEPS})
  if(NOT arg_PLAIN)
    acutance_use_precompiled(acutance_${name})
    acutance_join_sources(acutance_${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY ACUTANCE_LIBRARIES acutance_${name})
endfunction()

function(acutance_one_object name static file)
  set(libraries)
  set(sources)
  set(due ${static})
  set(seen)
  while(due)
    list(POP_FRONT due target)
    if(NOT TARGET ${target} OR target IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${target})
    get_target_property(type ${target} TYPE)
    get_target_property(needed ${target} INTERFACE_LINK_LIBRARIES)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND libraries ${target})
      get_target_property(folder ${target} SOURCE_DIR)
      get_target_property(of_target ${target} SOURCES)
      list(TRANSFORM of_target PREPEND ${folder}/ REGEX "^[^/]")
      list(APPEND sources ${of_target})
    endif()
    if(needed)
      list(APPEND due ${needed})
    endif()
  endwhile()
  list(TRANSFORM libraries REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE files)
  if(ACUTANCE_PORTABLE)
    list(APPEND files ${portable}/libfmt.a ${portable}/libhwy.a ${portable}/old_glibc.o)
  elseif(APPLE) # where a static library would show its names in libvmaf.dylib
    get_target_property(type fmt::fmt TYPE)
    if(type STREQUAL "STATIC_LIBRARY")
      list(APPEND files $<TARGET_FILE:fmt::fmt> ${hwy_LINK_LIBRARIES})
    endif()
  endif()
  set(maker ${CMAKE_SOURCE_DIR}/libvmaf/archive.py)
  add_custom_command(
    OUTPUT ${file}
    COMMAND ${CMAKE_COMMAND} -E env OBJCOPY=${CMAKE_OBJCOPY} AR=${CMAKE_AR}
            ${ACUTANCE_PYTHON} -B ${maker} ${file} ${files} -- ${CMAKE_CXX_COMPILER}
    DEPENDS ${libraries} ${maker}
    COMMENT "Making one object of ${file}"
    VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${file})
  list(JOIN sources "\n" lines)
  file(WRITE ${file}.sources "${lines}\n") # for tests/meson
endfunction()

# `make unit` builds these and runs the label `unit`.
if(ACUTANCE_TESTS)
  add_custom_target(unit_tests)
endif()

function(acutance_test name)
  if(NOT ACUTANCE_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "SLOW;APART" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE acutance_flags ${arg_DEPS} GTest::gmock GTest::gtest_main)
  # A test's own lines run once; what they test is compiled as it ships.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  if(TARGET acutance_test_precompiled)
    target_precompile_headers(${name} REUSE_FROM acutance_test_precompiled)
    target_link_libraries(${name} PRIVATE fmt::fmt) # whose definitions the header was compiled with
    target_compile_options(${name} PRIVATE -Wno-array-bounds -Wno-free-nonheap-object -Wno-stringop-overread) # as of libraries
  endif()
  if(NOT arg_APART)
    acutance_join_sources(${name})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests UNITY_BUILD_BATCH_SIZE 4)
  add_test(NAME ${name} COMMAND ${name})
  if(NOT arg_SLOW)
    list(APPEND arg_LABELS unit)
    add_dependencies(unit_tests ${name})
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 600)
  endif()
  if(ACUTANCE_SANITIZE STREQUAL "thread")
    math(EXPR arg_TIMEOUT "4 * ${arg_TIMEOUT}") # the emulator's fibers are slow under it
  endif()
  set_tests_properties(${name} PROPERTIES TIMEOUT ${arg_TIMEOUT} LABELS "${arg_LABELS}")
endfunction()

# Only `make bench` needs the benchmarks, and builds this target.
if(ACUTANCE_BENCHMARKS)
  add_custom_target(benchmarks)
endif()

function(acutance_bench name)
  if(NOT ACUTANCE_BENCHMARKS)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE acutance_flags ${arg_DEPS} benchmark::benchmark_main)
  set_property(TARGET ${name} PROPERTY EXCLUDE_FROM_ALL ON)
  add_dependencies(benchmarks ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
endfunction()
