//! Which functions are copied: contexts, chosen before the analysis.
//!
//! A function whose whole tree of calls is small gets a copy for each of its calls: wrappers of `malloc` and of locks, accessors, the models of
//! the C library. Larger functions get a copy for each start routine that is named at a create, so that what a thread allocates and locks
//! is told apart from what others do in the same code. If that makes too much of the program, "small" means less.

use program::passes::ClonePlan;
use program::{Action, Callee, Expr, FuncId, LocId, Op, Program};
use semantics::analysis::points_to::is_opaque;
use std::collections::{BTreeMap, BTreeSet};

/// How many locations the tree of calls of a small function has at most, tried in this order; and the same for functions of the C
/// library, which are called from everywhere.
const SMALL: [(usize, usize); 6] = [(120, 3000), (120, 600), (60, 300), (30, 100), (12, 30), (0, 0)];

/// How large a program may become: this many times as large, and so many locations more.
const GROWTH: (usize, usize) = (3, 20_000);

/// The copies that the analysis of `program` is about.
pub(super) fn plan(program: &Program) -> ClonePlan {
    let n_locations: usize = program.functions.iter().map(|f| f.locations.len()).sum();
    let most = n_locations * GROWTH.0 + GROWTH.1;
    let planner = Planner::of(program);
    SMALL.iter().find_map(|small| planner.plan(*small, most)).unwrap_or_default()
}

struct Planner<'p> {
    program: &'p Program,
    /// The calls by name of each function, of summaries where there are some.
    calls: Vec<Vec<(LocId, FuncId)>>,
    /// The number of locations of each function's tree of calls.
    sizes: Vec<usize>,
    starts: BTreeSet<FuncId>,
    summaries: BTreeSet<FuncId>,
}

fn at(func: FuncId) -> usize {
    base::Idx::index(func)
}

impl<'p> Planner<'p> {
    fn of(program: &'p Program) -> Self {
        let calls: Vec<Vec<(LocId, FuncId)>> =
            program.functions.iter().map(|function| direct_calls(program, function)).collect();
        let summaries = program.functions.iter().filter_map(|function| function.summary).collect();
        let mut planner =
            Planner { program, sizes: vec![0; calls.len()], calls, starts: named_starts(program), summaries };
        let mut state = vec![Visit::Not; planner.calls.len()];
        for func in program.functions.ids() {
            planner.measure(func, &mut state);
        }
        planner
    }

    /// Recursion has trees without end.
    fn measure(&mut self, func: FuncId, state: &mut [Visit]) -> usize {
        match state[at(func)] {
            Visit::Done => return self.sizes[at(func)],
            Visit::Now => return usize::MAX,
            Visit::Not => {}
        }
        state[at(func)] = Visit::Now;
        let mut size = self.program.functions[func].locations.len();
        for (_, callee) in self.calls[at(func)].clone() {
            size = size.saturating_add(self.measure(callee, state));
        }
        state[at(func)] = Visit::Done;
        self.sizes[at(func)] = size;
        size
    }

    fn plan(&self, (small, small_library): (usize, usize), most_locations: usize) -> Option<ClonePlan> {
        let mut plan = ClonePlan::default();
        let mut n_locations: usize = self.program.functions.iter().map(|f| f.locations.len()).sum();
        let mut large: BTreeMap<(FuncId, FuncId), FuncId> = BTreeMap::new();
        let originals = self.program.functions.ids();
        let mut queue: Vec<(FuncId, FuncId, Option<FuncId>)> =
            originals.map(|func| (func, func, self.starts.contains(&func).then_some(func))).collect();
        while let Some((func, origin, start)) = queue.pop() {
            for (loc, callee) in &self.calls[at(origin)] {
                let most = if self.program.functions[*callee].library { small_library } else { small };
                let is_small = self.sizes[at(*callee)] <= most
                    || is_opaque(self.program, *callee)
                    || self.summaries.contains(callee);
                let known = start.and_then(|start| large.get(&(start, *callee)).copied());
                let instead = match (is_small, known, start) {
                    (false, _, None) => continue,
                    (false, Some(known), _) => known,
                    (true, ..) | (false, None, Some(_)) => {
                        n_locations += self.program.functions[*callee].locations.len();
                        if n_locations > most_locations {
                            return None;
                        }
                        let copy = base::Idx::new(self.calls.len() + plan.originals.len());
                        plan.originals.push(*callee);
                        queue.push((copy, *callee, start));
                        if let (false, Some(start)) = (is_small, start) {
                            large.insert((start, *callee), copy);
                        }
                        copy
                    }
                };
                plan.calls.push((func, *loc, instead));
            }
        }
        Some(plan)
    }
}

#[derive(Clone, Copy)]
enum Visit {
    Not,
    Now,
    Done,
}

fn direct_calls(program: &Program, function: &program::Function) -> Vec<(LocId, FuncId)> {
    let calls = function.locations.iter_enumerated().filter_map(|(loc, location)| match &location.action {
        Action::Call { callee: Callee::Direct(callee), .. } => {
            Some((loc, program.functions[*callee].summary.unwrap_or(*callee)))
        }
        _ => None,
    });
    calls.collect()
}

/// The start routines that creates name.
fn named_starts(program: &Program) -> BTreeSet<FuncId> {
    let locations = program.functions.iter().flat_map(|function| function.locations.iter());
    let mut found = BTreeSet::new();
    for location in locations {
        if let Action::Ops { ops, .. } = &location.action {
            found.extend(ops.iter().filter_map(|op| match op {
                Op::Create { func: Expr::FuncAddr(func, _), .. } => Some(*func),
                _ => None,
            }));
        }
    }
    found.remove(&program.entry);
    found
}
