# What `cmake --install` puts where, and the Debian packages that `cpack` makes of it: one for each
# role, with its units, its user and its programs. Everything else is in the first, on which the
# others depend.
include(GNUInstallDirs)

set(UNIT_FOLDER lib/systemd/system)
file(STRINGS ${PROJECT_SOURCE_DIR}/common/ports/projection.h PROJECTIONS REGEX "ProjectionEntry{.name = ")
list(TRANSFORM PROJECTIONS REPLACE ".*name = \"([a-z]+)\".*" "\\1")
set(PROJECTOR_PORT_FIRST 8200)

# fanfold_unit(NAME PACKAGE package CONFIG config COMMAND command DESCRIPTION text [SETTINGS line…]): a unit of
# the package's user, which reads /etc/fanfold/CONFIG.toml.
function(fanfold_unit NAME)
  cmake_parse_arguments(ARG "" "PACKAGE;CONFIG;COMMAND;DESCRIPTION" "SETTINGS" ${ARGN})
  set(USER ${ARG_PACKAGE})
  set(CONFIG ${ARG_CONFIG})
  set(COMMAND ${ARG_COMMAND})
  set(DESCRIPTION ${ARG_DESCRIPTION})
  list(TRANSFORM ARG_SETTINGS APPEND "\n")
  list(JOIN ARG_SETTINGS "" SETTINGS)
  set(UNIT ${PROJECT_BINARY_DIR}/systemd/${NAME}.service)
  configure_file(${PROJECT_SOURCE_DIR}/deploy/systemd/fanfold.service.in ${UNIT} @ONLY)
  install(FILES ${UNIT} DESTINATION ${UNIT_FOLDER} COMPONENT ${ARG_PACKAGE})
endfunction()

# fanfold_package(NAME DESCRIPTION text PROGRAMS target… UNITS unit…)
function(fanfold_package NAME)
  cmake_parse_arguments(ARG "" "DESCRIPTION" "PROGRAMS;UNITS" ${ARGN})
  install(TARGETS ${ARG_PROGRAMS} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${NAME})
  set(PACKAGE ${NAME})
  set(USER ${NAME})
  list(TRANSFORM ARG_UNITS APPEND .service)
  list(JOIN ARG_UNITS " " UNITS)
  set(SCRIPTS)
  foreach(SCRIPT postinst prerm postrm)
    set(MADE ${PROJECT_BINARY_DIR}/debian/${NAME}/${SCRIPT})
    configure_file(${PROJECT_SOURCE_DIR}/deploy/debian/${SCRIPT}.in ${MADE} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    list(APPEND SCRIPTS ${MADE})
  endforeach()
  string(TOUPPER ${NAME} KEY)
  set(CPACK_DEBIAN_${KEY}_PACKAGE_NAME ${NAME} PARENT_SCOPE)
  set(CPACK_DEBIAN_${KEY}_PACKAGE_CONTROL_EXTRA "${SCRIPTS}" PARENT_SCOPE)
  set(CPACK_COMPONENT_${KEY}_DESCRIPTION "${ARG_DESCRIPTION}" PARENT_SCOPE)
  if(NOT NAME STREQUAL fanfold)
    set(CPACK_COMPONENT_${KEY}_DEPENDS fanfold PARENT_SCOPE)
  endif()
endfunction()

fanfold_unit(fanfold-serve PACKAGE fanfold CONFIG serve COMMAND "fanfold serve"
             DESCRIPTION "Fanfold in one process, on one folder"
             SETTINGS "StateDirectory=fanfold" "StateDirectoryMode=0750")
fanfold_unit(fanfold-writer PACKAGE fanfold-writer CONFIG writer COMMAND fanfold-writer
             DESCRIPTION "Fanfold's writer: follows, posts and profiles into the log")
fanfold_unit(fanfold-reader PACKAGE fanfold-reader CONFIG reader COMMAND fanfold-reader
             DESCRIPTION "Fanfold's reader: lists, counts, relations and feeds")
set(PORT ${PROJECTOR_PORT_FIRST})
set(PROJECTOR_UNITS)
foreach(PROJECTION IN LISTS PROJECTIONS)
  fanfold_unit(fanfold-projector-${PROJECTION} PACKAGE fanfold-projector CONFIG projector
               COMMAND "fanfold-projector --projection ${PROJECTION}"
               DESCRIPTION "Fanfold's projector of ${PROJECTION}"
               SETTINGS "Environment=FANFOLD_PROJECTOR_PORT=${PORT}")
  list(APPEND PROJECTOR_UNITS fanfold-projector-${PROJECTION})
  math(EXPR PORT "${PORT} + 1")
endforeach()

fanfold_package(fanfold PROGRAMS fanfold UNITS fanfold-serve
                DESCRIPTION "who follows whom: the operator's command, and all of it in one process
 Keeps who follows whom for social products, and what following is for: profiles, feeds, changes.")
fanfold_package(fanfold-writer PROGRAMS fanfold-writer UNITS fanfold-writer
                DESCRIPTION "who follows whom: the writer
 Appends follows, posts and profiles to Kafka.")
fanfold_package(fanfold-projector PROGRAMS fanfold-projector UNITS ${PROJECTOR_UNITS}
                DESCRIPTION "who follows whom: the projectors
 Fold the log into tables in MariaDB or MySQL.")
fanfold_package(fanfold-reader PROGRAMS fanfold-reader UNITS fanfold-reader
                DESCRIPTION "who follows whom: the reader
 Serves lists, counts, relations, feeds and changes.")

install(FILES deploy/systemd/fanfold-hardening.conf DESTINATION ${UNIT_FOLDER}/fanfold-.service.d COMPONENT fanfold)
install(DIRECTORY deploy/config/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples COMPONENT fanfold)
install(FILES README.md CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT fanfold)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT fanfold)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright COMPONENT fanfold)
install(DIRECTORY schemas/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fanfold/schemas COMPONENT fanfold
        FILES_MATCHING PATTERN "*.yaml" PATTERN "*.json" PATTERN golden EXCLUDE)
install(DIRECTORY deploy/alerts deploy/grafana deploy/mysql deploy/kafka DESTINATION ${CMAKE_INSTALL_DATADIR}/fanfold COMPONENT fanfold
        USE_SOURCE_PERMISSIONS PATTERN libs EXCLUDE PATTERN pom.xml EXCLUDE PATTERN fetch.sh EXCLUDE)
install(DIRECTORY DESTINATION /etc/fanfold COMPONENT fanfold)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_CONTACT "Fanfold's maintainers <fanfold@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL fanfold fanfold-writer fanfold-projector fanfold-reader)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)  # of the very same version
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FANFOLD_PACKAGE_DEPENDS "adduser, init-system-helpers")
include(CPack)
