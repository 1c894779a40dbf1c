//! Trace partitions: what a program keeps in a variable although it is control.
//!
//! After Mauborgne and Rival, *Trace partitioning in abstract interpretation based static analyzers*, ESOP 2005.
//!
//! A dispatch loop (`while (1) switch (state) { … }`) has one location and as many meanings as `state` has values. One formula for all of them
//! is hard for a solver, and one label for all of them is a long disjunction. So a node may carry, beside its control, the values of some
//! variables: its *trace partition*. A block from there is executed from these values, which leaves of the switch the one case that is taken; blocks lead to
//! different nodes where the values differ. This is a program transformation, the loop unfolded over the variable; the paper's
//! algorithm runs on the result as on any program.
//!
//! # Which variables
//! Those that are never computed: everything assigned to them is a constant, an input or another variable. They are read off the
//! blocks of a first pass without partitions (the leaves of the assigned terms), and count only if some condition mentions
//! them, or they are copied into one that is mentioned. A variable that a block gives no constant is not part of the partition behind
//! it, until a condition says what it is.
//!
//! # Direction of error
//! A partition is a fact: `x == c` holds at a node whose partition says so, because all edges into it end with that value. Knowing fewer variables
//! is always allowed. There are finitely many partitions of a control, since only the constants found beforehand count.

