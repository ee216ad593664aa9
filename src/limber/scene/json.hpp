#pragma once  // internal
/// What is in a Document, for those who look into it.

#include <nlohmann/json.hpp>
#include <string>

#include "limber/scene/document.hpp"
#include "limber/scene/read.hpp"

namespace limber {

struct Document::Content {
  nlohmann::json json;
};
inline const nlohmann::json& json_of(const Document& document) { return document.content().json; }
inline Document document_of(nlohmann::json json) { return Document(Document::Content{std::move(json)}); }

/// What Document does, on plain values.
nlohmann::json load_json(const std::string& path);
nlohmann::json parse_json(const std::string& text, const std::string& name);
/// Discarded where the text is no JSON, or is nested too deeply.
nlohmann::json parse_or_discard(const std::string& text);
void apply_override(nlohmann::json& json, const std::string& assignment);
Scene read_scene(const nlohmann::json& json, const Vocabulary& vocabulary, const std::string& base_directory,
                 const FileAccess& access = {});

}  // namespace limber
