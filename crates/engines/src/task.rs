//! Verification tasks and engines: [`Task`] and the trait [`Engine`].
//!
//! An engine is its options: `impact::Options { .. }.run(&task, &mut stats)`. To add one, write a folder with an `Options` that
//! implements [`Engine`], and a line of the table in [`portfolio`](crate::portfolio); docs/ARCHITECTURE.md walks through that.

use crate::protection;
use base::{Budget, Inconclusive, Stats};
use evidence::Outcome;
use program::{MemoryModel, Program, Property};
use semantics::Analysis;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A program, what is known about it beforehand, a property, and how much the answer may cost.
#[derive(Clone)]
pub struct Task<'p> {
    /// The program with its analyses, which are computed once and shared.
    pub analysis: Arc<Analysis<'p>>,
    /// For termination: the same program with signed overflow ending an execution. `None` if that is no different.
    pub checked: Option<Arc<Analysis<'p>>>,
    /// What is to be decided.
    pub property: Property,
    /// True if executions that C leaves undefined are assumed not to exist. Otherwise an engine that meets one reports it, whatever is to be decided.
    pub assume_defined: bool,
    /// The engine that is likely to answer soonest, if there is one: it has proved another property of the program.
    pub first: Option<String>,
    /// The limits of time and memory.
    pub budget: Budget,
    /// The answers for memory locations, once they are known.
    pub(crate) locations: Arc<OnceLock<Result<protection::Answers, Inconclusive>>>,
}

impl<'p> Task<'p> {
    /// Analyses `program` and asks for `property`.
    pub fn new(program: &'p Program, property: Property, budget: &Budget) -> Self {
        Self {
            analysis: Analysis::of(program),
            checked: None,
            property,
            assume_defined: false,
            first: None,
            budget: budget.clone(),
            locations: Arc::default(),
        }
    }

    /// The same task, with the version of the program in which signed overflow ends an execution.
    pub fn with_checked(self, checked: &'p Program) -> Self {
        Self { checked: Some(Analysis::of(checked)), ..self }
    }

    /// The same task, where the answers for memory locations are known already.
    pub fn with_locations(self, answers: Result<protection::Answers, Inconclusive>) -> Self {
        Self { locations: Arc::new(OnceLock::from(answers)), ..self }
    }

    /// The same task under the assumption that no execution is undefined.
    pub fn assuming_defined(&self) -> Self {
        Self { assume_defined: true, ..self.clone() }
    }

    /// The same program with another property.
    pub fn about(&self, property: Property) -> Self {
        Self { property, ..self.clone() }
    }

    /// The same task, where the engine that gave these statistics comes first.
    pub fn beginning_with(&self, stats: &Stats) -> Self {
        Self { first: stats.named("engine").map(str::to_owned), ..self.clone() }
    }

    /// Returns true if an execution that violates `violated` answers the question.
    pub fn is_answered_by(&self, violated: Property) -> bool {
        self.property.includes(violated) || !self.assume_defined && violated.is_undefined()
    }

    /// The answers for all memory locations that threads share. They are computed once.
    pub fn locations(&self) -> Result<&protection::Answers, Inconclusive> {
        let answers = self.locations.get_or_init(|| protection::answers(self.program(), &self.budget));
        answers.as_ref().map_err(Clone::clone)
    }

    /// The program.
    pub fn program(&self) -> &'p Program {
        self.analysis.program
    }

    /// The same task with another budget.
    pub fn within(&self, budget: Budget) -> Self {
        Self { budget, ..self.clone() }
    }
}

/// A search for an answer.
///
/// Engines do no input or output, are deterministic for the same task and options, stop soon after cancellation, and hand over
/// evidence for every verdict.
pub trait Engine {
    /// The name that the command line and the statistics use.
    fn name(&self) -> &'static str;

    /// Returns true if this engine can decide a property, or one side of it.
    fn supports(&self, property: Property) -> bool;

    /// Returns true if this engine executes programs on a machine with this memory model; all know sequential consistency.
    fn supports_model(&self, model: MemoryModel) -> bool {
        model == MemoryModel::Sc
    }

    /// Searches; the property and the memory model are supported.
    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome;

    /// Searches, and says who did.
    fn run(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        stats.name("engine", self.name());
        let model = task.program().memory_model;
        if !self.supports(task.property) || !self.supports_model(model) {
            let what = format!("property {} under {model} in {}", task.property, self.name());
            return Outcome::Unknown(Inconclusive::Unsupported(what));
        }
        self.search(task, stats)
    }

    /// A search that can be interrupted and taken up again; `None` if this engine cannot.
    fn resumable<'p>(&self, _task: &Task<'p>) -> Option<Box<dyn Resumable + 'p>> {
        None
    }
}

/// A search that can be interrupted and taken up again.
pub trait Resumable {
    /// Goes on for this long, or to the end; `None` if there is no answer yet.
    fn pursue(&mut self, time: Option<Duration>, stats: &mut Stats) -> Option<Outcome>;
}
