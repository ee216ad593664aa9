#include "limber/view/waiting.hpp"

#include <utility>

namespace limber {
namespace {

constexpr std::size_t most_pieces = 10000, most_bytes = 64 << 20;

}  // namespace

bool Waiting::add(Piece piece, bool if_room) {
  {
    const std::lock_guard lock(mutex_);
    if (if_room && (pieces_.size() >= most_pieces || bytes_ + piece.bytes > most_bytes)) return false;
    bytes_ += piece.bytes;
    pieces_.push_back(std::move(piece));
  }
  added_.notify_all();
  return true;
}

Waiting::Work Waiting::next(std::optional<Clock::time_point> due) {
  std::unique_lock lock(mutex_);
  const auto has_work = [this] { return ended_ || !pieces_.empty(); };
  if (due)
    added_.wait_until(lock, *due, has_work);
  else
    added_.wait(lock, has_work);
  if (ended_ || pieces_.empty()) return nullptr;
  Piece piece = std::move(pieces_.front());
  pieces_.pop_front();
  bytes_ -= piece.bytes;
  return std::move(piece.work);
}

void Waiting::end() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  added_.notify_all();
}

}  // namespace limber
