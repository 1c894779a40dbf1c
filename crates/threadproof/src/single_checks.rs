//! Answers for single checks of a property, which are known before the property is decided: data races, by memory location.

use crate::result::Report;
use crate::verify::Query;
use base::{Budget, Inconclusive};
use program::{Program, Property};
use report::Checks;
use tracing::info_span;

impl Query {
    /// The answers for single checks. They come first: the analyses that follow executions need can take long for large programs.
    pub(crate) fn answer_checks(
        &self,
        program: &Program,
        budget: &Budget,
        report: &mut Report,
    ) -> Option<Result<engines::protection::Answers, Inconclusive>> {
        if self.property != Property::NoDataRace || program.memory_model.is_weak() {
            return None;
        }
        let _span = info_span!("checks").entered();
        let answers = engines::protection::answers(program, budget);
        if let Ok(answers) = &answers {
            match checks(program, answers, budget) {
                Ok(checks) => report.checks = Some(self.checks.get_or_init(|| checks).clone()),
                Err(bug @ Inconclusive::CheckFailed(_)) => {
                    report.notes.push(format!("there are no answers for single memory locations: {bug}"));
                }
                Err(_) => {}
            }
        }
        Some(answers)
    }
}

/// The answers for single memory locations, which have passed their check.
fn checks(
    program: &Program,
    answers: &engines::protection::Answers,
    budget: &Budget,
) -> Result<Checks, Inconclusive> {
    info_span!("check")
        .in_scope(|| certify::protection::check_answers(program, &answers.protection, budget))?;
    let mut assumptions = vec!["inputs are not the addresses of objects of the program".to_owned()];
    assumptions.extend(answers.opaque.keys().map(|what| {
        format!("{what}: it accesses what its arguments lead to, while it is called, and nothing else")
    }));
    Ok(Checks::of(program, &answers.cells, assumptions))
}
