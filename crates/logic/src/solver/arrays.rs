//! Arrays by lemmas.
//!
//! Terms read array *variables* only (stores and choices are resolved when a read is built), so a read is an unknown
//! word, and the theory of arrays demands just that equal indices read equal words. Most pairs of reads never clash:
//! the demand is stated for a pair when a model violates it.
//!
//! An equation between arrays gets a literal `e` of its own.
//! - `!e` holds a witness: a fresh index at which the two sides differ. This is stated at once.
//! - `e` demands equal elements at every index. It is stated for an index when the model's two sides differ there.
//!   Outside of all indices mentioned, sides are compared by their *default* words, as if read at one more index that is not
//!   mentioned. That index exists only while fewer than 2^w are mentioned: arrays with narrow indices are compared
//!   element by element instead, and a query that mentions too many is answered `Unknown`.
//!
//! All lemmas hold in every model of the theory; so they are permanent. Direction of error: none in answers; a model
//! is accepted only if it satisfies all demands of the terms of the query.

use super::blast::Blaster;
use super::sat::Lit;
use super::words::Word;
use crate::term::{ArrayValue, Model, Op, Sort, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Index widths up to this are compared element by element.
const NARROW: u8 = 4;

struct Read {
    array: Term,
    index: Word,
    value: Word,
}

struct Equation {
    term: Term,
    lit: Lit,
    /// Reads that only this equation caused.
    reads: Vec<usize>,
    /// The literals of the sides' defaults, once they are compared.
    defaults: Word,
}

/// Reads and equations stated so far.
#[derive(Default)]
pub(super) struct Arrays {
    reads: Vec<Read>,
    by_key: FxHashMap<(Term, Word), usize>,
    by_term: FxHashMap<Term, usize>,
    defaults: FxHashMap<Term, Word>,
    equations: Vec<Equation>,
    stated: FxHashSet<(usize, usize)>,
    stated_at: FxHashSet<(usize, Option<Word>)>,
    pub(super) n_lemmas: u64,
}

/// The array part of one query.
#[derive(Default)]
pub(super) struct ArrayCone {
    reads: Vec<usize>,
    equations: Vec<usize>,
    vars: Vec<Term>,
    stores: Vec<Term>,
}

/// What refining a model came to.
pub(super) enum Refined {
    /// The model satisfies the theory.
    Consistent,
    /// Lemmas were added: solve again.
    Lemmas,
    /// Too many indices for the comparison by defaults.
    GaveUp,
}

impl Blaster {
    /// The word read from the variable `array`.
    pub(super) fn read_variable(&mut self, terms: &Terms, array: Term, index: &[Lit]) -> Word {
        let at = self.read_number(terms, array, index);
        self.arrays.reads[at].value.clone()
    }

    fn read_number(&mut self, terms: &Terms, array: Term, index: &[Lit]) -> usize {
        let key = (array, index.to_vec());
        if let Some(&at) = self.arrays.by_key.get(&key) {
            return at;
        }
        let value = self.gates.fresh_word(element_width(terms, array));
        let at = self.arrays.reads.len();
        self.arrays.reads.push(Read { array, index: index.to_vec(), value });
        self.arrays.by_key.insert(key, at);
        at
    }

    /// The word at `index` of any translated array term; `None` stands for the index that is not mentioned. Reads
    /// of variables are noted in `used`.
    fn read_any(&mut self, terms: &Terms, array: Term, index: Option<&[Lit]>, used: &mut Vec<usize>) -> Word {
        let mut known: FxHashMap<Term, Word> = FxHashMap::default();
        for t in array_parts(terms, array) {
            let kids = terms.kids(t);
            let word = match (terms.op(t), index) {
                (Op::Store, Some(index)) => {
                    let (at, value) = (self.word(kids[1]).to_vec(), self.word(kids[2]).to_vec());
                    let hit = self.gates.equal(&at, index);
                    self.gates.choose(hit, &value, &known[&kids[0]])
                }
                (Op::Store, None) => known[&kids[0]].clone(),
                (Op::Ite, _) => {
                    let c = self.word(kids[0])[0];
                    self.gates.choose(c, &known[&kids[1]], &known[&kids[2]])
                }
                (Op::ConstArray(_), _) => self.word(kids[0]).to_vec(),
                (_, Some(index)) => {
                    let at = self.read_number(terms, t, index);
                    used.push(at);
                    self.arrays.reads[at].value.clone()
                }
                (_, None) => self.default_word(terms, t),
            };
            known.insert(t, word);
        }
        known.remove(&array).expect("the array should be among its parts")
    }

    fn default_word(&mut self, terms: &Terms, array: Term) -> Word {
        if let Some(word) = self.arrays.defaults.get(&array) {
            return word.clone();
        }
        let word = self.gates.fresh_word(element_width(terms, array));
        self.arrays.defaults.insert(array, word.clone());
        word
    }

    /// The literal of an equation between arrays.
    pub(super) fn array_equation(&mut self, terms: &Terms, t: Term) -> Lit {
        let (a, b) = (terms.kid(t, 0), terms.kid(t, 1));
        let width = index_width(terms, a);
        let mut reads = Vec::new();
        let lit = if width <= NARROW {
            let mut same = Vec::new();
            for n in 0..1u128 << width {
                let index = self.gates.constant(n, usize::from(width));
                let x = self.read_any(terms, a, Some(&index), &mut reads);
                let y = self.read_any(terms, b, Some(&index), &mut reads);
                same.push(self.gates.equal(&x, &y));
            }
            self.gates.and_all(&same)
        } else {
            let lit = self.gates.fresh();
            let witness = self.gates.fresh_word(usize::from(width));
            let x = self.read_any(terms, a, Some(&witness), &mut reads);
            let y = self.read_any(terms, b, Some(&witness), &mut reads);
            let same = self.gates.equal(&x, &y);
            self.gates.lemma(&[lit, !same], &[lit]);
            lit
        };
        self.arrays.by_term.insert(t, self.arrays.equations.len());
        self.arrays.equations.push(Equation { term: t, lit, reads, defaults: Vec::new() });
        lit
    }

    /// The reads and equations among `cone`, the subterms of a query.
    pub(super) fn array_cone(&self, terms: &Terms, cone: &[Term]) -> ArrayCone {
        let mut arrays = ArrayCone::default();
        for &t in cone {
            match terms.op(t) {
                Op::Select => {
                    let key = (terms.kid(t, 0), self.word(terms.kid(t, 1)).to_vec());
                    arrays.reads.push(self.arrays.by_key[&key]);
                }
                Op::Eq => arrays.equations.extend(self.arrays.by_term.get(&t)),
                Op::Store => arrays.stores.push(t),
                Op::Var(_) if matches!(terms.sort(t), Sort::Array { .. }) => arrays.vars.push(t),
                _ => {}
            }
        }
        arrays
    }

    /// The literals on which the array part of a query depends.
    pub(super) fn array_inputs(&self, cone: &ArrayCone) -> Word {
        let mut lits = Vec::new();
        for read in self.relevant_reads(cone) {
            lits.extend(&self.arrays.reads[read].index);
            lits.extend(&self.arrays.reads[read].value);
        }
        for &e in &cone.equations {
            lits.push(self.arrays.equations[e].lit);
            lits.extend(&self.arrays.equations[e].defaults);
        }
        lits
    }

    fn relevant_reads(&self, cone: &ArrayCone) -> Vec<usize> {
        let mut reads = cone.reads.clone();
        for &e in &cone.equations {
            reads.extend(&self.arrays.equations[e].reads);
        }
        reads.sort_unstable();
        reads.dedup();
        reads
    }

    /// Adds the lemmas that the last model violates.
    pub(super) fn refine(&mut self, terms: &Terms, cone: &ArrayCone, model: &mut Model) -> Refined {
        let reads = self.relevant_reads(cone);
        if self.refine_reads(&reads) {
            return Refined::Lemmas;
        }
        self.array_values(terms, cone, &reads, model);
        let mut outcome = Refined::Consistent;
        for &e in &cone.equations {
            match self.refine_equation(terms, cone, &reads, e, model) {
                Refined::Consistent => {}
                Refined::Lemmas => outcome = Refined::Lemmas,
                Refined::GaveUp => return Refined::GaveUp,
            }
        }
        outcome
    }

    fn refine_reads(&mut self, reads: &[usize]) -> bool {
        let mut first: FxHashMap<(Term, u128), usize> = FxHashMap::default();
        let mut clashes = Vec::new();
        for &r in reads {
            let read = &self.arrays.reads[r];
            let other = *first.entry((read.array, self.value(&read.index))).or_insert(r);
            if self.value(&read.value) != self.value(&self.arrays.reads[other].value) {
                clashes.push((other, r));
            }
        }
        for &(a, b) in &clashes {
            let is_new = self.arrays.stated.insert((a, b));
            debug_assert!(is_new, "a model should satisfy the lemmas stated");
            let [a, b] =
                [a, b].map(|r| (self.arrays.reads[r].index.clone(), self.arrays.reads[r].value.clone()));
            let same_index = self.gates.equal(&a.0, &b.0);
            let same_value = self.gates.equal(&a.1, &b.1);
            self.gates.lemma(&[!same_index, same_value], &[a.1[0], b.1[0]]);
            self.arrays.n_lemmas += 1;
        }
        !clashes.is_empty()
    }

    fn array_values(&self, terms: &Terms, cone: &ArrayCone, reads: &[usize], model: &mut Model) {
        let mut vars = cone.vars.clone();
        vars.sort_unstable();
        for &array in &vars {
            let default = self.arrays.defaults.get(&array).map_or(0, |w| self.value(w));
            let mut value = ArrayValue { default, ..ArrayValue::default() };
            for read in reads.iter().map(|&r| &self.arrays.reads[r]).filter(|r| r.array == array) {
                value.set(self.value(&read.index), self.value(&read.value));
            }
            let symbol = terms.as_var(array).expect("an array variable should be a variable");
            model.set(symbol, Value::Array(value.into()));
        }
    }

    fn refine_equation(
        &mut self,
        terms: &Terms,
        cone: &ArrayCone,
        reads: &[usize],
        e: usize,
        model: &Model,
    ) -> Refined {
        let equation = &self.arrays.equations[e];
        let (lit, term) = (equation.lit, equation.term);
        let (a, b) = (terms.kid(term, 0), terms.kid(term, 1));
        if index_width(terms, a) <= NARROW || !self.gates.value(lit) || terms.eval(term, model).truth() {
            return Refined::Consistent;
        }
        let (va, vb) = (terms.eval(a, model), terms.eval(b, model));
        let (va, vb) = (va.array(), vb.array());
        let differs = |index: &u128| va.get(*index) != vb.get(*index);
        let place = va.entries.keys().chain(vb.entries.keys()).copied().find(differs);
        let stores = cone.stores.iter().map(|&s| self.word(terms.kid(s, 1)).to_vec());
        let mut mentioned: Vec<Word> = reads.iter().map(|&r| self.arrays.reads[r].index.clone()).collect();
        mentioned.extend(stores);
        let index = match place {
            Some(value) => mentioned.into_iter().find(|w| self.value(w) == value),
            None if mentioned.len() as u128 >= 1 << index_width(terms, a).min(64) => return Refined::GaveUp,
            None => None,
        };
        if (place.is_some() && index.is_none()) || !self.arrays.stated_at.insert((e, index.clone())) {
            return Refined::GaveUp;
        }
        let mut used = Vec::new();
        let x = self.read_any(terms, a, index.as_deref(), &mut used);
        let y = self.read_any(terms, b, index.as_deref(), &mut used);
        let same = self.gates.equal(&x, &y);
        self.gates.lemma(&[!lit, same], &[lit]);
        self.arrays.equations[e].reads.extend(used);
        if index.is_none() {
            self.arrays.equations[e].defaults = [x, y].concat();
        }
        self.arrays.n_lemmas += 1;
        Refined::Lemmas
    }
}

/// The array-sorted subterms of `array` below stores and choices, operands first.
fn array_parts(terms: &Terms, array: Term) -> Vec<Term> {
    let mut all = Vec::new();
    let mut seen = FxHashSet::default();
    let mut stack = vec![array];
    while let Some(t) = stack.pop() {
        if !seen.insert(t) {
            continue;
        }
        all.push(t);
        match terms.op(t) {
            Op::Store => stack.push(terms.kid(t, 0)),
            Op::Ite => stack.extend([terms.kid(t, 1), terms.kid(t, 2)]),
            _ => {}
        }
    }
    all.sort_unstable();
    all
}

fn index_width(terms: &Terms, array: Term) -> u8 {
    if let Sort::Array { index, .. } = terms.sort(array) {
        index
    } else {
        unreachable!("{array} should be an array")
    }
}

fn element_width(terms: &Terms, array: Term) -> usize {
    match terms.sort(array) {
        Sort::Array { element, .. } => usize::from(element),
        other => unreachable!("{array} should be an array, not {other:?}"),
    }
}
