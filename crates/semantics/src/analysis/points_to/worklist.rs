//! The order in which transfer functions are applied: an action again when something changed that it reads.
//!
//! Least fixed points do not depend on the order; the time does. What an action reads is known in part from its text (registers), in part
//! from the values found so far (objects read through addresses, results of callees).

use super::PointsTo;
use crate::analysis::footprint::{expressions, operands};
use crate::analysis::value::Site;
use base::IdxVec;
use program::{Action, Expr, FuncId, LocId, Op, Program, VarId};
use std::collections::{BTreeMap, BTreeSet};

/// Something that an action can read, and that has a new value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Changed {
    /// A register.
    Register(FuncId, VarId),
    /// What an object holds.
    Contents(Site),
    /// The result of a function.
    Returned(FuncId),
    /// Threads start in this function.
    Started(FuncId),
    /// The results of threads.
    Results,
    /// What was written to places that are not known.
    Anywhere,
}

/// An action, by function and location.
type At = (FuncId, LocId);

/// Who reads what.
struct Readers {
    /// The actions that mention each register.
    mentions: IdxVec<FuncId, IdxVec<VarId, Vec<LocId>>>,
    /// What is found out as values are.
    found: BTreeMap<Changed, BTreeSet<At>>,
    all: Vec<At>,
}

impl PointsTo {
    /// Applies all transfer functions until nothing changes.
    pub(super) fn saturate(&mut self, program: &Program) {
        let mut readers = Readers::of(program);
        self.changes.clear();
        let mut queue: BTreeSet<At> = readers.all.iter().copied().collect();
        while let Some((func, loc)) = queue.pop_first() {
            let action = &program.functions[func].locations[loc].action;
            self.action(program, func, loc, action);
            self.note_reads(&mut readers, func, loc, action);
            for changed in std::mem::take(&mut self.changes) {
                readers.each(changed, |reader| _ = queue.insert(reader));
            }
        }
    }

    /// Notes which objects and results an action has read.
    fn note_reads(&self, readers: &mut Readers, func: FuncId, loc: LocId, action: &Action) {
        let mut sites: Vec<Site> = Vec::new();
        let mut through = |addr: &Expr| sites.extend(self.value(func, addr).places.into_keys());
        let mut look = |e: &Expr| {
            e.walk(&mut |part| {
                if let Expr::Load { addr, .. } = part {
                    through(addr);
                }
            });
        };
        match action {
            Action::Ops { ops, .. } => ops.iter().flat_map(operands).for_each(&mut look),
            other => expressions(other).into_iter().for_each(&mut look),
        }
        match action {
            Action::Ops { ops, .. } => {
                for op in ops {
                    match op {
                        Op::Copy { src, .. } => through(src),
                        Op::Realloc { ptr, .. } => through(ptr),
                        Op::Join { .. } => readers.add(Changed::Results, (func, loc)),
                        _ => {}
                    }
                }
            }
            Action::Call { callee, .. } => {
                for callee in self.callees(func, callee) {
                    readers.add(Changed::Returned(callee), (func, loc));
                }
            }
            Action::Return(_) => readers.add(Changed::Started(func), (func, loc)),
            Action::Unsupported(_) => sites.extend(self.reach(func).into_iter().flatten()),
            Action::Branch { .. }
            | Action::ThreadExit(_)
            | Action::Exit
            | Action::Error { .. }
            | Action::Undefined(_) => {}
        }
        sites.into_iter().for_each(|site| readers.add(Changed::Contents(site), (func, loc)));
    }
}

impl Readers {
    fn of(program: &Program) -> Readers {
        let mut mentions: IdxVec<FuncId, IdxVec<VarId, Vec<LocId>>> =
            program.functions.iter().map(|f| f.vars.iter().map(|_| Vec::new()).collect()).collect();
        let mut all = Vec::new();
        for (func, function) in program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                all.push((func, loc));
                let mut look = |e: &Expr| {
                    e.walk(&mut |part| {
                        if let Expr::Reg(var, _) = part {
                            mentions[func][*var].push(loc);
                        }
                    });
                };
                match &location.action {
                    Action::Ops { ops, .. } => ops.iter().flat_map(operands).for_each(&mut look),
                    other => expressions(other).into_iter().for_each(&mut look),
                }
                if matches!(location.action, Action::Unsupported(_)) {
                    function.params.iter().for_each(|param| mentions[func][*param].push(loc));
                }
            }
        }
        Readers { mentions, found: BTreeMap::new(), all }
    }

    fn add(&mut self, what: Changed, reader: At) {
        self.found.entry(what).or_default().insert(reader);
    }

    fn each(&self, changed: Changed, mut wake: impl FnMut(At)) {
        match changed {
            Changed::Register(func, var) => {
                self.mentions[func][var].iter().for_each(|loc| wake((func, *loc)));
            }
            Changed::Anywhere => self.all.iter().for_each(|at| wake(*at)),
            Changed::Contents(_) | Changed::Returned(_) | Changed::Started(_) | Changed::Results => {
                self.found.get(&changed).into_iter().flatten().for_each(|at| wake(*at));
            }
        }
    }
}
