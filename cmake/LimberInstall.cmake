# `cmake --install` gives a package that find_package(limber) finds, wherever it is moved to: limber::simulation, what
# builds, runs and records scenes, and limber::limber, which has pictures, exports, checks and studies too.
include(CMakePackageConfigHelpers)
get_property(rooms GLOBAL PROPERTY LIMBER_ROOMS)

add_library(limber_simulation INTERFACE)
target_link_libraries(limber_simulation INTERFACE limber_scene)
add_library(limber_all INTERFACE)
target_link_libraries(limber_all INTERFACE ${rooms})
set_target_properties(limber_flags PROPERTIES EXPORT_NAME flags)
set_target_properties(limber_simulation PROPERTIES EXPORT_NAME simulation)
set_target_properties(limber_all PROPERTIES EXPORT_NAME limber)
add_library(limber::simulation ALIAS limber_simulation)
add_library(limber::limber ALIAS limber_all)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
install(TARGETS ${rooms} limber_flags limber_simulation limber_all EXPORT limberTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT limberTargets NAMESPACE limber:: DESTINATION ${package})
configure_package_config_file(cmake/limberConfig.cmake.in limberConfig.cmake INSTALL_DESTINATION ${package})
write_basic_package_version_file(limberConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limberConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/limberConfigVersion.cmake
              cmake/LimberLibraries.cmake DESTINATION ${package})

# Every header but those whose first line says "internal": they are no part of the interface, and include what a program
# that links Limber need not have. Looked at when it is installed, so that no list has to be kept.
install(FILES ${PROJECT_BINARY_DIR}/include/limber/version.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/limber)
install(CODE "
  set(source \"${PROJECT_SOURCE_DIR}/src\")
  set(destination \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\")")
install(CODE [[
  file(GLOB_RECURSE headers RELATIVE ${source} ${source}/limber/*.hpp)
  foreach(header ${headers})
    file(STRINGS ${source}/${header} first LIMIT_COUNT 1)
    if(NOT first MATCHES "internal")
      get_filename_component(folder ${header} DIRECTORY)
      file(INSTALL DESTINATION ${destination}/${folder} FILES ${source}/${header})
    endif()
  endforeach()
]])

install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/limber)  # that `limber view` lists
if(TARGET limber_cli)
  install(TARGETS limber_small limber_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_BINARY_DIR}/limber.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME limber)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
