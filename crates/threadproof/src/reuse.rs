//! Executions in which a block lies where a freed one was.
//!
//! An address names one object for ever (SOUNDNESS: A4), so that a pointer to a freed block never equals one to a newer block. C allows that it does, and allocators
//! like to do it: "ABA". Where a program compares addresses of blocks and frees some, a proof does not speak of such executions. It is then said with the proof, after a
//! short search for a violation in the version of the program whose allocator hands out freed blocks again (`--reuse-addresses`, `models/reuse.c`).
//!
//! # Direction of error
//! That version has fewer violations than C allows: 16 blocks come back, to requests for the same size, with their bytes, and their uses go unnoticed while they are
//! free. So what it violates is violated, and a proof about it is not looked for.

use crate::load;
use crate::result::Report;
use crate::verdict::Verdict;
use crate::verify::{Query, assumptions};
use base::Budget;
use engines::Task;
use evidence::Outcome;
use program::passes::RawProgram;
use program::{Program, Property};
use semantics::addresses::Addresses;
use semantics::environment::with_environment;
use std::time::Duration;

/// How long a violation with reused addresses is looked for.
const SEARCH: Duration = Duration::from_millis(1500);

/// Why `--reuse-addresses` proves nothing about memory safety.
pub(crate) const HIDDEN: &str =
    "a proof of memory safety with --reuse-addresses, which hides uses of freed memory";
/// Why it says nothing about blocks that are not freed.
pub(crate) const KEPT: &str = "valid-memcleanup with --reuse-addresses, which frees nothing";

impl Query {
    /// Returns true if violations of the property are hidden by blocks that are never really freed.
    pub(crate) fn hides_freed_memory(&self) -> bool {
        let property = self.property;
        self.options.source.reuse_addresses
            && property.is_about_validity()
            && property != Property::UndefinedBehaviour
    }

    /// The answer, once it is known whether addresses that are used again matter to it.
    pub(crate) fn with_reuse(&self, mut report: Report, program: &Program, budget: &Budget) -> Report {
        let never = self.options.source.reuse_addresses || program.memory_model.is_weak();
        if report.verdict != Verdict::Holds || never || self.property == Property::ValidMemcleanup {
            return report;
        }
        let Some(place) = Addresses::of(program).reuse() else { return report };
        if self.given.is_none()
            && let Some(violated) = self.violated_with_reuse(&report, budget)
        {
            return violated;
        }
        report.assumptions.push(format!(
            "{place}: a block never lies where a freed one was whose address is compared (--reuse-addresses: it may)"
        ));
        report
    }

    /// A violation in which a block lies where a freed one was.
    fn violated_with_reuse(&self, report: &Report, budget: &Budget) -> Option<Report> {
        let mut query = self.clone();
        query.options.source.reuse_addresses = true;
        let source =
            load::Source::read(&query.files, &query.options.source, Some(&query.asked), &query.texts).ok()?;
        let loaded = source.load(Some(query.property));
        let raw = loaded.program?;
        let written_out = with_environment(raw.program(), &loaded.types, query.property);
        let program = query.version(written_out.map_or(raw, RawProgram::new));
        let budget = budget.within(SEARCH);
        let mut found = Report {
            assumptions: assumptions(&source, &program),
            diagnostics: report.diagnostics.clone(),
            stats: report.stats.clone(),
            ..Report::without_answer(query.property, Verdict::Holds)
        };
        let task = Task::new(&program, query.property, &budget);
        let task = if query.assumes_defined() { task.assuming_defined() } else { task };
        let outcome = engines::portfolio::verify(&task, &crate::certified::certified, &mut found.stats);
        if !matches!(outcome, Outcome::Unsafe(_)) {
            return None;
        }
        query.keep_evidence(&mut found, (&task, None), &outcome, &program);
        query.conclude(&mut found, &program, &[], outcome, &budget);
        found.notes.push("a block that is freed comes back with its address: --reuse-addresses".to_owned());
        matches!(found.verdict, Verdict::Violated(_)).then_some(found)
    }
}
