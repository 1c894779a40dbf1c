//! What candidates for facts are made of.
//!
//! | kind of fact | example |
//! |---|---|
//! | a live variable is compared with a constant of the program, or is odd | `0 <= i` |
//! | two of them are compared | `i <= n` |
//! | what was assigned, in terms of what the variables are afterwards | a block has `4 * n` bytes |
//! | conditions of the program's own branches | `n - k < 10` |
//! | two variables keep their distance, which is read off the first state that is seen | `p - 4 * i == 4096` |
//! | what was written to an element of an array | `s[n - 1] == 0` |
//! | an element that is read is not behind one that was written | `p - s <= n - 1` |
//! | the last element that a check of bounds lets pass is zero, and is an element of its own for the two rows above | `s[size - 1] == 0` |
//! | where an index is checked: so many elements are left as another variable counts | `p - s + n <= size` |
//!
//! The three kinds before the last are what a string's end is about; the last is for loops that count down.

use super::graph::scalars;
use crate::common::vocabulary::{Sizes, Vocabulary};
use logic::path::{Cmd, SymbolicStore};
use logic::{Op, Sort, Symbol, Term, Terms, Width};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

const SIZES: Sizes = Sizes { constants: 14, all_pairs: 9, parity: true, neighbours: false };
/// Maximum number of facts of a global location.
const MAX_FACTS: usize = 1_200;
/// Larger terms are not taken for the value of a variable, or the index of an element.
const MAX_ASSIGNED: usize = 16;
/// The sizes of elements that distances are measured in, and how many.
const MAX_FACTOR: u128 = 128;
const MAX_FACTORS: usize = 4;
/// Maximum number of distances at a global location.
const MAX_DISTANCES: usize = 120;
/// Maximum number of elements, written and read, that are compared with each other.
const MAX_ELEMENTS: usize = 12;
/// Maximum number of checks of bounds that are looked at, and of variables that count what is left.
const MAX_BOUNDS: usize = 6;
const MAX_COUNTERS: usize = 6;

/// What candidates for facts are made of.
pub(crate) struct CandidateVocabulary {
    simple: Vocabulary,
    conditions: Vec<Term>,
    /// What something is multiplied by: sizes of elements.
    factors: BTreeSet<u128>,
    /// Indices of elements that are written, and read, each with its array.
    written: BTreeSet<(Symbol, Term)>,
    read: BTreeSet<(Symbol, Term)>,
    /// What some block counts down.
    counters: BTreeSet<Symbol>,
    /// Indices, or bytes, and the last one that a check of bounds lets pass.
    bounds: BTreeSet<(Term, Term)>,
}

