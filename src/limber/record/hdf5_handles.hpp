#pragma once  // internal
/// HDF5 identifiers that close themselves, and HDF5's errors as text. For the sources of this room only.

#include <hdf5.h>

#include <mutex>
#include <string>
#include <utility>

namespace limber::h5 {

class Id {
 public:
  using Close = herr_t (*)(hid_t);
  Id() = default;
  Id(hid_t id, Close close) : id_(id), close_(close) {}
  Id(Id&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Id& operator=(Id&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  ~Id() {
    if (id_ >= 0) close_(id_);
  }

  bool valid() const { return id_ >= 0; }
  operator hid_t() const { return id_; }  // NOLINT(google-explicit-constructor): it stands for the id in every call
  /// False if it could not be closed properly, as when the disk is full.
  bool close() { return close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// While it lives, this thread has HDF5, which takes one at a time, to itself, and it prints nothing on failure.
/// HDF5 1.10 crashes in its own clean-up at exit after a file could not be closed (disk full), so it is told not to do
/// any: all handles here are closed by their owners.
class Quiet {
 public:
  Quiet() : alone_(mutex()) {
    static const herr_t no_clean_up_at_exit = H5dont_atexit();
    static_cast<void>(no_clean_up_at_exit);
    H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  static std::recursive_mutex& mutex() {
    static std::recursive_mutex one;
    return one;
  }

  std::lock_guard<std::recursive_mutex> alone_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Whether an attribute is one value, as a buffer for one can take.
bool is_single(hid_t attribute);

/// The innermost reason of the last failure.
std::string last_error();

}  // namespace limber::h5
