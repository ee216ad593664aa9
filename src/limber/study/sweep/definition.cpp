#include "limber/study/sweep/definition.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "limber/core/errors.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/json.hpp"
#include "limber/version.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int definition_format = 1;

std::string definition_text(const SweepDefinition& sweep) {
  Json vary = Json::array();
  for (const Variation& v : sweep.variations)
    vary.push_back({{"key", v.key}, {"values", v.values}, {"spacing", to_string(v.spacing)}});
  return Json{{"format", definition_format},
              {"limber_version", LIMBER_VERSION},
              {"scene", json_of(sweep.scene)},
              {"vary", vary}}
             .dump(2) +
         "\n";
}

Variation variation_in(const Json& json) {
  Variation v{json.at("key"), json.at("values"), Variation::Spacing::listed};
  for (const auto spacing : {Variation::Spacing::even, Variation::Spacing::logarithmic})
    if (json.at("spacing") == to_string(spacing)) v.spacing = spacing;
  return v;
}

/// As a resumed run compares scenes, but for the duration, which the runs of one sweep share unless it is varied.
Json comparable_scene(const Document& scene) {
  Json json = json_of(scene);
  for (const char* key : {"threads", "camera", "view"}) json.erase(key);
  if (json.contains("output") && json["output"].is_object()) {
    json["output"].erase("directory");
    if (json["output"].empty()) json.erase("output");
  }
  return json;
}

/// "/bodies/0/material/young" → "bodies[0].material.young"
std::string key_path(const Json::json_pointer& pointer) {
  std::vector<std::string> parts;
  for (Json::json_pointer at = pointer; !at.empty(); at = at.parent_pointer()) parts.insert(parts.begin(), at.back());
  std::string path;
  for (const std::string& part : parts)
    if (part.find_first_not_of("0123456789-") == std::string::npos)
      path += "[" + part + "]";
    else
      path += (path.empty() ? "" : ".") + part;
  return path;
}

std::string value_at(const Json& json, const Json::json_pointer& pointer) {
  if (!json.contains(pointer)) return "not given";
  const std::string text = json.at(pointer).dump();
  return text.size() <= 60 ? text : text.substr(0, 57) + "…";
}

std::string values_text(const Variation& v) {
  const std::string text = join(v.values, ",");
  return text.size() <= 100 ? text : text.substr(0, 97) + "…";
}

std::string variations_difference(const std::vector<Variation>& before, const std::vector<Variation>& now) {
  const auto keys = [](const std::vector<Variation>& all) {
    std::vector<std::string> list;
    for (const Variation& v : all) list.push_back(v.key);
    return join(list);
  };
  if (keys(before) != keys(now)) return fmt::format("it varies {}, not {}", keys(before), keys(now));
  for (std::size_t k = 0; k < now.size(); ++k)
    if (before[k].values != now[k].values)
      return fmt::format("it varies {} over {}, not over {}", now[k].key, values_text(before[k]), values_text(now[k]));
  return "";
}

[[noreturn]] void refuse_directory(const fs::path& directory, const std::string& why) {
  throw InputError("--output", fmt::format("'{}' {}", directory.string(), why));
}

/// But for a definition that was being written when its process was killed.
bool holds_something(const fs::path& directory) {
  const std::string unfinished = sweep_file::definition + std::string(".");
  return std::any_of(
      fs::directory_iterator(directory), fs::directory_iterator(),
      [&](const fs::directory_entry& entry) { return !entry.path().filename().string().starts_with(unfinished); });
}

/// Whoever is first makes the file; it appears with all of its text.
void create_definition(const fs::path& directory, const std::string& text) {
  const fs::path file = directory / sweep_file::definition;
  const std::string own = fmt::format("{}.{}", file.string(), ::getpid());
  write_atomically(own, text);
  std::error_code error;
  fs::create_hard_link(own, file, error);
  // Some file systems have no links: there, two sweeps that begin in the same moment are not told apart.
  if (error && !fs::exists(file)) fs::rename(own, file, error);
  fs::remove(own, error);
  if (!fs::exists(file)) throw OutputError(file.string() + ": cannot be written: " + error_text(error.value()));
}

/// Nothing where it cannot be read.
std::vector<Combination> combinations_before(const fs::path& directory) {
  try {
    if (const auto before = load_definition(directory)) return combinations_of(before->variations);
  } catch (const InputError&) {  // it is to be replaced
  }
  return {};
}

