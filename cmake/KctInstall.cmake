# What is installed, and how others find it: pkg-config kcovtrace; find_package(kcovtrace).

install(TARGETS kcovtrace kcovtrace_static EXPORT kcovtraceTargets)
# The program finds the library of its own prefix, wherever that is.
file(RELATIVE_PATH library_dir ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(kcovtrace_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${library_dir}")
install(TARGETS kcovtrace_cli)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kcovtrace ${PROJECT_BINARY_DIR}/include/kcovtrace
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The file finds its prefix from where it lies, so that an installed tree can be moved.
file(RELATIVE_PATH KCT_PC_UP
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" KCT_PC_UP ${KCT_PC_UP})
file(RELATIVE_PATH KCT_PC_LIBDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH KCT_PC_INCLUDEDIR ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/kcovtrace.pc.in kcovtrace.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/kcovtrace.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/kcovtrace)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/kcovtraceConfig.cmake.in
  kcovtraceConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor release may change the interface.
write_basic_package_version_file(kcovtraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/kcovtraceConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/kcovtraceConfigVersion.cmake
  DESTINATION ${package_dir})
install(EXPORT kcovtraceTargets NAMESPACE kcovtrace:: DESTINATION ${package_dir})
