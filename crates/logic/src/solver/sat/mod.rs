//! A small incremental SAT solver: conflict-driven clause learning for many small questions over one growing formula.
//!
//! # Why our own
//! We began with BatSat (MiniSat in Rust), as measured in solvers.md. MiniSat gives *every* variable a value before it
//! answers "satisfiable", and propagates through every clause it knows, so each question paid for all that were
//! ever asked: 4.5 ms per implication after some thousand. Two things are different here.
//! - A question names the *inputs* it depends on; only those are decided.
//! - Gates are *defined* once, but their clauses are watched only while they are active. A question activates its
//!   cone, the gates below its assumptions; when far more is active than one question needs, all are deactivated (and
//!   what was learnt from them is forgotten). Activating a gate costs some 50 ns.
//!
//! # The procedure
//! MiniSat's (Eén and Sörensson, *An extensible SAT-solver*, SAT 2003): two watched literals with blockers, first
//! unique implication point, recursive minimisation of learnt clauses, activities, phase saving, Luby restarts, and deletion of
//! learnt clauses by their number of levels (Audemard and Simon, IJCAI 2009).
//!
//! # Invariants
//! - Clauses that are not learnt define gates from their inputs, or are lemmas of the theory: any assignment to inputs that
//!   obeys the lemmas extends to all variables. So a question may stop when its inputs have values and
//!   propagation found no conflict ([`Sat::solve`] requires that `inputs` determine the assumptions).
//! - Between questions the trail holds level 0 only.
//! - The watched literals of a clause are its first two; the implied literal of a reason is its first.
//!
//! # Direction of error
//! None allowed. Tests compare answers, models and cores with BatSat on random formulas.

mod activate;
mod analyse;
mod heap;

use super::derivation::{ClauseId, DerivationLog};
use std::ops::Not;

/// A variable and a sign.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    /// A variable, or its negation.
    pub fn new(var: u32, positive: bool) -> Self {
        Lit(2 * var + u32::from(!positive))
    }
    /// The variable.
    pub fn var(self) -> u32 {
        self.0 / 2
    }
    /// Returns true if the literal is the variable itself, not its negation.
    pub fn sign(self) -> bool {
        self.0.is_multiple_of(2)
    }
    /// A number for vectors indexed by literal.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl Not for Lit {
    type Output = Lit;
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// What the solver says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// All inputs have values.
    Sat,
    /// The assumptions contradict the clauses.
    Unsat,
    /// Asked to stop.
    Unknown,
}

#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    blocker: Lit,
}

const NO_REASON: u32 = u32::MAX;
const FALSE: u8 = 0;
const TRUE: u8 = 1;
const OPEN: u8 = 2;
/// Words of a clause before its literals: length, number of levels (of learnt clauses), and its id in the derivation.
const HEADER: usize = 3;
/// Conflicts of the first restart; others are this times Luby's sequence.
const RESTART: u64 = 100;
/// After so many conflicts in one question, gates are decided too: inputs alone give short proofs for easy
/// questions only.
const ONLY_INPUTS: u64 = 1_000;

/// The solver.
pub(super) struct Sat {
    arena: Vec<u32>,
    watches: Vec<Vec<Watch>>,
    /// By literal.
    values: Vec<u8>,
    levels: Vec<u32>,
    reasons: Vec<u32>,
    /// By variable: where it stands on the trail, if it does.
    positions: Vec<u32>,
    trail: Vec<Lit>,
    level_starts: Vec<usize>,
    head: usize,
    is_ok: bool,
    activity: Vec<f64>,
    bump: f64,
    heap: heap::Heap,
    phases: Vec<bool>,
    /// By variable: whether it may be decided in the current question.
    decidable: Vec<bool>,
    /// For each gate its inputs, then its clauses; each list as its length and its literals.
    definitions: Vec<u32>,
    /// By variable: where its definition starts and ends.
    ranges: Vec<(u32, u32)>,
    /// By variable: the id of the first clause of its definition; the others follow.
    first_ids: Vec<ClauseId>,
    is_active: Vec<bool>,
    active: Vec<u32>,
    /// By variable: the number of the last question whose cone it was in.
    cone_stamps: Vec<u32>,
    question: u32,
    cone: Vec<u32>,
    seen: Vec<bool>,
    to_clear: Vec<u32>,
    learnt: Vec<u32>,
    max_learnt: usize,
    lemmas: Vec<activate::Lemma>,
    /// The lemmas of each anchor, and those that have none.
    anchored: rustc_hash::FxHashMap<u32, Vec<u32>>,
    everywhere: Vec<u32>,
    scratch: Vec<Lit>,
    core: Vec<Lit>,
    model: Vec<u8>,
    pub(super) n_conflicts: u64,
    /// Where the derivation goes, if it is wanted.
    log: Option<Box<dyn DerivationLog>>,
}

