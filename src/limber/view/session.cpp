#include "limber/view/session.hpp"

#include <pthread.h>

#include <algorithm>
#include <new>
#include <utility>

#include "limber/core/errors.hpp"
#include "limber/core/interrupt.hpp"
#include "limber/view/folders.hpp"
#include "limber/view/messages.hpp"

namespace limber {
namespace {

/// Pictures are published at most so often, steps in between are not shown.
constexpr auto least_interval = std::chrono::milliseconds(12);
constexpr double longest_lag = .1;  // [s] that a simulation which was slow may make up for
/// While a recording is made, the simulation rests after each step for so many times as long as the step took.
/// Otherwise it takes as much of the processor as the recording, and pages that draw its steps take most of the rest.
constexpr double rest_for_recording = 3;
constexpr std::size_t most_questions = 10000, most_waiting_bytes = 64 << 20, most_beside = 20;

}  // namespace

ViewSession::ViewSession(ViewOptions options, std::function<void()> changed)
    : options_(std::move(options)), changed_(std::move(changed)) {
  thread_ = std::thread([this] { live(); });
  beside_thread_ = std::thread([this] { work_beside(); });
  ::pthread_setname_np(thread_.native_handle(), "simulation");
  ::pthread_setname_np(beside_thread_.native_handle(), "recording");
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
  bool taken = false;
  {
    const std::lock_guard lock(mutex_);
    taken = questions_.size() < most_questions && waiting_bytes_ + message.size() <= most_waiting_bytes;
    if (taken) {
      waiting_bytes_ += message.size();
      questions_.push_back({client, {}, std::move(message)});
    }
  }
  if (!taken) return say_error(client, "", InputError("", "more is asked than can be kept waiting; this was left out"));
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

void ViewSession::say_thrown(unsigned long client, const std::string& about, const std::exception_ptr& thrown) {
  const auto tell = [&](const std::exception& error) {
    try {
      say_error(client, about, error);
    } catch (const std::bad_alloc&) {  // not even for an answer
    }
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const Interrupted&) {
    throw;
  } catch (const std::bad_alloc&) {  // what was to be done has given its memory back by now
    tell(InputError("", "there is not enough memory for this"));
  } catch (const std::exception& e) {
    tell(e);
  } catch (...) {
    tell(InputError("", "it went wrong for an unknown reason"));
  }
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
        waiting_bytes_ -= question.message.size();
      }
    }
    std::string about;
    try {
      try {
        if (question.work)
          question.work();
        else if (!question.message.empty())
          answer(question, about);
        else if (playing_ && watched_)
          advance();
      } catch (...) {
        say_thrown(question.client, about, std::current_exception());
      }
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
  } else if (speed_ > 0 || records_) {
    auto due = records_ ? rests_until_ : Clock::time_point();
    if (speed_ > 0) {
      const double ahead = stage_->time() - clock_time_;
      due = std::max(due, clock_start_ + std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(ahead / speed_)));
    }
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
  } catch (...) {
    playing_ = false;
    say_thrown(0, "step", std::current_exception());
    publish();
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
  double spent = std::max(1e-9, std::chrono::duration<double>(now - begun).count());
  if (records_) {
    rests_until_ = now + std::chrono::duration_cast<Clock::duration>(rest_for_recording * (now - begun));
    spent *= 1 + rest_for_recording;
  }
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

FileAccess ViewSession::access() const {
  return {{options_.scene_folder, options_.examples_folder, options_.output_folder},
          {named_files_.begin(), named_files_.end()}};
}

void ViewSession::begin(const StageSource& source) {
  StageSource limited = source;
  named_files_.insert(source.files.begin(), source.files.end());
  limited.access = access();
  auto stage = std::make_unique<ViewStage>(limited);
  auto shape = stage->shape();
  scene_message_ = std::make_shared<const std::string>(scene_message(*stage, *shape, session_ + 1));
  stage_ = std::move(stage);
  shape_ = std::move(shape);
  ++session_;
  shown_frame_.reset();
  real_time_ = 0;
  start_clock();
  {
    const std::lock_guard lock(mutex_);
    standing_error_.clear();
  }
  publish();
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
    records_ = next.about == "record";
    try {
      try {
        next.work();
      } catch (...) {
        say_thrown(next.client, next.about, std::current_exception());
      }
    } catch (const Interrupted&) {
      return;
    }
    records_ = false;
  }
}

}  // namespace limber
