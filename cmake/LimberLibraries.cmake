# limber_find_library(VARIABLE name): VARIABLE_LIBRARY, and the target limber::name for those who link it. For libraries
# that bring no CMake package. The installed package finds them again with it: it holds no path of the machine it is from.
function(limber_find_library variable name)
  find_library(${variable}_LIBRARY NAMES ${name} ${name}_serial PATH_SUFFIXES ${name}/serial)  # Debian's HDF5
  if(${variable}_LIBRARY AND NOT TARGET limber::${name})
    add_library(limber::${name} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(limber::${name} PROPERTIES IMPORTED_LOCATION ${${variable}_LIBRARY})
  endif()
endfunction()
