# What is installed, and how others find it: pkg-config kcovtrace; find_package(kcovtrace).

install(TARGETS kcovtrace kcovtrace_static EXPORT kcovtraceTargets)
if(TARGET kcovtrace_cli)
  install(TARGETS kcovtrace_cli)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/kcovtrace ${PROJECT_BINARY_DIR}/include/kcovtrace
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Absolute when the user made them so (as some distributions do), else below the prefix.
foreach(dir LIBDIR INCLUDEDIR)
  if(IS_ABSOLUTE ${CMAKE_INSTALL_${dir}})
    set(KCT_PC_${dir} ${CMAKE_INSTALL_${dir}})
  else()
    set(KCT_PC_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
  endif()
endforeach()
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
