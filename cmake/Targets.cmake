include(GoogleTest)

# fanfold_library(NAME LINK public… PRIVATE private…): the .cc files of this folder.
function(fanfold_library NAME)
  cmake_parse_arguments(ARG "" "" "LINK;PRIVATE" ${ARGN})
  file(GLOB SOURCES CONFIGURE_DEPENDS *.cc)
  list(FILTER SOURCES EXCLUDE REGEX "main\\.cc$")
  if(SOURCES)
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

# fanfold_test(NAME DIR folder LABEL label [SERVERS] LINK…): one program of the *_test.cc files of a
# folder, each of its cases in ctest. SERVERS: the cases need the shared Kafka and MariaDB.
function(fanfold_test NAME)
  cmake_parse_arguments(ARG "SERVERS" "DIR;LABEL" "LINK" ${ARGN})
  file(GLOB SOURCES CONFIGURE_DEPENDS ${ARG_DIR}/*_test.cc)
  if(NOT SOURCES)
    return()
  endif()
  add_executable(${NAME} ${SOURCES})
  target_link_libraries(${NAME} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  set(PROPERTIES LABELS ${ARG_LABEL} TIMEOUT 120)
  if(ARG_SERVERS)
    list(APPEND PROPERTIES FIXTURES_REQUIRED servers ENVIRONMENT
         FANFOLD_TEST_SERVERS=${PROJECT_BINARY_DIR}/test-servers/servers.env)
  endif()
  gtest_discover_tests(${NAME} TEST_PREFIX "${ARG_LABEL}." DISCOVERY_MODE PRE_TEST
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES ${PROPERTIES})
endfunction()

# fanfold_openapi(TARGET t FOLDER f): openapi.cc of a service, from schemas/openapi/<folder>.yaml; it
# defines `std::string_view fanfold::<folder>::OpenApi()` of <folder>/openapi.h.
function(fanfold_openapi)
  cmake_parse_arguments(ARG "" "TARGET;FOLDER" "" ${ARGN})
  set(SCHEMA ${PROJECT_SOURCE_DIR}/schemas/openapi/${ARG_FOLDER}.yaml)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${SCHEMA})
  file(READ ${SCHEMA} OPENAPI_TEXT)
  set(OPENAPI_FOLDER ${ARG_FOLDER})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/openapi.cc.in ${CMAKE_CURRENT_BINARY_DIR}/openapi.cc @ONLY)
  target_sources(${ARG_TARGET} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/openapi.cc)
endfunction()

# fanfold_python_tests(FILE file CLASSES class…): each class of black-box tests in ctest, on the shared
# servers and alone, since it fills the machine with processes.
function(fanfold_python_tests)
  cmake_parse_arguments(ARG "" "FILE" "CLASSES" ${ARGN})
  foreach(CLASS IN LISTS ARG_CLASSES)
    set(NAME integration.${ARG_FILE}.${CLASS})
    add_test(NAME ${NAME}
             COMMAND python3 -B ${PROJECT_SOURCE_DIR}/tests/integration/${ARG_FILE}_test.py ${CLASS})
    set_tests_properties(${NAME} PROPERTIES LABELS integration TIMEOUT 600 RUN_SERIAL ON
      FIXTURES_REQUIRED servers ENVIRONMENT
      "FANFOLD_TEST_SERVERS=${PROJECT_BINARY_DIR}/test-servers/servers.env;FANFOLD_BIN=${PROJECT_BINARY_DIR}/bin")
  endforeach()
endfunction()
