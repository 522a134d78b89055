# What `cmake --install` puts where: the commands, one static library of all folders with its headers and a pkg-config
# file, the licences and the manual pages.
get_property(libraries GLOBAL PROPERTY ACUTANCE_LIBRARIES)
foreach(library ${libraries})
  list(APPEND objects $<TARGET_OBJECTS:${library}>)
endforeach()
add_library(acutance_all STATIC ${objects})
set_target_properties(acutance_all PROPERTIES OUTPUT_NAME acutance LINKER_LANGUAGE CXX)

# The commands of cli/, by the folder that they are built into.
get_property(cli_targets DIRECTORY ${CMAKE_SOURCE_DIR}/cli PROPERTY BUILDSYSTEM_TARGETS)
foreach(target ${cli_targets})
  get_target_property(folder ${target} RUNTIME_OUTPUT_DIRECTORY)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE" AND folder STREQUAL "${CMAKE_BINARY_DIR}/bin")
    install(TARGETS ${target} RUNTIME)
  endif()
endforeach()

file(RELATIVE_PATH ACUTANCE_PC_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
string(REGEX REPLACE "/$" "" ACUTANCE_PC_PREFIX ${ACUTANCE_PC_PREFIX})
configure_file(cmake/acutance.pc.in acutance.pc @ONLY)

install(TARGETS acutance_all ARCHIVE)
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/acutance FILES_MATCHING PATTERN "*.h"
        PATTERN "*test*" EXCLUDE)
install(FILES ${CMAKE_BINARY_DIR}/acutance.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(GLOB model_notes models/LICENSE* models/README*)
install(FILES ${model_notes} DESTINATION ${CMAKE_INSTALL_DOCDIR}/models)
install(FILES docs/man/acutance.1 docs/man/vmaf.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
