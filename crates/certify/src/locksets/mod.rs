//! Checks an annotation with held locks and living threads: it is inductive, its locks are well-behaved, and no two accesses are left
//! that could race. Then no reachable state has a data race.
//!
//! What is claimed is read as: *whenever a thread is at a location, it holds the locks of the location; whenever the main
//! thread is at a location, all other living threads are of the roots named there*. By induction over the steps of a run:
//!
//! | condition | checked by |
//! |---|---|
//! | threads start, and functions are entered, with no more than is claimed | `Checker::check_calls` |
//! | every step leads to a location where no more is claimed to be held | `Checker::check_steps` |
//! | what a function may give back, and certainly takes, is as claimed | `Checker::check_losses`, `Checker::check_gain` |
//! | no other thread writes to the words of a lock that is held | `Checker::check_words` |
//! | threads that live are named | `alive::check` |
//! | conflicting accesses are not parallel, or share a lock | `Checker::check_accesses` |
//! | no construct without a model, and no access through a pointer that was never set, is reached | `Checker::check_models` |
//! | the annotation is one of this program, and its locks are single objects | `check_shape` |
//!
//! The fixed points that found the annotation are not trusted, nor are their transfer functions: those here are written anew. Points-to
//! sets, roots and joins are shared with the maker of the annotation, as are the tags on transactions that take locks.

mod alive;
mod transfer;

pub(crate) use transfer::substituted;

use base::{Budget, Inconclusive};
use program::interp::span_name;
use program::{Action, FuncId, LocId, Op, Order, Program, Property, SyncKind};
use semantics::analysis::footprint::{Kind, footprints};
use semantics::analysis::lockset::{ByLocation, Held, Lock, Locksets, Mode};
use semantics::analysis::offset::{Offset, WHOLE};
use semantics::analysis::{Analysis, Site};
use transfer::Effect;

pub(crate) fn check(
    program: &Program,
    property: Property,
    claimed: &Locksets,
    budget: &Budget,
) -> Result<(), Inconclusive> {
    if property != Property::NoDataRace {
        return Err(failed(format!("sets of locks prove nothing about {property}")));
    }
    let analysis = Analysis::of(program);
    check_shape(&analysis, claimed)?;
    let effects = transfer::effects(&analysis, claimed);
    let checker = Checker { analysis: &analysis, claimed, effects, budget };
    checker.check_models()?;
    checker.check_losses()?;
    for func in program.functions.ids() {
        checker.check_gain(func)?;
        checker.check_steps(func)?;
        checker.check_calls(func)?;
        checker.check_words(func)?;
    }
    alive::check(&analysis, claimed)?;
    checker.check_accesses()
}

fn failed(what: String) -> Inconclusive {
    Inconclusive::CheckFailed(what)
}

/// There is an annotation for every location, and locks are single objects.
fn check_shape(analysis: &Analysis<'_>, claimed: &Locksets) -> Result<(), Inconclusive> {
    let program = analysis.program;
    let n_functions = program.functions.len();
    let counts = [
        claimed.full.len(),
        claimed.local.len(),
        claimed.gain.len(),
        claimed.loss.len(),
        claimed.alive.len(),
    ];
    let every_function =
        counts.iter().all(|n| *n == n_functions) && claimed.leaves_atomic.len() == n_functions;
    let every_location = every_function
        && program.functions.iter_enumerated().all(|(func, function)| {
            let n = function.locations.len();
            [claimed.full[func].len(), claimed.local[func].len(), claimed.alive[func].len()] == [n; 3]
        });
    if !every_location {
        return Err(failed("the annotation is not one of this program".to_owned()));
    }
    let single = claimed.locks.iter().all(|lock| analysis.is_unique(lock.site));
    if single { Ok(()) } else { Err(failed("a lock is not a single object".to_owned())) }
}

struct Checker<'a> {
    analysis: &'a Analysis<'a>,
    claimed: &'a Locksets,
    effects: ByLocation<Effect>,
    budget: &'a Budget,
}

/// Returns true if no more is claimed than is true.
fn follows(claimed: &Held, truth: &Held) -> bool {
    claimed.locks.iter().all(|(lock, mode)| truth.locks.get(lock).is_some_and(|true_mode| mode <= true_mode))
        && (!claimed.atomic || truth.atomic)
        && claimed.if_zero.iter().all(|(var, fact)| truth.if_zero.get(var) == Some(fact))
}

