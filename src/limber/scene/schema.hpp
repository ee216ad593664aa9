#pragma once  // internal
/// The one list of the scene's sections and words. The reader refuses every key that is not here, and
/// docs/scene.schema.json (its `$defs` have the names of the sections) and the tables of docs/scene.md are made of it.

#include <map>
#include <string>
#include <vector>

#include "limber/scene/section.hpp"

namespace limber {

/// Kinds of JSON objects, in the order of the documents. `mesh` and `selection` have one section for each of their
/// forms.
const std::vector<SectionTable>& known_sections();
const SectionTable& known_section(const std::string& name);
const std::vector<AnyKey>& known_keys(const std::string& section);
std::vector<std::string> key_names(const std::string& section);

/// Kind of word → the words, in the order of the enumeration they become.
const std::map<std::string, std::vector<std::string>>& known_words();

/// docs/scene.schema.json
std::string scene_schema();
/// A page with the table of each section that a heading names, `## Time <!-- time -->`, as it has to be. Throws
/// InputError where it names a section that there is not, or not all of them.
std::string with_key_tables(const std::string& markdown);

/// The tables, beside their readers.
std::vector<SectionTable> top_sections();       // read.cpp
std::vector<SectionTable> method_sections();    // read_method.cpp
std::vector<SectionTable> body_sections();      // read_body.cpp
std::vector<SectionTable> mesh_sections();      // read_mesh.cpp
std::vector<SectionTable> shape_sections();     // read_shape.cpp
std::vector<SectionTable> motion_sections();    // read_motion.cpp
std::vector<SectionTable> force_sections();     // force_choice.cpp
std::vector<SectionTable> contact_sections();   // read_contact.cpp
std::vector<SectionTable> obstacle_sections();  // read_obstacles.cpp

}  // namespace limber
