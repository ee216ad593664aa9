#pragma once  // internal
/// A claim of the survey held against what was measured.

#include <string>
#include <utility>

#include "limber/study/study.hpp"

namespace limber {

/// `holds` decides between "agrees" and "differs, because …".
inline Claim judged(std::string paper, bool holds, const std::string& seen, const std::string& because) {
  return {std::move(paper), holds ? Verdict::agrees : Verdict::differs,
          holds || because.empty() ? seen : seen + " Because " + because};
}

}  // namespace limber