impl Checker<'_> {
    fn program(&self) -> &Program {
        self.analysis.program
    }

    fn action(&self, func: FuncId, loc: LocId) -> &Action {
        &self.program().functions[func].locations[loc].action
    }

    fn at(&self, func: FuncId, loc: LocId, what: &str) -> Inconclusive {
        let span = self.program().functions[func].locations[loc].span;
        failed(format!("{what} at {}", span_name(self.program(), span)))
    }

    fn check_models(&self) -> Result<(), Inconclusive> {
        for (func, function) in self.program().functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                if let (Action::Unsupported(what), Some(_)) =
                    (&location.action, &self.claimed.full[func][loc])
                {
                    return Err(self.at(func, loc, &format!("possibly reachable unsupported: {what}")));
                }
                if self.claimed.full[func][loc].is_some() && self.analysis.goes_anywhere(func, loc) {
                    return Err(self.at(func, loc, "an access through a pointer that was never set"));
                }
            }
        }
        Ok(())
    }

    /// Whatever an action or a callee may give back is named by the function.
    fn check_losses(&self) -> Result<(), Inconclusive> {
        for (func, function) in self.program().functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                let effect = &self.effects[func][loc];
                let mut named = effect.drops.iter().all(|lock| self.claimed.loss[func].contains(lock))
                    && (effect.section != Some(false) || self.claimed.leaves_atomic[func]);
                if let Action::Call { callee, .. } = &location.action {
                    named &= self.analysis.points_to.callees(func, callee).into_iter().all(|callee| {
                        self.claimed.loss[callee].is_subset(&self.claimed.loss[func])
                            && (!self.claimed.leaves_atomic[callee] || self.claimed.leaves_atomic[func])
                    });
                }
                if !named {
                    return Err(self.at(func, loc, "a release is not named"));
                }
            }
        }
        Ok(())
    }

    /// A function takes what it is said to take, on every way to every return.
    fn check_gain(&self, func: FuncId) -> Result<(), Inconclusive> {
        let function = &self.program().functions[func];
        let local = &self.claimed.local[func];
        let starts = local[function.entry].as_ref().is_some_and(|start| follows(start, &Held::default()));
        if !starts {
            return Err(self.at(func, function.entry, "more is claimed to be taken than nothing"));
        }
        for (loc, location) in function.locations.iter_enumerated() {
            let (Action::Return(_), Some(held)) = (&location.action, &local[loc]) else { continue };
            let gain = self.claimed.gain[func].as_ref();
            if !gain.is_some_and(|gain| gain.if_zero.is_empty() && follows(gain, held)) {
                return Err(self.at(func, loc, "a function is claimed to take more than it does"));
            }
        }
        Ok(())
    }

    /// Both annotations of a function are closed under its steps.
    fn check_steps(&self, func: FuncId) -> Result<(), Inconclusive> {
        for annotation in [&self.claimed.local[func], &self.claimed.full[func]] {
            for loc in annotation.ids() {
                self.budget.check()?;
                let Some(held) = &annotation[loc] else { continue };
                let at = (func, loc);
                for (next, after) in transfer::after(self.analysis, self.claimed, &self.effects, at, held) {
                    if !annotation[next].as_ref().is_some_and(|claimed| follows(claimed, &after)) {
                        return Err(self.at(func, next, "more is claimed to be held than is"));
                    }
                }
            }
        }
        Ok(())
    }

    /// Threads start with nothing; callees hold no more than all their callers.
    fn check_calls(&self, func: FuncId) -> Result<(), Inconclusive> {
        let entry_of = |func: FuncId| &self.claimed.full[func][self.program().functions[func].entry];
        if self.analysis.threads.roots().iter().any(|root| root.func == func) {
            let nothing = entry_of(func).as_ref().is_some_and(|held| follows(held, &Held::default()));
            if !nothing {
                return Err(failed("a thread is claimed to start with locks".to_owned()));
            }
        }
        for (loc, location) in self.program().functions[func].locations.iter_enumerated() {
            let (Action::Call { callee, .. }, Some(held)) = (&location.action, &self.claimed.full[func][loc])
            else {
                continue;
            };
            let held = Held { if_zero: Default::default(), ..held.clone() };
            let callees = self.analysis.points_to.callees(func, callee);
            if !callees.iter().all(|f| entry_of(*f).as_ref().is_some_and(|claimed| follows(claimed, &held))) {
                return Err(self.at(func, loc, "a callee is claimed to hold more than its caller"));
            }
        }
        Ok(())
    }

    /// A thread that writes to a lock's words other than by taking it holds it, or is alone.
    fn check_words(&self, func: FuncId) -> Result<(), Inconclusive> {
        for loc in self.program().functions[func].locations.ids() {
            let Some(held) = &self.claimed.full[func][loc] else { continue };
            let is_read_unlock = matches!(
                self.action(func, loc),
                Action::Ops { sync: Some(sync), .. } if sync.kind == SyncKind::RwUnlock
            );
            let harmless = |lock: &Lock| match held.locks.get(lock) {
                Some(Mode::Write) => true,
                Some(Mode::Read) => is_read_unlock,
                None => false,
            };
            let drops = &self.effects[func][loc].drops;
            if !drops.iter().all(harmless) && !self.is_alone(func, loc) {
                return Err(self.at(func, loc, "a lock may be released by a thread that does not hold it"));
            }
        }
        Ok(())
    }

    fn is_alone(&self, func: FuncId, loc: LocId) -> bool {
        let threads = &self.analysis.threads;
        let no_other = self.claimed.alive[func][loc].as_ref().is_none_or(|alive| alive.is_empty());
        threads.runners(func) == [0] && !threads.roots()[0].many && no_other
    }
}

