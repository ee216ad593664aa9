#pragma once  // internal
/// Where a session of the viewer puts what its pages are to see and hear. For any threads: a page that reads slowly
/// never holds up the simulation.

#include <atomic>
#include <exception>
#include <functional>
#include <map>
#include <mutex>

#include "limber/view/picture.hpp"

namespace limber {

class ViewBoard {
 public:
  /// `changed` is called whenever there is a new picture or answer.
  explicit ViewBoard(std::function<void()> changed) : changed_(std::move(changed)) {}

  /// A new picture, and the energies of its stage so far.
  void show(std::shared_ptr<const ViewPicture> picture, const ViewStage& stage);
  std::shared_ptr<const ViewPicture> picture() const;  // null before the first stage
  NewRows rows_since(RowPlace& place) const;
  /// Whether some page shows contact forces.
  void want_contacts(bool wanted) { contacts_wanted_ = wanted; }
  bool contacts_wanted() const { return contacts_wanted_; }

  void say(unsigned long client, std::string text);
  void say_error(unsigned long client, const std::string& about, const std::exception& error);
  std::vector<ViewAnswer> take_answers();
  /// Does `work`. Tells the page what it throws, whatever it is; Interrupted is passed on. `about` may be set by
  /// `work`.
  void guard(unsigned long client, const std::string& about, const std::function<void()>& work);

  /// An error that each page is told; empty: none.
  void set_standing_error(std::string text);
  std::string standing_error() const;
  /// The path of what was recorded under this name; empty: nothing was.
  void add_recorded(const std::string& name, const std::string& path);
  std::string recorded(const std::string& name) const;

 private:
  struct Rows {
    std::vector<std::vector<EnergySample>> panes;
    unsigned long version = 0;
    unsigned session = 0;
  };

  const std::function<void()> changed_;
  std::atomic<bool> contacts_wanted_ = false;
  mutable std::mutex mutex_;  // of what follows
  std::vector<ViewAnswer> answers_;
  std::shared_ptr<const ViewPicture> picture_;
  Rows rows_;
  std::string standing_error_;
  std::map<std::string, std::string> recorded_;  // file names and paths
};

}  // namespace limber
