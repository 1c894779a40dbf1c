//! Gates as clauses (Tseitin).
//!
//! A gate's output is a literal; building the same gate twice gives the same literal, and constants propagate
//! before any clause is made. Inputs are put into a normal order and sign first: `and` and majority are sorted, `xor`
//! has positive inputs, a multiplexer has a positive condition.

use super::derivation::DerivationLog;
use super::sat::{Lit, Sat, Verdict};
use base::{Budget, Inconclusive};
use rustc_hash::FxHashMap;

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Gate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Mux(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
}

/// The SAT solver and the gates made so far.
pub(super) struct Gates {
    sat: Sat,
    table: FxHashMap<Gate, Lit>,
    yes: Lit,
}

impl Gates {
    pub(super) fn new(log: Option<Box<dyn DerivationLog>>) -> Self {
        let mut sat = Sat::new(log);
        let yes = Lit::new(sat.new_var(), true);
        sat.add_lemma(&[yes], &[]);
        Self { sat, table: FxHashMap::default(), yes }
    }

    pub(super) fn yes(&self) -> Lit {
        self.yes
    }
    pub(super) fn no(&self) -> Lit {
        !self.yes
    }
    pub(super) fn truth(&self, value: bool) -> Lit {
        if value { self.yes } else { !self.yes }
    }
    pub(super) fn fresh(&mut self) -> Lit {
        Lit::new(self.sat.new_var(), true)
    }
    pub(super) fn n_vars(&self) -> u32 {
        self.sat.n_vars()
    }
    pub(super) fn n_words(&self) -> usize {
        self.sat.n_words()
    }
    /// The log of a solver that is no longer needed, emptied.
    pub(super) fn into_log(self) -> Option<Box<dyn DerivationLog>> {
        let mut log = self.sat.into_log()?;
        log.restart();
        Some(log)
    }
    /// See [`Sat::check_refutation`].
    pub(super) fn check_refutation(&mut self, core: &[Lit]) -> Result<(), String> {
        self.sat.check_refutation(core)
    }
    pub(super) fn n_conflicts(&self) -> u64 {
        self.sat.n_conflicts
    }

    /// Adds a lemma of the theory that matters only to queries about all `anchors`. Constants are dropped; a
    /// lemma that holds anyway is not added.
    pub(super) fn lemma(&mut self, lits: &[Lit], anchors: &[Lit]) {
        let mut open: Vec<Lit> = lits.iter().copied().filter(|&l| l != self.no()).collect();
        open.sort_unstable();
        open.dedup();
        if !open.contains(&self.yes) && !open.windows(2).any(|w| w[0] == !w[1]) {
            let anchors: Vec<u32> = anchors.iter().map(|l| l.var()).collect();
            self.sat.add_lemma(&open, &anchors);
        }
    }

    /// Whether all `assumed` can be true together; `inputs` determine them.
    pub(super) fn solve(
        &mut self,
        assumed: &[Lit],
        inputs: &[u32],
        budget: &Budget,
        conflicts: Option<u64>,
    ) -> Result<Verdict, Inconclusive> {
        let mut reason = None;
        let mut stop = || {
            reason = budget.check().err();
            reason.is_some()
        };
        let verdict = self.sat.solve(assumed, inputs, conflicts.unwrap_or(u64::MAX), &mut stop);
        reason.map_or(Ok(verdict), Err)
    }

    /// The value of a literal in the last model.
    pub(super) fn value(&self, lit: Lit) -> bool {
        self.sat.value(lit)
    }

    /// The assumptions that failed.
    pub(super) fn core(&self) -> &[Lit] {
        self.sat.core()
    }

