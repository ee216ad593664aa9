# The viewer's page (web/) is bundled with packages of npm and becomes part of the program: LIMBER_PAGE_SOURCE. Where there
# is no npm, or nothing can be downloaded, the program is built without it, and says so.
set(LIMBER_PAGE_SOURCE ${PROJECT_BINARY_DIR}/web/page_files.cpp)
find_program(LIMBER_NPM npm)
find_program(LIMBER_NODE NAMES node nodejs)
if(LIMBER_PAGE AND LIMBER_NPM AND LIMBER_NODE)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/*.ts ${PROJECT_SOURCE_DIR}/web/*.mjs
       ${PROJECT_SOURCE_DIR}/web/*.html ${PROJECT_SOURCE_DIR}/web/*.css ${PROJECT_SOURCE_DIR}/web/*.json)
  add_custom_command(
    OUTPUT ${LIMBER_PAGE_SOURCE}
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR}/web -D WORK=${PROJECT_BINARY_DIR}/web
            -D NPM=${LIMBER_NPM} -D NODE=${LIMBER_NODE} -P ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    DEPENDS ${page_sources} ${PROJECT_SOURCE_DIR}/cmake/BuildPage.cmake
    COMMENT "The viewer's page")
else()
  message(STATUS "Limber: the viewer has no page (LIMBER_PAGE is off, or npm is not installed)")
  file(WRITE ${LIMBER_PAGE_SOURCE}
       "#include \"limber/view/page.hpp\"\nstd::span<const limber::PageFile> limber::page_files() { return {}; }\n")
endif()
