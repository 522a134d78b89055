# Toolchain for Windows on x86-64 with Debian's mingw-w64 and, in ACUTANCE_SYSROOT, the libraries of tools/cross_sysroot.sh;
# CTest runs what was built with wine. What it makes needs no DLL but Windows' own. `make windows` uses it.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR AMD64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

set(ACUTANCE_SYSROOT ${CMAKE_CURRENT_LIST_DIR}/../build-windows/sysroot CACHE PATH "Folder of tools/cross_sysroot.sh")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ACUTANCE_SYSROOT)
cmake_path(ABSOLUTE_PATH ACUTANCE_SYSROOT NORMALIZE OUTPUT_VARIABLE CMAKE_FIND_ROOT_PATH)
list(APPEND CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
list(GET CMAKE_FIND_ROOT_PATH 0 sysroot)
set(ENV{PKG_CONFIG_LIBDIR} ${sysroot}/lib/pkgconfig)
set(CMAKE_EXE_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-static -Wl,--no-insert-timestamp")
set(CMAKE_CROSSCOMPILING_EMULATOR /usr/lib/wine/wine64) # of the package wine64, which has no command
