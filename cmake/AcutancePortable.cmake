# ACUTANCE_PORTABLE: a folder of tools/portable.sh. What is linked then runs with the glibc that the folder was made for and later
# ones, and needs no other library: C++'s own and all others are inside.
set(ACUTANCE_PORTABLE "" CACHE PATH "Folder of tools/portable.sh: link for an old glibc, with all other libraries inside")
if(NOT ACUTANCE_PORTABLE)
  return()
endif()
cmake_path(ABSOLUTE_PATH ACUTANCE_PORTABLE NORMALIZE OUTPUT_VARIABLE portable)
set(CMAKE_SKIP_BUILD_RPATH ON) # a wheel takes programs as they are built

# The headers stay those of the system, which has the same versions.
set_target_properties(fmt::fmt PROPERTIES IMPORTED_CONFIGURATIONS "" IMPORTED_LOCATION ${portable}/libfmt.a)
set_target_properties(PkgConfig::hwy PROPERTIES INTERFACE_LINK_LIBRARIES ${portable}/libhwy.a)
set_target_properties(PkgConfig::turbojpeg PROPERTIES INTERFACE_LINK_LIBRARIES ${portable}/libturbojpeg.a)
find_library(ACUTANCE_STATIC_DEFLATE libdeflate.a REQUIRED)
set_target_properties(PkgConfig::deflate PROPERTIES INTERFACE_LINK_LIBRARIES ${ACUTANCE_STATIC_DEFLATE})

# Before 2.34, threads and dlopen() are in libraries of their own.
set(flags "-static-libstdc++ -static-libgcc -L${portable} ${portable}/old_glibc.o")
string(APPEND flags " -Wl,--push-state,--no-as-needed -lpthread -ldl -Wl,--pop-state -Wl,--exclude-libs,ALL")
string(APPEND CMAKE_SHARED_LINKER_FLAGS " ${flags}")
string(APPEND CMAKE_MODULE_LINKER_FLAGS " ${flags}")
string(APPEND CMAKE_EXE_LINKER_FLAGS " ${flags} ${portable}/old_start.o -Wl,--wrap=__libc_start_main")
