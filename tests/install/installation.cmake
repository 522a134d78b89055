# Installs into an empty folder, then builds and runs a program that knows only that folder.
set(prefix ${BUILD}/tests/installed)
file(REMOVE_RECURSE ${prefix} ${prefix}-moved)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(file bin/acutance bin/vmaf lib/libacutance.so lib/libvmaf.so.3 lib/libvship.so include/acutance/acutance.h
             include/libvmaf/libvmaf.h share/doc/acutance/LICENSE share/doc/acutance/models/LICENSE
             share/man/man1/acutance.1 share/man/man1/vmaf.1)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

run(${prefix}/bin/acutance models)
if(NOT output MATCHES "vmaf_v0\\.6\\.1")
  message(FATAL_ERROR "the installed acutance lists no models: ${output}")
endif()

# With pkg-config.
set(ENV{PKG_CONFIG_PATH} ${prefix}/lib/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${prefix}/lib)
run(pkg-config --cflags --libs acutance)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${CXX} -std=c++20 ${SOURCE} -o ${prefix}/client ${flags})
run(${prefix}/client)
run(pkg-config --cflags --libs libvmaf)
string(REGEX MATCHALL "-I" includes "${output}")
list(LENGTH includes count)
if(NOT count EQUAL 2)
  message(FATAL_ERROR "clients of libvmaf include <libvmaf.h> and <libvmaf/libvmaf.h>, so they need two -I: ${output}")
endif()
separate_arguments(flags UNIX_COMMAND "${output}")
run(${CC} -std=c99 -pedantic -Werror ${C_SOURCE} -o ${prefix}/vmaf_client ${flags})
run(${prefix}/vmaf_client)
run(pkg-config --atleast-version=2.0.0 libvmaf)

# With CMake, from a prefix that was moved.
file(RENAME ${prefix} ${prefix}-moved)
set(ENV{LD_LIBRARY_PATH} "")
file(WRITE ${prefix}-moved/user/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)
project(user LANGUAGES CXX)
find_package(acutance 0.1 REQUIRED)
add_executable(user ${SOURCE})
target_link_libraries(user PRIVATE acutance::acutance)
")
run(${CMAKE_COMMAND} -S ${prefix}-moved/user -B ${prefix}-moved/user/build -DCMAKE_PREFIX_PATH=${prefix}-moved
    -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${prefix}-moved/user/build)
run(${prefix}-moved/user/build/user)