use super::Ufo;
use super::block::Store;
use base::{IdxVec, id_type};
use logic::{Op, Symbol, Term, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use semantics::transition::GlobalLocationId;
use std::collections::BTreeMap;
use std::rc::Rc;

id_type!(
    /// A control with a partition: what the paper calls a location.
    PartitionedLocationId,
    "s"
);

/// Variables with their values, in order.
pub(super) type TracePartition = Rc<[(Symbol, Term)]>;

/// Variables with more values than this are numbers, not control.
const MAX_VALUES: usize = 48;

/// The variables that make partitions, each with the constants that count.
#[derive(Clone, Default, Debug)]
pub(super) struct Tracked(BTreeMap<Symbol, FxHashSet<Term>>);

impl Tracked {
    /// Returns true if there are no partitions.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many they are.
    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// Puts the values in place that a condition gives to variables.
    pub(super) fn learn(&self, terms: &Terms, condition: Term, store: &mut Store) {
        if self.is_empty() {
            return;
        }
        for part in terms.conjuncts(condition) {
            if terms.op(part) != Op::Eq {
                continue;
            }
            let (a, b) = (terms.kid(part, 0), terms.kid(part, 1));
            for (x, value) in [(a, b), (b, a)] {
                let known = terms.as_var(x).and_then(|x| Some((x, self.0.get(&x)?)));
                if let Some((x, _)) = known.filter(|(_, all)| all.contains(&value)) {
                    store.insert(x, value);
                }
            }
        }
    }

    /// The partition of a state.
    pub(super) fn partition(&self, store: &Store) -> TracePartition {
        let value = |x: &Symbol| store.get(x).copied();
        self.0.iter().filter_map(|(x, all)| Some((*x, value(x).filter(|v| all.contains(v))?))).collect()
    }
}

/// All locations met so far.
#[derive(Default)]
pub(super) struct PartitionedLocations {
    all: IdxVec<PartitionedLocationId, (GlobalLocationId, TracePartition)>,
    known: FxHashMap<(GlobalLocationId, TracePartition), PartitionedLocationId>,
    n_partitions: FxHashMap<GlobalLocationId, u32>,
}

impl PartitionedLocations {
    /// The location of a control and a partition.
    pub(super) fn intern(
        &mut self,
        control: GlobalLocationId,
        partition: TracePartition,
    ) -> PartitionedLocationId {
        let all = &mut self.all;
        *self.known.entry((control, Rc::clone(&partition))).or_insert_with(|| {
            *self.n_partitions.entry(control).or_default() += 1;
            all.push((control, partition))
        })
    }

    /// Its control.
    pub(super) fn control(&self, location: PartitionedLocationId) -> GlobalLocationId {
        self.all[location].0
    }

    /// Its partition.
    pub(super) fn partition(&self, location: PartitionedLocationId) -> &TracePartition {
        &self.all[location].1
    }

    /// How many partitions of a control are known.
    pub(super) fn n_partitions(&self, control: GlobalLocationId) -> u32 {
        self.n_partitions.get(&control).copied().unwrap_or(1)
    }

    /// How many locations there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

/// What is known of a variable's assignments.
#[derive(Default)]
struct Sources {
    constants: FxHashSet<Term>,
    copied: FxHashSet<Symbol>,
    other: bool,
}

impl Ufo<'_> {
    /// The variables that are never computed, according to all blocks met so far.
    pub(super) fn finite_variables(&self) -> Tracked {
        let mut sources: BTreeMap<Symbol, Sources> = BTreeMap::new();
        let (mut guards, mut roots, mut seen) = (Vec::new(), Vec::new(), FxHashSet::default());
        for edge in self.arg.nodes.iter().filter_map(|n| n.out.as_ref()).flat_map(|out| out.iter()) {
            if !seen.insert(edge.key) {
                continue;
            }
            let taken = &edge.block.edges[edge.key.2];
            guards.push(taken.guard);
            for (&x, &value) in &taken.store {
                roots.push(value);
                leaves(&self.terms, value, &mut FxHashSet::default(), sources.entry(x).or_default());
            }
        }
        sources.retain(|_, s| !s.other);
        let wanted = self.wanted(&guards, &roots, &sources);
        let values = values(&sources);
        let few = |x: &Symbol| values.get(x).filter(|v| !v.is_empty() && v.len() <= MAX_VALUES).cloned();
        Tracked(wanted.into_iter().filter_map(|x| few(&x).map(|all| (x, all))).collect())
    }

    /// The variables among `sources` that some condition mentions, and those copied into them.
    fn wanted(
        &self,
        guards: &[Term],
        roots: &[Term],
        sources: &BTreeMap<Symbol, Sources>,
    ) -> FxHashSet<Symbol> {
        let decides = |t: &Term| self.terms.op(*t) == Op::Ite;
        let choices = self.terms.subterms(roots).into_iter().filter(decides).map(|t| self.terms.kid(t, 0));
        let conditions: Vec<Term> = guards.iter().copied().chain(choices).collect();
        let symbols = self.terms.subterms(&conditions).into_iter().filter_map(|t| self.terms.as_var(t));
        let mut wanted: FxHashSet<Symbol> = symbols.collect();
        wanted.retain(|x| sources.contains_key(x));
        loop {
            let copied = |x: &Symbol| sources.get(x).into_iter().flat_map(|s| s.copied.iter().copied());
            let more: Vec<Symbol> = wanted
                .iter()
                .flat_map(copied)
                .filter(|y| sources.contains_key(y) && !wanted.contains(y))
                .collect();
            if more.is_empty() {
                return wanted;
            }
            wanted.extend(more);
        }
    }
}

/// Adds what a term can evaluate to.
fn leaves(terms: &Terms, term: Term, seen: &mut FxHashSet<Term>, into: &mut Sources) {
    if !seen.insert(term) {
        return;
    }
    if terms.as_const(term).is_some() {
        into.constants.insert(term);
    } else if let Some(y) = terms.as_var(term) {
        into.copied.insert(y);
    } else if terms.op(term) == Op::Ite {
        leaves(terms, terms.kid(term, 1), seen, into);
        leaves(terms, terms.kid(term, 2), seen, into);
    } else {
        into.other = true;
    }
}

/// All values of each variable.
fn values(sources: &BTreeMap<Symbol, Sources>) -> BTreeMap<Symbol, FxHashSet<Term>> {
    let mut values: BTreeMap<Symbol, FxHashSet<Term>> =
        sources.iter().map(|(x, s)| (*x, s.constants.clone())).collect();
    loop {
        let mut changed = false;
        for (x, s) in sources {
            let more: Vec<Term> = s.copied.iter().filter_map(|y| values.get(y)).flatten().copied().collect();
            let mine = values.get_mut(x).expect("every variable should have values");
            let before = mine.len();
            mine.extend(more);
            changed |= mine.len() > before;
        }
        if !changed {
            return values;
        }
    }
}
