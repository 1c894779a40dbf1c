//! Weak memory models: which method gets which time slice, and on which program.
//!
//! | slice | what | on which program | answers |
//! |---|---|---|---|
//! | 0 | execution graphs, for a moment | the program itself | `true`; `false` if no other engine has a trace that is easier to read |
//! | 1 | no critical cycle, race freedom by locks | static | if that can be shown, slice 3 is all |
//! | 2 | exploration of few states, random executions | the program itself, with the interpreter's store buffers (tso, pso) | both |
//! | | execution graphs | the program itself; under tso and pso by axioms that say what buffers do | both |
//! | 3 | the engines for sequential consistency | the program on such a machine | `false`: its executions are executions of every model |
//! | 4 | race freedom | [`weak::strict()`] | `true`, with the proof of slice 3 |
//! | 5 | no triangular race | [`weak::triangular()`] | the same, for tso |
//! | 6 | no attack | [`weak::attacked()`] | the same, for tso |
//! | | no stale read | [`weak::stale()`] | the same, for c11; and that there is no data race |
//! | 7 | the engines for sequential consistency | [`weak::buffered`], with as many slots as are enough; otherwise with few, first for violations, then for a proof that they do not overflow | both, for tso and pso |
//! | 8 | exploration of many states, of all execution graphs | as in slice 2 | both |
//!
//! A reason for robustness is worth nothing without a proof of slice 3, and the other way round. Properties that do not carry over from a robust program
//! (termination) need race freedom; a data race under a weak model is one of the strict program if it is to be excluded, and one of the program itself if it
//! is to be shown.
//!
//! # A user's model
//! Execution graphs first. Of the lemmas only race freedom, if the model allows none of the programs of `race_freedom`, and with that as an assumption. A violation under sequential
//! consistency is one if the axioms show that the model allows every such execution.
//!
//! # Direction of error
//! None: every answer is checked, `true` by making the transformed program once more.

mod race_freedom;
mod unbuffered;

use crate::portfolio::{Check, checked};
use crate::task::{Engine, Task};
use crate::{explore, graph, lockset, simulate};
use base::{Inconclusive, Stats};
use evidence::{Outcome, Proof, Reason, WeakProof};
use program::{MemoryModel, Program, Property};
use std::cell::OnceCell;
use std::time::Duration;
use unbuffered::unbuffered;
use weak::buffered::{Buffers, Full, is_kept};
use weak::{attacked, carries_over, has_no_critical_cycle, stale, strict, triangular};

/// Answers under sequential consistency; what it says has been checked.
pub type Prover<'a> = dyn Fn(&Task<'_>, &mut Stats) -> Outcome + 'a;

/// How much the store buffers of the interpreter are explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Native {
    /// In slices, before and after everything else.
    Slices,
    /// To the end, before everything else.
    ToTheEnd,
    /// Execution graphs instead, to the end, and nothing else.
    Graphs,
    /// Not at all.
    Never,
}

/// An answer, and what it is about.
pub struct Answer {
    /// What was found out, and checked.
    pub outcome: Outcome,
    /// True if a counterexample is one of the program on a sequentially consistent machine.
    pub sequential: bool,
}

/// A search under way.
struct Search<'a, 'p> {
    /// The program on its own machine,
    task: &'a Task<'p>,
    /// and on a sequentially consistent one.
    program: &'p Program,
    /// The task about that; most programs of the size of a litmus test are decided without it.
    on_sc: OnceCell<Task<'p>>,
    prove: &'a Prover<'a>,
    check: &'a Check<'a>,
    stats: &'a mut Stats,
    reason: Option<Inconclusive>,
}

/// States that are explored first.
const FEW_STATES: usize = 20_000;
/// The time of that, and of random executions.
const FIRST: Duration = Duration::from_millis(2_000);

/// Execution graphs, and parts of them, that are looked at before everything else: programs of the size of a litmus test have no more.
const FEW_GRAPHS: u64 = 3_000;

/// Slots with which violations are looked for, if it is not known how many are enough.
const FEW_SLOTS: [usize; 1] = [2];
/// Slots with which proofs are looked for then.
const MORE_SLOTS: [usize; 2] = [2, 4];

