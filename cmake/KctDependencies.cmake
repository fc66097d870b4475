# The libraries we stand on. Optional ones: -DKCT_ZLIB=OFF, -DKCT_ZSTD=OFF.

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
if(BUILD_TESTING)
  pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)
endif()