/// An access as far as it matters here.
struct Touch {
    func: FuncId,
    loc: LocId,
    place: Option<(Site, Offset)>,
    bytes: u64,
    write: bool,
    atomic: bool,
}

impl Checker<'_> {
    /// Conflicting accesses never happen at once.
    fn check_accesses(&self) -> Result<(), Inconclusive> {
        let touches = self.touches();
        for (n, left) in touches.iter().enumerate() {
            self.budget.check()?;
            for right in &touches[n..] {
                let conflict =
                    (left.write || right.write) && !(left.atomic && right.atomic) && meet(left, right);
                if conflict && self.parallel(left, right) && !self.share_lock(left, right) {
                    return Err(self.at(left.func, left.loc, "an access may race"));
                }
            }
        }
        Ok(())
    }

    fn touches(&self) -> Vec<Touch> {
        let mut touches = Vec::new();
        for (func, function) in self.program().functions.iter_enumerated() {
            for loc in function.locations.ids() {
                if let Some(held) = &self.claimed.full[func][loc] {
                    self.touches_at(func, loc, held.atomic, &mut touches);
                }
            }
        }
        touches
    }

    fn touches_at(&self, func: FuncId, loc: LocId, in_section: bool, touches: &mut Vec<Touch>) {
        let action = self.action(func, loc);
        for footprint in footprints(&self.program().functions[func], action) {
            if matches!(action, Action::Ops { ops, .. } if matches!(ops[footprint.op], Op::Forget { .. })) {
                continue;
            }
            let targets = self.analysis.points_to.targets(func, &footprint.addr);
            let known = footprint.extent.bytes();
            let bytes = known.unwrap_or(WHOLE);
            let write = footprint.kind == Kind::Write;
            let atomic = in_section || footprint.order != Order::Plain;
            let places =
                targets.places.into_iter().filter(|(site, _)| self.analysis.threads.is_contended(*site));
            let places =
                places.map(|(site, at)| Some((site, if known.is_none() { Offset::Any } else { at })));
            let anywhere = targets.unknown.then_some(None);
            touches.extend(places.chain(anywhere).map(|place| Touch {
                func,
                loc,
                place,
                bytes,
                write,
                atomic,
            }));
        }
    }

    fn parallel(&self, left: &Touch, right: &Touch) -> bool {
        let threads = &self.analysis.threads;
        let pairs = threads
            .runners(left.func)
            .iter()
            .flat_map(|l| threads.runners(right.func).iter().map(move |r| (*l, *r)));
        pairs.into_iter().any(|(l, r)| alive::parallel(self.analysis, self.claimed, (l, left), (r, right)))
    }

    fn share_lock(&self, left: &Touch, right: &Touch) -> bool {
        let held = |touch: &Touch| self.claimed.full[touch.func][touch.loc].clone().unwrap_or_default();
        let (left, right) = (held(left), held(right));
        let common = left.locks.iter().any(|(lock, mode)| {
            let other = right.locks.get(lock);
            other.is_some_and(|other| *mode == Mode::Write || *other == Mode::Write)
        });
        common || (left.atomic && right.atomic)
    }
}

fn meet(left: &Touch, right: &Touch) -> bool {
    match (left.place, right.place) {
        (Some((site, at)), Some((other, there))) => {
            site == other && at.overlaps(left.bytes, there, right.bytes)
        }
        _ => true,
    }
}
