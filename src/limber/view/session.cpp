#include "limber/view/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <utility>

#include "limber/analysis/amplification.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/made_material.hpp"
#include "limber/scene/run/facts.hpp"
#include "limber/scene/run/other_method.hpp"
#include "limber/version.hpp"
#include "limber/view/folders.hpp"
#include "limber/view/messages.hpp"
#include "limber/view/recording.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Pictures are published at most so often, steps in between are not shown.
constexpr auto least_interval = std::chrono::milliseconds(12);
constexpr double longest_lag = .1;  // [s] that a simulation which was slow may make up for
constexpr std::size_t most_questions = 10000, most_beside = 20;

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

Json array_of(const Vec3& x) { return {x[0], x[1], x[2]}; }

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

std::string error_message(const std::string& about, const std::exception& error) {
  const auto* input = dynamic_cast<const InputError*>(&error);
  return dumped({{"is", "error"},
                 {"about", about},
                 {"where", input ? input->where() : ""},
                 {"message", input ? input->message() : error.what()}});
}

Json facts_of(const Pane& pane) {
  const Scene& scene = pane.scene();
  const MethodInfo& method = find_method(scene.method.name);
  Json j{{"method", method.name},
         {"step", scene.time.step},
         {"modes", nullptr},
         {"young", nullptr},
         {"poisson", nullptr},
         {"damping", nullptr},
         {"parameters", Json::object()}};
  if (method.splitting != Splitting::none) j["modes"] = scene.method.modes.value_or(ModalOptions::standard_count);
  for (const auto& [name, value] : complete_parameters(method, scene.method.parameters)) j["parameters"][name] = value;
  const BodyChoice& body = scene.bodies[0];
  if (const auto found = body.materials.find("default");
      found != body.materials.end() && found->second.fields.empty()) {
    const MadeMaterial material = made(found->second);
    j["young"] = material.young;
    j["poisson"] = material.poisson;
    j["damping"] = {{"stiffness", body.damping.stiffness}, {"mass", body.damping.mass}};
  }
  return j;
}

}  // namespace

ViewSession::ViewSession(ViewOptions options, std::function<void()> changed)
    : options_(std::move(options)), changed_(std::move(changed)) {
  thread_ = std::thread([this] { live(); });
  beside_thread_ = std::thread([this] { work_beside(); });
}

ViewSession::~ViewSession() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  asked_.notify_all();
  beside_asked_.notify_all();
  thread_.join();
  beside_thread_.join();
}

void ViewSession::open_path(const std::string& path, const std::vector<std::string>& overrides) {
  const auto open = [this, path, overrides] {
    try {
      begin(source_of(path, overrides, options_.methods));
      play_if_seen();
    } catch (const Interrupted&) {
      throw;
    } catch (const std::exception& e) {
      const std::string text = error_message("open", e);
      {
        const std::lock_guard lock(mutex_);
        standing_error_ = text;
      }
      say(0, text);
    }
  };
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back({0, open, {}});
  }
  asked_.notify_all();
}

void ViewSession::pages_are(std::size_t count) {
  if (watched_.exchange(count > 0) == (count > 0)) return;
  const auto look = [this] {
    if (!std::exchange(page_seen_, true) && stage_) return play_if_seen();
    start_clock();
  };
  {
    const std::lock_guard lock(mutex_);
    questions_.push_back({0, look, {}});
  }
  asked_.notify_all();
}

/// A scene starts when there is someone to see it.
void ViewSession::play_if_seen() {
  playing_ = page_seen_ && !stage_->replays();
  start_clock();
  publish();
}

void ViewSession::ask(unsigned long client, std::string message) {
  {
    const std::lock_guard lock(mutex_);
    if (questions_.size() >= most_questions) return;  // nobody asks so fast by hand
    questions_.push_back({client, {}, std::move(message)});
  }
  asked_.notify_all();
}

std::shared_ptr<const ViewPicture> ViewSession::picture() const {
  const std::lock_guard lock(mutex_);
  return picture_;
}

