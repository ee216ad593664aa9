#include "limber/scene/scene_files.hpp"

#include <filesystem>
#include <functional>

#include "limber/record/directory.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

using Json = nlohmann::json;
using Tables = std::vector<const SectionTable*>;
/// What a key that names files has, the key's path, and its form.
using Visit = std::function<void(Json& value, const std::string& where, Form::Kind kind)>;

bool names_files(const Form& form) {
  return form.kind == Form::Kind::file || form.kind == Form::Kind::files || form.kind == Form::Kind::run_folder;
}

/// The sections that a form refers to: one, or all whose names begin so (mesh_box, mesh_file, …).
void add_sections(const SchemaJson& shape, Tables& tables) {
  constexpr std::string_view start = "#/$defs/";
  if (const auto reference = shape.is_object() ? shape.find("$ref") : shape.end(); reference != shape.end()) {
    const std::string name = reference->get<std::string>().substr(start.size());
    for (const SectionTable& table : known_sections())
      if (table.name == name || table.name.starts_with(name + "_")) tables.push_back(&table);
  }
  for (const auto& [key, inner] : shape.items())
    if (inner.is_structured()) add_sections(inner, tables);
}

struct Place {
  bool is_file = false;
  Form::Kind kind = Form::Kind::other;
  Tables inside;
};

/// Of each key of a section that names files, or has something inside.
const std::map<std::string, Place>& places(const SectionTable* section) {
  static const auto all = [] {
    std::map<const SectionTable*, std::map<std::string, Place>> made;
    for (const SectionTable& table : known_sections())
      for (const AnyKey& row : table.rows) {
        Place place{names_files(row.form), row.form.kind, {}};
        add_sections(row.form.shape, place.inside);
        for (const SchemaJson& other : row.form.or_else) add_sections(other, place.inside);
        if (place.is_file || !place.inside.empty()) made[&table][row.name] = place;
      }
    return made;
  }();
  static const std::map<std::string, Place> none;
  const auto found = all.find(section);
  return found == all.end() ? none : found->second;
}

void visit_files(Json& value, const std::string& where, const Tables& tables, const Visit& visit) {
  if (value.is_array())
    for (std::size_t i = 0; i < value.size(); ++i)
      visit_files(value[i], where + "[" + std::to_string(i) + "]", tables, visit);
  if (!value.is_object()) return;
  for (auto& [key, inner] : value.items())
    for (const SectionTable* table : tables) {
      const auto& known = places(table);
      const auto found = known.find(key);
      if (found == known.end()) continue;
      const std::string path = where.empty() ? key : where + "." + key;
      if (found->second.is_file) {
        visit(inner, path, found->second.kind);
        break;
      }
      visit_files(inner, path, found->second.inside, visit);
    }
}

void for_each_file(Json& scene, const Visit& visit) { visit_files(scene, "", {&known_section("scene")}, visit); }

}  // namespace

Document with_absolute_paths(const Document& scene, const std::string& base_directory, const FileAccess& access) {
  namespace fs = std::filesystem;
  const auto make_absolute = [&](Json& name) {
    if (!name.is_string() || name.get_ref<const std::string&>().empty()) return;
    name = fs::absolute(fs::path(base_directory) / name.get<std::string>()).lexically_normal().string();
  };
  Json json = json_of(scene);
  for_each_file(json, [&](Json& value, const std::string& where, Form::Kind kind) {
    make_absolute(value);
    if (kind != Form::Kind::files) return;
    if (value.is_string())
      if (const auto all = access.matching(value.get<std::string>(), where); !all.empty()) value = all;
    if (value.is_array())
      for (Json& file : value) make_absolute(file);
  });
  return document_of(std::move(json));
}

std::vector<std::string> files_named_in(const Document& scene) {
  std::vector<std::string> files;
  const auto add = [&](const Json& name) {
    if (name.is_string()) files.push_back(name.get<std::string>());
  };
  Json json = json_of(scene);
  for_each_file(json, [&](const Json& value, const std::string&, Form::Kind kind) {
    add(value);
    if (value.is_array())
      for (const Json& file : value) add(file);
    if (kind == Form::Kind::run_folder && value.is_string())
      files.push_back((std::filesystem::path(value.get<std::string>()) / run_file::trajectory).string());
  });
  return files;
}

}  // namespace limber
