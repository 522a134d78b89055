# What `cmake --install` puts where: the commands, libacutance and libvmaf with their headers, pkg-config files and CMake
# package, kernels for AMD's GPUs, the licences and the manual pages.
# The commands of cli/, by the folder that they are built into.
get_property(cli_targets DIRECTORY ${CMAKE_SOURCE_DIR}/cli PROPERTY BUILDSYSTEM_TARGETS)
foreach(target ${cli_targets})
  get_target_property(folder ${target} RUNTIME_OUTPUT_DIRECTORY)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE" AND folder STREQUAL "${CMAKE_BINARY_DIR}/bin")
    install(TARGETS ${target} RUNTIME)
  endif()
endforeach()

# pkg-config files say where things are from where they lie themselves, so that a prefix may be moved.
file(RELATIVE_PATH ACUTANCE_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" ACUTANCE_PC_PREFIX ${ACUTANCE_PC_PREFIX})
# Not in libvmaf.a's one object: C++'s own library, and what else is not of this tree. No Requires.private, which
# pkg-config wants to find also for the shared library.
set(ACUTANCE_PRIVATE_LIBS "-lstdc++ -lm -ldl -pthread")
if(NOT ACUTANCE_PORTABLE)
  string(PREPEND ACUTANCE_PRIVATE_LIBS "-lfmt -lhwy ")
endif()
install(FILES ${CMAKE_BINARY_DIR}/lib/libvmaf.a DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(name acutance libvmaf)
  configure_file(cmake/${name}.pc.in ${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  install(DIRECTORY include/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()

# find_package(acutance) gives acutance::acutance and acutance::vmaf.
include(CMakePackageConfigHelpers)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/acutance)
set_target_properties(acutance_shared PROPERTIES EXPORT_NAME acutance)
set_target_properties(vmaf_shared PROPERTIES EXPORT_NAME vmaf)
install(TARGETS acutance_shared vmaf_shared EXPORT acutance LIBRARY INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS vship_shared LIBRARY)
if(ACUTANCE_VAPOURSYNTH_INCLUDE)
  # VapourSynth loads every file of this folder.
  get_property(plugins GLOBAL PROPERTY ACUTANCE_VAPOURSYNTH_PLUGINS)
  install(TARGETS ${plugins} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/vapoursynth)
  install(CODE "file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/vapoursynth\")
file(CREATE_LINK ../libvship.so
     \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/vapoursynth/libvship.so\" SYMBOLIC)")
endif()
if(TARGET gstacutance)
  install(TARGETS gstacutance LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/gstreamer-1.0)
endif()
# backend/hip looks for them next to its library and in the library folder next to a program's.
get_property(hip_kernels GLOBAL PROPERTY ACUTANCE_HIP_KERNEL_FILES)
install(FILES ${hip_kernels} DESTINATION ${CMAKE_INSTALL_LIBDIR}/acutance-kernels)
install(EXPORT acutance NAMESPACE acutance:: DESTINATION ${package} FILE acutanceConfig.cmake)
write_basic_package_version_file(acutanceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/acutanceConfigVersion.cmake DESTINATION ${package})

# What is compiled in, for tools that look for known faults of it (CycloneDX).
configure_file(cmake/acutance.cdx.json.in acutance.cdx.json @ONLY)
install(FILES LICENSE README.md ${CMAKE_BINARY_DIR}/acutance.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB model_notes models/LICENSE* models/README*)
install(FILES ${model_notes} DESTINATION ${CMAKE_INSTALL_DOCDIR}/models)
install(FILES src/metric/cvvdp/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME LICENSE.ColorVideoVDP)
# The manual page has the rows of options.
set(manual_page ${CMAKE_BINARY_DIR}/man/acutance.1)
set(option_rows src/run/options.inc cli/score_options.inc)
add_custom_command(OUTPUT ${manual_page}
  COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/man
  COMMAND ${ACUTANCE_PYTHON} -B tools/option_pages.py man docs/man/acutance.1.in ${manual_page}
  DEPENDS tools/option_pages.py docs/man/acutance.1.in ${option_rows}
  WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
  VERBATIM)
add_custom_target(manual_page ALL DEPENDS ${manual_page})
install(FILES ${manual_page} docs/man/vmaf.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