impl CandidateVocabulary {
    /// What the blocks of a program mention.
    pub(super) fn of<'b>(terms: &mut Terms, blocks: impl Iterator<Item = &'b [Cmd]>) -> Self {
        let mut vocabulary = Self {
            simple: Vocabulary::new(SIZES),
            conditions: Vec::new(),
            factors: [1].into_iter().collect(),
            written: BTreeSet::new(),
            read: BTreeSet::new(),
            counters: BTreeSet::new(),
            bounds: BTreeSet::new(),
        };
        let mut roots = Vec::new();
        for block in blocks {
            let mut store = SymbolicStore::default();
            let conditions = store.run(terms, block);
            for (symbol, value) in store.values() {
                roots.push(*value);
                if counts_down(terms, *value) {
                    vocabulary.counters.insert(*symbol);
                }
                let others = terms.free_vars(*value);
                let few = others.into_iter().filter(|_| terms.size(*value) < 8);
                few.for_each(|other| vocabulary.simple.relate(*symbol, other));
            }
            roots.extend(&conditions);
            vocabulary.look_behind(terms, &store, &conditions);
            vocabulary.conditions.extend(conditions);
        }
        let subterms = terms.subterms(&roots);
        for term in &subterms {
            vocabulary.look_at(terms, *term);
        }
        for term in subterms {
            vocabulary.look_at_bound(terms, term);
        }
        let is_version = |s: &Symbol| terms.is_version(*s);
        vocabulary.conditions.retain(|c| !terms.free_vars(*c).iter().any(is_version));
        vocabulary.conditions.sort_unstable();
        vocabulary.conditions.dedup();
        vocabulary
    }

    fn look_at(&mut self, terms: &Terms, term: Term) {
        self.simple.look_at(terms, term);
        self.simple.look_for_unsigned(terms, term);
        match terms.op(term) {
            Op::Mul => {
                let factors = terms.kids(term).iter().filter_map(|kid| terms.as_const(*kid));
                let small = factors.filter(|factor| (2..=MAX_FACTOR).contains(factor));
                self.factors.extend(small.take(MAX_FACTORS.saturating_sub(self.factors.len())));
            }
            Op::Select => {
                let (array, index) = (root(terms, terms.kid(term, 0)), terms.kid(term, 1));
                let of_state = !terms.free_vars(index).iter().any(|s| terms.is_version(*s));
                if let Some(array) = array.filter(|_| of_state && terms.as_const(index).is_none()) {
                    self.read.insert((array, index));
                }
            }
            _ => {}
        }
    }

    /// The last element of an array, where an index that is read is compared with it: it may be the end of a string, although the variable that its index was computed from is not live any more.
    fn look_at_bound(&mut self, terms: &mut Terms, term: Term) {
        let (last, index) = match terms.op(term) {
            Op::Ule => (terms.kid(term, 1), terms.kid(term, 0)),
            Op::Ult => (terms.kid(term, 0), terms.kid(term, 1)),
            _ => return,
        };
        let variables = terms.free_vars(last);
        if variables.is_empty() || variables.iter().any(|s| terms.is_version(*s)) {
            return;
        }
        if terms.as_var(index).is_none() && self.bounds.len() < MAX_BOUNDS {
            self.bounds.insert((index, last));
        }
        if self.written.len() >= MAX_ELEMENTS {
            return;
        }
        let arrays: Vec<Symbol> =
            self.read.iter().filter(|(_, read)| *read == index).map(|(array, _)| *array).collect();
        for array in arrays {
            self.written.insert((array, last));
            let variable = terms.var_of(array);
            let element = terms.select(variable, last);
            let zero = terms.constant(0, terms.width(element));
            self.conditions.push(terms.eq(element, zero));
            if terms.width(last) > 32 {
                // Its index has the type `int`.
                let limit = terms.constant(i32::MAX.unsigned_abs().into(), terms.width(last));
                self.conditions.push(terms.ult(last, limit));
            }
        }
    }

    /// Takes note of what assignments and conditions of a block mean for the state after it.
    fn look_behind(&mut self, terms: &mut Terms, store: &SymbolicStore, conditions: &[Term]) {
        let afterwards = Afterwards::of(terms, store);
        for (symbol, value) in afterwards.values.clone() {
            let variable = terms.var_of(symbol);
            if matches!(terms.sort(variable), Sort::Array { .. }) {
                self.elements(terms, &afterwards, symbol, value);
            } else if terms.as_const(value).is_none()
                && let Some(value) = afterwards.say(terms, value).filter(|value| *value != variable)
            {
                self.conditions.push(terms.eq(variable, value));
            }
        }
        for condition in conditions {
            self.conditions.extend(afterwards.say(terms, *condition));
        }
    }

    /// Takes note of the elements that a block writes to an array.
    fn elements(&mut self, terms: &mut Terms, afterwards: &Afterwards<'_>, array: Symbol, mut value: Term) {
        while terms.op(value) == Op::Store && self.written.len() < MAX_ELEMENTS {
            let (rest, index, element) = (terms.kid(value, 0), terms.kid(value, 1), terms.kid(value, 2));
            value = rest;
            let Some(index) = afterwards.say(terms, index) else { continue };
            self.written.insert((array, index));
            if let Some(element) = afterwards.say(terms, element) {
                let variable = terms.var_of(array);
                let here = terms.select(variable, index);
                self.conditions.push(terms.eq(here, element));
            }
        }
    }

    /// All facts that could be of use where these variables are live.
    pub(super) fn candidates(&self, terms: &mut Terms, live: &FxHashSet<Symbol>) -> Vec<Term> {
        let scalars = scalars(terms, live);
        let mut facts = Vec::new();
        self.simple.facts(terms, &scalars, &mut facts);
        let is_live = |terms: &Terms, term: Term| terms.free_vars(term).iter().all(|s| live.contains(s));
        for condition in &self.conditions {
            if is_live(terms, *condition) {
                facts.extend([*condition, terms.not(*condition)]);
            }
        }
        for (array, read) in self.read.iter().take(MAX_ELEMENTS) {
            for (_, written) in self.written.iter().filter(|(written, _)| written == array) {
                let alike = terms.width(*written) == terms.width(*read);
                if alike && is_live(terms, *read) && is_live(terms, *written) {
                    facts.push(terms.ule(*read, *written));
                }
            }
        }
        self.counted(terms, &scalars, live, &mut facts);
        facts.retain(|fact| terms.as_bool(*fact).is_none());
        facts.sort_unstable();
        facts.dedup();
        facts.truncate(MAX_FACTS);
        facts
    }

    /// From an index on, there are as many elements within bounds as a variable counts.
    fn counted(
        &self,
        terms: &mut Terms,
        scalars: &[Symbol],
        live: &FxHashSet<Symbol>,
        facts: &mut Vec<Term>,
    ) {
        for &(index, last) in &self.bounds {
            let involved = [terms.free_vars(index), terms.free_vars(last)].concat();
            let (wide, is_live) = (terms.width(index), involved.iter().all(|s| live.contains(s)));
            let counters: Vec<Symbol> = scalars
                .iter()
                .copied()
                .filter(|s| self.counters.contains(s) && !involved.contains(s))
                .take(MAX_COUNTERS)
                .collect();
            for counter in counters.into_iter().filter(|_| is_live) {
                let counter = terms.var_of(counter);
                if terms.sort(counter).width().is_none_or(|width| width > wide) {
                    continue;
                }
                for &factor in &self.factors {
                    let (counter, factor) = (terms.sext(wide, counter), terms.constant(factor, wide));
                    let left = terms.mul(counter, factor);
                    let (end, bound) = (terms.add(index, left), terms.add(last, factor));
                    facts.push(terms.ule(end, bound));
                }
            }
        }
    }

    /// Distances of live variables that may be constant: `x - y`, and `x - k * y` for wider `x` (a pointer and an index).
    pub(super) fn distances(&self, terms: &mut Terms, live: &FxHashSet<Symbol>) -> Vec<Term> {
        let scalars = scalars(terms, live);
        let mut distances = Vec::new();
        for &x in &scalars {
            for &y in &scalars {
                let (a, b) = (terms.var_of(x), terms.var_of(y));
                let (Some(wide), Some(narrow)) = (terms.sort(a).width(), terms.sort(b).width()) else {
                    continue;
                };
                let related = self.simple.are_related(scalars.len(), x, y);
                if !related || wide < narrow || wide == narrow && x <= y || distances.len() >= MAX_DISTANCES {
                    continue;
                }
                for factor in self.factors_of(wide, narrow) {
                    let (b, factor) = (terms.sext(wide, b), terms.constant(factor, wide));
                    let scaled = terms.mul(b, factor);
                    distances.push(terms.sub(a, scaled));
                }
            }
        }
        distances
    }

    fn factors_of(&self, wide: Width, narrow: Width) -> impl Iterator<Item = u128> {
        let n_factors = if wide > narrow { self.factors.len() } else { 1 };
        self.factors.iter().copied().take(n_factors)
    }
}

