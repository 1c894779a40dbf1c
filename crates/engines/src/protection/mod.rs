//! Data races in whole programs: an answer for every memory location, by what protects it; no interleavings.
//!
//! A thread-modular analysis in the manner of Goblint (Vojdani, Apinis, Rõtov, Seidl, Vene, Vogler, *Static race detection for device
//! drivers: the Goblint approach*, ASE 2016): each thread is analysed alone, and what it knows of its own history (its
//! *digest*) decides which accesses of other threads can happen at the same time (Schwarz, Saan, Seidl, Erhard, Vojdani, *Clustered relational
//! thread-modular abstract interpretation with local traces*, ESOP 2023).
//!
//! | stage | module | result |
//! |---|---|---|
//! | contexts | [`plan`] | a program in which calls enter copies of functions |
//! | addresses | [`semantics::analysis::points_to`] with an environment | what addresses refer to, who is called, which threads there are |
//! | lives | [`alive`] | which threads can be alive while the main thread is at a location |
//! | effects | [`effects`] | what actions and functions may do to locks and to the secrecy of addresses |
//! | facts | [`flow`], [`transfer`], [`handover`] | for each location: locks held, values of registers, objects owned |
//! | locks | [`locks`] | which locks no thread releases that does not hold them |
//! | answers | [`locations`] | for each memory location: proved, or the two most suspicious accesses |
//!
//! # Why two accesses cannot race
//! One of: both read; both are atomic; the threads are not alive at once; one thread owns the object (it allocated it and has not made its address
//! known); both hold the same single lock; both hold the lock at the same distance from the accessed address, so that for the same
//! object it is the same lock (`p->lock` for `p->data`).
//!
//! # Terms
//! A fact about an address is about a [`Term`](evidence::Term): the address of a single object, the pointer in a word that is written only while
//! there is one thread, or the value of a register, plus a distance. Terms that mention a register die when the register is set. So a
//! lock of the node before (`p = p->next` under `p->lock`) is not taken for the lock of this one.
//!
//! # Deviations
//! From Goblint: contexts are chosen beforehand, by copying functions, instead of during the analysis, so that the result is one annotation of
//! one program, and a checker needs no contexts. There are no values, no regions of the heap, no symbolic thread ids: two threads of one start routine
//! are never told apart.
//!
//! # Direction of error
//! A location that is not raced for may be left open. What is proved rests on an annotation that `certify` checks. What has no model is taken
//! for an opaque call ([`semantics::analysis::points_to`]), which the answers say; the engine gives a verdict only where none is reached.

mod alive;
mod calls;
mod effects;
mod flow;
mod handover;
mod locations;
mod locks;
mod plan;
mod transfer;

use crate::task::{Engine, Task};
use base::{Budget, Inconclusive, Stats};
use calls::Calls;
use effects::Effects;
use evidence::{Outcome, Proof, Protection, RaceAnswer, RaceCell};
use locations::Locations;
use locks::Harm;
use program::interp::span_name;
use program::passes::with_clones;
use program::{Action, Program, Property};
use semantics::Analysis;
use semantics::analysis::footprint::footprints;
use std::collections::{BTreeMap, BTreeSet};

/// There is nothing to choose.
#[derive(Clone, Copy, Debug)]
pub struct Options;

/// What is known of every memory location that threads share.
#[derive(Clone, Debug)]
pub struct Answers {
    /// Why the proved ones are: to be checked.
    pub protection: Protection,
    /// The answers.
    pub cells: BTreeMap<RaceCell, RaceAnswer>,
    /// What has no model and may be reached, with the place of one occurrence each.
    pub opaque: BTreeMap<String, String>,
    /// An access at an address that may be an input, or was never set.
    pub wild: Option<String>,
}

impl Engine for Options {
    fn name(&self) -> &'static str {
        "protection"
    }

    fn supports(&self, property: Property) -> bool {
        property == Property::NoDataRace
    }

    fn search(&self, task: &Task<'_>, stats: &mut Stats) -> Outcome {
        match task.locations() {
            Ok(answers) => answers.outcome(task.program(), stats),
            Err(why) => Outcome::Unknown(why),
        }
    }
}

