#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "limber/core/errors.hpp"
#include "limber/scene/schema.hpp"

namespace limber {
namespace {

constexpr std::size_t schema_width = 120;

/// Definitions that are no sections.
constexpr const char* plain_definitions = R"json({
  "quantity": {
    "description": "A number in SI units, or a string with a unit, such as \"3 kPa\".",
    "anyOf": [{"type": "number"}, {"$ref": "#/$defs/with_unit"}]
  },
  "positive": {"anyOf": [{"type": "number", "exclusiveMinimum": 0}, {"$ref": "#/$defs/with_unit"}]},
  "non_negative": {"anyOf": [{"type": "number", "minimum": 0}, {"$ref": "#/$defs/with_unit"}]},
  "with_unit": {
    "type": "string",
    "pattern": "^ *[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)? *(1?/ *)?[^-+0-9 .*/^].*$"
  },
  "vector": {
    "description": "[x, y, z]", "type": "array", "items": {"$ref": "#/$defs/quantity"}, "minItems": 3, "maxItems": 3
  },
  "direction": {
    "description": "[x, y, z], of any length but zero.",
    "type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3
  },
  "points": {"type": "array", "items": {"$ref": "#/$defs/vector"}},
  "node": {"type": "integer", "minimum": 0},
  "selection_part": {
    "oneOf": [
      {"$ref": "#/$defs/side"},
      {"$ref": "#/$defs/selection_nodes"},
      {"$ref": "#/$defs/selection_box"},
      {"$ref": "#/$defs/selection_plane"}
    ]
  },
  "selection": {
    "description": "Nodes of a body, on its shape as meshed: a short word, an object, or a list of them.",
    "oneOf": [
      {"$ref": "#/$defs/selection_part"},
      {"type": "array", "items": {"$ref": "#/$defs/selection_part"}, "minItems": 1}
    ]
  },
  "pin": {"oneOf": [{"$ref": "#/$defs/selection_part"}, {"allOf": [{"$ref": "#/$defs/pin_entry"},
    {"anyOf": [{"required": ["until"]}, {"required": ["axes"]}, {"required": ["normal"]}]}]}]}
})json";

/// Letters, not bytes.
std::size_t letters(const std::string& text) {
  std::size_t n = 0;
  for (const char c : text) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  return n;
}

std::string on_one_line(const SchemaJson& j) {
  if (!j.is_structured()) return j.dump();
  std::vector<std::string> parts;
  for (const auto& [key, value] : j.items())
    parts.push_back((j.is_object() ? SchemaJson(key).dump() + ": " : "") + on_one_line(value));
  return (j.is_object() ? "{" : "[") + join(parts) + (j.is_object() ? "}" : "]");
}

/// On one line where it fits; `before` letters stand on the line already.
std::string laid_out(const SchemaJson& j, std::size_t indent, std::size_t before) {
  std::string line = on_one_line(j);
  if (!j.is_structured() || j.empty() || before + letters(line) < schema_width) return line;
  std::string text = j.is_object() ? "{" : "[", separator = "\n";
  for (const auto& [key, value] : j.items()) {
    const std::string name = j.is_object() ? SchemaJson(key).dump() + ": " : "";
    text += separator;
    text.append(indent + 2, ' ');
    text += name;
    text += laid_out(value, indent + 2, indent + 2 + letters(name));
    separator = ",\n";
  }
  return text + "\n" + std::string(indent, ' ') + (j.is_object() ? "}" : "]");
}

std::string with_allowed(const std::string& text, const std::string& allowed) {
  if (const auto at = text.find("{}"); at != std::string::npos)
    return text.substr(0, at) + allowed + text.substr(at + 2);
  return text.empty() && !allowed.empty() ? allowed.substr(allowed[0] == ' ') : text + allowed;
}

/// Markdown's links and quotes taken off.
std::string plain_text(const std::string& markdown) {
  std::string text;
  for (std::size_t i = 0; i < markdown.size(); ++i) {
    const auto middle = markdown[i] == '[' ? markdown.find("](", i) : std::string::npos;
    if (middle != std::string::npos && markdown.find_first_of("[]", i + 1) == middle) {
      text += plain_text(markdown.substr(i + 1, middle - i - 1));
      i = markdown.find(')', middle);
    } else if (markdown[i] != '`') {
      text += markdown[i];
    }
  }
  return text;
}

/// The words where the text names none of them.
std::string text_of(const KnownKey& key) {
  if (key.form.kind != Form::Kind::word) return key.text;
  std::vector<std::string> words;
  for (const auto& word : known_words().at(key.form.words)) words.push_back("`\"" + word + "\"`");
  if (key.text.find("\"" + known_words().at(key.form.words)[0] + "\"") != std::string::npos) return key.text;
  return key.text + (key.text.empty() ? "" : ": ") + join(words, " or ");
}

