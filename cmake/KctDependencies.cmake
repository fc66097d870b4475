# The libraries we stand on. Optional ones: -DKCT_ZLIB=OFF, -DKCT_ZSTD=OFF,
# -DKCT_LZMA=OFF.

find_package(PkgConfig REQUIRED)
pkg_check_modules(LIBDW REQUIRED IMPORTED_TARGET libdw>=0.188)
pkg_check_modules(LIBELF REQUIRED IMPORTED_TARGET libelf>=0.188)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

add_library(kct_dependencies INTERFACE)
target_link_libraries(kct_dependencies INTERFACE
  PkgConfig::LIBDW PkgConfig::LIBELF Threads::Threads)
set(KCT_PC_REQUIRES "libdw libelf")
if(KCT_ZLIB)
  pkg_check_modules(ZLIB REQUIRED IMPORTED_TARGET zlib)
  target_link_libraries(kct_dependencies INTERFACE PkgConfig::ZLIB)
  target_compile_definitions(kct_dependencies INTERFACE KCT_HAVE_ZLIB)
  string(APPEND KCT_PC_REQUIRES " zlib")
endif()
if(KCT_ZSTD)
  pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
  target_link_libraries(kct_dependencies INTERFACE PkgConfig::ZSTD)
  target_compile_definitions(kct_dependencies INTERFACE KCT_HAVE_ZSTD)
  string(APPEND KCT_PC_REQUIRES " libzstd")
endif()
if(KCT_LZMA)
  pkg_check_modules(LZMA REQUIRED IMPORTED_TARGET liblzma)
  target_link_libraries(kct_dependencies INTERFACE PkgConfig::LZMA)
  target_compile_definitions(kct_dependencies INTERFACE KCT_HAVE_LZMA)
  string(APPEND KCT_PC_REQUIRES " liblzma")
endif()
if(KCT_STATIC_CLI)
  if(KCT_SANITIZE)
    message(FATAL_ERROR "KCT_STATIC_CLI: a static program cannot have sanitizers")
  endif()
  # The archives of the libraries above with what they need themselves, in the linker's order.
  add_library(kct_static_dependencies INTERFACE)
  target_link_libraries(kct_static_dependencies INTERFACE ${LIBDW_STATIC_LDFLAGS}
    ${LIBELF_STATIC_LDFLAGS} ${ZLIB_STATIC_LDFLAGS} ${ZSTD_STATIC_LDFLAGS} ${LZMA_STATIC_LDFLAGS})
endif()
if(BUILD_TESTING)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
