# Tests say in one way what they need and are skipped in one way: exit status 77 after a line
# `SKIP: reason`, which ./run test collects.

set(KCT_TRACES_DIR "" CACHE PATH
  "Directory of real traces with their vmlinux (packed with zstd), for the tests that want them")
if(NOT KCT_TRACES_DIR AND EXISTS ${PROJECT_SOURCE_DIR}/../shared/traces/k72)
  set(KCT_TRACES_DIR ${PROJECT_SOURCE_DIR}/../shared/traces/k72)
endif()
set(KCT_TRACES ${PROJECT_BINARY_DIR}/traces)

# Set `variable` to the reason why a test with these needs cannot run, or to nothing. Programs
# that are there are known as ${KCT_PROGRAM_<name>}.
function(kct_missing variable)
  foreach(program ${ARGN})
    find_program(KCT_PROGRAM_${program} ${program})
    mark_as_advanced(KCT_PROGRAM_${program})
    if(NOT KCT_PROGRAM_${program})
      set(${variable} "${program} is not installed" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${variable} "" PARENT_SCOPE)
endfunction()

# kct_add_test(NAME LABEL label COMMAND word...
#   [NEEDS program...]          skipped when one of them is not installed
#   [TRACES]                    gets KCT_TRACES=<the unpacked real traces>; skipped without them
#   [OPTIONAL_TRACES]           the same, but runs without them (and skips parts itself)
#   [FIXTURES name...] [ENVIRONMENT name=value...] [TIMEOUT seconds])
# Every test has KCT_FIXTURES=<the bundled traces> and runs in the source directory. The usual cache
# directory of a test is one that cannot be made, so that no test depends on an earlier one.
function(kct_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "TRACES;OPTIONAL_TRACES" "LABEL;TIMEOUT"
    "COMMAND;NEEDS;FIXTURES;ENVIRONMENT")
  set(environment KCT_FIXTURES=${PROJECT_SOURCE_DIR}/fixtures/k72
    XDG_CACHE_HOME=${PROJECT_SOURCE_DIR}/LICENSE/none ${arg_ENVIRONMENT})
  kct_missing(why_not ${arg_NEEDS})
  if(arg_TRACES OR arg_OPTIONAL_TRACES)
    if(KCT_WITHOUT_TRACES)
      if(arg_TRACES AND NOT why_not)
        set(why_not "${KCT_WITHOUT_TRACES}")
      endif()
    else()
      list(APPEND environment KCT_TRACES=${KCT_TRACES})
      list(APPEND arg_FIXTURES traces)
    endif()
  endif()
  if(why_not)
    set(arg_COMMAND sh -c "echo 'SKIP: ${why_not}' && exit 77")
    set(arg_FIXTURES)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 300)
  endif()
  add_test(NAME ${name} COMMAND ${arg_COMMAND} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES
    LABELS "${arg_LABEL}" ENVIRONMENT "${environment}" FIXTURES_REQUIRED "${arg_FIXTURES}"
    SKIP_RETURN_CODE 77 TIMEOUT ${arg_TIMEOUT})
endfunction()

kct_missing(KCT_WITHOUT_TRACES zstd)
if(NOT EXISTS "${KCT_TRACES_DIR}")
  set(KCT_WITHOUT_TRACES "there are no real traces (-DKCT_TRACES_DIR=)")
endif()
if(NOT KCT_WITHOUT_TRACES)
  kct_add_test(traces.unpack LABEL traces
    COMMAND sh ${PROJECT_SOURCE_DIR}/tests/unpack-traces.sh ${KCT_TRACES_DIR} ${KCT_TRACES})
  set_tests_properties(traces.unpack PROPERTIES FIXTURES_SETUP traces)
endif()
