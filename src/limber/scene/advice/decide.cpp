#include "limber/scene/advice/decide.hpp"

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/advice/advise.hpp"
#include "limber/scene/json.hpp"

namespace limber {

bool undecided(const Scene& scene) { return scene.method.name == MethodChoice::to_be_decided; }

Document with_method_decided(const Document& document, const std::string& base_directory, const FileAccess& access) {
  Scene scene = read_scene(document, vocabulary(), base_directory, access);
  if (!undecided(scene)) return document;
  if (!scene.time.accuracy)
    throw InputError("method",
                     "\"auto\" takes the method that is cheapest for an accuracy: \"time\": {\"step\": "
                     "{\"accuracy\": \"1 mm\"}, …}; the scene has steps of one length");
  scene.method.name = MethodChoice().name;
  AdviceRequest request;
  request.wish = {Wish::Kind::accuracy, scene.time.accuracy->accuracy};
  request.following_only = true;
  const Advice advice = advise(scene, build_model(scene), request);
  if (advice.interrupted) throw Interrupted();
  nlohmann::json json = json_of(document);
  if (json["method"].is_object())
    json["method"]["name"] = advice.suggestions[0].method;
  else
    json["method"] = advice.suggestions[0].method;
  return document_of(std::move(json));
}

}  // namespace limber
