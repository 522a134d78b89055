# Toolchain for Linux on aarch64 with Debian's cross compiler and, in ACUTANCE_SYSROOT, the packages of tools/arm_sysroot.sh;
# CMake and CTest run what was built with qemu-user. `make arm` uses it.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(ACUTANCE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build-arm/sysroot CACHE PATH "Root folder of arm64 packages")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ACUTANCE_SYSROOT)
cmake_path(ABSOLUTE_PATH ACUTANCE_SYSROOT NORMALIZE OUTPUT_VARIABLE CMAKE_SYSROOT)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L ${CMAKE_SYSROOT})
