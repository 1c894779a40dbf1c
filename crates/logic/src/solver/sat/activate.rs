//! Which clauses take part in a query: the definitions of the gates below its assumptions, and the lemmas about what is
//! among them.

use super::{ClauseId, FALSE, HEADER, Lit, NO_REASON, OPEN, Sat, TRUE, Watch, count};

/// Below this many active variables there is nothing to gain from deactivating.
const MIN_ACTIVE: usize = 2_000;
/// Maximum number of active variables, as a multiple of the query's own.
const MAX_ACTIVE_SHARE: usize = 5;

/// A clause of the theory.
pub(super) struct Lemma {
    lits: Vec<Lit>,
    id: ClauseId,
    anchors: Vec<u32>,
    is_active: bool,
    /// The last query that it took part in.
    last_query: u32,
}

impl Sat {
    /// Defines `var` as a gate of `inputs`, which should determine it by unit propagation in `clauses`; each
    /// clause should have distinct variables, two at least.
    pub(in super::super) fn define(&mut self, var: u32, inputs: &[Lit], clauses: &[&[Lit]]) {
        let start = count(self.definitions.len());
        self.definitions.push(count(inputs.len()));
        self.definitions.extend(inputs.iter().map(|l| l.0));
        for (n, clause) in clauses.iter().enumerate() {
            if let Some(log) = &mut self.log {
                let id = log.axiom(clause);
                if n == 0 {
                    self.first_ids[var as usize] = id;
                }
            }
            self.definitions.push(count(clause.len()));
            self.definitions.extend(clause.iter().map(|l| l.0));
        }
        self.ranges[var as usize] = (start, count(self.definitions.len()));
    }

    /// Adds a lemma that takes part in every query whose cone has all `anchors`; only between queries.
    pub(in super::super) fn add_lemma(&mut self, lits: &[Lit], anchors: &[u32]) {
        debug_assert!(self.level_starts.is_empty(), "lemmas should be added between queries");
        let n = u32::try_from(self.lemmas.len()).expect("there should be fewer than 2^32 lemmas");
        if anchors.is_empty() {
            self.everywhere.push(n);
        }
        for &var in anchors {
            let list = self.anchored.entry(var).or_default();
            if list.last() != Some(&n) {
                list.push(n);
            }
        }
        let (lits, anchors) = (lits.to_vec(), anchors.to_vec());
        let id = self.log.as_mut().map_or(ClauseId::default(), |log| log.axiom(&lits));
        self.lemmas.push(Lemma { lits, id, anchors, is_active: false, last_query: 0 });
    }

    /// Watches the part of a clause that level 0 leaves open.
    fn attach_open(&mut self, lits: &[Lit], id: ClauseId) {
        let mut open = std::mem::take(&mut self.scratch);
        open.clear();
        open.extend(lits.iter().copied().filter(|&l| self.values[l.index()] != FALSE));
        if !open.iter().any(|&l| self.values[l.index()] == TRUE) {
            match open[..] {
                [] => {
                    self.is_ok = false;
                    self.derive(&[], &[id]);
                }
                [only] => {
                    self.derive(&[only], &[id]);
                    self.assign(only, NO_REASON);
                }
                _ => _ = self.attach(&open, 0, id),
            }
        }
        self.scratch = open;
    }

    /// Activates the cone of `roots`.
    pub(super) fn activate(&mut self, roots: impl Iterator<Item = Lit>) {
        self.query += 1;
        let mut cone = std::mem::take(&mut self.cone);
        cone.clear();
        for root in roots {
            self.visit(root.var(), &mut cone);
        }
        let lemmas = self.close(&mut cone);
        if self.active.len() > MIN_ACTIVE.max(MAX_ACTIVE_SHARE * cone.len()) {
            self.deactivate_all();
        }
        for n in lemmas {
            let lemma = &mut self.lemmas[n as usize];
            if !std::mem::replace(&mut lemma.is_active, true) {
                let (lits, id) = (std::mem::take(&mut lemma.lits), lemma.id);
                self.attach_open(&lits, id);
                self.lemmas[n as usize].lits = lits;
            }
        }
        for &var in &cone {
            if !std::mem::replace(&mut self.is_active[var as usize], true) {
                self.active.push(var);
                self.attach_definition(var);
            }
        }
        self.cone = cone;
    }

