#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include "limber/analysis/amplification.hpp"
#include "limber/core/base64.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/core/json_depth.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/other_method.hpp"
#include "limber/view/folders.hpp"
#include "limber/view/messages.hpp"
#include "limber/view/recording.hpp"
#include "limber/view/session.hpp"

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

}  // namespace

/// What a page may ask for.
struct ViewSession::Actions {
  using Action = void (*)(ViewSession&, unsigned long client, const Json& message);
  static const std::map<std::string, Action>& table();

  static ViewStage& stage(ViewSession& s) {
    if (!s.stage_) throw InputError("", "there is no scene yet; open one");
    return *s.stage_;
  }
  /// The same scene goes on, with other panes inside.
  static void renew(ViewSession& s) {
    s.scene_message_ = std::make_shared<const std::string>(scene_message(*s.stage_, *s.shape_, s.session_ + 1));
    ++s.session_;
    s.start_clock();
    s.publish();
  }
};

const std::map<std::string, ViewSession::Actions::Action>& ViewSession::Actions::table() {
  static const std::map<std::string, Action> actions{
      {"play",
       [](ViewSession& s, unsigned long, const Json&) {
         if (stage(s).replays()) throw InputError("", "a recorded run is shown; fork it to go on from a frame");
         s.playing_ = true;
         s.shown_frame_.reset();
         s.start_clock();
         s.publish();
       }},
      {"pause",
       [](ViewSession& s, unsigned long, const Json&) {
         s.playing_ = false;
         s.publish();
       }},
      {"step",
       [](ViewSession& s, unsigned long, const Json&) {
         if (stage(s).replays()) throw InputError("", "a recorded run is shown; fork it to go on from a frame");
         s.playing_ = false;
         s.advance();
         s.publish();
       }},
      {"restart",
       [](ViewSession& s, unsigned long, const Json&) {
         StageSource source = stage(s).source();
         source.scenes.clear();  // with the methods and values that are there now
         for (const auto& pane : s.stage_->panes()) source.scenes.push_back(pane->document());
         s.begin(source);
       }},
      {"speed",
       [](ViewSession& s, unsigned long, const Json& m) {
         const auto factor = value_at<double>(m, "factor", "number");
         if (!(factor >= 0 && factor <= 1e6)) throw InputError("factor", "is from 0 (as fast as it can) to 1e6");
         s.speed_ = factor;
         s.start_clock();
         s.publish();
       }},
      {"open", [](ViewSession& s, unsigned long,
                  const Json& m) { s.open_example(value_at<std::string>(m, "scene", "name of a scene")); }},
      {"load",
       [](ViewSession& s, unsigned long, const Json& m) {
         if (!m.contains("scene") || !m["scene"].is_object()) throw InputError("scene", "is missing, or no object");
         const auto name = m.value("name", "scene");
         s.begin(scene_source(name, document_of(m["scene"]), s.options_.scene_folder, {}, s.access()));
       }},
      {"surface",
       [](ViewSession& s, unsigned long, const Json& m) {
         s.open_surface(value_at<std::string>(m, "name", "file name"), value_at<std::string>(m, "data", "text"));
       }},
      {"panes",
       [](ViewSession& s, unsigned long, const Json& m) {
         StageSource source = stage(s).source();
         source.run.clear();
         source.scenes.clear();
         for (const auto& method : value_at<std::vector<std::string>>(m, "methods", "list of methods"))
           source.scenes.push_back(with_method(s.stage_->panes()[0]->document(), method));
         s.begin(source);
       }},
      {"set",
       [](ViewSession& s, unsigned long, const Json& m) {
         if (stage(s).replays()) throw InputError("", "a recorded run is shown; fork it to go on with other values");
         s.stage_->go_on_with(changes_at(m), which_pane(m));
         s.shown_frame_.reset();
         renew(s);
       }},
      {"fork",
       [](ViewSession& s, unsigned long, const Json& m) {
         stage(s).fork(index_at(m, "frame"), changes_at(m), which_pane(m));
         s.shown_frame_.reset();
         renew(s);
       }},
      {"seek",
       [](ViewSession& s, unsigned long, const Json& m) {
         const std::size_t frame = index_at(m, "frame");
         if (frame >= stage(s).frames())
           throw InputError("frame",
                            fmt::format("{} is too large: there are {}, numbered from 0", frame, s.stage_->frames()));
         s.playing_ = false;
         s.shown_frame_ = frame;
         s.publish();
       }},
      {"live",
       [](ViewSession& s, unsigned long, const Json&) {
         s.shown_frame_.reset();
         s.publish();
       }},
      {"pull",
       [](ViewSession& s, unsigned long, const Json& m) {
         if (stage(s).replays()) throw InputError("", "a recorded run is shown; fork it to pull at it");
         const BodyPoint point = grabbed(*s.shape_, m);
         const Vec3 to = vector_at(m, "to");
         for (const auto& pane : s.stage_->panes()) pane->pull(point, to);
         s.shown_frame_.reset();
         s.publish();
       }},
      {"release",
       [](ViewSession& s, unsigned long, const Json&) {
         for (const auto& pane : stage(s).panes()) pane->release();
         s.publish();
       }},
      {"curve", [](ViewSession& s, unsigned long client, const Json& m) { s.send_curve(client, index_at(m, "pane")); }},
      {"record", [](ViewSession& s, unsigned long client,
                    const Json& m) { s.record(client, value_at<std::string>(m, "format", "text")); }},
      {"save",
       [](ViewSession& s, unsigned long client, const Json& m) {
         const std::size_t pane = which_pane(m).value_or(0);
         if (pane >= stage(s).panes().size())
           throw InputError("pane", fmt::format("{}: there are {}", pane, s.stage_->panes().size()));
         const Document& scene = s.stage_->panes()[pane]->document();
         s.say(client, dumped({{"is", "saved"},
                               {"name", s.stage_->source().name},
                               {"scene", json_of(scene)},
                               {"text", scene.text()}}));
       }},
  };
  return actions;
}