/// Decides the property of a task whose program runs on a weak machine; `sequential` is the same program on a sequentially consistent one. Every
/// verdict has passed `check`.
pub fn verify<'p>(
    task: &Task<'p>,
    sequential: &'p Program,
    native: Native,
    prove: &Prover<'_>,
    check: &Check<'_>,
    stats: &mut Stats,
) -> Answer {
    let on_sc = OnceCell::new();
    let mut search = Search { task, program: sequential, on_sc, prove, check, stats, reason: None };
    search.run(native).unwrap_or_else(|| {
        let model = task.program().memory_model;
        let none = || Inconclusive::NoProof(format!("the program is not shown to be robust against {model}"));
        let over = task.budget.check().err();
        let why = over.or(search.reason).unwrap_or_else(none);
        Answer { outcome: Outcome::Unknown(why), sequential: false }
    })
}

impl<'p> Search<'_, 'p> {
    /// The same property of the program on a sequentially consistent machine.
    fn sequential(&self) -> Task<'p> {
        let task = || Task::new(self.program, self.task.property, &self.task.budget).assuming_defined();
        self.on_sc.get_or_init(task).clone()
    }

    fn run(&mut self, native: Native) -> Option<Answer> {
        let property = self.task.property;
        if native == Native::Graphs {
            return self.native(&graph::Options::default(), self.task.budget.clone());
        }
        if property == Property::Robustness {
            return self.robustness(native);
        }
        // What execution graphs say about a user's model takes less for granted than everything else.
        if let Some(answer) = self.graphs_of_users_model(native) {
            return Some(answer);
        }
        let few_graphs = self.few_graphs(native);
        if few_graphs.as_ref().is_some_and(|answer| matches!(answer.outcome, Outcome::Safe(_))) {
            return few_graphs;
        }
        let (analysis, model) = (self.sequential().analysis, self.task.program().memory_model);
        if carries_over(property) && has_no_critical_cycle(&analysis, model) {
            let answer = self.robust(Some(Reason::NoCriticalCycle));
            let proved = answer.as_ref().is_some_and(|answer| matches!(answer.outcome, Outcome::Safe(_)));
            // Store buffers define tso and pso, and the axioms of pso allow a little more. Elsewhere a violation that was replayed counts.
            let counts = few_graphs.is_some() && !model.has_buffers();
            return if proved && counts { few_graphs } else { answer.or(few_graphs) };
        }
        if few_graphs.is_none()
            && property != Property::NoDataRace
            && let Some(reason) = self.obviously_race_free()
        {
            return self.robust(Some(reason));
        }
        let machine = self.task.program().memory_model.has_buffers() && carries_over(property);
        let first = self.natively(native, machine, few_graphs);
        if first.is_some() {
            return first;
        }
        let robust = match property {
            Property::NoDataRace => self.race_free_property(),
            _ => self.robust(None),
        };
        let answer = robust.or_else(|| self.with_buffers());
        if answer.is_some() {
            return answer;
        }
        match native {
            Native::Slices if machine => {
                let graphs = self.native(&graph::Options::default(), self.task.budget.share(0.5));
                graphs.or_else(|| self.explored(explore::Options::default().max_states))
            }
            Native::Slices => self.native(&graph::Options::default(), self.task.budget.clone()),
            Native::ToTheEnd | Native::Graphs | Native::Never => None,
        }
    }

    /// The answer of a search that knows the memory model, before other methods are tried.
    fn natively(&mut self, native: Native, machine: bool, few_graphs: Option<Answer>) -> Option<Answer> {
        let graphs = graph::Options::default();
        match native {
            Native::Slices => {
                let few = if machine { self.explored(FEW_STATES).or_else(|| self.simulated()) } else { None };
                let few = few.or(few_graphs);
                few.or_else(|| self.native(&graphs, self.task.budget.within(FIRST)))
            }
            Native::ToTheEnd if machine => self.explored(explore::Options::default().max_states),
            Native::ToTheEnd => self.native(&graphs, self.task.budget.clone()),
            Native::Graphs | Native::Never => None,
        }
    }

    /// What execution graphs say about a user's model.
    fn graphs_of_users_model(&mut self, native: Native) -> Option<Answer> {
        let is_users = self.task.program().memory_model.user().is_some();
        let asked = is_users && native == Native::Slices;
        asked.then(|| self.native(&graph::Options::default(), self.task.budget.within(FIRST))).flatten()
    }

    /// What execution graphs say within a moment. A violation on a machine with buffers, or on a sequentially consistent one, has a trace that is
    /// easier to read.
    fn few_graphs(&mut self, native: Native) -> Option<Answer> {
        let program = self.task.program();
        let few =
            native == Native::Slices && program.creates_threads() && program.memory_model.user().is_none();
        let options = graph::Options { max_nodes: FEW_GRAPHS };
        few.then(|| self.native(&options, self.task.budget.within(FIRST))).flatten()
    }

    /// Whether the program behaves as under sequential consistency: a reason, or an execution that shows the contrary.
    fn robustness(&mut self, native: Native) -> Option<Answer> {
        if let Some(answer) = self.graphs_of_users_model(native) {
            return Some(answer);
        }
        let (analysis, model) = (self.sequential().analysis, self.task.program().memory_model);
        if has_no_critical_cycle(&analysis, model) {
            return self.proved(Reason::NoCriticalCycle, None);
        }
        if let Some(reason) = self.obviously_race_free() {
            return self.proved(reason, None);
        }
        let first = match native {
            Native::Slices => self.native(&graph::Options::default(), self.task.budget.within(FIRST)),
            Native::ToTheEnd => self.native(&graph::Options::default(), self.task.budget.clone()),
            Native::Graphs | Native::Never => None,
        };
        if first.is_some() {
            return first;
        }
        if let Some(reason) = self.reason_for_robustness() {
            return self.proved(reason, None);
        }
        let last = native == Native::Slices;
        last.then(|| self.native(&graph::Options::default(), self.task.budget.clone())).flatten()
    }

    /// The answer under sequential consistency: a violation is one under the model, a proof needs a reason.
    fn robust(&mut self, known: Option<Reason>) -> Option<Answer> {
        let share = if known.is_some() { 1.0 } else { 0.5 };
        let proof = match self.prove_within(&self.sequential(), share) {
            Outcome::Safe(proof) => proof,
            violated @ (Outcome::Unsafe(_) | Outcome::UnsafeGraph(_)) => return self.violated(violated),
            Outcome::Unknown(why) => {
                self.reason = Some(why);
                return None;
            }
        };
        let reason = known.or_else(|| self.reason_for_robustness());
        if reason.is_none() && self.task.property == Property::Termination {
            let model = self.task.program().memory_model;
            let what =
                format!("termination under {model} of a program that is not shown to be free of races");
            self.reason = Some(Inconclusive::Unsupported(what));
        }
        self.proved(reason?, Some(proof))
    }

    /// A violation under sequential consistency: an execution of every model, unless a user's model is not known to allow it.
    fn violated(&mut self, violated: Outcome) -> Option<Answer> {
        let model = self.task.program().memory_model;
        if model.user().is_none_or(|user| user.model.facts.allows_sequential) {
            return found(violated, true);
        }
        let what = format!(
            "a sequentially consistent machine violates the property, but it is not known whether {model} allows that execution"
        );
        self.reason = Some(Inconclusive::NoProof(what));
        None
    }

    /// Whether race freedom says something about the model: a theorem about those that are built in, tried out for a user's.
    fn respects_race_freedom(&mut self) -> bool {
        let model = self.task.program().memory_model;
        let respected = model.user().is_none() || race_freedom::is_respected(model);
        if !respected {
            let what = format!(
                "race freedom says nothing about {model}, which allows programs without races more than sequential consistency does"
            );
            self.reason.get_or_insert(Inconclusive::NoProof(what));
        }
        respected
    }

    /// The answer of the engines for sequential consistency about the program with its buffers written out.
    fn with_buffers(&mut self) -> Option<Answer> {
        let (task, model) = (self.sequential(), self.task.program().memory_model);
        if !is_kept(self.task.property) {
            return None;
        }
        let buffers = Buffers::of(&task.analysis, model)?;
        if let Some(enough) = buffers.sufficient_slots() {
            return self.with_slots(&buffers, enough, Full::Unsupported);
        }
        let searched = FEW_SLOTS.iter().find_map(|slots| self.with_slots(&buffers, *slots, Full::Stops));
        searched.or_else(|| MORE_SLOTS.iter().find_map(|n| self.with_slots(&buffers, *n, Full::Unsupported)))
    }

    fn with_slots(&mut self, buffers: &Buffers<'_, '_>, slots: usize, full: Full) -> Option<Answer> {
        let buffered = buffers.written_out(slots, full);
        let task = Task::new(&buffered.program, self.task.property, &self.task.budget).assuming_defined();
        let share = if buffers.sufficient_slots().is_some() { 0.6 } else { 0.3 };
        match self.prove_within(&task, share) {
            Outcome::Safe(proof) if full == Full::Unsupported => {
                self.proved(Reason::Buffered { slots }, Some(proof))
            }
            Outcome::Unsafe(trace) => {
                let outcome = Outcome::Unsafe(unbuffered(&buffered, self.task.program(), &trace)?);
                let outcome = checked(self.task, outcome, self.check, &self.task.budget, self.stats);
                matches!(outcome, Outcome::Unsafe(_)).then_some(Answer { outcome, sequential: false })
            }
            Outcome::Unknown(_) if full == Full::Unsupported && buffers.sufficient_slots().is_none() => {
                let what = format!("more than {slots} buffered stores");
                self.reason = Some(Inconclusive::Bound(what));
                None
            }
            Outcome::Safe(_) | Outcome::Unknown(_) | Outcome::UnsafeGraph(_) => None,
        }
    }

    /// Why the program behaves as under sequential consistency, if that can be shown.
    fn reason_for_robustness(&mut self) -> Option<Reason> {
        let property = self.task.property;
        let carries = carries_over(property) || property == Property::Robustness;
        let model = self.task.program().memory_model;
        let more = carries && matches!(model, MemoryModel::Tso | MemoryModel::C11);
        if let Some(Ok(proof)) = self.race_free(if more { 0.3 } else { 0.7 }) {
            return Some(Reason::RaceFree(proof));
        }
        match model {
            MemoryModel::Tso if carries => self.reason_under_tso(),
            MemoryModel::C11 if carries => self.no_stale_read(),
            _ => None,
        }
    }

    fn no_stale_read(&mut self) -> Option<Reason> {
        let stale = stale(&self.sequential().analysis)?;
        let task = Task::new(&stale, Property::UnreachCall, &self.task.budget);
        match self.prove_within(&task, 0.6) {
            Outcome::Safe(proof) => Some(Reason::NoStaleRead(proof)),
            Outcome::Unsafe(_) | Outcome::UnsafeGraph(_) => {
                let what = "a thread can read an older value than under sequential consistency, or plain accesses race; no execution is found that shows it";
                self.reason = Some(Inconclusive::NoProof(what.to_owned()));
                None
            }
            Outcome::Unknown(_) => None,
        }
    }

    fn reason_under_tso(&mut self) -> Option<Reason> {
        let triangular = triangular(&self.sequential().analysis);
        let task = Task::new(&triangular, Property::NoDataRace, &self.task.budget);
        if let Outcome::Safe(proof) = self.prove_within(&task, 0.4) {
            return Some(Reason::NoTriangularRace(proof));
        }
        let attacked = attacked(&self.sequential().analysis)?;
        let task = Task::new(&attacked, Property::UnreachCall, &self.task.budget);
        match self.prove_within(&task, 0.6) {
            Outcome::Safe(proof) => Some(Reason::NoAttack(proof)),
            Outcome::Unsafe(_) | Outcome::UnsafeGraph(_) => {
                let what = "one thread can delay its stores so that others notice (an attack); no execution is found that shows it";
                self.reason = Some(Inconclusive::NoProof(what.to_owned()));
                None
            }
            Outcome::Unknown(_) => None,
        }
    }

    /// Race freedom by locks alone, without a search.
    fn obviously_race_free(&mut self) -> Option<Reason> {
        let strict = strict(self.task.program());
        let task = Task::new(&strict, Property::NoDataRace, &self.task.budget);
        let outcome = lockset::Options.run(&task, self.stats);
        match checked(&task, outcome, self.check, &self.task.budget, self.stats) {
            Outcome::Safe(proof) => self.respects_race_freedom().then_some(Reason::RaceFree(proof)),
            Outcome::Unsafe(_) | Outcome::UnsafeGraph(_) | Outcome::Unknown(_) => None,
        }
    }

    /// Data races, as C11 defines them.
    fn race_free_property(&mut self) -> Option<Answer> {
        match self.race_free(0.6)? {
            Ok(why) => self.proved(Reason::RaceFree(why), None),
            Err(()) => match self.prove_within(&self.sequential(), 0.5) {
                violated @ (Outcome::Unsafe(_) | Outcome::UnsafeGraph(_)) => self.violated(violated),
                Outcome::Safe(_) => {
                    let c11 = self.task.program().memory_model == MemoryModel::C11;
                    if let Some(reason) = c11.then(|| self.no_stale_read()).flatten() {
                        return self.proved(reason, None);
                    }
                    let what =
                        "atomic accesses that are not seq_cst may race, so that a data race is not excluded";
                    self.reason = Some(Inconclusive::NoProof(what.to_owned()));
                    None
                }
                Outcome::Unknown(why) => {
                    self.reason = Some(why);
                    None
                }
            },
        }
    }

    /// Whether the strict program is free of races: a proof, or `Err` if it has one. `None` if that is not known.
    fn race_free(&mut self, share: f64) -> Option<Result<Proof, ()>> {
        if !self.respects_race_freedom() {
            return None;
        }
        let strict = strict(self.task.program());
        let task = Task::new(&strict, Property::NoDataRace, &self.task.budget);
        match self.prove_within(&task, share) {
            Outcome::Safe(proof) => Some(Ok(proof)),
            Outcome::Unsafe(_) | Outcome::UnsafeGraph(_) => Some(Err(())),
            Outcome::Unknown(why) => {
                self.reason.get_or_insert(why);
                None
            }
        }
    }

    fn prove_within(&mut self, task: &Task<'_>, share: f64) -> Outcome {
        (self.prove)(&task.within(self.task.budget.share(share)), self.stats)
    }

    fn proved(&mut self, reason: Reason, proof: Option<Proof>) -> Option<Answer> {
        let lemma = match reason {
            Reason::RaceFree(_) => "race-free",
            Reason::NoCriticalCycle => "no critical cycle",
            Reason::NoTriangularRace(_) => "no triangular race",
            Reason::NoAttack(_) => "no attack",
            Reason::NoStaleRead(_) => "no stale read",
            Reason::Buffered { .. } => "buffers",
        };
        self.stats.name("lemma", lemma);
        let outcome = Outcome::Safe(Proof::Weak(Box::new(WeakProof { reason, proof })));
        found(checked(self.task, outcome, self.check, &self.task.budget, self.stats), false)
    }

    fn explored(&mut self, max_states: usize) -> Option<Answer> {
        let options = explore::Options { max_states, ..explore::Options::default() };
        let budget =
            if max_states == FEW_STATES { self.task.budget.within(FIRST) } else { self.task.budget.clone() };
        self.native(&options, budget)
    }

    fn simulated(&mut self) -> Option<Answer> {
        let budget = self.task.budget.within(FIRST);
        self.native(&simulate::Options::for_property(self.task.property), budget)
    }

    fn native(&mut self, engine: &dyn Engine, budget: base::Budget) -> Option<Answer> {
        if !engine.supports(self.task.property) || !engine.supports_model(self.task.program().memory_model) {
            return None;
        }
        let task = self.task.within(budget);
        let outcome = engine.run(&task, self.stats);
        match checked(&task, outcome, self.check, &self.task.budget, self.stats) {
            Outcome::Unknown(why @ (Inconclusive::Undefined(_) | Inconclusive::Unsupported(_))) => {
                self.reason.get_or_insert(why);
                None
            }
            Outcome::Unknown(_) => None,
            outcome => found(outcome, false),
        }
    }
}

fn found(outcome: Outcome, sequential: bool) -> Option<Answer> {
    Some(Answer { outcome, sequential })
}