NewRows ViewSession::rows_since(RowPlace& place) const {
  const std::lock_guard lock(mutex_);
  NewRows rows;
  rows.reset = place.session != rows_session_ || place.version != rows_version_ || place.next.size() != rows_.size();
  if (rows.reset) place = {rows_session_, rows_version_, std::vector<std::size_t>(rows_.size(), 0)};
  for (std::size_t p = 0; p < rows_.size(); ++p) {
    rows.panes.emplace_back(rows_[p].begin() + static_cast<std::ptrdiff_t>(place.next[p]), rows_[p].end());
    place.next[p] = rows_[p].size();
  }
  return rows;
}

std::vector<ViewAnswer> ViewSession::take_answers() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

std::string ViewSession::standing_error() const {
  const std::lock_guard lock(mutex_);
  return standing_error_;
}

std::string ViewSession::recorded(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = recorded_.find(name);
  return found == recorded_.end() ? "" : found->second;
}

std::string ViewSession::hello() const {
  Json methods = Json::array(), scenes = Json::array();
  for (const MethodInfo& m : method_catalog()) {
    Json parameters = Json::array();
    for (const MethodParameter& p : m.parameters)
      parameters.push_back({{"name", p.name},
                            {"default", p.standard},
                            {"min", p.least},
                            {"max", p.most},
                            {"text", p.meaning},
                            {"flag", p.takes == MethodParameter::Takes::flag}});
    methods.push_back({{"name", m.name},
                       {"kind", to_string(m.kind)},
                       {"summary", m.good_for},
                       {"splits", m.splitting != Splitting::none},
                       {"parameters", parameters}});
  }
  for (const ExampleScene& e : example_scenes(options_.examples_folder))
    scenes.push_back({{"name", e.name}, {"description", e.description}});
  return dumped({{"is", "hello"},
                 {"version", LIMBER_VERSION},
                 {"methods", methods},
                 {"scenes", scenes},
                 {"max_message", options_.most_message}});
}

void ViewSession::say(unsigned long client, std::string text) {
  {
    const std::lock_guard lock(mutex_);
    answers_.push_back({client, std::move(text)});
  }
  changed_();
}

void ViewSession::say_error(unsigned long client, const std::string& about, const std::exception& error) {
  say(client, error_message(about, error));
}

// ---------------------------------------------------------------------------------------------- the stage's thread

void ViewSession::live() {
  const Interruptible interruptible([this] { return !ending_; });
  while (!ending_) {
    Question question;
    {
      std::unique_lock lock(mutex_);
      if (!wait_for_work(lock)) return;
      if (!questions_.empty()) {
        question = std::move(questions_.front());
        questions_.pop_front();
      }
    }
    try {
      if (question.work)
        question.work();
      else if (!question.message.empty())
        answer(question);
      else if (playing_ && watched_)
        advance();
    } catch (const Interrupted&) {
      return;
    }
  }
}

/// Until there is a question or a step is due; false: the end.
bool ViewSession::wait_for_work(std::unique_lock<std::mutex>& lock) {
  const auto has_work = [this] { return ending_ || !questions_.empty(); };
  if (!playing_ || !stage_ || !watched_) {
    asked_.wait(lock, has_work);
  } else if (speed_ > 0) {
    const double ahead = stage_->time() - clock_time_;
    const auto due =
        clock_start_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(ahead / speed_));
    asked_.wait_until(lock, due, has_work);
    if (Clock::now() < due && !has_work()) return wait_for_work(lock);
  }
  return !ending_;
}

void ViewSession::start_clock() {
  clock_start_ = Clock::now();
  clock_time_ = stage_ ? stage_->time() : 0;
}

