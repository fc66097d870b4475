# What every target is compiled with: target_link_libraries(x PRIVATE kct_options).

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

add_library(kct_options INTERFACE)
target_compile_definitions(kct_options INTERFACE _GNU_SOURCE _FILE_OFFSET_BITS=64)
target_compile_options(kct_options INTERFACE
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wcast-qual
  -Wwrite-strings -Wvla -Wformat=2 -fno-strict-aliasing)
if(KCT_WERROR)
  target_compile_options(kct_options INTERFACE -Werror)
endif()
if(KCT_SANITIZE)
  set(kct_sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_compile_options(kct_options INTERFACE ${kct_sanitizers})
  target_link_options(kct_options INTERFACE ${kct_sanitizers})
endif()
if(KCT_COVERAGE)
  target_compile_options(kct_options INTERFACE --coverage)
  target_link_options(kct_options INTERFACE --coverage)
endif()
if(KCT_FUZZ)
  target_compile_options(kct_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
