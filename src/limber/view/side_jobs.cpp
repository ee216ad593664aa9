#include "limber/view/side_jobs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "limber/analysis/amplification.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/view/messages.hpp"
#include "limber/view/recording.hpp"

namespace limber {

namespace fs = std::filesystem;
using Json = nlohmann::json;

void SideJobs::send_curve(unsigned long client, const ViewStage& stage, unsigned session, std::size_t pane) {
  if (pane >= stage.panes().size())
    throw InputError("pane", fmt::format("{}: there are {}", pane, stage.panes().size()));
  const auto work = [this, client, pane, session, scene = stage.panes()[pane]->scene()] {
    const MethodInfo& method = find_method(scene.method.name);
    const MethodParameters parameters = complete_parameters(method, scene.method.parameters);
    constexpr int count = 121;
    Vector theta(count);
    for (int i = 0; i < count; ++i) theta[i] = std::pow(10, -2 + 4. * i / (count - 1));
    const Vector ratio = method.linear ? damping_curve(method, parameters, theta)
                                       : Vector::Constant(count, std::numeric_limits<double>::quiet_NaN());
    Json points = Json::array(), modes = Json::array();
    for (int i = 0; i < count; ++i) points.push_back({theta[i], std::isfinite(ratio[i]) ? Json(ratio[i]) : Json()});
    // A model of its own: the one on the stage moves meanwhile.
    const Facts facts = gather_facts(scene, build_model(scene), 12);
    for (const ModeFacts& mode : facts.modes)
      modes.push_back({{"frequency", mode.frequency},
                       {"theta", 2 * std::numbers::pi * mode.frequency * scene.time.step},
                       {"ratio", 2 * mode.damping_ratio},
                       {"split", mode.split_off}});
    board_.say(client, dumped({{"is", "curve"},
                               {"session", session},
                               {"pane", pane},
                               {"method", method.name},
                               {"step", scene.time.step},
                               {"points", points},
                               {"modes", modes}}));
  };
  thread_.add({client, "curve", work});
}

void SideJobs::send_advice(unsigned long client, const Pane& pane, unsigned session, const Wish& wish) {
  const auto work = [this, client, session, wish, scene = pane.scene()] {
    AdviceRequest request{.wish = wish};
    std::string trying;
    request.go_on = [&](double part, const std::string& what) {
      if (what != trying)
        board_.say(client, dumped({{"is", "advising"}, {"session", session}, {"done", part}, {"method", what}}));
      trying = what;
      return !thread_.ended();
    };
    Json answer = json_of(to_json(advise(scene, build_model(scene), request)));
    answer["is"] = "advice";
    answer["session"] = session;
    board_.say(client, dumped(answer));
  };
  thread_.add({client, "advise", work});
}

void SideJobs::record(unsigned long client, const ViewStage& stage, const std::string& format) {
  if (format != "mp4" && format != "glb" && format != "run")
    throw InputError("format", "'" + format + "' is none of mp4, glb, run");
  const fs::path base = fs::path(options_.output_folder);
  fs::create_directories(base);
  std::string name;
  do name = fmt::format("recording{}", ++recordings_);
  while (fs::exists(base / name) || fs::exists(base / (name + "." + format)));
  // A run that is replayed is there already.
  std::shared_ptr<const Recording> recording;
  if (!stage.replays()) recording = std::make_shared<const Recording>(stage, (base / name).string());
  const std::string run = recording ? recording->run() : stage.source().run;
  const auto work = [this, client, format, name, base, run, recording] {
    const auto progress = [&](double done) {
      if (thread_.ended()) throw Interrupted();
      board_.say(client, dumped({{"is", "recording"}, {"format", format}, {"done", done}}));
    };
    if (recording) recording->write();
    std::string file = run, url;
    if (format != "run") {
      const std::string made = name + "." + format;
      file = (base / made).string();
      url = "/recordings/" + made + "?key=" + options_.key;
      export_recording(run, file, format, progress);
      board_.add_recorded(made, file);
    }
    board_.say(client, dumped({{"is", "recorded"}, {"format", format}, {"url", url}, {"file", file}}));
  };
  thread_.add({client, "record", work, true});
}

}  // namespace limber
