# acutance_library(<name> SOURCES ... DEPS ...)   target acutance_<name>, one per folder
# acutance_test(<name> SOURCES ... DEPS ... [LABELS ...] [TIMEOUT s])
# acutance_bench(<name> SOURCES ... DEPS ...)
include(GNUInstallDirs)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

add_library(acutance_flags INTERFACE)
# Contraction would fuse a*b+c and change bits between machines (docs/numbers.md).
target_compile_options(acutance_flags INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers
                                                -ffp-contract=off)
target_include_directories(acutance_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
if(ACUTANCE_SANITIZE)
  target_compile_options(acutance_flags INTERFACE -fsanitize=${ACUTANCE_SANITIZE} -fno-omit-frame-pointer
                                                  -fno-sanitize-recover=all)
  target_link_options(acutance_flags INTERFACE -fsanitize=${ACUTANCE_SANITIZE})
endif()

function(acutance_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;DEPS" ${ARGN})
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
  set_property(GLOBAL APPEND PROPERTY ACUTANCE_LIBRARIES acutance_${name})
endfunction()

function(acutance_test name)
  if(NOT ACUTANCE_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "" "TIMEOUT" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE acutance_flags ${arg_DEPS} GTest::gmock GTest::gtest_main)
  # A test's own lines run once; what they test is compiled as it ships.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${name} COMMAND ${name})
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