void ViewSession::advance() {
  const double before = stage_->time();
  const auto begun = Clock::now();
  try {
    stage_->step();
  } catch (const StepFailure& e) {
    playing_ = false;
    publish();
    say_error(0, "step", e);
    return;
  }
  shown_frame_.reset();
  const auto now = Clock::now();
  const double lag =
      std::chrono::duration<double>(now - clock_start_).count() * speed_ - (stage_->time() - clock_time_);
  if (speed_ > 0 && lag > longest_lag * speed_) {  // it cannot keep up, and does not try to later
    clock_start_ +=
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(lag / speed_ - longest_lag));
  }
  const double spent = std::max(1e-9, std::chrono::duration<double>(now - begun).count());
  const double possible = (stage_->time() - before) / spent;
  const double factor = speed_ > 0 ? std::min(possible, speed_) : possible;
  real_time_ = real_time_ > 0 ? .95 * real_time_ + .05 * factor : factor;
  if (now - published_ >= least_interval) publish();
}

void ViewSession::publish() {
  published_ = Clock::now();
  if (!stage_) return;
  auto picture = std::make_shared<ViewPicture>();
  picture->version = ++version_;
  picture->session = session_;
  picture->shape = shape_;
  picture->scene_message = scene_message_;
  picture->playing = playing_;
  picture->time = stage_->time();
  picture->speed = speed_;
  picture->real_time = real_time_;
  picture->frames = stage_->frames();
  picture->frame = shown_frame_;
  if (!shown_frame_ && stage_->replays()) picture->frame = 0;
  KeptFrame kept;
  if (picture->frame) kept = stage_->frame(*picture->frame);
  for (std::size_t i = 0; i < stage_->panes().size(); ++i) {
    const Pane& pane = *stage_->panes()[i];
    PanePicture p;
    p.steps = pane.steps();
    p.step_ms = pane.row()[8];
    if (picture->frame) {
      p.state = kept.states[i];
    } else {
      p.state = std::make_shared<const State>(pane.full());
      if ((p.pulled = pane.hand().pulls())) {
        p.point = pane.hand().point().at(p.state->q);
        p.to = pane.hand().to();
        p.force = pane.hand().force(p.state->q);
      }
      if (contacts_wanted_) p.touching = pane.touching();
    }
    picture->panes.push_back(std::move(p));
  }
  {
    const std::lock_guard lock(mutex_);
    if (rows_session_ != session_ || rows_version_ != stage_->rows_version()) rows_.clear();
    rows_session_ = session_;
    rows_version_ = stage_->rows_version();
    rows_.resize(stage_->panes().size());
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& all = stage_->rows(i);
      rows_[i].insert(rows_[i].end(), all.begin() + static_cast<std::ptrdiff_t>(rows_[i].size()), all.end());
    }
    picture_ = std::move(picture);
  }
  changed_();
}

void ViewSession::begin(const StageSource& source) {
  StageSource checked = source;
  const std::vector<std::string> folders = {options_.scene_folder, options_.examples_folder, options_.output_folder,
                                            source.run};
  checked.check = [folders](const Document& scene) { check_files(scene, folders); };
  auto stage = std::make_unique<ViewStage>(checked);
  const Pane& first = *stage->panes()[0];
  shape_ = std::make_shared<const ViewShape>(first.scene(), first.model());
  stage_ = std::move(stage);
  ++session_;
  shown_frame_.reset();
  real_time_ = 0;
  scene_message_ = std::make_shared<const std::string>(scene_message());
  start_clock();
  {
    const std::lock_guard lock(mutex_);
    standing_error_.clear();
  }
  publish();
}

