# Flags shared by every target, and the two functions that make a room of the library and its tests.

add_library(limber_flags INTERFACE)
target_compile_features(limber_flags INTERFACE cxx_std_20)
# Eigen's alignment, and with it how it allocates, must not depend on the instruction set, so that programs built with
# other flags can link: 64 bytes for what is allocated, which serves every set, 16 for what is part of a type.
target_compile_definitions(limber_flags INTERFACE EIGEN_MAX_ALIGN_BYTES=64 EIGEN_MAX_STATIC_ALIGN_BYTES=16
                                                  $<BUILD_INTERFACE:LIMBER_KEEPS_VECTORS>)  # core/types.hpp

# GCC 12 warns falsely here: "literal" + std::string (its bug 105651), strings moved into vectors, Eigen temporaries, its
# own AVX-512 intrinsics (bug 105593).
set(LIMBER_PRIVATE_OPTIONS -Wall -Wextra -Wno-psabi -Wno-restrict -Wno-array-bounds -Wno-maybe-uninitialized
                           -Wno-uninitialized -Wno-stringop-overread)
if(LIMBER_UNITY)
  # Seen from a unit every source file is a header, where members of unnamed types would be a mistake.
  list(APPEND LIMBER_PRIVATE_OPTIONS -Wno-subobject-linkage)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # By default GCC looks for garbage whenever its heap has doubled: a tenth of the time of a build.
  list(APPEND LIMBER_PRIVATE_OPTIONS --param=ggc-min-expand=400 --param=ggc-min-heapsize=1000000)
endif()
if(LIMBER_WERROR)
  list(APPEND LIMBER_PRIVATE_OPTIONS -Werror)
endif()
if(LIMBER_NATIVE)
  include(CheckCXXCompilerFlag)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
    set(native_flag -mcpu=native)
  else()
    set(native_flag -march=native)
  endif()
  check_cxx_compiler_flag(${native_flag} LIMBER_HAS_NATIVE)
  if(LIMBER_HAS_NATIVE)
    list(APPEND LIMBER_PRIVATE_OPTIONS ${native_flag})
  endif()
endif()
if(LIMBER_SANITIZE)
  add_compile_options(-fsanitize=${LIMBER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=${LIMBER_SANITIZE})
  if(LIMBER_SANITIZE MATCHES "thread")
    add_compile_definitions(LIMBER_PLAIN_THREADS)  # core/parallel.hpp says why
  endif()
endif()

# Eigen is most of what the compiler reads. `first` precompiles the headers; targets after it, of the same kind and with
# the same flags, share them. The lint preset does without, so that no include is forgotten.
set(LIMBER_COMMON_HEADERS <Eigen/Core> <Eigen/SparseCore> <fmt/format.h> <algorithm> <filesystem> <functional>
                          <map> <memory> <variant> <vector>
                          ${PROJECT_SOURCE_DIR}/src/limber/core/eigen_instances.hpp)
function(limber_precompile target first)
  if(target STREQUAL first)
    target_precompile_headers(${target} PRIVATE ${LIMBER_COMMON_HEADERS} ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${first})
  endif()
endfunction()

# What is compiled quickly shares the headers of the first such target, limber_mesh_io.
# What reads, writes, reports or tests is compiled in less time, and hardly slower for it. What computes stays at -O3.
set(LIMBER_QUICK_OPTIONS $<$<CONFIG:Release>:-O1>)

# limber_units(target number): its files in so many translation units, as even as can be, so that a file more does not
# bring a small unit with all its headers. Few units make a whole build shorter, many a build after a change: a unit
# should take 15 to 25 s on one core.
function(limber_units target number)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources files)
  math(EXPR batch "(${files} + ${number} - 1) / ${number}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# limber_room(name [QUICK] [UNITS number] LINKS rooms and libraries it may know): src/limber/<name>/**.cpp →
# limber_<name>, in one translation unit or the number of them. QUICK_FOLDER: one of its folders that reads or writes.
function(limber_room name)
  cmake_parse_arguments(ARG "QUICK" "UNITS;QUICK_FOLDER" "LINKS;PRIVATE_LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp)
  if(ARG_QUICK_FOLDER)
    set(quick_sources ${sources})
    list(FILTER quick_sources INCLUDE REGEX /${name}/${ARG_QUICK_FOLDER}/)
    list(FILTER sources EXCLUDE REGEX /${name}/${ARG_QUICK_FOLDER}/)
    set(quick limber_${name}_${ARG_QUICK_FOLDER})
    add_library(${quick} OBJECT ${quick_sources})
    limber_units(${quick} 1)
    target_include_directories(${quick} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_options(${quick} PRIVATE ${LIMBER_PRIVATE_OPTIONS} ${LIMBER_QUICK_OPTIONS})
    target_link_libraries(${quick} PRIVATE limber_flags ${ARG_LINKS} ${ARG_PRIVATE_LINKS})
    limber_precompile(${quick} limber_mesh_io <nlohmann/json.hpp>)
    list(APPEND sources $<TARGET_OBJECTS:${quick}>)
  endif()
  add_library(limber_${name} STATIC ${sources})
  add_library(limber::${name} ALIAS limber_${name})
  set_target_properties(limber_${name} PROPERTIES EXPORT_NAME ${name})
  if(ARG_UNITS)
    limber_units(limber_${name} ${ARG_UNITS})
  else()
    limber_units(limber_${name} 1)
  endif()
  target_include_directories(limber_${name} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
                                                   $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_options(limber_${name} PRIVATE ${LIMBER_PRIVATE_OPTIONS})
  target_link_libraries(limber_${name} PUBLIC limber_flags ${ARG_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  set_property(GLOBAL APPEND PROPERTY LIMBER_ROOMS limber_${name})
  if(ARG_QUICK)
    target_compile_options(limber_${name} PRIVATE ${LIMBER_QUICK_OPTIONS})
    limber_precompile(limber_${name} limber_mesh_io)
  else()
    limber_precompile(limber_${name} limber_core)
  endif()
endfunction()

# limber_test(room LINKS …): tests/<room>/*.cpp → test_<room>. CTest runs its cases in four parts: a process for each case
# would take longer to start than most of them take. One case: build/bin/test_<room> --gtest_filter=Suite.Case
function(limber_test room)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/*.cpp)
  if(NOT sources)
    return()
  endif()
  add_executable(test_${room} ${sources})
  target_compile_options(test_${room} PRIVATE ${LIMBER_PRIVATE_OPTIONS} ${LIMBER_QUICK_OPTIONS})
  target_include_directories(test_${room} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(test_${room} PRIVATE ${ARGN} GTest::gtest GTest::gtest_main)
  target_compile_definitions(test_${room} PRIVATE LIMBER_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  limber_precompile(test_${room} test_core <gtest/gtest.h>)
  foreach(part RANGE 3)
    add_test(NAME ${room}.${part} COMMAND test_${room} --gtest_brief=1)
    set_tests_properties(${room}.${part} PROPERTIES ENVIRONMENT "GTEST_TOTAL_SHARDS=4;GTEST_SHARD_INDEX=${part}" TIMEOUT 600)
  endforeach()
endfunction()
