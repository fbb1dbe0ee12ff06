# Warnings, sanitizers and the linker, for every target of the project.
set(FANFOLD_SANITIZE "" CACHE STRING "Sanitizers to build with, as -fsanitize takes them")
option(FANFOLD_FUZZ "Build the fuzz targets, which wants clang" OFF)

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports -Wrestrict falsely for std::string concatenation (GCC bug 105651) and
  # -Wmaybe-uninitialized for std::optional (80635).
  add_compile_options(-Wno-restrict -Wno-maybe-uninitialized -fcoroutines)
endif()
# Messages and debug information name sources from the root on, whichever clone compiled them.
cmake_path(RELATIVE_PATH PROJECT_SOURCE_DIR BASE_DIRECTORY ${PROJECT_BINARY_DIR} OUTPUT_VARIABLE ROOT_FROM_BUILD)
foreach(ROOT IN ITEMS ${PROJECT_SOURCE_DIR} ${ROOT_FROM_BUILD})
  add_compile_options(-ffile-prefix-map=${ROOT}/=)
endforeach()
if(CMAKE_BUILD_TYPE STREQUAL "Debug")
  # Accesses past an end or to nothing stop the process, as the sanitizers do.
  add_compile_options(-O1 -g1 -D_GLIBCXX_ASSERTIONS)
endif()
if(FANFOLD_SANITIZE)
  add_compile_options(-fsanitize=${FANFOLD_SANITIZE} -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-array-bounds)  # reported falsely, of what a sanitizer has put in between
  endif()
  add_link_options(-fsanitize=${FANFOLD_SANITIZE})
endif()

find_program(FANFOLD_MOLD mold)
if(FANFOLD_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
