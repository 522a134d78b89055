# Toolchain for Linux with musl on x86-64, by the commands of tools/musl_compiler.sh next to ACUTANCE_SYSROOT, which has the libraries
# of tools/cross_sysroot.sh. Programs are static and need no other file. `make musl` uses it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)

set(ACUTANCE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build-musl/sysroot CACHE PATH "Folder of tools/cross_sysroot.sh")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ACUTANCE_SYSROOT)
cmake_path(ABSOLUTE_PATH ACUTANCE_SYSROOT NORMALIZE OUTPUT_VARIABLE CMAKE_FIND_ROOT_PATH)
cmake_path(GET CMAKE_FIND_ROOT_PATH PARENT_PATH folder)
set(CMAKE_C_COMPILER ${folder}/compiler/x86_64-linux-musl-clang)
set(CMAKE_CXX_COMPILER ${folder}/compiler/x86_64-linux-musl-clang++)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_FIND_ROOT_PATH}/lib/pkgconfig)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