    pub(super) fn and(&mut self, a: Lit, b: Lit) -> Lit {
        if a == self.no() || b == self.no() || a == !b {
            return self.no();
        }
        if a == self.yes || a == b {
            return b;
        }
        if b == self.yes {
            return a;
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if let Some(&out) = self.table.get(&Gate::And(a, b)) {
            return out;
        }
        let out = self.fresh();
        self.sat.define(out.var(), &[a, b], &[&[!out, a], &[!out, b], &[out, !a, !b]]);
        self.table.insert(Gate::And(a, b), out);
        out
    }

    pub(super) fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    pub(super) fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let flip = a.sign() == b.sign();
        let (a, b) = (Lit::new(a.var(), true), Lit::new(b.var(), true));
        let flipped = |out: Lit| if flip { out } else { !out };
        if a == b {
            return flipped(self.no());
        }
        if a == self.yes {
            return flipped(!b);
        }
        if b == self.yes {
            return flipped(!a);
        }
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if let Some(&out) = self.table.get(&Gate::Xor(a, b)) {
            return flipped(out);
        }
        let out = self.fresh();
        let clauses: [&[Lit]; 4] = [&[!out, a, b], &[!out, !a, !b], &[out, !a, b], &[out, a, !b]];
        self.sat.define(out.var(), &[a, b], &clauses);
        self.table.insert(Gate::Xor(a, b), out);
        flipped(out)
    }

    /// `c ? a : b`.
    pub(super) fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if c == self.yes || a == b {
            return a;
        }
        if c == self.no() {
            return b;
        }
        if !c.sign() {
            return self.mux(!c, b, a);
        }
        if a == !b {
            return !self.xor(c, a);
        }
        if a == self.yes || a == c {
            return self.or(c, b);
        }
        if a == self.no() || a == !c {
            return self.and(!c, b);
        }
        if b == self.yes || b == !c {
            return self.or(!c, a);
        }
        if b == self.no() || b == c {
            return self.and(c, a);
        }
        if let Some(&out) = self.table.get(&Gate::Mux(c, a, b)) {
            return out;
        }
        let out = self.fresh();
        // The last two are implied, but let the output propagate before the condition is known.
        let clauses: [&[Lit]; 6] =
            [&[!c, !a, out], &[!c, a, !out], &[c, !b, out], &[c, b, !out], &[!a, !b, out], &[a, b, !out]];
        self.sat.define(out.var(), &[a, b, c], &clauses);
        self.table.insert(Gate::Mux(c, a, b), out);
        out
    }

    /// The condition that at least two of three hold: the carry of an adder.
    pub(super) fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let mut inputs = [a, b, c];
        inputs.sort_unstable();
        let [a, b, c] = inputs;
        if a.var() == b.var() {
            return if a == b { a } else { c };
        }
        if b.var() == c.var() {
            return if b == c { b } else { a };
        }
        // The constant is variable 0, so it is the first after sorting.
        if a == self.yes {
            return self.or(b, c);
        }
        if a == self.no() {
            return self.and(b, c);
        }
        if let Some(&out) = self.table.get(&Gate::Majority(a, b, c)) {
            return out;
        }
        let out = self.fresh();
        let clauses: [&[Lit]; 6] =
            [&[!a, !b, out], &[!a, !c, out], &[!b, !c, out], &[a, b, !out], &[a, c, !out], &[b, c, !out]];
        self.sat.define(out.var(), &[a, b, c], &clauses);
        self.table.insert(Gate::Majority(a, b, c), out);
        out
    }

    /// The conjunction of any number of literals. Not hashed: terms are.
    pub(super) fn and_all(&mut self, lits: &[Lit]) -> Lit {
        let mut inputs: Vec<Lit> = lits.iter().copied().filter(|&l| l != self.yes).collect();
        inputs.sort_unstable();
        inputs.dedup();
        if inputs.contains(&self.no()) || inputs.windows(2).any(|w| w[0] == !w[1]) {
            return self.no();
        }
        match inputs[..] {
            [] => self.yes,
            [only] => only,
            [a, b] => self.and(a, b),
            _ => {
                let out = self.fresh();
                let pairs: Vec<[Lit; 2]> = inputs.iter().map(|&input| [!out, input]).collect();
                let mut back: Vec<Lit> = inputs.iter().map(|&l| !l).collect();
                back.push(out);
                let mut clauses: Vec<&[Lit]> = pairs.iter().map(|p| &p[..]).collect();
                clauses.push(&back);
                self.sat.define(out.var(), &inputs, &clauses);
                out
            }
        }
    }
}
