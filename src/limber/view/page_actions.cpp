#include "limber/view/page_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "limber/core/base64.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/json_depth.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/other_method.hpp"
#include "limber/view/folders.hpp"
#include "limber/view/messages.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

template <class T>
T value_at(const Json& message, const char* key, const char* expected) {
  try {
    return message.at(key).get<T>();
  } catch (const Json::exception&) {
    throw InputError(key, std::string("is missing, or no ") + expected);
  }
}

std::size_t index_at(const Json& message, const char* key) {
  const auto found = message.find(key);
  if (found == message.end() || !found->is_number_unsigned())
    throw InputError(key, "is missing, or no whole number from 0");
  return found->get<std::size_t>();
}

ViewStage::Which which_pane(const Json& message) {
  if (!message.contains("pane") || message["pane"].is_null()) return std::nullopt;
  return index_at(message, "pane");
}

Vec3 vector_at(const Json& message, const char* key) {
  const auto list = value_at<std::vector<double>>(message, key, "list of three numbers");
  if (list.size() != 3 || !std::all_of(list.begin(), list.end(), [](double x) { return std::abs(x) < 1e12; }))
    throw InputError(key, "is no list of three numbers");
  return {list[0], list[1], list[2]};
}

/// The point of a body that `triangle` or `line` and `weights` name.
BodyPoint grabbed(const ViewShape& shape, const Json& message) {
  if (message.contains("triangle") == message.contains("line"))
    throw InputError(message.contains("line") ? "line" : "triangle",
                     message.contains("line") ? "stands beside 'triangle'; a pull is at one of them"
                                              : "is missing, and so is 'line'; a pull is at one of them");
  const auto weights = value_at<std::vector<double>>(message, "weights", "list of numbers");
  if (message.contains("line")) return shape.on_line(index_at(message, "line"), weights);
  return shape.on_triangle(index_at(message, "triangle"), weights);
}

ViewStage::Changes changes_at(const Json& message) {
  ViewStage::Changes changes;
  if (!message.contains("set")) return changes;
  if (!message["set"].is_object()) throw InputError("set", "is no object of key paths and values");
  for (const auto& [key, value] : message["set"].items()) changes.push_back(key + "=" + dumped(value));
  // A method's parameters belong to the method that is set with them.
  std::stable_partition(changes.begin(), changes.end(),
                        [](const std::string& change) { return change.starts_with("method.name="); });
  return changes;
}

/// What a page asks, and what that is about.
struct Question {
  StagePlayer& player;
  SideJobs& side;
  ViewBoard& board;
  unsigned long client;
  const Json& message;
};

const Pane& asked_pane(const Question& q, const char* why) {
  const ViewStage& stage = q.player.simulated(why);
  const std::size_t pane = which_pane(q.message).value_or(0);
  if (pane >= stage.panes().size())
    throw InputError("pane", fmt::format("{}: there are {}", pane, stage.panes().size()));
  return *stage.panes()[pane];
}

void open_example(StagePlayer& player, const std::string& name) {
  const auto examples = example_scenes(player.options().examples_folder);
  const auto found = std::find_if(examples.begin(), examples.end(), [&](const auto& e) { return e.name == name; });
  if (found == examples.end()) throw InputError("scene", "there is no shipped scene '" + name + "'");
  player.begin(source_of(found->file, {}, {}));
}

void open_surface(StagePlayer& player, const std::string& name, const std::string& data) {
  const auto [bytes, end] = base64_decoded(data);
  if (end < data.size()) throw InputError("data", "is not base64");
  const fs::path folder = fs::path(player.options().output_folder) / "uploads";
  fs::create_directories(folder);
  const std::string file = (folder / ("surface" + surface_extension(name))).string();
  write_atomically(file, bytes);
  const FileAccess access = player.access();
  player.begin(scene_source(fs::path(name).filename().string(), scene_of_surface(file, access), "", {}, access));
}

using Action = void (*)(const Question&);

