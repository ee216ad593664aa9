#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/core/json_depth.hpp"
#include "limber/record/directory.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/json.hpp"

namespace limber {
namespace {

using Json = nlohmann::json;

/// "file:line:column" of a byte, counted from 1.
std::string place_of(const std::string& name, const std::string& text, std::size_t byte) {
  std::size_t line = 1, column = 1;
  for (std::size_t i = 0; i < std::min(byte, text.size()); ++i) {
    const bool new_line = text[i] == '\n';
    line += new_line ? 1 : 0;
    column = new_line ? 1 : column + 1;
  }
  return name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

/// Watches a parse and remembers where it is, to name a key that one object has twice.
class DuplicateWatch {
 public:
  explicit DuplicateWatch(std::string name) : name_(std::move(name)) {}

  void see(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::key) {
      Level& level = levels_.back();
      level.key = parsed.get<std::string>();
      if (!level.seen.insert(level.key).second) throw InputError(name_, "the key '" + path() + "' stands twice");
    }
    if (event == Event::object_end || event == Event::array_end) levels_.pop_back();
    if (event == Event::object_start || event == Event::array_start || event == Event::value) count_element();
    if (event == Event::object_start) levels_.push_back({});
    if (event == Event::array_start) levels_.push_back({-1, {}, {}});
  }

 private:
  struct Level {
    int index = -2;  // in a list: of the current element; -2: an object
    std::string key;
    std::set<std::string> seen;
  };

  void count_element() {
    if (!levels_.empty() && levels_.back().index >= -1) ++levels_.back().index;
  }

  std::string path() const {
    std::string path;
    for (const Level& level : levels_)
      if (level.index >= -1)
        path += "[" + std::to_string(level.index) + "]";
      else
        path += (path.empty() ? "" : ".") + level.key;
    return path;
  }

  std::string name_;
  std::vector<Level> levels_;
};

/// What follows the position in the parser's message, or what follows its tag.
std::string plain_message(const std::string& what) {
  const auto column = what.find("column ");
  const auto start = column != std::string::npos ? what.find(": ", column) : what.find("] ");
  return start == std::string::npos ? what : what.substr(start + 2);
}

struct PathStep {
  std::string text;  // as written, for errors
  std::string key;
  int index = -1;  // ≥ 0: a list's element
};

int read_index(const std::string& text, const std::string& path) {
  int index = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size() || index < 0)
    throw InputError(path, "'[" + text + "]' is not the number of a list's element");
  return index;
}

/// "bodies[0].material.young" → bodies, [0], material, young.
std::vector<PathStep> split_path(const std::string& path) {
  std::vector<PathStep> steps;
  std::istringstream parts(path);
  for (std::string part; std::getline(parts, part, '.');) {
    auto bracket = part.find('[');
    const std::string key = part.substr(0, bracket);
    if (key.empty()) throw InputError(path, "has an empty part");
    steps.push_back({key, key, -1});
    while (bracket != std::string::npos) {
      const auto close = part.find(']', bracket);
      const auto next = close == std::string::npos ? close : close + 1;
      const bool proper = close != std::string::npos && (next == part.size() || part[next] == '[');
      if (!proper) throw InputError(path, "'" + part + "' has unbalanced brackets");
      const std::string inside = part.substr(bracket + 1, close - bracket - 1);
      steps.push_back({"[" + inside + "]", "", read_index(inside, path)});
      bracket = next == part.size() ? std::string::npos : next;
    }
  }
  if (steps.empty() || path.back() == '.') throw InputError(path, "has an empty part");
  if (steps.size() > most_json_levels)
    throw InputError(path.substr(0, 40) + "…", fmt::format("has more than {} parts", most_json_levels));
  return steps;
}

Json& descend(Json& at, const PathStep& step, const std::string& so_far) {
  if (step.index >= 0) {
    if (!at.is_array()) throw InputError(so_far, "is not a list, so it has no " + step.text);
    if (static_cast<std::size_t>(step.index) >= at.size())
      throw InputError(so_far, step.text + " is out of range: the list has " + std::to_string(at.size()) + " elements");
    return at[static_cast<std::size_t>(step.index)];
  }
  if (at.is_null()) at = Json::object();
  // A method given by its name alone takes parameters too.
  if (so_far == "method" && at.is_string()) at = Json{{"name", at}};
  if (!at.is_object()) throw InputError(so_far, "is not an object, so it has no key '" + step.key + "'");
  return at[step.key];
}

}  // namespace

Json parse_json(const std::string& text, const std::string& name) {
  DuplicateWatch watch(name);
  require_shallow_json(text, name);
  const auto callback = [&](int, Json::parse_event_t event, Json& parsed) {
    watch.see(event, parsed);
    return true;
  };
  try {
    return Json::parse(text, callback);
  } catch (const Json::parse_error& e) {
    throw InputError(place_of(name, text, e.byte > 0 ? e.byte - 1 : 0), plain_message(e.what()));
  } catch (const Json::out_of_range& e) {
    const std::string message = plain_message(e.what());
    const auto open = message.find('\''), close = message.rfind('\'');
    const bool quoted = open != std::string::npos && close > open;
    const auto byte = quoted ? text.find(message.substr(open + 1, close - open - 1)) : std::string::npos;
    throw InputError(byte == std::string::npos ? name : place_of(name, text, byte), message);
  }
}

Json parse_or_discard(const std::string& text) {
  return is_shallow_json(text) ? Json::parse(text, nullptr, false) : Json(Json::value_t::discarded);
}

Json load_json(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::is_directory(status))
    throw InputError(path, fs::exists(fs::path(path) / run_file::scene, error)
                               ? fmt::format("is the folder of a run, not a scene; its scene is {}",
                                             (fs::path(path) / run_file::scene).string())
                               : "is a folder, not a scene file (JSON)");
  if (status.type() == fs::file_type::not_found) throw InputError(path, "there is no such file");
  return parse_json(read_file(path), path);
}

void apply_override(Json& json, const std::string& assignment) {
  const auto equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw InputError(assignment, "expected key=value, for example time.step=0.01");
  const std::string path = assignment.substr(0, equals), text = assignment.substr(equals + 1);
  Json* at = &json;
  std::string so_far;
  for (const PathStep& step : split_path(path)) {
    at = &descend(*at, step, so_far);
    so_far += (so_far.empty() || step.index >= 0 ? "" : ".") + step.text;
  }
  const Json value = parse_or_discard(text);
  *at = value.is_discarded() ? Json(text) : value;
}

Document::Document() : Document(Content{Json::object()}) {}

Document::Document(Content content) : content_(std::make_shared<const Content>(std::move(content))) {}

Document Document::load(const std::string& path) { return document_of(load_json(path)); }

Document Document::parse(const std::string& text, const std::string& name) {
  return document_of(parse_json(text, name));
}

void Document::set(const std::string& assignment) {
  Json json = json_of(*this);
  apply_override(json, assignment);
  *this = document_of(std::move(json));
}

std::string Document::text() const { return json_of(*this).dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace limber