/// Returns true for a variable plus a negative constant.
fn counts_down(terms: &Terms, value: Term) -> bool {
    let kids = terms.kids(value);
    let is_negative = |kid: &Term| {
        let negative = |bits: u128| bits >> (terms.width(*kid) - 1) & 1 == 1;
        terms.as_const(*kid).is_some_and(negative)
    };
    let is_variable = |kid: &Term| terms.as_var(*kid).is_some();
    terms.op(value) == Op::Add
        && kids.len() == 2
        && kids.iter().any(is_variable)
        && kids.iter().any(is_negative)
}

/// The array variable that an array was made of by writing to it.
fn root(terms: &Terms, mut array: Term) -> Option<Symbol> {
    while terms.op(array) == Op::Store {
        array = terms.kid(array, 0);
    }
    terms.as_var(array)
}

/// What can be said of the state after a block: a value that the block overwrites, or that is an input, only if some variable has it afterwards.
struct Afterwards<'s> {
    store: &'s SymbolicStore,
    /// What variables the block sets, and their values, sorted.
    values: Vec<(Symbol, Term)>,
    /// The variable that has a value of the state before, or an input, afterwards.
    holder: FxHashMap<Symbol, Term>,
}

impl<'s> Afterwards<'s> {
    fn of(terms: &Terms, store: &'s SymbolicStore) -> Self {
        let mut values: Vec<(Symbol, Term)> = store.values().iter().map(|(s, value)| (*s, *value)).collect();
        values.sort_unstable();
        let mut holder = FxHashMap::default();
        for (symbol, value) in &values {
            if let Some(held) = terms.as_var(*value) {
                holder.entry(held).or_insert_with(|| terms.var_of(*symbol));
            }
        }
        Self { store, values, holder }
    }

    /// A term over the state before, in terms of the state after.
    fn say(&self, terms: &mut Terms, term: Term) -> Option<Term> {
        let stays = |s: &Symbol| !terms.is_version(*s) && !self.store.values().contains_key(s);
        let known = |s: &Symbol| self.holder.contains_key(s) || stays(s);
        let sayable = terms.size(term) <= MAX_ASSIGNED && terms.free_vars(term).iter().all(known);
        sayable.then(|| terms.substitute(term, &self.holder))
    }
}
