# Installs into an empty folder, then builds and runs a program that knows only that folder.
set(prefix ${BUILD}/tests/installed)
file(REMOVE_RECURSE ${prefix})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${status}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
foreach(file bin/acutance bin/vmaf lib/libacutance.a share/doc/acutance/LICENSE share/doc/acutance/models/LICENSE
             share/man/man1/acutance.1 share/man/man1/vmaf.1)
  if(NOT EXISTS ${prefix}/${file})
    message(FATAL_ERROR "not installed: ${file}")
  endif()
endforeach()

run(${prefix}/bin/acutance models)
if(NOT output MATCHES "vmaf_v0\\.6\\.1")
  message(FATAL_ERROR "the installed acutance lists no models: ${output}")
endif()

set(ENV{PKG_CONFIG_PATH} ${prefix}/lib/pkgconfig)
run(pkg-config --cflags --libs acutance)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${CXX} -std=c++20 ${SOURCE} -o ${prefix}/client ${flags})
run(${prefix}/client)