/// What the sweep before has written, as far as its definition can be read.
void remove_sweep(const fs::path& directory) {
  std::error_code ignored;
  for (const Combination& c : combinations_before(directory)) {
    fs::remove(failure_file(directory, c), ignored);
    const fs::path folder = directory / c.folder;
    if (!fs::is_directory(folder)) continue;
    prepare_directory(folder.string(), Existing::overwrite);
    fs::remove(folder, ignored);  // stays where it holds something else
  }
  fs::remove(directory / sweep_file::failed, ignored);
  for (const auto& entry : fs::directory_iterator(directory)) {
    const std::string extension = entry.path().extension().string();
    if (entry.path().filename().string().starts_with(sweep_file::figure_prefix) &&
        (extension == ".csv" || extension == ".svg" || extension == ".png"))
      fs::remove(entry.path(), ignored);
  }
  fs::remove(directory / sweep_file::table, ignored);
  fs::remove(directory / sweep_file::definition, ignored);
}

}  // namespace

std::optional<SweepDefinition> load_definition(const fs::path& directory) {
  const fs::path file = directory / sweep_file::definition;
  if (!fs::exists(file)) return std::nullopt;
  const Json json = parse_json(read_file(file.string()), file.string());
  try {
    if (json.at("format") != definition_format)
      throw InputError(file.string(), "was written by another version of Limber; use that one, or --overwrite");
    SweepDefinition sweep{document_of(json.at("scene")), {}, json.at("limber_version")};
    for (const Json& v : json.at("vary")) sweep.variations.push_back(variation_in(v));
    return sweep;
  } catch (const Json::exception&) {
    throw InputError(file.string(), "is not the definition of a sweep");
  }
}

std::string difference(const SweepDefinition& before, const SweepDefinition& now) {
  if (std::string text = variations_difference(before.variations, now.variations); !text.empty()) return text;
  const Json then = comparable_scene(before.scene), scene = comparable_scene(now.scene);
  const Json changes = Json::diff(then, scene);
  if (changes.empty()) return "";
  const Json::json_pointer place(changes[0].at("path").get<std::string>());
  return fmt::format("the scene's {} is {} there, {} here", key_path(place), value_at(then, place),
                     value_at(scene, place));
}

void check_sweep_directory(const fs::path& directory, const SweepDefinition& sweep, Existing existing) {
  std::error_code error;
  const auto status = fs::status(directory, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) refuse_directory(directory, "is a file, not a directory");
  if (existing == Existing::overwrite) return;
  if (const auto before = load_definition(directory)) {
    if (const std::string text = difference(*before, sweep); !text.empty())
      refuse_directory(directory, fmt::format("holds another sweep: {}; name another directory, or replace that sweep "
                                              "with --overwrite",
                                              text));
  } else if (holds_something(directory)) {
    refuse_directory(directory, "is not empty and holds no sweep; name another directory");
  }
}

void begin_sweep(const fs::path& directory, const SweepDefinition& sweep, Existing existing) {
  check_sweep_directory(directory, sweep, existing);
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) refuse_directory(directory, "cannot be made: " + error_text(error.value()));
  if (existing == Existing::overwrite) remove_sweep(directory);
  if (!fs::exists(directory / sweep_file::definition)) create_definition(directory, definition_text(sweep));
  check_sweep_directory(directory, sweep, Existing::resume);
}

SweepLock::SweepLock(const fs::path& directory) {
  // File systems without locks do without this protection; on network file systems a lock wants a file open for
  // writing.
  descriptor_ = ::open((directory / sweep_file::definition).c_str(), O_RDWR | O_CLOEXEC);
  while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) < 0 && errno == EINTR) {
  }
}

SweepLock::~SweepLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

fs::path failure_file(const fs::path& directory, const Combination& combination) {
  return directory / sweep_file::failed / (combination.folder + ".txt");
}

void write_failure(const fs::path& directory, const Combination& combination, const std::string& why) {
  std::error_code ignored;
  fs::create_directories(directory / sweep_file::failed, ignored);
  write_atomically(failure_file(directory, combination).string(), why + "\n");
}

void forget_failure(const fs::path& directory, const Combination& combination) {
  std::error_code ignored;
  fs::remove(failure_file(directory, combination), ignored);
}

}  // namespace limber