impl Sat {
    pub(super) fn new(log: Option<Box<dyn DerivationLog>>) -> Self {
        Self {
            arena: Vec::new(),
            watches: Vec::new(),
            values: Vec::new(),
            levels: Vec::new(),
            reasons: Vec::new(),
            positions: Vec::new(),
            trail: Vec::new(),
            level_starts: Vec::new(),
            head: 0,
            is_ok: true,
            activity: Vec::new(),
            bump: 1.0,
            heap: heap::Heap::default(),
            phases: Vec::new(),
            decidable: Vec::new(),
            definitions: Vec::new(),
            ranges: Vec::new(),
            first_ids: Vec::new(),
            is_active: Vec::new(),
            active: Vec::new(),
            cone_stamps: Vec::new(),
            question: 0,
            cone: Vec::new(),
            seen: Vec::new(),
            to_clear: Vec::new(),
            learnt: Vec::new(),
            max_learnt: 4_000,
            lemmas: Vec::new(),
            anchored: rustc_hash::FxHashMap::default(),
            everywhere: Vec::new(),
            scratch: Vec::new(),
            core: Vec::new(),
            model: Vec::new(),
            n_conflicts: 0,
            log,
        }
    }

    pub(super) fn n_vars(&self) -> u32 {
        self.levels.len() as u32
    }

    /// Words of memory in clauses, dead ones included.
    pub(super) fn n_words(&self) -> usize {
        self.arena.len() + self.definitions.len()
    }

    pub(super) fn new_var(&mut self) -> u32 {
        let var = self.n_vars();
        self.watches.extend([Vec::new(), Vec::new()]);
        self.values.extend([OPEN, OPEN]);
        self.levels.push(0);
        self.reasons.push(NO_REASON);
        self.positions.push(0);
        self.activity.push(0.0);
        self.phases.push(false);
        self.decidable.push(false);
        self.ranges.push((0, 0));
        self.first_ids.push(ClauseId::default());
        self.is_active.push(false);
        self.cone_stamps.push(0);
        self.seen.push(false);
        var
    }

    fn attach(&mut self, lits: &[Lit], n_levels: u32, id: ClauseId) -> u32 {
        let clause = u32::try_from(self.arena.len()).expect("clauses should fit 2^32 words");
        self.arena.push(lits.len() as u32);
        self.arena.push(n_levels);
        self.arena.push(id.0);
        self.arena.extend(lits.iter().map(|l| l.0));
        self.watches[(!lits[0]).index()].push(Watch { clause, blocker: lits[1] });
        self.watches[(!lits[1]).index()].push(Watch { clause, blocker: lits[0] });
        clause
    }

    fn len(&self, clause: u32) -> usize {
        self.arena[clause as usize] as usize
    }

    fn lit(&self, clause: u32, n: usize) -> Lit {
        Lit(self.arena[clause as usize + HEADER + n])
    }

    /// The id of a clause in the derivation.
    fn id(&self, clause: u32) -> ClauseId {
        ClauseId(self.arena[clause as usize + HEADER - 1])
    }

    fn level(&self) -> u32 {
        self.level_starts.len() as u32
    }

    fn assign(&mut self, lit: Lit, reason: u32) {
        debug_assert_eq!(self.values[lit.index()], OPEN, "{lit:?} should have no value yet");
        self.values[lit.index()] = TRUE;
        self.values[(!lit).index()] = FALSE;
        let var = lit.var() as usize;
        self.levels[var] = self.level();
        self.reasons[var] = reason;
        self.positions[var] = self.trail.len() as u32;
        self.trail.push(lit);
        if self.log.is_some() && self.level_starts.is_empty() && reason != NO_REASON {
            self.derive(&[lit], &[self.id(reason)]);
        }
    }

