//! What accesses and fences do to the views.

use super::Builder;
use super::views::{Facts, VIEW, View, join, lacks, set_of, without};
use crate::cells::CellAccess;
use program::memory_model::{Barrier, ReadModifyWrite};
use program::{BinOp, Expr, ObjectId, Op, Order, Width};

/// How a cell is written.
struct Write<'o> {
    /// Only if this holds.
    when: Option<&'o Expr>,
    releases: bool,
    is_read_modify_write: bool,
    /// Whether it could come before the last write.
    may_be_early: bool,
}

impl Builder<'_> {
    /// What keeps the views in a transaction, and before which operation that is done; `sync` where a lock or the like does it to its own words. `None` if there is no
    /// rule for it.
    pub(super) fn monitor(
        &self,
        ops: &[Op],
        sync: bool,
        accesses: &[CellAccess],
    ) -> Option<(usize, Vec<Op>)> {
        let Some(first) = accesses.first() else { return Some((0, Vec::new())) };
        if accesses.iter().any(|access| access.addr != first.addr) {
            return None;
        }
        let mut all = vec![Op::Set { var: self.registers.hit, value: Expr::truth(false) }];
        if let Some(rmw) = ReadModifyWrite::of(ops) {
            let access = accesses.iter().find(|access| access.op == rmw.store_at && access.write)?;
            all.extend(self.read_modify_write(&rmw, access, sync));
            return Some((rmw.store_at, all));
        }
        all.extend(self.load_views(first));
        match accesses {
            [access] if access.write => {
                let releases = access.order.releases();
                let write = Write { when: None, releases, is_read_modify_write: false, may_be_early: !sync };
                all.extend(self.write(access, &write));
            }
            reads if reads.iter().all(|access| !access.write && access.op == first.op) => {
                all.extend(self.read(first, Expr::truth(first.order.acquires()), !sync));
            }
            _ => return None,
        }
        Some((first.op, all))
    }

    fn read_modify_write(&self, rmw: &ReadModifyWrite<'_>, access: &CellAccess, sync: bool) -> Vec<Op> {
        let (success, failure) = (rmw.order.acquires(), rmw.failure.acquires());
        let stores = rmw.stores_if.cloned().unwrap_or(Expr::truth(true));
        let acquires = Expr::ite(stores, Expr::truth(success), Expr::truth(failure));
        let is_last = rmw.stores_if.is_none()
            && access.cells.iter().all(|&cell| self.bits.cells[cell].only_read_modify_writes);
        let mut all = self.load_views(access);
        all.extend(self.read(access, acquires, !sync && !is_last));
        all.extend(self.load_views(access));
        let releases = rmw.order.releases();
        let write = Write { when: rmw.stores_if, releases, is_read_modify_write: true, may_be_early: false };
        all.extend(self.write(access, &write));
        all
    }

    /// Puts the views of the running thread and the accessed cell's message into registers.
    fn load_views(&self, access: &CellAccess) -> Vec<Op> {
        let own = View::ALL.map(|view| self.set_own(view, self.words.own(view)));
        let message = self.of_cell(access, &self.words.message);
        own.into_iter().chain([Op::Set { var: self.registers.message, value: message }]).collect()
    }

    fn own(&self, view: View) -> Expr {
        Expr::Reg(self.registers.views[view as usize], VIEW)
    }

    fn set_own(&self, view: View, value: Expr) -> Op {
        Op::Set { var: self.registers.views[view as usize], value }
    }

    /// Facts about the accessed cell.
    fn facts(&self, access: &CellAccess, facts: impl Fn(Facts) -> u64) -> Expr {
        self.choose(access, |cell| set_of(facts(self.bits.cells[cell])))
    }

    /// A word of the accessed cell; nothing is in it if the cell has none.
    fn of_cell(&self, access: &CellAccess, words: &[Option<ObjectId>]) -> Expr {
        self.choose(access, |cell| words[cell].map_or(set_of(0), |word| self.words.load(word)))
    }

    /// A value that depends on the accessed cell.
    fn choose(&self, access: &CellAccess, value: impl Fn(usize) -> Expr) -> Expr {
        let mut cells = access.cells.iter().rev();
        let last = cells.next().map_or(set_of(0), |&cell| value(cell));
        cells.fold(last, |rest, &cell| match (self.cells.is(access, cell), value(cell)) {
            (Some(is), value) if value != rest => Expr::ite(is, value, rest),
            (_, value) => value,
        })
    }

    /// The errors of an access: a race, and a stale access where that is possible.
    fn errors(&self, access: &CellAccess, writes: bool, may_be_stale: bool) -> Vec<Op> {
        let (plain, current) = (access.order == Order::Plain, self.own(View::Current));
        let hit = |wrong: Expr| {
            let value = Expr::binary(BinOp::Or, Expr::Reg(self.registers.hit, Width::BOOL), wrong);
            Op::Set { var: self.registers.hit, value }
        };
        let mut ops = Vec::new();
        let conflicting = self.facts(access, |facts| facts.conflicting(writes, plain));
        if conflicting != set_of(0) {
            let unknown = without(conflicting, &current);
            ops.push(hit(Expr::binary(BinOp::Ne, unknown, set_of(0))));
        }
        if may_be_stale && !plain {
            let last = self.facts(access, |facts| facts.last);
            let is_before = lacks(self.own(View::Sequential), &last).negated();
            ops.push(hit(Expr::binary(BinOp::And, lacks(current, &last), is_before)));
        }
        ops
    }

    /// A read of the last write.
    fn read(&self, access: &CellAccess, acquires: Expr, may_be_stale: bool) -> Vec<Op> {
        let plain = access.order == Order::Plain;
        let mut ops = self.errors(access, false, may_be_stale);
        let message = Expr::Reg(self.registers.message, VIEW);
        let seen = self.facts(access, Facts::seen_by_reading);
        let learnt = join(Expr::ite(acquires, message.clone(), set_of(0)), seen.clone());
        ops.push(self.set_own(View::Current, join(self.own(View::Current), learnt)));
        ops.push(self.set_own(View::Acquired, join(self.own(View::Acquired), join(message, seen))));
        let before = self.of_cell(access, &self.words.written);
        let last = self.facts(access, |facts| facts.last);
        ops.push(self.set_own(View::Sequential, join(self.own(View::Sequential), join(before, last))));
        let forgotten = self.facts(access, |facts| facts.by_read(plain));
        ops.extend(self.store_views(&forgotten, &set_of(0), &set_of(0), None));
        for &cell in &access.cells {
            if let Some(word) = self.words.accessed[cell] {
                let is = self.cells.is(access, cell);
                let value = join(self.words.load(word), self.own(View::Sequential));
                ops.push(self.store_when(word, value, is.as_ref()));
            }
        }
        if forgotten != set_of(0) {
            for word in self.words.message.iter().flatten().chain([&self.words.fence_message]) {
                ops.push(self.words.set(*word, without(self.words.load(*word), &forgotten)));
            }
        }
        ops
    }

    /// A write, which becomes the last one.
    fn write(&self, access: &CellAccess, write: &Write<'_>) -> Vec<Op> {
        let plain = access.order == Order::Plain;
        let mut ops = self.errors(access, true, write.may_be_early);
        let last = self.facts(access, |facts| facts.last);
        let new = self.facts(access, |facts| facts.by_write(plain));
        let settled = self.facts(access, |facts| facts.settled(plain));
        let known = join(new.clone(), settled.clone());
        ops.push(self.set_own(View::Current, join(self.own(View::Current), known.clone())));
        ops.push(self.set_own(View::Acquired, join(self.own(View::Acquired), known)));
        let mut message = match write.releases {
            _ if plain => set_of(0),
            true => self.own(View::Current),
            false => without(self.own(View::Released), &new),
        };
        if write.is_read_modify_write {
            message = join(message, without(Expr::Reg(self.registers.message, VIEW), &new));
        }
        ops.push(Op::Set { var: self.registers.message, value: join(message, settled.clone()) });
        let accessed =
            join(self.of_cell(access, &self.words.written), self.of_cell(access, &self.words.accessed));
        let before = join(join(self.own(View::Sequential), accessed), last.clone());
        ops.push(self.set_own(View::Sequential, before));
        ops.push(Op::Set { var: self.registers.before, value: self.own(View::Sequential) });
        ops.extend(self.store_views(&new, &last, &settled, write.when));
        let [message, before] =
            [self.registers.message, self.registers.before].map(|var| Expr::Reg(var, VIEW));
        let forget = |old: Expr| join(without(old, &new), settled.clone());
        ops.extend(self.set_cells(access, &self.words.message, &message, &forget, write.when));
        let forget_order = |old: Expr| without(old, &last);
        for words in [&self.words.written, &self.words.accessed] {
            ops.extend(self.set_cells(access, words, &before, &forget_order, write.when));
        }
        let (fence_message, fence_before) = (self.words.fence_message, self.words.fence_before);
        ops.push(self.store_when(fence_message, forget(self.words.load(fence_message)), write.when));
        ops.push(self.store_when(fence_before, forget_order(self.words.load(fence_before)), write.when));
        ops
    }

    /// Stores the views of the running thread. The others do not know what is `new`, nor what is `last` in the order of sequential consistency; they
    /// need not know what is `settled`.
    fn store_views(&self, new: &Expr, last: &Expr, settled: &Expr, when: Option<&Expr>) -> Vec<Op> {
        let mut ops = Vec::new();
        for view in View::ALL {
            for (number, word) in self.words.views[view as usize].iter().enumerate() {
                let old = self.words.load(*word);
                let other = match view {
                    View::Sequential => without(old.clone(), last),
                    _ => join(without(old.clone(), new), settled.clone()),
                };
                // The last release fence was before this access.
                let own = if view == View::Released { other.clone() } else { self.own(view) };
                if own != other || other != old {
                    ops.push(self.store_when(*word, Expr::ite(self.words.is_me(number), own, other), when));
                }
            }
        }
        ops
    }

    /// Stores a view of the running thread, as it is in its register.
    pub(super) fn store_own(&self, view: View) -> Vec<Op> {
        let words = self.words.views[view as usize].iter().enumerate();
        words
            .map(|(number, word)| self.store_when(*word, self.own(view), Some(&self.words.is_me(number))))
            .collect()
    }

    /// Gives the accessed cell's word a new value, and changes those of all other cells.
    fn set_cells(
        &self,
        access: &CellAccess,
        words: &[Option<ObjectId>],
        new: &Expr,
        other: &dyn Fn(Expr) -> Expr,
        when: Option<&Expr>,
    ) -> Vec<Op> {
        let mut ops = Vec::new();
        for (cell, word) in words.iter().enumerate() {
            let Some(word) = *word else { continue };
            let changed = other(self.words.load(word));
            let value = match self.cells.is(access, cell) {
                _ if !access.cells.contains(&cell) => changed,
                Some(is) => Expr::ite(is, new.clone(), changed),
                None => new.clone(),
            };
            ops.push(self.store_when(word, value, when));
        }
        ops
    }

    fn store_when(&self, word: ObjectId, value: Expr, when: Option<&Expr>) -> Op {
        let value = match when {
            Some(when) => Expr::ite(when.clone(), value, self.words.load(word)),
            None => value,
        };
        self.words.set(word, value)
    }

    pub(super) fn fence(&self, barrier: Barrier) -> Vec<Op> {
        let mut ops = Vec::new();
        let mut set = |view: View, value: Expr| {
            ops.push(self.set_own(view, value));
            ops.extend(self.store_own(view));
        };
        let own = |view: View| self.words.own(view);
        if matches!(barrier, Barrier::Acquire | Barrier::AcqRel | Barrier::Full) {
            set(View::Current, own(View::Acquired));
        }
        if barrier == Barrier::Full {
            set(View::Current, join(own(View::Current), self.words.load(self.words.fence_message)));
            set(View::Acquired, own(View::Current));
            set(View::Sequential, join(own(View::Sequential), self.words.load(self.words.fence_before)));
        }
        if matches!(barrier, Barrier::Release | Barrier::AcqRel | Barrier::Store | Barrier::Full) {
            set(View::Released, own(View::Current));
        }
        if barrier == Barrier::Full {
            ops.push(self.words.set(self.words.fence_message, own(View::Current)));
            ops.push(self.words.set(self.words.fence_before, own(View::Sequential)));
        }
        ops
    }
}
