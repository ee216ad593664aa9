# cmake -D SOURCE=web -D WORK=build/web -D NPM=npm -D NODE=node -P BuildPage.cmake
# Copies the sources of the page, installs what they need, bundles them and writes WORK/page_files.cpp.
file(COPY ${SOURCE}/ DESTINATION ${WORK} PATTERN node_modules EXCLUDE)
function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${WORK} RESULT_VARIABLE status OUTPUT_VARIABLE output
                  ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(WARNING "The viewer's page cannot be built, `limber view` will say so. ${command}:\n${output}")
    file(WRITE ${WORK}/page_files.cpp
         "#include \"limber/view/page.hpp\"\nstd::span<const limber::PageFile> limber::page_files() { return {}; }\n")
    set(failed TRUE PARENT_SCOPE)
  endif()
endfunction()

set(failed FALSE)
# What is installed already for these versions stays.
file(SHA256 ${SOURCE}/package-lock.json wanted)
set(installed "")
if(EXISTS ${WORK}/node_modules/.limber-lock)
  file(READ ${WORK}/node_modules/.limber-lock installed)
endif()
if(NOT installed STREQUAL wanted)
  run(${NPM} ci --omit=dev --no-audit --no-fund --loglevel=error)
  if(failed)
    return()
  endif()
  file(WRITE ${WORK}/node_modules/.limber-lock ${wanted})
endif()
file(REMOVE_RECURSE ${WORK}/dist)
run(${NODE} build.mjs dist)
if(NOT failed)
  run(${NODE} embed.mjs dist page_files.cpp)
endif()
