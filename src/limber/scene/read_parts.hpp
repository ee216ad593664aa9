#pragma once  // internal
/// The pieces of read_scene: one function for each kind of JSON object that several files read.

#include "limber/scene/read.hpp"
#include "limber/scene/reader.hpp"

namespace limber {

/// A short word, an object, or a list of them.
Selection read_selection(const JsonCursor& place);
/// A selection whose parts may have `until`.
void read_pins(const JsonCursor& place, BodyChoice& body);
BodyChoice read_body(const JsonCursor& place, std::size_t number, const Vocabulary& vocabulary,
                     const std::string& base_directory);
MeshSource read_mesh_source(const JsonCursor& place, const std::string& base_directory);
/// A file's name, seen from the scene's directory. Not empty.
std::string read_file_name(const JsonCursor& place, const std::string& base_directory);
std::vector<std::array<int, 2>> read_edges(const JsonCursor& place, std::size_t node_count);
std::map<std::string, MaterialChoice> read_materials(const JsonSection& body, const Vocabulary& vocabulary);
DampingChoice read_damping(const JsonCursor& place);
MethodChoice read_method(const JsonCursor& place, const Vocabulary& vocabulary);

Script read_script(const JsonCursor& place);
SpringsChoice read_springs(const JsonCursor& place, std::size_t node_count);
LoadChoice read_load(const JsonCursor& place);
TargetChoice read_target(const JsonCursor& place);
AttachmentChoice read_attachment(const JsonCursor& place, const std::vector<BodyChoice>& bodies);
WindChoice read_wind(const JsonCursor& place);

ContactChoice read_contact(const JsonCursor& place);
std::vector<ObstacleChoice> read_obstacles(const JsonCursor& place, const std::vector<BodyChoice>& bodies,
                                           const std::string& base_directory);
std::vector<MotionKey> read_motion_keys(const JsonCursor& place);
/// The name an object gives itself, or `otherwise`.
std::string read_name(const JsonSection& section, const std::string& otherwise);

/// Everything in a list, each element by `read`; an empty vector where the key is not there.
template <class Read>
auto read_list(const JsonSection& section, const char* key, const Read& read) {
  std::vector<decltype(read(section.place()))> all;
  if (const auto list = section.find(key))
    for (const JsonCursor& item : list->items()) all.push_back(read(item));
  return all;
}

}  // namespace limber