    /// Unit propagation; the clause that became false, if any.
    fn propagate(&mut self) -> Option<u32> {
        while self.head < self.trail.len() {
            let lit = self.trail[self.head];
            self.head += 1;
            let mut watches = std::mem::take(&mut self.watches[lit.index()]);
            let mut kept = 0;
            let mut conflict = None;
            let mut n = 0;
            while n < watches.len() {
                let watch = watches[n];
                n += 1;
                if self.values[watch.blocker.index()] == TRUE {
                    watches[kept] = watch;
                    kept += 1;
                    continue;
                }
                let start = watch.clause as usize + HEADER;
                let false_lit = !lit;
                if self.arena[start] == false_lit.0 {
                    self.arena.swap(start, start + 1);
                }
                let first = Lit(self.arena[start]);
                let kept_watch = Watch { clause: watch.clause, blocker: first };
                if first != watch.blocker && self.values[first.index()] == TRUE {
                    watches[kept] = kept_watch;
                    kept += 1;
                    continue;
                }
                let end = start + self.arena[watch.clause as usize] as usize;
                let other = (start + 2..end).find(|&k| self.values[self.arena[k] as usize] != FALSE);
                if let Some(k) = other {
                    self.arena.swap(start + 1, k);
                    let moved = Lit(self.arena[start + 1]);
                    self.watches[(!moved).index()].push(kept_watch);
                    continue;
                }
                watches[kept] = kept_watch;
                kept += 1;
                if self.values[first.index()] == FALSE {
                    conflict = Some(watch.clause);
                    break;
                }
                self.assign(first, watch.clause);
            }
            watches.copy_within(n.., kept);
            watches.truncate(kept + watches.len() - n);
            self.watches[lit.index()] = watches;
            if conflict.is_some() {
                self.head = self.trail.len();
                return conflict;
            }
        }
        None
    }

    fn backtrack(&mut self, level: u32) {
        if self.level() <= level {
            return;
        }
        let start = self.level_starts[level as usize];
        for n in (start..self.trail.len()).rev() {
            let lit = self.trail[n];
            self.values[lit.index()] = OPEN;
            self.values[(!lit).index()] = OPEN;
            let var = lit.var();
            self.phases[var as usize] = lit.sign();
            if self.decidable[var as usize] {
                self.heap.insert(var, &self.activity);
            }
        }
        self.trail.truncate(start);
        self.level_starts.truncate(level as usize);
        self.head = start;
    }