std::string ViewSession::scene_message() const {
  const Scene& scene = stage_->panes()[0]->scene();
  Json panes = Json::array(), bodies = Json::array(), planes = Json::array(), notes = Json::array();
  for (const auto& pane : stage_->panes()) panes.push_back(facts_of(*pane));
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const auto& part : shape_->parts()) {
    bodies.push_back({{"name", part.name}, {"vertices", {part.first, part.count}}, {"obstacle", part.obstacle}});
    if (!part.obstacle)
      for (std::size_t i = part.first; i < part.first + part.count; ++i) {
        low = low.cwiseMin(shape_->rest()[i]);
        high = high.cwiseMax(shape_->rest()[i]);
      }
  }
  for (const auto& plane : shape_->planes())
    planes.push_back({{"point", array_of(plane.point)}, {"normal", array_of(plane.normal)}});
  for (const auto& note : stage_->panes()[0]->model().notes) notes.push_back(note);
  Json camera;
  if (scene.camera.position) {
    camera = {{"position", array_of(*scene.camera.position)},
              {"look_at", array_of(scene.camera.look_at.value_or((low + high) / 2))},
              {"fov", scene.camera.fov.value_or(35)}};
  }
  return dumped({{"is", "scene"},
                 {"session", session_},
                 {"name", stage_->source().name},
                 {"replay", stage_->replays()},
                 {"panes", panes},
                 {"bodies", bodies},
                 {"contact", scene.contact.has_value()},
                 {"friction", scene.contact ? Json(scene.contact->friction) : Json()},
                 {"duration", scene.time.duration},
                 {"box", {{"min", array_of(low)}, {"max", array_of(high)}}},
                 {"camera", camera},
                 {"planes", planes},
                 {"notes", notes},
                 {"file", stage_->source().file}});
}

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
    ++s.session_;
    s.scene_message_ = std::make_shared<const std::string>(s.scene_message());
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
         s.begin(scene_source(name, document_of(m["scene"]), s.options_.scene_folder, {}));
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
         const auto weights = vector_at(m, "weights");
         const BodyPoint point = s.shape_->point(index_at(m, "triangle"), {weights[0], weights[1], weights[2]});
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

void ViewSession::answer(const Question& question) {
  std::string what;
  try {
    Json message;
    try {
      message = Json::parse(question.message);
    } catch (const Json::exception& e) {
      throw InputError("", std::string("the message is no JSON: ") + e.what());
    }
    what = message.is_object() ? message.value("do", Json()).is_string() ? message["do"].get<std::string>() : "" : "";
    const auto action = Actions::table().find(what);
    if (action == Actions::table().end()) {
      std::vector<std::string> names;
      for (const auto& entry : Actions::table()) names.push_back(entry.first);
      throw InputError("do", fmt::format("{} is none of {}", what.empty() ? "what the message asks" : "'" + what + "'",
                                         join(names)));
    }
    action->second(*this, question.client, message);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& e) {
    say_error(question.client, what.substr(0, 40), e);
  }
}

void ViewSession::open_example(const std::string& name) {
  const auto examples = example_scenes(options_.examples_folder);
  const auto found = std::find_if(examples.begin(), examples.end(), [&](const auto& e) { return e.name == name; });
  if (found == examples.end()) throw InputError("scene", "there is no shipped scene '" + name + "'");
  begin(source_of(found->file, {}, {}));
}

void ViewSession::open_surface(const std::string& name, const std::string& data) {
  const fs::path folder = fs::path(options_.output_folder) / "uploads";
  fs::create_directories(folder);
  const std::string extension = fs::path(name).extension().string();
  const std::string file = (folder / ("surface" + surface_extension(extension))).string();
  write_atomically(file, decoded_base64(data));
  begin(scene_source(fs::path(name).filename().string(), scene_of_surface(file), "", {}));
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
      url = "/recordings/" + made;
      export_recording(run, file, format, progress);
      const std::lock_guard lock(mutex_);
      recorded_[made] = file;
    }
    say(client, dumped({{"is", "recorded"}, {"format", format}, {"url", url}, {"file", file}}));
  });
}

// ------------------------------------------------------------------------------- the thread for what takes long

void ViewSession::beside(unsigned long client, std::string about, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (beside_.size() >= most_beside) throw InputError("", "too much is asked for at once; wait for the answers");
    beside_.push_back({client, std::move(about), std::move(work)});
  }
  beside_asked_.notify_all();
}

void ViewSession::work_beside() {
  const Interruptible interruptible([this] { return !ending_; });
  for (;;) {
    Beside next;
    {
      std::unique_lock lock(mutex_);
      beside_asked_.wait(lock, [this] { return ending_ || !beside_.empty(); });
      if (ending_) return;
      next = std::move(beside_.front());
      beside_.pop_front();
    }
    try {
      next.work();
    } catch (const Interrupted&) {
      return;
    } catch (const std::exception& e) {
      say_error(next.client, next.about, e);
    }
  }
}

}  // namespace limber
