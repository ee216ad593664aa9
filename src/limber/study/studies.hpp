#pragma once  // internal
/// The studies that the catalog lists; each stands in the file of its name.

#include "limber/study/study.hpp"

namespace limber {

StudyResult study_work_precision(const StudyContext&);
StudyResult study_damping(const StudyContext&);
StudyResult study_ere_cost(const StudyContext&);
StudyResult study_soft_eigs(const StudyContext&);
StudyResult study_soft_energy(const StudyContext&);
StudyResult study_stiff_dirk(const StudyContext&);
StudyResult study_objects(const StudyContext&);
StudyResult study_barrier(const StudyContext&);
StudyResult study_friction(const StudyContext&);
StudyResult study_one_newton(const StudyContext&);
StudyResult study_si_diverges(const StudyContext&);
StudyResult study_velocity_contact(const StudyContext&);
StudyResult study_refresh(const StudyContext&);
StudyResult study_accuracy(const StudyContext&);
StudyResult study_validation(const StudyContext&);  // validation/study.cpp

}  // namespace limber
