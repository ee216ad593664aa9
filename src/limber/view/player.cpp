#include "limber/view/player.hpp"

#include <utility>

#include "limber/core/errors.hpp"
#include "limber/view/messages.hpp"

namespace limber {
namespace {

/// Pictures are published at most so often, steps in between are not shown.
constexpr auto least_interval = std::chrono::milliseconds(12);

}  // namespace

ViewStage& StagePlayer::stage() const {
  if (!stage_) throw InputError("", "there is no scene yet; open one");
  return *stage_;
}

ViewStage& StagePlayer::simulated(const char* to_do) const {
  if (stage().replays()) throw InputError("", std::string("a recorded run is shown; fork it to ") + to_do);
  return *stage_;
}

FileAccess StagePlayer::access() const {
  return {{options_.scene_folder, options_.examples_folder, options_.output_folder},
          {named_files_.begin(), named_files_.end()}};
}

void StagePlayer::begin(const StageSource& source) {
  StageSource limited = source;
  named_files_.insert(source.files.begin(), source.files.end());
  limited.access = access();
  auto stage = std::make_unique<ViewStage>(limited);
  auto shape = stage->shape();
  shown_.scene_message = std::make_shared<const std::string>(scene_message(*stage, *shape, shown_.session + 1));
  stage_ = std::move(stage);
  shown_.shape = std::move(shape);
  ++shown_.session;
  shown_.frame.reset();
  clock_.forget_reached();
  start_clock();
  board_.set_standing_error("");
  publish();
}

void StagePlayer::renew() {
  shown_.frame.reset();
  shown_.scene_message = std::make_shared<const std::string>(scene_message(*stage_, *shown_.shape, shown_.session + 1));
  ++shown_.session;
  start_clock();
  publish();
}

void StagePlayer::play_if_seen() {
  shown_.playing = page_seen_ && !stage_->replays();
  start_clock();
  publish();
}

void StagePlayer::look() {
  if (!std::exchange(page_seen_, true) && stage_) return play_if_seen();
  start_clock();
}

void StagePlayer::play() {
  shown_.playing = true;
  shown_.frame.reset();
  start_clock();
  publish();
}

void StagePlayer::pause() {
  shown_.playing = false;
  publish();
}

void StagePlayer::step(bool recording) {
  const double before = stage_->time();
  const auto begun = PlayClock::Clock::now();
  bool stepped = false;
  board_.guard(0, "step", [&] {
    stage_->step();
    stepped = true;
  });
  if (!stepped) return pause();
  shown_.frame.reset();
  clock_.stepped(before, stage_->time(), begun, recording);
  if (PlayClock::Clock::now() - published_ >= least_interval) publish();
}

void StagePlayer::step_once(bool recording) {
  shown_.playing = false;
  step(recording);
  publish();
}

void StagePlayer::set_speed(double factor) {
  clock_.set_speed(factor);
  start_clock();
  publish();
}

void StagePlayer::show(std::optional<std::size_t> frame) {
  if (frame) shown_.playing = false;
  shown_.frame = frame;
  publish();
}

void StagePlayer::publish() {
  published_ = PlayClock::Clock::now();
  if (!stage_) return;
  ++shown_.version;
  auto picture = std::make_shared<ViewPicture>(shown_);
  picture->time = stage_->time();
  picture->speed = clock_.speed();
  picture->real_time = clock_.reached();
  picture->frames = stage_->frames();
  if (!picture->frame && stage_->replays()) picture->frame = 0;
  KeptFrame kept;
  if (picture->frame) kept = stage_->frame(*picture->frame);
  for (std::size_t i = 0; i < stage_->panes().size(); ++i) {
    const Pane& pane = *stage_->panes()[i];
    PanePicture p;
    p.steps = pane.steps();
    p.step_ms = pane.row().wall_ms;
    if (picture->frame) {
      p.state = kept.states[i];
    } else {
      p.state = std::make_shared<const State>(pane.full());
      if ((p.pulled = pane.hand().pulls())) {
        p.point = pane.hand().point().at(p.state->q);
        p.to = pane.hand().to();
        p.force = pane.hand().force(p.state->q);
      }
      if (board_.contacts_wanted()) p.touching = pane.touching();
    }
    picture->panes.push_back(std::move(p));
  }
  board_.show(std::move(picture), *stage_);
}

}  // namespace limber
