//! Which thread a join waits for: handles, followed from the create that makes them to the join that takes them.
//!
//! A join of a handle that is read from memory joins the thread of one root if
//! - the handle's place is one fixed word of one object, and the only writes to it are stores of the handle that one create makes,
//!   in the create's own transaction, so that the word is up to date when the creator goes on;
//! - that create is the only one of its root, runs at most once in a run (the root has one thread), and only the main thread can run it,
//!   so that it does not come *after* the join while the handle names no thread yet;
//! - no thread is ever detached: joining a detached thread does not wait.
//!
//! Then, once the main thread has taken the join, the thread has ended or was not created so far.
//!
//! # Direction of error
//! Names no thread in doubt.

use crate::analysis::Analysis;
use crate::analysis::footprint::{Kind, footprints};
use crate::analysis::offset::Offset;
use crate::analysis::threads::is_in_cycle;
use crate::analysis::value::Site;
use program::{Action, Expr, FuncId, LocId, Op, VarId};

impl Analysis<'_> {
    /// The root (by position) whose only thread has ended, or was not created so far, when the main thread has taken the join
    /// at a location.
    pub fn joined_root(&self, func: FuncId, loc: LocId) -> Option<usize> {
        let Action::Ops { ops, .. } = &self.program.functions[func].locations[loc].action else {
            return None;
        };
        let [Op::Join { handle, .. }] = &ops[..] else { return None };
        if self.detaches() {
            return None;
        }
        let (creator, created) = self.create_of(func, loc, handle)?;
        if self.threads.runners(creator) != [0] {
            return None;
        }
        let [start] = self.points_to.started_by(creator, created)[..] else { return None };
        let root = self.threads.roots().iter().position(|root| root.func == start)?;
        (!self.threads.roots()[root].many).then_some(root)
    }

    fn detaches(&self) -> bool {
        let locations = self.program.functions.iter().flat_map(|function| function.locations.iter());
        let mut ops = locations.flat_map(|location| match &location.action {
            Action::Ops { ops, .. } => &ops[..],
            _ => &[],
        });
        ops.any(|op| matches!(op, Op::Detach { .. }))
    }

    /// The one create whose handle `e`, evaluated at `loc`, is.
    fn create_of(&self, func: FuncId, loc: LocId, e: &Expr) -> Option<(FuncId, LocId)> {
        match e {
            Expr::Reg(var, _) => {
                // Read right before: an older reading might be from before the create.
                let [(at, Some(value @ Expr::Load { .. }))] = self.definitions(func, *var)[..] else {
                    return None;
                };
                let action = &self.program.functions[func].locations[at].action;
                let right_before = action.successors().all(|next| next == loc);
                right_before.then(|| self.create_of(func, at, value)).flatten()
            }
            Expr::Load { addr, width, .. } => {
                let (site, offset) = self.points_to.targets(func, addr).only_place()?;
                if !self.is_unique(site) {
                    return None;
                }
                self.only_handle_at(site, offset, width.bytes())
            }
            _ => None,
        }
    }

    /// The values that a register gets, and where; no value if it gets one that stands nowhere.
    fn definitions(&self, func: FuncId, var: VarId) -> Vec<(LocId, Option<&Expr>)> {
        let function = &self.program.functions[func];
        let mut found = Vec::new();
        if function.params.contains(&var) {
            found.push((function.entry, None));
        }
        for (loc, location) in function.locations.iter_enumerated() {
            match &location.action {
                Action::Ops { ops, .. } => {
                    let setting = ops.iter().filter(|op| op.results().any(|v| v == var));
                    found.extend(setting.map(|op| match op {
                        Op::Set { value, .. } => (loc, Some(value)),
                        _ => (loc, None),
                    }));
                }
                Action::Call { ret: Some(ret), .. } if *ret == var => found.push((loc, None)),
                _ => {}
            }
        }
        found
    }

    /// The create whose handle is the only thing ever stored to a word.
    fn only_handle_at(&self, site: Site, offset: i64, bytes: u64) -> Option<(FuncId, LocId)> {
        let word = Offset::Exactly(offset);
        let mut found = None;
        if self.points_to.opaque_sites().contains(&site) {
            return None;
        }
        for (func, function) in self.program.functions.iter_enumerated() {
            for (loc, location) in function.locations.iter_enumerated() {
                for footprint in footprints(function, &location.action) {
                    let targets = self.points_to.targets(func, &footprint.addr);
                    let length = footprint.extent.bytes().unwrap_or(crate::analysis::offset::WHOLE);
                    let whole = footprint.extent.bytes().is_none();
                    let meets = targets.unknown
                        || targets
                            .places
                            .iter()
                            .any(|(at, from)| *at == site && (whole || from.overlaps(length, word, bytes)));
                    if footprint.kind != Kind::Write || !meets {
                        continue;
                    }
                    let Action::Ops { ops, .. } = &location.action else { return None };
                    if matches!(ops[footprint.op], Op::Forget { .. }) && !is_in_cycle(self.program, func, loc)
                    {
                        // Its declaration, which comes before all uses.
                        continue;
                    }
                    let exact = targets.only_place() == Some((site, offset)) && length == bytes;
                    if !exact || !is_store_of_handle(ops, footprint.op) || found.is_some() {
                        return None;
                    }
                    found = Some((func, loc));
                }
            }
        }
        found
    }
}

/// Returns true if operation `n` stores, in full, the handle that the operation before it makes.
fn is_store_of_handle(ops: &[Op], n: usize) -> bool {
    match (n.checked_sub(1).map(|before| &ops[before]), &ops[n]) {
        (Some(Op::Create { handle, .. }), Op::Store { value: Expr::Reg(var, _), .. }) => handle == var,
        _ => false,
    }
}
