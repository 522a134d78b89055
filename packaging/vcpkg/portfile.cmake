vcpkg_download_distfile(archive
  URLS "@URL@"
  FILENAME "acutance-@VERSION@.tar.xz"
  SHA512 @SHA512@)
vcpkg_extract_source_archive(source ARCHIVE "${archive}")
vcpkg_configure_meson(
  SOURCE_PATH "${source}/libvmaf"
  OPTIONS -Denable_tests=false -Denable_tools=false -Denable_docs=false --wrap-mode=nofallback)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_copy_pdbs()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${source}/LICENSE" "${source}/models/LICENSE")
