//! Undefined functions that get a pointer, where it matters who accesses what; and which of them are left without a model.

use crate::load;
use crate::memory_models;
use crate::result::Report;
use crate::verify::{Query, assumptions};
use base::Budget;
use engines::Task;
use evidence::Outcome;
use frontend::Gap;
use program::interp::span_name;
use program::passes::RawProgram;
use program::{Action, Callee, Program, Property, UNDEFINED_FUNCTION};
use semantics::environment::with_environment;
use tracing::info_span;

/// In larger programs it is not tried to prove that there are no races if undefined functions access all that they may.
const MOST_LOCATIONS: usize = 20_000;

/// How much of the time is for a proof that there are no races if undefined functions access all that they may.
const SHARE_OF_ENVIRONMENT: f64 = 0.3;

impl Query {
    /// A proof that there are no data races if undefined functions access all that they may. That they do is no race, so there is nothing to say
    /// otherwise.
    pub(crate) fn race_free(
        &self,
        source: &load::Source,
        report: &Report,
        (n_locations, gaps): (usize, &[Gap]),
        budget: &Budget,
    ) -> Option<Report> {
        let is_weak = self.options.source.memory_model.is_weak();
        if self.property != Property::NoDataRace || is_weak || !gaps.iter().any(is_undefined) {
            return None;
        }
        if n_locations > MOST_LOCATIONS {
            return None;
        }
        let loaded = source.load_with_environment(self.property);
        let raw = with_environment(loaded.program?.program(), &loaded.types, self.property)?;
        let program = self.version(RawProgram::new(raw));
        let budget = budget.share(SHARE_OF_ENVIRONMENT);
        let assumptions = assumptions(source, &program);
        let mut report = Report { assumptions, checks: None, ..report.clone() };
        let task = info_span!("analyse").in_scope(|| Task::new(&program, self.property, &budget));
        let (outcome, program) = info_span!("search").in_scope(|| match &self.given {
            Some(certificate) => certificate.recheck(self, &task, None),
            None => self.decide(&task, &mut report),
        });
        if !matches!(outcome, Outcome::Safe(_)) {
            return None;
        }
        self.keep_evidence(&mut report, (&task, None), &outcome, program);
        report.assumptions.extend(memory_models::assumption(program));
        info_span!("report").in_scope(|| self.conclude(&mut report, program, &[], outcome, &budget));
        Some(report)
    }
}

/// Returns true if something has no model because a function with a pointer is undefined.
fn is_undefined(gap: &Gap) -> bool {
    gap.what.contains("is not defined and gets a pointer")
}

/// What has no model, without the undefined functions that could be written out, and with what was in the way of others. A call that comes after something
/// else without a model is not part of the program, and stays in the list.
pub(crate) fn remaining(gaps: Vec<Gap>, program: &Program) -> Vec<Gap> {
    let locations = || program.functions.iter().flat_map(|function| function.locations.iter());
    let left = |gap: &Gap| {
        locations().find_map(|at| match &at.action {
            Action::Unsupported(left) if left.starts_with(&gap.what) => Some(left.clone()),
            _ => None,
        })
    };
    let is_called = |gap: &Gap| {
        locations().any(|at| match &at.action {
            Action::Call { callee: Callee::Direct(func), .. } => {
                program.functions[*func].name.starts_with(UNDEFINED_FUNCTION)
                    && span_name(program, at.span) == gap.place
            }
            _ => false,
        })
    };
    let remaining = |gap: Gap| match is_undefined(&gap) && is_called(&gap) {
        true => left(&gap).map(|what| Gap { what, ..gap }),
        false => Some(gap),
    };
    gaps.into_iter().filter_map(remaining).collect()
}
