# Stand-ins for vcpkg's functions, which print how the portfile PORT calls them.
set(CURRENT_PACKAGES_DIR ${CMAKE_CURRENT_BINARY_DIR}/no-packages)
foreach(name vcpkg_download_distfile vcpkg_extract_source_archive vcpkg_configure_meson vcpkg_install_meson vcpkg_fixup_pkgconfig
             vcpkg_copy_pdbs vcpkg_install_copyright)
  cmake_language(EVAL CODE "macro(${name})
  set(said \${ARGN})
  list(JOIN said \" \" said)
  message(NOTICE \"${name} \${said}\")
endmacro()")
endforeach()
macro(vcpkg_extract_source_archive name)
  set(${name} /unpacked)
endmacro()
include(${PORT})