/// The range stands in the schema itself.
std::string description_of(const KnownKey& key) {
  const std::string allowed = key.form.allowed();
  std::string text = plain_text(with_allowed(text_of(key), allowed.substr(0, allowed.find(','))));
  if (text.empty()) return text;
  const bool name = key.text.starts_with('`');
  if (!name && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text.ends_with('.') ? text : text + ".";
}

SchemaJson property(const KnownKey& key) {
  SchemaJson p = SchemaJson::object();
  if (const std::string text = description_of(key); !text.empty()) p["description"] = text;
  p.update(key.form.schema());
  if (key.standard) p["default"] = *key.standard;
  return p;
}

SchemaJson definition(const SectionTable& section) {
  SchemaJson d{{"type", "object"}, {"additionalProperties", false}};
  SchemaJson needed = SchemaJson::array(), apart = SchemaJson::array(), properties = SchemaJson::object();
  for (const KnownKey& key : section.rows) {
    if (key.kind == KnownKey::Kind::required) needed.push_back(key.name);
    properties[key.name] = property(key);
  }
  for (const auto& [one, other] : section.exclusive) apart.push_back({{"required", {one, other}}});
  if (!needed.empty()) d["required"] = needed;
  if (!apart.empty()) d["not"] = apart.size() == 1 ? apart[0] : SchemaJson{{"anyOf", apart}};
  d.update(section.also);
  d["properties"] = properties;
  return d;
}

/// oneOf all sections whose name starts so.
SchemaJson any_section(const std::string& start) {
  SchemaJson all = SchemaJson::array();
  for (const SectionTable& section : known_sections())
    if (section.name.starts_with(start)) all.push_back(reference(section.name));
  return {{"oneOf", all}};
}

std::string table_row(const KnownKey& key) {
  const std::string standard = key.kind == KnownKey::Kind::required ? "required"
                               : !key.standard_words.empty()        ? key.standard_words
                               : key.standard                       ? "`" + on_one_line(*key.standard) + "`"
                                                                    : "";
  return fmt::format("| `{}` | {} |{}|\n", key.name, with_allowed(text_of(key), key.form.allowed()),
                     standard.empty() ? " " : " " + standard + " ");
}

/// Of sections that differ in their shape only: its words are joined.
std::string key_table(const std::vector<std::string>& sections) {
  std::string text = "| key | what | default |\n|---|---|---|\n";
  for (KnownKey key : known_keys(sections[0])) {
    if (key.name == "shape") {
      std::vector<std::string> words;
      for (const auto& section : sections) words.push_back(known_keys(section)[0].text);
      key.text = join(words, " or ");
    }
    text += table_row(key);
  }
  return text;
}

/// The sections that a heading names.
std::vector<std::string> named_sections(const std::string& heading) {
  std::vector<std::string> names;
  const auto open = heading.find("<!-- "), close = heading.find(" -->");
  if (open == std::string::npos || close == std::string::npos) return names;
  std::istringstream words(heading.substr(open + 5, close - open - 5));
  for (std::string name; words >> name;) names.push_back(name);
  return names;
}

}  // namespace

std::string scene_schema() {
  SchemaJson defs = SchemaJson::object();
  const SchemaJson plain = SchemaJson::parse(plain_definitions);
  for (const auto& [name, def] : plain.items()) defs[name] = def;
  for (const auto& [kind, words] : known_words()) defs[kind] = {{"enum", words}};
  for (const SectionTable& section : known_sections()) defs[section.name] = definition(section);
  defs["mesh"] = any_section("mesh_");
  defs["obstacle"] = any_section("obstacle_");
  std::erase(defs["obstacle"]["oneOf"].get_ref<SchemaJson::array_t&>(), reference("obstacle_motion"));
  return laid_out({{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                   {"title", "A Limber scene"},
                   {"description", "Explained in docs/scene.md. SI units; a number may be a string with a unit."},
                   {"$ref", "#/$defs/scene"},
                   {"$defs", defs}},
                  0, 0) +
         "\n";
}

std::string with_key_tables(const std::string& markdown) {
  std::istringstream lines(markdown);
  std::string text;
  std::vector<std::string> sections, seen;
  bool in_old_table = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) sections = named_sections(line);
    in_old_table = in_old_table && line.starts_with("|");
    if (in_old_table) continue;
    if (line == "| key | what | default |" && !sections.empty()) {
      in_old_table = true;
      for (const auto& name : sections)
        if (std::none_of(known_sections().begin(), known_sections().end(),
                         [&](const SectionTable& s) { return s.name == name; }))
          throw InputError("scene.md", "there is no section '" + name + "'");
      text += key_table(sections);
      seen.insert(seen.end(), sections.begin(), sections.end());
      continue;
    }
    text += line + "\n";
  }
  for (const SectionTable& section : known_sections())
    if (std::find(seen.begin(), seen.end(), section.name) == seen.end())
      throw InputError("scene.md", "has no table of the section '" + section.name + "': a heading with <!-- " +
                                       section.name +
                                       " --> and the line | key | what | "
                                       "default | below it");
  return text;
}

}  // namespace limber