/// `about`: what the page asks for, as soon as that is known.
void ViewSession::answer(const Question& question, std::string& about) {
  require_shallow_json(question.message, "");
  Json message;
  try {
    message = Json::parse(question.message);
  } catch (const Json::exception& e) {
    throw InputError("", std::string("the message is no JSON: ") + e.what());
  }
  const auto found = message.is_object() ? message.find("do") : message.end();
  if (found != message.end() && found->is_string()) about = found->get<std::string>().substr(0, 40);
  const auto action = Actions::table().find(about);
  if (action == Actions::table().end()) {
    std::vector<std::string> names;
    for (const auto& entry : Actions::table()) names.push_back(entry.first);
    throw InputError("do", fmt::format("{} is none of {}", about.empty() ? "what the message asks" : "'" + about + "'",
                                       join(names)));
  }
  action->second(*this, question.client, message);
}

void ViewSession::open_example(const std::string& name) {
  const auto examples = example_scenes(options_.examples_folder);
  const auto found = std::find_if(examples.begin(), examples.end(), [&](const auto& e) { return e.name == name; });
  if (found == examples.end()) throw InputError("scene", "there is no shipped scene '" + name + "'");
  begin(source_of(found->file, {}, {}));
}

void ViewSession::open_surface(const std::string& name, const std::string& data) {
  const auto [bytes, end] = base64_decoded(data);
  if (end < data.size()) throw InputError("data", "is not base64");
  const fs::path folder = fs::path(options_.output_folder) / "uploads";
  fs::create_directories(folder);
  const std::string file = (folder / ("surface" + surface_extension(name))).string();
  write_atomically(file, bytes);
  begin(scene_source(fs::path(name).filename().string(), scene_of_surface(file, access()), "", {}, access()));
}

void ViewSession::send_curve(unsigned long client, std::size_t pane) {
  if (pane >= Actions::stage(*this).panes().size())
    throw InputError("pane", fmt::format("{}: there are {}", pane, stage_->panes().size()));
  beside(client, "curve", [this, client, pane, session = session_, scene = stage_->panes()[pane]->scene()] {
    const MethodInfo& method = find_method(scene.method.name);
    const MethodParameters parameters = complete_parameters(method, scene.method.parameters);
    constexpr int count = 121;
    Vector theta(count);
    for (int i = 0; i < count; ++i) theta[i] = std::pow(10, -2 + 4. * i / (count - 1));
    const Vector ratio = damping_curve(method, parameters, theta);
    Json points = Json::array(), modes = Json::array();
    for (int i = 0; i < count; ++i) points.push_back({theta[i], std::isfinite(ratio[i]) ? Json(ratio[i]) : Json()});
    // A model of its own: the one on the stage moves meanwhile.
    const Facts facts = gather_facts(scene, build_model(scene), 12);
    for (const ModeFacts& mode : facts.modes)
      modes.push_back({{"frequency", mode.frequency},
                       {"theta", 2 * std::numbers::pi * mode.frequency * scene.time.step},
                       {"ratio", 2 * mode.damping_ratio},
                       {"split", mode.split_off}});
    say(client, dumped({{"is", "curve"},
                        {"session", session},
                        {"pane", pane},
                        {"method", method.name},
                        {"step", scene.time.step},
                        {"points", points},
                        {"modes", modes}}));
  });
}

void ViewSession::record(unsigned long client, const std::string& format) {
  if (format != "mp4" && format != "glb" && format != "run")
    throw InputError("format", "'" + format + "' is none of mp4, glb, run");
  ViewStage& stage = Actions::stage(*this);
  const fs::path base = fs::path(options_.output_folder);
  fs::create_directories(base);
  std::string name;
  do name = fmt::format("recording{}", ++recordings_);
  while (fs::exists(base / name) || fs::exists(base / (name + "." + format)));
  // A run that is replayed is there already.
  std::shared_ptr<const Recording> recording;
  if (!stage.replays()) recording = std::make_shared<const Recording>(stage, (base / name).string());
  const std::string run = recording ? recording->run() : stage.source().run;
  beside(client, "record", [this, client, format, name, base, run, recording] {
    const auto progress = [&](double done) {
      if (ending_) throw Interrupted();
      say(client, dumped({{"is", "recording"}, {"format", format}, {"done", done}}));
    };
    if (recording) recording->write();
    std::string file = run, url;
    if (format != "run") {
      const std::string made = name + "." + format;
      file = (base / made).string();
      url = "/recordings/" + made + "?key=" + options_.key;
      export_recording(run, file, format, progress);
      const std::lock_guard lock(mutex_);
      recorded_[made] = file;
    }
    say(client, dumped({{"is", "recorded"}, {"format", format}, {"url", url}, {"file", file}}));
  });
}

}  // namespace limber