const std::map<std::string, Action>& actions() {
  static const std::map<std::string, Action> table{
      {"play",
       [](const Question& q) {
         q.player.simulated("go on from a frame");
         q.player.play();
       }},
      {"pause", [](const Question& q) { q.player.pause(); }},
      {"step",
       [](const Question& q) {
         q.player.simulated("go on from a frame");
         q.player.step_once(q.side.busy());
       }},
      {"restart",
       [](const Question& q) {
         StageSource source = q.player.stage().source();
         source.scenes.clear();  // with the methods and values that are there now
         for (const auto& pane : q.player.stage().panes()) source.scenes.push_back(pane->document());
         q.player.begin(source);
       }},
      {"speed",
       [](const Question& q) {
         const auto factor = value_at<double>(q.message, "factor", "number");
         if (!(factor >= 0 && factor <= 1e6)) throw InputError("factor", "is from 0 (as fast as it can) to 1e6");
         q.player.set_speed(factor);
       }},
      {"open",
       [](const Question& q) { open_example(q.player, value_at<std::string>(q.message, "scene", "name of a scene")); }},
      {"load",
       [](const Question& q) {
         const Json& m = q.message;
         if (!m.contains("scene") || !m["scene"].is_object()) throw InputError("scene", "is missing, or no object");
         const auto name = m.value("name", "scene");
         q.player.begin(
             scene_source(name, document_of(m["scene"]), q.player.options().scene_folder, {}, q.player.access()));
       }},
      {"surface",
       [](const Question& q) {
         open_surface(q.player, value_at<std::string>(q.message, "name", "file name"),
                      value_at<std::string>(q.message, "data", "text"));
       }},
      {"panes",
       [](const Question& q) {
         StageSource source = q.player.stage().source();
         source.run.clear();
         source.scenes.clear();
         for (const auto& method : value_at<std::vector<std::string>>(q.message, "methods", "list of methods"))
           source.scenes.push_back(with_method(q.player.stage().panes()[0]->document(), method));
         q.player.begin(source);
       }},
      {"set",
       [](const Question& q) {
         q.player.simulated("go on with other values").go_on_with(changes_at(q.message), which_pane(q.message));
         q.player.renew();
       }},
      {"fork",
       [](const Question& q) {
         q.player.stage().fork(index_at(q.message, "frame"), changes_at(q.message), which_pane(q.message));
         q.player.renew();
       }},
      {"seek",
       [](const Question& q) {
         const std::size_t frame = index_at(q.message, "frame"), all = q.player.stage().frames();
         if (frame >= all)
           throw InputError("frame", fmt::format("{} is too large: there are {}, numbered from 0", frame, all));
         q.player.show(frame);
       }},
      {"live", [](const Question& q) { q.player.show(std::nullopt); }},
      {"pull",
       [](const Question& q) {
         ViewStage& stage = q.player.simulated("pull at it");
         const BodyPoint point = grabbed(q.player.shape(), q.message);
         const Vec3 to = vector_at(q.message, "to");
         for (const auto& pane : stage.panes()) pane->pull(point, to);
         q.player.show(std::nullopt);
       }},
      {"release",
       [](const Question& q) {
         for (const auto& pane : q.player.stage().panes()) pane->release();
         q.player.publish();
       }},
      {"curve",
       [](const Question& q) {
         const std::size_t pane = index_at(q.message, "pane");
         q.side.send_curve(q.client, q.player.stage(), q.player.session(), pane);
       }},
      {"record",
       [](const Question& q) {
         const auto format = value_at<std::string>(q.message, "format", "text");
         q.side.record(q.client, q.player.stage(), format);
       }},
      {"observe",
       [](const Question& q) {
         q.side.fits().observe(q.client, q.message, asked_pane(q, "fit its scene"), q.player.access());
       }},
      {"fit",
       [](const Question& q) {
         q.side.fits().begin(q.client, q.message, asked_pane(q, "fit its scene"), q.player.access());
       }},
      {"cancel", [](const Question& q) { q.side.fits().cancel(q.client); }},
      {"advise",
       [](const Question& q) {
         const auto kind = value_at<std::string>(q.message, "wish", "text");
         const bool with_amount = q.message.contains("amount");
         const Wish wish = wish_from(kind, with_amount ? value_at<std::string>(q.message, "amount", "text") : "");
         q.side.send_advice(q.client, asked_pane(q, "ask for advice"), q.player.session(), wish);
       }},
      {"save",
       [](const Question& q) {
         const std::size_t pane = which_pane(q.message).value_or(0);
         const ViewStage& stage = q.player.stage();
         if (pane >= stage.panes().size())
           throw InputError("pane", fmt::format("{}: there are {}", pane, stage.panes().size()));
         const Document& scene = stage.panes()[pane]->document();
         q.board.say(
             q.client,
             dumped(
                 {{"is", "saved"}, {"name", stage.source().name}, {"scene", json_of(scene)}, {"text", scene.text()}}));
       }},
  };
  return table;
}

}  // namespace

void answer_page(const std::string& message, unsigned long client, StagePlayer& player, SideJobs& side,
                 ViewBoard& board, std::string& about) {
  require_shallow_json(message, "");
  Json asked;
  try {
    asked = Json::parse(message);
  } catch (const Json::exception& e) {
    throw InputError("", std::string("the message is no JSON: ") + e.what());
  }
  const auto found = asked.is_object() ? asked.find("do") : asked.end();
  if (found != asked.end() && found->is_string()) about = found->get<std::string>().substr(0, 40);
  const auto action = actions().find(about);
  if (action == actions().end()) {
    std::vector<std::string> names;
    for (const auto& entry : actions()) names.push_back(entry.first);
    throw InputError("do", fmt::format("{} is none of {}", about.empty() ? "what the message asks" : "'" + about + "'",
                                       join(names)));
  }
  action->second({player, side, board, client, asked});
}

}  // namespace limber
