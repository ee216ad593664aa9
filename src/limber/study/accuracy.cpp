/// Accuracy as an input: asked errors against true ones, and what the control of the error costs and saves.

#include "limber/study/accuracy.hpp"

#include "limber/study/studies.hpp"

namespace limber {

StudyResult study_accuracy(const StudyContext& context) {
  StudyResult result;
  result.claimed = "asked of the control";
  const std::vector<JudgedScene> scenes = judge_control(context, result);
  judge_methods(context, scenes, result);
  return result;
}

}  // namespace limber