    /// Closes the cone under inputs of gates and under lemmas; the lemmas that take part. A lemma is looked at when one
    /// of its anchors enters the cone, so lemmas about other things cost nothing.
    fn close(&mut self, cone: &mut Vec<u32>) -> Vec<u32> {
        let mut taken = self.everywhere.clone();
        let (mut done, mut n_opened) = (0, 0);
        loop {
            while let Some(&n) = taken.get(n_opened) {
                n_opened += 1;
                for k in 0..self.lemmas[n as usize].lits.len() {
                    self.visit(self.lemmas[n as usize].lits[k].var(), cone);
                }
            }
            let Some(&var) = cone.get(done) else { return taken };
            done += 1;
            let (start, end) = self.ranges[var as usize];
            if start < end {
                for n in start + 1..=start + self.definitions[start as usize] {
                    self.visit(Lit(self.definitions[n as usize]).var(), cone);
                }
            }
            let Some(anchored) = self.anchored.get(&var) else { continue };
            for &n in anchored {
                let lemma = &mut self.lemmas[n as usize];
                let is_here = |&var: &u32| self.cone_stamps[var as usize] == self.query;
                if lemma.last_query != self.query && lemma.anchors.iter().all(is_here) {
                    lemma.last_query = self.query;
                    taken.push(n);
                }
            }
        }
    }

    fn visit(&mut self, var: u32, cone: &mut Vec<u32>) {
        let stamp = &mut self.cone_stamps[var as usize];
        if *stamp != self.query {
            *stamp = self.query;
            cone.push(var);
        }
    }

    fn attach_definition(&mut self, var: u32) {
        let (start, end) = self.ranges[var as usize];
        if start == end {
            return;
        }
        let mut at = (start + 1 + self.definitions[start as usize]) as usize;
        let mut id = self.first_ids[var as usize];
        while at < end as usize {
            let len = self.definitions[at] as usize;
            let clause = at + 1..at + 1 + len;
            at = clause.end;
            if self.definitions[clause.clone()].iter().all(|&lit| self.values[lit as usize] == OPEN) {
                self.attach_as_defined(clause, id);
            } else {
                let lits: Vec<Lit> = self.definitions[clause].iter().map(|&lit| Lit(lit)).collect();
                self.attach_open(&lits, id);
            }
            id = id.next();
        }
    }

    /// [`attach_open`](Self::attach_open) for a clause of a definition that level 0 leaves open altogether, which most are:
    /// copied from one vector to the other.
    fn attach_as_defined(&mut self, lits: std::ops::Range<usize>, id: ClauseId) {
        let clause = u32::try_from(self.arena.len()).expect("clauses should fit 2^32 words");
        let (first, second) = (Lit(self.definitions[lits.start]), Lit(self.definitions[lits.start + 1]));
        self.arena.extend([count(lits.len()), 0, id.0]);
        self.arena.extend_from_slice(&self.definitions[lits]);
        self.watches[(!first).index()].push(Watch { clause, blocker: second });
        self.watches[(!second).index()].push(Watch { clause, blocker: first });
    }

    /// Forgets all watches, learnt clauses and facts; definitions and lemmas stay.
    fn deactivate_all(&mut self) {
        for var in self.active.drain(..) {
            self.is_active[var as usize] = false;
            self.watches[Lit::new(var, true).index()].clear();
            self.watches[Lit::new(var, false).index()].clear();
        }
        let ids: Vec<ClauseId> =
            self.learnt.drain(..).map(|c| ClauseId(self.arena[c as usize + HEADER - 1])).collect();
        if let Some(log) = &mut self.log {
            ids.into_iter().for_each(|id| log.delete(id));
        }
        self.arena.clear();
        for lit in self.trail.drain(..) {
            self.values[lit.index()] = OPEN;
            self.values[(!lit).index()] = OPEN;
        }
        self.head = 0;
        self.lemmas.iter_mut().for_each(|lemma| lemma.is_active = false);
    }
}
