//! `--fences`: which fences make a program robust, and which of its own it does not need.
//!
//! Robustness is decided again and again, of the program with other fences. An execution that is not sequentially consistent has a cycle of accesses; a fence
//! between two accesses of one thread on it is what can forbid it. So every cycle that was found is a set of places of which one needs a fence, and the next program to try has
//! the smallest set of fences that contains a place of each of them: a minimal hitting set. (One thread's fence is often not enough: then the same cycle is found
//! again, without the places that have one now.) The loop ends with a robust program. What is left is to try weaker kinds of fences in these places, and
//! to take out or weaken, one by one, what the program has already.
//!
//! # Direction of error
//! Every program that is proposed has been shown to be robust, and every weakening in it was tried. That no smaller number of fences would do holds for full fences, up to
//! cycles that a fence elsewhere forbids, too.

use base::{Budget, Inconclusive};
use certify::graph::{Edge, Link};
use evidence::Outcome;
use program::interp::{Interp, span_name};
use program::{Barrier, MemoryModel, Order, Program, Property};
use std::collections::BTreeSet;
use weak::fences::{self, Fence, Place, with_fences};

/// Cycles that are looked at before giving up.
const MOST_CYCLES: usize = 200;

/// Answers for a program with other fences.
type Decide<'a> = dyn Fn(&Program, Property) -> Outcome + 'a;

/// Whether a program is robust.
enum Robust {
    Yes,
    /// An execution shows the contrary, by this cycle.
    No(Vec<Edge>),
    Unknown(Inconclusive),
}

impl Robust {
    /// What an outcome says about robustness.
    fn of(program: &Program, outcome: &Outcome) -> Self {
        let replayed = match outcome {
            Outcome::Safe(_) => return Robust::Yes,
            Outcome::Unknown(why) => return Robust::Unknown(why.clone()),
            Outcome::Unsafe(_) => Err(Inconclusive::NoProof("a violation of another kind".to_owned())),
            Outcome::UnsafeGraph(trace) => Interp::new(&weak::for_graphs(program))
                .and_then(|interp| certify::graph::replay_graph(&interp, trace, &mut |_, _, _, _| {})),
        };
        replayed.map_or_else(Robust::Unknown, |replayed| Robust::No(replayed.cycle))
    }
}

/// The cycle of an execution, in words; empty if there is none.
pub(crate) fn cycle_in_words(cycle: &[Edge]) -> Vec<String> {
    let Some(first) = cycle.first() else { return Vec::new() };
    let mut text = "the cycle that sequential consistency excludes: step ".to_owned();
    for edge in cycle {
        text.push_str(&format!("{} -({})-> ", edge.from.step, edge.link.name()));
    }
    text.push_str(&first.from.step.to_string());
    vec![text]
}

/// Which fences make `program` robust, and which are superfluous: lines for the user. `decide` answers for a program with other fences.
///
/// Under C11 a program without data races is not to get any by a weaker order.
pub(crate) fn advise(program: &Program, budget: &Budget, decide: &Decide<'_>) -> Vec<String> {
    let mut advisor = Advisor { original: program, budget, decide, excludes_races: false };
    advisor.excludes_races = program.memory_model == MemoryModel::C11 && advisor.has_no_races(program);
    match advisor.needed() {
        Ok(needed) => {
            let needed = advisor.weakened(needed);
            let mut lines = advisor.describe(&needed);
            lines.extend(advisor.superfluous(&needed));
            lines
        }
        Err(why) => vec![format!("no set of fences was found that makes the program robust: {why}")],
    }
}

struct Advisor<'a> {
    original: &'a Program,
    budget: &'a Budget,
    decide: &'a Decide<'a>,
    excludes_races: bool,
}

