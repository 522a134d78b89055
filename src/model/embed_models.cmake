# cmake -DOUTPUT=<file.cc> -DINPUT=<folder> -P embed_models.cmake <constant>=<file> ...
# Writes a source file that holds the bytes of each <folder>/<file> as the string_view <constant>.
set(text "#include \"model/builtin_model_data.h\"\n\nnamespace acutance {\n")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE ${last})
  if(CMAKE_ARGV${i} MATCHES "^(k[A-Za-z0-9]+)=(.+)$")
    set(name ${CMAKE_MATCH_1})
    file(READ "${INPUT}/${CMAKE_MATCH_2}" bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
    string(APPEND text "\nstatic constexpr char ${name}Bytes[] = {\n${bytes}\n};\n"
                       "const std::string_view ${name}(${name}Bytes, sizeof(${name}Bytes));\n")
  endif()
endforeach()
string(APPEND text "\n}  // namespace acutance\n")
file(WRITE "${OUTPUT}" "${text}")