    fn bump_var(&mut self, var: u32) {
        self.activity[var as usize] += self.bump;
        if self.activity[var as usize] > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.bump *= 1e-100;
        }
        self.heap.risen(var, &self.activity);
    }

    /// Whether all `assumed` can be true together. `inputs` are variables that determine, through gates, everything
    /// the assumptions mention. `stop` is asked after every conflict and now and then.
    pub(super) fn solve(
        &mut self,
        assumed: &[Lit],
        inputs: &[u32],
        max_conflicts: u64,
        stop: &mut dyn FnMut() -> bool,
    ) -> Verdict {
        self.core.clear();
        let roots = assumed.iter().copied().chain(inputs.iter().map(|&v| Lit::new(v, true)));
        self.activate(roots);
        if !self.is_ok {
            return Verdict::Unsat;
        }
        self.heap.clear(self.levels.len());
        for &var in inputs {
            self.decidable[var as usize] = true;
            self.heap.insert(var, &self.activity);
        }
        let verdict = self.search(assumed, max_conflicts, stop);
        #[cfg(feature = "faults")]
        if verdict == Verdict::Sat && super::faults::lies(assumed, self.log.as_mut()) {
            self.core = assumed.to_vec();
            self.cone.iter().for_each(|&v| self.decidable[v as usize] = false);
            self.backtrack(0);
            return Verdict::Unsat;
        }
        if verdict == Verdict::Sat {
            self.model.resize(self.values.len(), OPEN);
            for &var in &self.cone {
                let lit = Lit::new(var, true);
                self.model[lit.index()] = self.values[lit.index()];
                self.model[(!lit).index()] = self.values[(!lit).index()];
            }
        }
        self.cone.iter().for_each(|&v| self.decidable[v as usize] = false);
        self.backtrack(0);
        verdict
    }

    fn search(&mut self, assumed: &[Lit], max_conflicts: u64, stop: &mut dyn FnMut() -> bool) -> Verdict {
        let start = self.n_conflicts;
        let mut next_restart = RESTART;
        let mut n_restarts = 0;
        let mut n_decisions = 0u32;
        loop {
            if let Some(conflict) = self.propagate() {
                self.n_conflicts += 1;
                if self.level() == 0 {
                    self.is_ok = false;
                    self.derive(&[], &[self.id(conflict)]);
                    return Verdict::Unsat;
                }
                let (learnt, back, id) = self.analyse(conflict);
                self.backtrack(back);
                self.learn(&learnt, id);
                self.bump /= 0.95;
                let n_conflicts = self.n_conflicts - start;
                if n_conflicts >= max_conflicts || stop() {
                    return Verdict::Unknown;
                }
                if n_conflicts == ONLY_INPUTS {
                    self.decide_gates();
                }
                if n_conflicts >= next_restart {
                    n_restarts += 1;
                    next_restart = n_conflicts + RESTART * luby(n_restarts);
                    self.backtrack(0);
                }
                continue;
            }
            if self.learnt.len() >= self.max_learnt + self.trail.len() {
                self.forget();
            }
            n_decisions += 1;
            if n_decisions.is_multiple_of(1024) && stop() {
                return Verdict::Unknown;
            }
            match self.decide(assumed) {
                Decision::Done => return Verdict::Sat,
                Decision::Failed => return Verdict::Unsat,
                Decision::Made => {}
            }
        }
    }

    fn decide(&mut self, assumed: &[Lit]) -> Decision {
        while let Some(&lit) = assumed.get(self.level() as usize) {
            match self.values[lit.index()] {
                TRUE => self.level_starts.push(self.trail.len()),
                FALSE => {
                    self.analyse_final(lit);
                    return Decision::Failed;
                }
                _ => {
                    self.level_starts.push(self.trail.len());
                    self.assign(lit, NO_REASON);
                    return Decision::Made;
                }
            }
        }
        while let Some(var) = self.heap.pop(&self.activity) {
            let lit = Lit::new(var, self.phases[var as usize]);
            if self.values[lit.index()] == OPEN {
                self.level_starts.push(self.trail.len());
                self.assign(lit, NO_REASON);
                return Decision::Made;
            }
        }
        Decision::Done
    }

    fn decide_gates(&mut self) {
        for n in 0..self.cone.len() {
            let var = self.cone[n];
            self.decidable[var as usize] = true;
            if self.values[Lit::new(var, true).index()] == OPEN {
                self.heap.insert(var, &self.activity);
            }
        }
    }

    /// The value of a literal in the last model; what the question did not depend on counts as false.
    pub(super) fn value(&self, lit: Lit) -> bool {
        let var = lit.var() as usize;
        self.cone_stamps[var] == self.question && self.model.get(lit.index()) == Some(&TRUE)
    }

    /// Takes the log out of a solver that is no longer needed.
    pub(super) fn into_log(self) -> Option<Box<dyn DerivationLog>> {
        self.log
    }

    /// Whether the derivation so far shows that `core` is impossible; an error says why not. Without a log there is nothing to check.
    pub(super) fn check_refutation(&mut self, core: &[Lit]) -> Result<(), String> {
        self.log.as_mut().map_or(Ok(()), |log| log.check_refutation(core))
    }

    /// The assumptions that failed in the last question.
    pub(super) fn core(&self) -> &[Lit] {
        &self.core
    }
}

enum Decision {
    Made,
    Failed,
    Done,
}

/// Luby's sequence 1, 1, 2, 1, 1, 2, 4, … from `n = 1`.
fn luby(n: u64) -> u64 {
    let mut n = n;
    loop {
        let k = u64::BITS - n.leading_zeros();
        if n == (1 << k) - 1 {
            return 1 << (k - 1);
        }
        n -= (1 << (k - 1)) - 1;
    }
}