impl Answers {
    fn outcome(&self, program: &Program, stats: &mut Stats) -> Outcome {
        stats.add("locations", self.cells.len() as u64);
        stats.add("locations_proved", self.protection.proved.len() as u64);
        if let Some((what, place)) = self.opaque.first_key_value() {
            return Outcome::Unknown(Inconclusive::Unsupported(format!("{what} at {place}")));
        }
        if let Some(place) = &self.wild {
            let what = format!("an access through an address that is an input or was never set at {place}");
            return Outcome::Unknown(Inconclusive::Unsupported(what));
        }
        let open = self.cells.values().find_map(|answer| match answer {
            RaceAnswer::Open(pair, _) => Some(pair),
            RaceAnswer::Proved { .. } => None,
        });
        match open {
            None => Outcome::Safe(Proof::Protected(Box::new(self.protection.clone()))),
            Some(pair) => {
                let place = |access: &evidence::RaceAccess| {
                    span_name(program, program.functions[access.func].locations[access.loc].span)
                };
                Outcome::Unknown(Inconclusive::NoProof(format!(
                    "accesses at {} and {} are not proved apart",
                    place(&pair.0),
                    place(&pair.1)
                )))
            }
        }
    }
}

/// Analyses a program.
pub fn answers(program: &Program, budget: &Budget) -> Result<Answers, Inconclusive> {
    let plan = plan::plan(program);
    let copied = with_clones(program, &plan).expect("the plan should be one for this program");
    budget.check()?;
    let analysis = tracing::info_span!("addresses").in_scope(|| Analysis::with_environment(&copied));
    budget.check()?;
    let calls = Calls::of(&analysis);
    let alive = tracing::info_span!("alive").in_scope(|| alive::alive(&analysis, &calls));
    let effects = tracing::info_span!("effects").in_scope(|| Effects::of(&analysis, &calls, &alive));
    budget.check()?;
    let flow = tracing::info_span!("facts").in_scope(|| {
        let flow = flow::solve(&effects, &BTreeSet::new(), budget)?;
        let handed = handover::handed_over(&effects, &flow);
        if handed.is_empty() { Ok(flow) } else { flow::solve(&effects, &handed, budget) }
    })?;
    let harm = Harm::of(&effects, &flow);
    let cells = tracing::info_span!("locations")
        .in_scope(|| Locations::of(&effects, &flow, &harm).answers(&plan, program, budget))?;
    let (opaque, wild) = reached(&analysis, &flow);
    let proved: BTreeSet<RaceCell> = cells
        .iter()
        .filter(|(_, answer)| matches!(answer, RaceAnswer::Proved { .. }))
        .map(|(cell, _)| *cell)
        .collect();
    let stable = effects.stable.clone();
    let protection =
        Protection { plan, facts: flow.facts, exits: flow.exits, alive: alive.clone(), stable, proved };
    Ok(Answers { protection, cells, opaque, wild })
}

/// What has no model and may be reached, and an access through an address of which nothing is known.
fn reached(analysis: &Analysis<'_>, flow: &flow::Flow) -> (BTreeMap<String, String>, Option<String>) {
    let program = analysis.program;
    let (mut opaque, mut wild) = (BTreeMap::new(), None);
    for (func, function) in program.functions.iter_enumerated() {
        for (loc, location) in function.locations.iter_enumerated() {
            if flow.facts[func][loc].is_none() {
                continue;
            }
            let place = || span_name(program, location.span);
            if let Action::Unsupported(what) = &location.action {
                opaque.entry(what.clone()).or_insert_with(place);
            }
            if analysis.points_to.enters_anything(func, &location.action) {
                opaque.entry("a call through a pointer that is an input".to_owned()).or_insert_with(place);
            }
            let at_input = || {
                let touched = footprints(function, &location.action);
                touched.iter().any(|footprint| analysis.points_to.is_wild(func, &footprint.addr))
                    || analysis.points_to.enters_anything(func, &location.action)
            };
            if wild.is_none() && (at_input() || analysis.goes_anywhere(func, loc)) {
                wild = Some(place());
            }
        }
    }
    (opaque, wild)
}
