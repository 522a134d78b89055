# Toolchain for macOS by zig's clang and its stubs of Apple's libraries, for ACUTANCE_MACHINE (aarch64 or x86_64), with the tools and,
# in ACUTANCE_SYSROOT, the libraries of tools/macos.sh. `make macos` uses it.
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ACUTANCE_MACHINE ACUTANCE_SYSROOT)
set(CMAKE_SYSTEM_PROCESSOR ${ACUTANCE_MACHINE})
set(tools ${ACUTANCE_SYSROOT}/../zig)
set(CMAKE_C_COMPILER ${tools}/cc)
set(CMAKE_CXX_COMPILER ${tools}/c++)
set(CMAKE_AR ${tools}/ar)
set(CMAKE_RANLIB ${tools}/ranlib)
set(CMAKE_INSTALL_NAME_TOOL ${tools}/install_name_tool) # which no program needs
set(CMAKE_CXX_FLAGS_INIT -Wno-invalid-constexpr) # functions that GCC may evaluate when it compiles

cmake_path(ABSOLUTE_PATH ACUTANCE_SYSROOT NORMALIZE OUTPUT_VARIABLE CMAKE_FIND_ROOT_PATH)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_FIND_ROOT_PATH}/lib/pkgconfig)
