//! Checks an annotation that says what protects the memory locations of a program: it is inductive, and no two accesses to a location that is
//! claimed to be proved can happen at the same time.
//!
//! What is claimed is read as: *whenever a thread is at a location, the facts of the location hold for it; whenever the main thread is at
//! a location, all other living threads are of the roots named there*. By induction over the steps of a run:
//!
//! | condition | checked by |
//! |---|---|
//! | the program is the original one with copies of functions | [`program::passes::with_clones`] |
//! | threads that live are named | `alive::check` |
//! | words that are claimed to be stable are written only while there is one thread | `Checker::check_stable` |
//! | threads start with nothing but the object of their argument, and callees know no more than their callers | `Checker::check_calls`, `Checker::check_roots`, `handover` |
//! | every step leads to a location where no more is claimed to be known | `Checker::check_steps` |
//! | callers know no more than callees do when they return | `Checker::check_returns`, `Checker::check_calls` |
//! | locks that count are not released by others | `harm::Harm` |
//! | conflicting accesses are not parallel, or owned, or share a lock | `pairs::unsafe_cells` |
//!
//! The fixed points that found the annotation are not trusted, nor are their transfer functions: those here are written anew. Points-to
//! sets, roots, joins and what happens once are shared with the maker of the annotation, as are the tags on transactions that take locks.
//!
//! An answer for single locations takes for granted what `semantics::analysis::points_to` says of opaque functions. A verdict takes nothing
//! of that for granted: nothing without a model, and no access through an input, may be reached.

mod alive;
mod handover;
mod harm;
mod pairs;
mod summary;
mod transfer;

use base::{Budget, Inconclusive};
use evidence::{Exit, Facts, Protection};
use program::interp::span_name;
use program::passes::with_clones;
use program::{Action, FuncId, LocId, Program, Property};
use semantics::Analysis;
use semantics::analysis::footprint::footprints;
use semantics::analysis::points_to::is_opaque;
use summary::Summary;

/// Checks that no two threads race for any memory location.
pub(crate) fn check(
    program: &Program,
    property: Property,
    claimed: &Protection,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    if property != Property::NoDataRace {
        return Err(failed(format!("protection of memory locations proves nothing about {property}")));
    }
    let copied = copied(program, claimed)?;
    let analysis = Analysis::with_environment(&copied);
    let checker = Checker::new(&analysis, claimed)?;
    checker.check_models()?;
    checker.check_annotation(budget)?;
    match pairs::unsafe_cells(&checker, program, budget)?.first() {
        None => Ok(()),
        Some(cell) => Err(failed(format!("an access to {cell:?} may race"))),
    }
}

/// Checks that no two threads race for the memory locations that are claimed to be proved, taking for granted what is said of
/// opaque functions and of inputs.
pub fn check_answers(program: &Program, claimed: &Protection, budget: &Budget) -> Result<(), Inconclusive> {
    let copied = copied(program, claimed)?;
    let analysis = Analysis::with_environment(&copied);
    let checker = Checker::new(&analysis, claimed)?;
    checker.check_annotation(budget)?;
    let open = pairs::unsafe_cells(&checker, program, budget)?;
    match claimed.proved.intersection(&open).next() {
        None => Ok(()),
        Some(cell) => Err(failed(format!("an access to {cell:?} may race"))),
    }
}

fn failed(what: String) -> Inconclusive {
    Inconclusive::CheckFailed(what)
}

/// The program that the annotation is about.
fn copied(program: &Program, claimed: &Protection) -> Result<Program, Inconclusive> {
    let copied = with_clones(program, &claimed.plan);
    let copied = copied.ok_or_else(|| failed("the copies are not ones of this program".to_owned()))?;
    let n_functions = copied.functions.len();
    let counts = [claimed.facts.len(), claimed.exits.len(), claimed.alive.len()];
    let fits = counts == [n_functions; 3]
        && copied.functions.iter_enumerated().all(|(func, function)| {
            let n = function.locations.len();
            [claimed.facts[func].len(), claimed.alive[func].len()] == [n; 2]
        });
    if fits { Ok(copied) } else { Err(failed("the annotation is not one of this program".to_owned())) }
}

struct Checker<'a> {
    analysis: &'a Analysis<'a>,
    claimed: &'a Protection,
    summary: Summary<'a>,
}

/// Returns true if no more is claimed than is true.
fn follows(claimed: &Facts, truth: &Facts) -> bool {
    claimed.locks.iter().all(|(term, mode)| truth.locks.get(term).is_some_and(|real| mode <= real))
        && claimed.if_zero.iter().all(|(var, fact)| truth.if_zero.get(var) == Some(fact))
        && claimed.terms.iter().all(|(var, term)| truth.terms.get(var) == Some(term))
        && claimed.owned.is_subset(&truth.owned)
        && (!claimed.atomic || truth.atomic)
}

impl<'a> Checker<'a> {
    fn new(analysis: &'a Analysis<'a>, claimed: &'a Protection) -> Result<Self, Inconclusive> {
        alive::check(analysis, &claimed.alive)?;
        Ok(Checker { analysis, claimed, summary: Summary::of(analysis, claimed) })
    }

    fn at(&self, func: FuncId, loc: LocId, what: &str) -> Inconclusive {
        let program = self.analysis.program;
        failed(format!("{what} at {}", span_name(program, program.functions[func].locations[loc].span)))
    }

