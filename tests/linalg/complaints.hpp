#pragma once
/// What a call complains of.

#include <functional>
#include <string>

#include "limber/core/errors.hpp"

namespace limber::test {

/// The message of its StepFailure, "" if there is none.
inline std::string failure(const std::function<void()>& call) {
  try {
    call();
  } catch (const StepFailure& e) {
    return e.what();
  }
  return "";
}

/// The key that its InputError names, "" if there is none.
inline std::string rejected(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& e) {
    return e.where();
  }
  return "";
}

}  // namespace limber::test
