set(TEST_TIMEOUT_S 600)
if(FANFOLD_SANITIZE)
  set(TEST_TIMEOUT_S 3600)  # they take some ten times as long
endif()

# Half of the time that a source takes is its headers'. They are read once for the sources of a batch, or
# for all tests; clang-tidy wants each source by itself.
option(FANFOLD_BATCHES "Read headers once for many sources" ON)
set(BATCH_SOURCES_MAX 40)

# fanfold_batches(OF NAME): replaces the sources in the list OF by batches that include them, which are of
# the target NAME. Includes are relative, so that the compiler's cache knows them in every clone. What is
# local to a file has a name then that its batch has once.
function(fanfold_batches OF NAME)
  if(NOT FANFOLD_BATCHES)
    return()
  endif()
  set(BATCHES)
  set(TEXT "")
  set(COUNT 0)
  foreach(SOURCE IN LISTS ${OF})
    cmake_path(ABSOLUTE_PATH SOURCE NORMALIZE)
    cmake_path(RELATIVE_PATH SOURCE BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND TEXT "#include \"${SOURCE}\"\n")
    math(EXPR COUNT "${COUNT} + 1")
    list(LENGTH ${OF} ALL)
    math(EXPR LAST_OF_BATCH "${COUNT} % ${BATCH_SOURCES_MAX}")
    if(LAST_OF_BATCH EQUAL 0 OR COUNT EQUAL ALL)
      set(BATCH ${CMAKE_CURRENT_BINARY_DIR}/${NAME}_to_${COUNT}.cc)
      file(CONFIGURE OUTPUT ${BATCH} CONTENT "${TEXT}" @ONLY)
      list(APPEND BATCHES ${BATCH})
      set(TEXT "")
    endif()
  endforeach()
  # g++ takes the sources of a batch for headers.
  set_source_files_properties(${BATCHES} PROPERTIES COMPILE_OPTIONS $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  set(${OF} ${BATCHES} PARENT_SCOPE)
endfunction()

# fanfold_library(NAME [FOLDERS folder…] LINK public… PRIVATE private…): the .cc files of this folder, and
# of those folders in it.
function(fanfold_library NAME)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINK;PRIVATE" ${ARGN})
  list(TRANSFORM ARG_FOLDERS APPEND "/*.cc")
  file(GLOB SOURCES CONFIGURE_DEPENDS *.cc ${ARG_FOLDERS})
  list(FILTER SOURCES EXCLUDE REGEX "main\\.cc$")
  if(SOURCES)
    fanfold_batches(SOURCES ${NAME})
    add_library(${NAME} STATIC ${SOURCES})
    target_include_directories(${NAME} PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated)
    target_link_libraries(${NAME} PUBLIC ${ARG_LINK} PRIVATE ${ARG_PRIVATE})
  else()
    add_library(${NAME} INTERFACE)
    target_include_directories(${NAME} INTERFACE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${NAME} INTERFACE ${ARG_LINK})
  endif()
endfunction()

# fanfold_program(NAME LINK…): main.cc of this folder.
function(fanfold_program NAME)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/main.cc)
    add_executable(${NAME} main.cc)
    target_link_libraries(${NAME} PRIVATE ${ARG_LINK})
  endif()
endfunction()

