#include "limber/scene/run/other_method.hpp"

#include <algorithm>

#include "limber/scene/json.hpp"
#include "limber/time/catalog.hpp"

namespace limber {
namespace {

bool takes(const MethodInfo& method, const std::string& key) {
  const auto known = [&](const std::string& name, const MethodInfo& m) {
    return std::any_of(m.parameters.begin(), m.parameters.end(), [&](const auto& p) { return p.name == name; });
  };
  if (key == "modes" || key == "refresh" || key == "negative_modes" || key == "mode_search")
    return method.splitting != Splitting::none;
  const auto& all = method_catalog();
  const bool own = std::any_of(all.begin(), all.end(), [&](const MethodInfo& m) { return known(key, m); });
  return !own || known(key, method);
}

}  // namespace

Document with_method(const Document& scene, const std::string& name) {
  nlohmann::json json = json_of(scene);
  const MethodInfo& method = find_method(name);
  nlohmann::json changed = {{"name", method.name}};
  if (json.contains("method") && json["method"].is_object())
    for (const auto& [key, value] : json["method"].items())
      if (key != "name" && takes(method, key)) changed[key] = value;
  json["method"] = std::move(changed);
  return document_of(std::move(json));
}

}  // namespace limber