    fn check_annotation(&self, budget: &Budget) -> Result<(), Inconclusive> {
        self.check_stable()?;
        self.check_roots()?;
        for (func, function) in self.analysis.program.functions.iter_enumerated() {
            budget.check()?;
            let fixed = transfer::unchanged(function);
            for (loc, location) in function.locations.iter_enumerated() {
                let Some(facts) = &self.claimed.facts[func][loc] else { continue };
                match &location.action {
                    Action::Call { callee, args, next, .. } => {
                        let callees = self.analysis.points_to.callees(func, callee);
                        self.check_calls((func, loc), &callees, args, *next, facts)?;
                    }
                    Action::Return(result) => {
                        let left = transfer::left(&self.summary, func, result.as_ref(), facts, &fixed);
                        self.check_returns(func, loc, &left)?;
                    }
                    Action::Unsupported(_) => self.check_unsupported(func, loc)?,
                    _ => self.check_steps(func, loc, facts)?,
                }
                self.check_callbacks(func, loc)?;
            }
        }
        Ok(())
    }

    /// Nothing without a model and no address that is an input is reached.
    fn check_models(&self) -> Result<(), Inconclusive> {
        for (func, function) in self.analysis.program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                if self.claimed.facts[func][loc].is_none() {
                    continue;
                }
                if let Action::Unsupported(what) = &location.action {
                    return Err(self.at(func, loc, &format!("possibly reachable unsupported: {what}")));
                }
                let is_wild = |addr| self.analysis.points_to.is_wild(func, addr);
                let touched = footprints(function, &location.action);
                if touched.iter().any(|footprint| is_wild(&footprint.addr))
                    || self.analysis.points_to.enters_anything(func, &location.action)
                    || self.analysis.goes_anywhere(func, loc)
                {
                    return Err(self.at(func, loc, "an access through an input, or a pointer never set,"));
                }
            }
        }
        Ok(())
    }

    fn check_stable(&self) -> Result<(), Inconclusive> {
        let program = self.analysis.program;
        for (object, at) in &self.claimed.stable {
            if base::Idx::index(*object) >= program.objects.len() || program.objects[*object].thread_local {
                return Err(failed("a stable word is not part of a static object".to_owned()));
            }
            if let Some((func, loc)) = self.summary.written_by_several(*object, *at) {
                return Err(self.at(func, loc, "a word that is claimed to be stable is written"));
            }
        }
        Ok(())
    }

    fn check_roots(&self) -> Result<(), Inconclusive> {
        for root in self.analysis.threads.roots() {
            let entry = self.analysis.program.functions[root.func].entry;
            let start = self.claimed.facts[root.func][entry].as_ref();
            let mut truth = Facts::default();
            let param = self.analysis.program.functions[root.func].params.first();
            if let (Some(param), Some(start)) = (param, start)
                && start.owned.contains(param)
                && root.func != self.analysis.program.entry
                && self.owns_argument(root.func)
            {
                truth.owned.insert(*param);
            }
            if !start.is_some_and(|facts| follows(facts, &truth)) {
                return Err(failed("a thread is claimed to start with more than it has".to_owned()));
            }
        }
        Ok(())
    }

    fn check_steps(&self, func: FuncId, loc: LocId, facts: &Facts) -> Result<(), Inconclusive> {
        for (next, truth) in transfer::stepped(&self.summary, func, loc, facts) {
            self.check_arrival(func, next, &truth)?;
        }
        Ok(())
    }

    fn check_arrival(&self, func: FuncId, loc: LocId, truth: &Facts) -> Result<(), Inconclusive> {
        let mut truth = truth.clone();
        if self.summary.is_alone(func, loc) {
            transfer::without_contents(&mut truth);
        }
        match &self.claimed.facts[func][loc] {
            Some(claimed) if follows(claimed, &truth) => Ok(()),
            _ => Err(self.at(func, loc, "more is claimed to be known than is")),
        }
    }

    fn check_calls(
        &self,
        (func, loc): (FuncId, LocId),
        callees: &[FuncId],
        args: &[program::Expr],
        next: LocId,
        facts: &Facts,
    ) -> Result<(), Inconclusive> {
        if self.analysis.points_to.enters_anything(func, self.summary.action(func, loc)) {
            // Nothing is known of the callee; the caller's registers are its own.
            let truth = transfer::only_registers(self.summary.action(func, loc), facts);
            self.check_arrival(func, next, &truth)?;
        }
        for callee in callees {
            let entry = self.analysis.program.functions[*callee].entry;
            let entered = transfer::entered(&self.summary, (func, loc), args, *callee, facts);
            self.check_arrival(*callee, entry, &entered)?;
            if let Some(exit) = &self.claimed.exits[*callee] {
                let truth = transfer::came_back(&self.summary, (func, loc), *callee, exit, facts);
                self.check_arrival(func, next, &truth)?;
            }
        }
        Ok(())
    }

    fn check_returns(&self, func: FuncId, loc: LocId, left: &Exit) -> Result<(), Inconclusive> {
        match &self.claimed.exits[func] {
            Some(exit) if follows(&exit.facts, &left.facts) && (!exit.result_owned || left.result_owned) => {
                Ok(())
            }
            _ => Err(self.at(func, loc, "more is claimed to be known after a return than is")),
        }
    }

    /// An opaque function returns with nothing.
    fn check_unsupported(&self, func: FuncId, loc: LocId) -> Result<(), Inconclusive> {
        if is_opaque(self.analysis.program, func) {
            self.check_returns(func, loc, &Exit::default())?;
        }
        Ok(())
    }

    /// An opaque function calls functions with nothing.
    fn check_callbacks(&self, func: FuncId, loc: LocId) -> Result<(), Inconclusive> {
        for callee in self.analysis.points_to.opaque_callees(func, loc) {
            let entry = self.analysis.program.functions[callee].entry;
            self.check_arrival(callee, entry, &Facts::default())?;
        }
        Ok(())
    }
}
