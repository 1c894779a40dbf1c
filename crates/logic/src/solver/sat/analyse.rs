//! What a conflict teaches: learnt clauses, failed assumptions, and what to forget again.

use super::{ClauseId, Lit, NO_REASON, Sat, TRUE, count};

impl Sat {
    /// The first unique implication point: the learnt clause, its asserting literal first, the level to return to, and the
    /// clause's id in the derivation.
    pub(super) fn analyse(&mut self, conflict: u32) -> (Vec<Lit>, u32, ClauseId) {
        let mut learnt = vec![Lit(0)];
        let mut n_open = 0;
        let mut clause = conflict;
        let mut at = self.trail.len();
        let mut skip = 0;
        let asserting = loop {
            for n in skip..self.len(clause) {
                let lit = self.lit(clause, n);
                let var = lit.var() as usize;
                if self.seen[var] || self.levels[var] == 0 {
                    continue;
                }
                self.seen[var] = true;
                self.to_clear.push(lit.var());
                self.bump_var(lit.var());
                if self.levels[var] == self.level() {
                    n_open += 1;
                } else {
                    learnt.push(lit);
                }
            }
            loop {
                at -= 1;
                if self.seen[self.trail[at].var() as usize] {
                    break;
                }
            }
            let lit = self.trail[at];
            n_open -= 1;
            if n_open == 0 {
                break lit;
            }
            clause = self.reasons[lit.var() as usize];
            skip = 1;
        };
        learnt[0] = !asserting;
        let levels = learnt.iter().fold(0, |set, l| set | 1u64 << (self.levels[l.var() as usize] % 64));
        learnt.retain(|&l| l == !asserting || !self.is_redundant(l, levels));
        let id = self.derive_learnt(&learnt, conflict);
        for var in self.to_clear.drain(..) {
            self.seen[var as usize] = false;
        }
        let deepest = (1..learnt.len()).max_by_key(|&n| self.levels[learnt[n].var() as usize]);
        let back = deepest.map_or(0, |n| {
            learnt.swap(1, n);
            self.levels[learnt[1].var() as usize]
        });
        (learnt, back, id)
    }

    /// Logs a learnt clause: every variable that was seen and is not in the clause was resolved away by its reason.
    fn derive_learnt(&mut self, learnt: &[Lit], conflict: u32) -> ClauseId {
        if self.log.is_none() {
            return ClauseId::default();
        }
        for lit in learnt {
            self.seen[lit.var() as usize] = false;
        }
        let mut resolved: Vec<u32> = self.to_clear.clone();
        resolved.retain(|&var| self.seen[var as usize]);
        let mut hints = self.reasons_in_order(resolved);
        hints.push(self.id(conflict));
        self.derive(learnt, &hints)
    }

    /// The ids of the variables' reasons, in the order in which they propagated.
    fn reasons_in_order(&self, mut vars: Vec<u32>) -> Vec<ClauseId> {
        vars.sort_unstable_by_key(|&var| self.positions[var as usize]);
        vars.into_iter().map(|var| self.id(self.reasons[var as usize])).collect()
    }

    /// Logs a derived clause.
    pub(super) fn derive(&mut self, lits: &[Lit], hints: &[ClauseId]) -> ClauseId {
        self.log.as_mut().map_or(ClauseId::default(), |log| log.derive(lits, hints))
    }

    /// Returns true if a literal of the learnt clause follows from the others: all its causes lead back to seen variables.
    /// `levels` is a superset of the clause's levels, as a Bloom filter: causes on other levels are hopeless.
    fn is_redundant(&mut self, lit: Lit, levels: u64) -> bool {
        if self.reasons[lit.var() as usize] == NO_REASON {
            return false;
        }
        let mut stack = vec![lit];
        let n_before = self.to_clear.len();
        while let Some(l) = stack.pop() {
            let reason = self.reasons[l.var() as usize];
            for n in 1..self.len(reason) {
                let cause = self.lit(reason, n);
                let var = cause.var() as usize;
                if self.seen[var] || self.levels[var] == 0 {
                    continue;
                }
                if self.reasons[var] == NO_REASON || levels & 1 << (self.levels[var] % 64) == 0 {
                    for var in self.to_clear.drain(n_before..) {
                        self.seen[var as usize] = false;
                    }
                    return false;
                }
                self.seen[var] = true;
                self.to_clear.push(cause.var());
                stack.push(cause);
            }
        }
        true
    }

    /// The assumptions that make `failed` false, itself included.
    pub(super) fn analyse_final(&mut self, failed: Lit) {
        self.core.clear();
        self.core.push(failed);
        if self.level() == 0 {
            self.derive_refutation(Vec::new());
            return;
        }
        let mut resolved = Vec::new();
        self.seen[failed.var() as usize] = true;
        for n in (self.level_starts[0]..self.trail.len()).rev() {
            let lit = self.trail[n];
            let var = lit.var() as usize;
            if !self.seen[var] {
                continue;
            }
            self.seen[var] = false;
            let reason = self.reasons[var];
            if reason == NO_REASON {
                // A decision among assumptions; the failed literal's own negation can be one too.
                self.core.push(lit);
                continue;
            }
            resolved.push(lit.var());
            for n in 1..self.len(reason) {
                let cause = self.lit(reason, n).var() as usize;
                self.seen[cause] |= self.levels[cause] > 0;
            }
        }
        self.seen[failed.var() as usize] = false;
        self.derive_refutation(resolved);
    }

    /// Logs that the core is impossible: the clause of its negated literals.
    fn derive_refutation(&mut self, resolved: Vec<u32>) {
        if self.log.is_some() {
            let clause: Vec<Lit> = self.core.iter().map(|&lit| !lit).collect();
            let hints = self.reasons_in_order(resolved);
            self.derive(&clause, &hints);
        }
    }

    pub(super) fn learn(&mut self, learnt: &[Lit], id: ClauseId) {
        if let [only] = *learnt {
            self.assign(only, NO_REASON);
            return;
        }
        let mut levels: Vec<u32> = learnt.iter().map(|l| self.levels[l.var() as usize]).collect();
        levels.sort_unstable();
        levels.dedup();
        let clause = self.attach(learnt, count(levels.len()), id);
        self.learnt.push(clause);
        self.assign(learnt[0], clause);
    }

    /// Forgets the half of the learnt clauses that span most levels, but no short or locked ones.
    pub(super) fn forget(&mut self) {
        let mut clauses = std::mem::take(&mut self.learnt);
        clauses.sort_by_key(|&c| (self.arena[c as usize + 1], self.len(c)));
        let half = clauses.len() / 2;
        let mut dead = rustc_hash::FxHashSet::default();
        for &clause in &clauses[half..] {
            let first = self.lit(clause, 0);
            let locked = self.values[first.index()] == TRUE && self.reasons[first.var() as usize] == clause;
            if self.arena[clause as usize + 1] > 2 && !locked {
                dead.insert(clause);
            }
        }
        clauses.retain(|c| !dead.contains(c));
        let ids: Vec<ClauseId> = dead.iter().map(|&c| self.id(c)).collect();
        if let Some(log) = &mut self.log {
            ids.into_iter().for_each(|id| log.delete(id));
        }
        self.learnt = clauses;
        for list in &mut self.watches {
            list.retain(|w| !dead.contains(&w.clause));
        }
        self.max_learnt += self.max_learnt / 10;
    }
}
