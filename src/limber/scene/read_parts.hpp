#pragma once  // internal
/// The pieces of read_scene: one function for each kind of JSON object that several files read.

#include "limber/scene/read.hpp"
#include "limber/scene/reader.hpp"
#include "limber/scene/section.hpp"

namespace limber {

/// Where the scene's files lie, and which of them may be opened.
struct FilePlaces {
  std::string folder;
  FileAccess access = {};
};

/// A short word, an object, or a list of them.
Selection read_selection(const JsonCursor& place);
/// The same for all that needs nodes: an empty list of selections is an error.
Selection read_nodes(const JsonCursor& place);
/// A selection whose parts may have `until`.
void read_pins(const JsonCursor& place, BodyChoice& body);
BodyChoice read_body(const JsonCursor& place, std::size_t number, const Vocabulary& vocabulary,
                     const FilePlaces& places);
MeshSource read_mesh_source(const JsonCursor& place, const FilePlaces& places);
/// A file's name, seen from the scene's folder. Not empty, and allowed.
std::string read_file_name(const JsonCursor& place, const FilePlaces& places);
std::vector<std::array<int, 2>> read_edges(const JsonCursor& place, std::size_t node_count);
std::map<std::string, MaterialChoice> read_materials(const JsonSection& body, const Vocabulary& vocabulary);
DampingChoice read_damping(const JsonCursor& place);
/// As the catalog spells it.
std::string read_method_name(const JsonCursor& place, const Vocabulary& vocabulary);
MethodChoice read_method(const JsonCursor& place, const Vocabulary& vocabulary);

Script read_script(const JsonCursor& place);
SpringsChoice read_springs(const JsonCursor& place, std::size_t node_count);

ContactChoice read_contact(const JsonCursor& place);
std::vector<ObstacleChoice> read_obstacles(const JsonCursor& place, const std::vector<BodyChoice>& bodies,
                                           const FilePlaces& places);
const Section<MotionKey>& script_key_table();
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

/// A list of pairs [time, value]: the times, which increase.
template <class Read>
std::vector<double> read_pairs(const JsonCursor& list, const std::string& expected, const Read& read_value) {
  std::vector<double> times;
  for (const JsonCursor& pair : list.items(1)) {
    if (!pair.is_list() || pair.json().size() != 2) pair.fail_type(expected);
    const double t = pair.item(0).number(quantity::time);
    if (!times.empty()) require_increasing(times.back(), t, pair.item(0));
    times.push_back(t);
    read_value(pair.item(1));
  }
  return times;
}

}  // namespace limber