impl Advisor<'_> {
    /// The places of the fewest full fences that make the program robust.
    fn needed(&self) -> Result<Vec<Fence>, Inconclusive> {
        let mut cycles: Vec<BTreeSet<Place>> = Vec::new();
        while cycles.len() < MOST_CYCLES {
            self.budget.check()?;
            let chosen = smallest_hitting_set(&cycles);
            let fences: Vec<Fence> =
                chosen.iter().map(|place| Fence { place: *place, barrier: Barrier::Full }).collect();
            let fenced = with_fences(self.original, &fences);
            match self.robust(&fenced.program) {
                Robust::Yes => return Ok(fences),
                Robust::Unknown(why) => return Err(why),
                Robust::No(cycle) => {
                    let places = places(self.original, &cycle);
                    let places = places.into_iter().map(|p| fenced.copies.get(&p).copied().unwrap_or(p));
                    let new: BTreeSet<Place> = places.filter(|p| !chosen.contains(p)).collect();
                    if new.is_empty() {
                        let why = "fences do not forbid a cycle that is left".to_owned();
                        return Err(Inconclusive::NoProof(why));
                    }
                    cycles.push(new);
                }
            }
        }
        Err(Inconclusive::Bound(format!("more than {MOST_CYCLES} cycles")))
    }

    /// The same fences, of the weakest kinds that suffice.
    fn weakened(&self, mut fences: Vec<Fence>) -> Vec<Fence> {
        for n in 0..fences.len() {
            for barrier in [Barrier::Acquire, Barrier::Release, Barrier::AcqRel] {
                let full = std::mem::replace(&mut fences[n].barrier, barrier);
                if self.is_robust(&with_fences(self.original, &fences).program) {
                    break;
                }
                fences[n].barrier = full;
            }
        }
        fences
    }

    fn describe(&self, needed: &[Fence]) -> Vec<String> {
        let line = |fence: &Fence| {
            let place = self.place_name(fence.place);
            format!("{place}: needs {} before it", barrier_in_c(fence.barrier))
        };
        match needed {
            [] => vec!["the program is robust without further fences".to_owned()],
            _ => needed.iter().map(line).collect(),
        }
    }

    /// Fences and orders of the program that are not needed, beside the `needed` ones.
    fn superfluous(&self, needed: &[Fence]) -> Vec<String> {
        let mut program = self.original.clone();
        let mut lines = Vec::new();
        for place in fences::fences(self.original) {
            let without = fences::without_fence(&program, place);
            if self.is_robust(&with_fences(&without, needed).program) {
                lines.push(format!("{}: this fence is superfluous", self.place_name(place)));
                program = without;
            }
        }
        for (place, order) in fences::ordered_accesses(self.original) {
            let weaker = [Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel];
            for weaker in weaker.into_iter().filter(|weaker| *weaker < order) {
                let weakened = fences::with_order(&program, place, weaker);
                if self.is_robust(&with_fences(&weakened, needed).program) {
                    let line = format!("{}: {} is enough", self.place_name(place), order_in_c(weaker));
                    lines.push(line);
                    program = weakened;
                    break;
                }
            }
        }
        lines
    }

    fn robust(&self, program: &Program) -> Robust {
        Robust::of(program, &(self.decide)(program, Property::Robustness))
    }

    fn has_no_races(&self, program: &Program) -> bool {
        matches!((self.decide)(program, Property::NoDataRace), Outcome::Safe(_))
    }

    fn is_robust(&self, program: &Program) -> bool {
        self.budget.check().is_ok()
            && matches!(self.robust(program), Robust::Yes)
            && (!self.excludes_races || self.has_no_races(program))
    }

    fn place_name(&self, (func, loc): Place) -> String {
        span_name(self.original, self.original.functions[func].locations[loc].span)
    }
}

/// The places of which one needs a fence if the cycle is to be forbidden.
fn places(program: &Program, cycle: &[Edge]) -> BTreeSet<Place> {
    let next = |n: usize| &cycle[(n + 1) % cycle.len()].from;
    let reordered = |n: usize, edge: &Edge| match program.memory_model {
        MemoryModel::Tso => edge.from.write && !next(n).write,
        MemoryModel::Pso => edge.from.write,
        MemoryModel::Sc
        | MemoryModel::Rmo
        | MemoryModel::Power
        | MemoryModel::Arm
        | MemoryModel::Riscv
        | MemoryModel::C11
        | MemoryModel::User(_) => true,
    };
    let edges = cycle.iter().enumerate().filter(|(_, edge)| edge.link == Link::ProgramOrder);
    let places = edges.filter(|(n, edge)| reordered(*n, edge)).flat_map(|(_, edge)| &edge.between);
    let is_own = |place: &Place| {
        let known = place.1 < program.functions[place.0].locations.next_id();
        !known || fences::is_own(program, *place)
    };
    places.copied().filter(is_own).collect()
}

/// A smallest set that has an element of each of `sets`, which are not empty.
fn smallest_hitting_set(sets: &[BTreeSet<Place>]) -> BTreeSet<Place> {
    (0..=sets.len())
        .find_map(|size| hitting_set(sets, size, BTreeSet::new()))
        .expect("one element of each set should hit all of them")
}

fn hitting_set(sets: &[BTreeSet<Place>], more: usize, chosen: BTreeSet<Place>) -> Option<BTreeSet<Place>> {
    let Some(missed) = sets.iter().find(|set| set.is_disjoint(&chosen)) else { return Some(chosen) };
    let more = more.checked_sub(1)?;
    missed.iter().find_map(|place| {
        let mut chosen = chosen.clone();
        chosen.insert(*place);
        hitting_set(sets, more, chosen)
    })
}

fn barrier_in_c(barrier: Barrier) -> &'static str {
    match barrier {
        Barrier::Full => "atomic_thread_fence(memory_order_seq_cst)",
        Barrier::AcqRel => "atomic_thread_fence(memory_order_acq_rel)",
        Barrier::Release => "atomic_thread_fence(memory_order_release)",
        Barrier::Acquire => "atomic_thread_fence(memory_order_acquire)",
        Barrier::Store => "a store barrier",
        Barrier::Instruction => "an instruction barrier",
    }
}

fn order_in_c(order: Order) -> &'static str {
    match order {
        Order::Plain => "a plain access",
        Order::Relaxed => "memory_order_relaxed",
        Order::Acquire => "memory_order_acquire",
        Order::Release => "memory_order_release",
        Order::AcqRel => "memory_order_acq_rel",
        Order::SeqCst => "memory_order_seq_cst",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::Idx;

    #[test]
    fn hitting_sets_are_smallest() {
        let place = |n: usize| (program::FuncId::new(0), program::LocId::new(n));
        let sets = |sets: &[&[usize]]| -> Vec<BTreeSet<Place>> {
            sets.iter().map(|set| set.iter().copied().map(place).collect()).collect()
        };
        let check = |given: &[&[usize]], expected: &[usize]| {
            let expected: BTreeSet<Place> = expected.iter().copied().map(place).collect();
            assert_eq!(smallest_hitting_set(&sets(given)), expected);
        };
        check(&[], &[]);
        check(&[&[1, 2], &[2, 3]], &[2]);
        check(&[&[1, 2], &[2, 3], &[1, 3], &[3]], &[1, 3]);
    }
}