# What they test is compiled as it ships; they themselves are to be compiled soon.
function(fanfold_test_options NAME)
  target_link_libraries(${NAME} PRIVATE fmt::fmt GTest::gmock)
  target_compile_options(${NAME} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

# fanfold_cost(TEST): what has taken long is begun first.
set(COSTS_FILE ${PROJECT_SOURCE_DIR}/tests/costs.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${COSTS_FILE})
file(READ ${COSTS_FILE} COSTS)
function(fanfold_cost TEST)
  string(JSON SECONDS ERROR_VARIABLE UNKNOWN GET ${COSTS} ${TEST})
  if(NOT UNKNOWN)
    set_tests_properties(${TEST} PROPERTIES COST ${SECONDS})
  endif()
endfunction()

# fanfold_test(NAME DIR folder… LABEL label [SERVERS] [SHARDS n] LINK…): one program of the *_test.cc files
# of folders, and one test of ctest, LABEL.rest-of-the-name, or n that share its cases. SERVERS: the cases
# need the shared Kafka and MariaDB.
function(fanfold_test NAME)
  cmake_parse_arguments(ARG "SERVERS" "LABEL;SHARDS" "DIR;LINK" ${ARGN})
  list(TRANSFORM ARG_DIR APPEND /*_test.cc)
  file(GLOB SOURCES CONFIGURE_DEPENDS ${ARG_DIR})
  fanfold_batches(SOURCES ${NAME})
  add_executable(${NAME} ${SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LINK} GTest::gtest_main)
  fanfold_test_options(${NAME})
  if(FANFOLD_BATCHES)
    target_precompile_headers(${NAME} REUSE_FROM fanfold_test_headers)
    target_compile_options(${NAME} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # as ccache wants it
  endif()
  string(REGEX REPLACE "^${ARG_LABEL}_" "" SHORT ${NAME})
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  foreach(SHARD RANGE 1 ${ARG_SHARDS})
    set(TEST ${ARG_LABEL}.${SHORT})
    math(EXPR INDEX "${SHARD} - 1")
    set(ENVIRONMENT GTEST_TOTAL_SHARDS=${ARG_SHARDS} GTEST_SHARD_INDEX=${INDEX})
    if(ARG_SHARDS GREATER 1)
      string(APPEND TEST .${SHARD})
    endif()
    add_test(NAME ${TEST} COMMAND ${NAME} --gtest_brief=1 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    # It keeps a core busy, where a black-box test waits half of its time: JOBS are counted for those.
    set_tests_properties(${TEST} PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${TEST_TIMEOUT_S} PROCESSORS 2)
    if(ARG_SERVERS)
      set_tests_properties(${TEST} PROPERTIES FIXTURES_REQUIRED servers)
      list(APPEND ENVIRONMENT FANFOLD_TEST_SERVERS=${PROJECT_BINARY_DIR}/test-servers/servers.env)
    endif()
    set_tests_properties(${TEST} PROPERTIES ENVIRONMENT "${ENVIRONMENT}")
    fanfold_cost(${TEST})
  endforeach()
endfunction()

# fanfold_openapi(NAME TAGS tag…): an object library that defines http::OpenApi() of common/http/openapi.h
# for one program: what schemas/openapi.yaml says of the operations with these tags.
function(fanfold_openapi NAME)
  cmake_parse_arguments(ARG "" "" "TAGS" ${ARGN})
  set(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/openapi.py)
  set(SCHEMA ${PROJECT_SOURCE_DIR}/schemas/openapi.yaml)
  set(SOURCE ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.cc)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SCRIPT} ${SCHEMA})
  execute_process(COMMAND python3 -B ${SCRIPT} ${SCHEMA} ${SOURCE} ${ARG_TAGS} COMMAND_ERROR_IS_FATAL ANY)
  add_library(${NAME} OBJECT ${SOURCE})
  target_include_directories(${NAME} PUBLIC ${PROJECT_SOURCE_DIR})
endfunction()

# fanfold_python_tests(): the black-box tests, as tests/support/registered.py reads them from their files.
function(fanfold_python_tests)
  set(SCRIPT ${PROJECT_SOURCE_DIR}/tests/support/registered.py)
  file(GLOB FILES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*/*_test.py)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SCRIPT} ${FILES})
  execute_process(COMMAND python3 -B ${SCRIPT} ${PROJECT_SOURCE_DIR}/tests ${PROJECT_BINARY_DIR}
                  OUTPUT_FILE ${PROJECT_BINARY_DIR}/python_tests.cmake COMMAND_ERROR_IS_FATAL ANY)
  include(${PROJECT_BINARY_DIR}/python_tests.cmake)
endfunction()
