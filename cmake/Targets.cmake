include(GoogleTest)

# Half of the time that a source takes is its headers'. They are read once for the sources of a batch, or
# for all tests; clang-tidy wants each source by itself.
option(FANFOLD_BATCHES "Read headers once for many sources" ON)

# What is local to a file has a name then that its library has once.
function(fanfold_in_batches NAME)
  if(FANFOLD_BATCHES)
    set_target_properties(${NAME} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 10)
    # g++ takes the sources of a batch for headers.
    target_compile_options(${NAME} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# fanfold_library(NAME [FOLDERS folder…] LINK public… PRIVATE private…): the .cc files of this folder, and
# of those folders in it.
function(fanfold_library NAME)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINK;PRIVATE" ${ARGN})
  list(TRANSFORM ARG_FOLDERS APPEND "/*.cc")
  file(GLOB SOURCES CONFIGURE_DEPENDS *.cc ${ARG_FOLDERS})
  list(FILTER SOURCES EXCLUDE REGEX "main\\.cc$")
  if(SOURCES)
    add_library(${NAME} STATIC ${SOURCES})
    fanfold_in_batches(${NAME})
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

# fanfold_test(NAME DIR folder… LABEL label [SERVERS] [IN_BATCHES] LINK…): one program of the *_test.cc files
# of folders, each of its cases in ctest. SERVERS: the cases need the shared Kafka and MariaDB.
function(fanfold_test NAME)
  cmake_parse_arguments(ARG "SERVERS;IN_BATCHES" "LABEL" "DIR;LINK" ${ARGN})
  list(TRANSFORM ARG_DIR APPEND /*_test.cc)
  file(GLOB SOURCES CONFIGURE_DEPENDS ${ARG_DIR})
  if(NOT SOURCES)
    return()
  endif()
  add_executable(${NAME} ${SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LINK} GTest::gtest_main)
  fanfold_test_options(${NAME})
  if(ARG_IN_BATCHES)
    fanfold_in_batches(${NAME})
  endif()
  if(FANFOLD_BATCHES)
    target_precompile_headers(${NAME} REUSE_FROM fanfold_test_headers)
    target_compile_options(${NAME} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)  # as ccache wants it
  endif()
  set(TIMEOUT_S 120)
  if(FANFOLD_SANITIZE)
    set(TIMEOUT_S 1800)  # they take some ten times as long
  endif()
  set(PROPERTIES LABELS ${ARG_LABEL} TIMEOUT ${TIMEOUT_S})
  if(ARG_SERVERS)
    list(APPEND PROPERTIES FIXTURES_REQUIRED servers ENVIRONMENT
         FANFOLD_TEST_SERVERS=${PROJECT_BINARY_DIR}/test-servers/servers.env)
  endif()
  gtest_discover_tests(${NAME} TEST_PREFIX "${ARG_LABEL}." DISCOVERY_MODE PRE_TEST
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES ${PROPERTIES})
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

# fanfold_python_tests(LABEL label FILE file CLASSES class… [ALSO label…]): each class of the
# black-box tests in tests/LABEL/FILE_test.py in ctest, on the shared servers. ALSO: further labels.
function(fanfold_python_tests)
  cmake_parse_arguments(ARG "" "LABEL;FILE" "CLASSES;ALSO" ${ARGN})
  foreach(CLASS IN LISTS ARG_CLASSES)
    set(NAME ${ARG_LABEL}.${ARG_FILE}.${CLASS})
    add_test(NAME ${NAME}
             COMMAND python3 -B ${PROJECT_SOURCE_DIR}/tests/${ARG_LABEL}/${ARG_FILE}_test.py ${CLASS})
    set_tests_properties(${NAME} PROPERTIES LABELS "${ARG_LABEL};${ARG_ALSO}" TIMEOUT 600
      FIXTURES_REQUIRED servers ENVIRONMENT
      "FANFOLD_TEST_SERVERS=${PROJECT_BINARY_DIR}/test-servers/servers.env;FANFOLD_BIN=${PROJECT_BINARY_DIR}/bin")
  endforeach()
endfunction()
