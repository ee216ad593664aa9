# `cmake --install` gives a package that find_package(limber) finds: target limber::limber.
include(CMakePackageConfigHelpers)
get_property(rooms GLOBAL PROPERTY LIMBER_ROOMS)

add_library(limber_all INTERFACE)
set_target_properties(limber_all PROPERTIES EXPORT_NAME limber)
add_library(limber::limber ALIAS limber_all)
target_link_libraries(limber_all INTERFACE ${rooms})
set_target_properties(limber_flags PROPERTIES EXPORT_NAME flags)

install(TARGETS ${rooms} limber_flags limber_all EXPORT limberTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Not part of the interface: what only source files here include, and the build's precompiled headers.
install(DIRECTORY src/limber DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp"
        PATTERN hdf5_handles.hpp EXCLUDE PATTERN trajectory_layout.hpp EXCLUDE PATTERN eigen_instances.hpp EXCLUDE)
install(EXPORT limberTargets NAMESPACE limber:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
configure_package_config_file(cmake/limberConfig.cmake.in limberConfig.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
write_basic_package_version_file(limberConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/limberConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/limberConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/limber)
if(TARGET limber_cli)
  install(TARGETS limber_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_BINARY_DIR}/limber.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions
          RENAME limber)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
