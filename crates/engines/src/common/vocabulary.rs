//! What candidates for Houdini's facts are made of: the constants, comparisons and pairs of variables that a program's terms mention.
//!
//! Facts compare each variable with constants of its width, and with other variables of its sort: with all, if there are few, otherwise with those that occur in one
//! small term with it. Comparisons as unsigned numbers are made at the widths at which the program makes them.

use logic::{Op, Sort, Symbol, Term, Terms, Width};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// Terms with more variables relate none of them.
const MAX_RELATED: usize = 4;

/// How many candidates are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// The number of constants of a width that variables are compared with.
    pub(crate) constants: usize,
    /// Up to this number of variables all pairs are compared, beyond only those that occur together.
    pub(crate) all_pairs: usize,
    /// True if a variable may also be odd or even.
    pub(crate) parity: bool,
    /// Whether the numbers beside a constant count, too.
    pub(crate) neighbours: bool,
}

/// What candidates are made of.
pub(crate) struct Vocabulary {
    sizes: Sizes,
    constants: BTreeMap<Width, BTreeSet<u128>>,
    /// The widths at which numbers are compared as unsigned ones.
    unsigned: FxHashSet<Width>,
    together: FxHashSet<(Symbol, Symbol)>,
}

impl Vocabulary {
    pub(crate) fn new(sizes: Sizes) -> Self {
        let (unsigned, together) = (FxHashSet::default(), FxHashSet::default());
        Self { sizes, constants: BTreeMap::new(), unsigned, together }
    }

    /// Takes note of a constant, or of variables that occur in one term; these, if they are few.
    pub(crate) fn look_at(&mut self, terms: &Terms, term: Term) -> Option<Vec<Symbol>> {
        if let (Some(value), Sort::Bits(width)) = (terms.as_const(term), terms.sort(term)) {
            let known = self.constants.entry(width).or_insert_with(|| [0, 1].into_iter().collect());
            if known.len() < self.sizes.constants {
                known.insert(value);
                if self.sizes.neighbours && value > 1 && value < 1 << (width - 1) {
                    known.extend([value - 1, value + 1]);
                }
            }
        }
        let variables = terms.free_vars(term);
        if variables.len() > MAX_RELATED {
            return None;
        }
        for a in &variables {
            self.together.extend(variables.iter().map(|b| (*a, *b)));
        }
        Some(variables)
    }

    /// Takes note of a comparison of unsigned numbers.
    pub(crate) fn look_for_unsigned(&mut self, terms: &Terms, term: Term) {
        if matches!(terms.op(term), Op::Ult | Op::Ule) {
            self.unsigned.insert(terms.width(terms.kid(term, 0)));
        }
    }

    /// Two variables have to do with each other.
    pub(crate) fn relate(&mut self, a: Symbol, b: Symbol) {
        self.together.extend([(a, b), (b, a)]);
    }

    /// The constants of a width.
    pub(crate) fn constants(&self, width: Width) -> impl Iterator<Item = u128> {
        self.constants.get(&width).into_iter().flatten().copied()
    }

    /// Which constants these variables are, and which of them are equal.
    pub(crate) fn equations(&self, terms: &mut Terms, scalars: &[Symbol], facts: &mut Vec<Term>) {
        for (n, &x) in scalars.iter().enumerate() {
            let variable = terms.var_of(x);
            let Sort::Bits(width) = terms.sort(variable) else { continue };
            let mut others: Vec<Term> = scalars[..n].iter().map(|y| terms.var_of(*y)).collect();
            others.retain(|other| terms.sort(*other) == terms.sort(variable));
            others.extend(self.constants(width).map(|value| terms.constant(value, width)));
            for other in others {
                facts.extend([terms.eq(variable, other), terms.ne(variable, other)]);
            }
        }
    }

    /// All facts about these variables.
    pub(crate) fn facts(&self, terms: &mut Terms, scalars: &[Symbol], facts: &mut Vec<Term>) {
        for (n, &x) in scalars.iter().enumerate() {
            let variable = terms.var_of(x);
            let Sort::Bits(width) = terms.sort(variable) else {
                facts.extend([variable, terms.not(variable)]);
                continue;
            };
            for value in self.constants(width) {
                let value = terms.constant(value, width);
                self.comparisons(terms, variable, value, facts);
            }
            if self.sizes.parity {
                let (bit, one) = (terms.extract(0, 0, variable), terms.constant(1, 1));
                let odd = terms.eq(bit, one);
                facts.extend([odd, terms.not(odd)]);
            }
            for &y in &scalars[..n] {
                let other = terms.var_of(y);
                let related = self.are_related(scalars.len(), x, y);
                if related && terms.sort(other) == terms.sort(variable) {
                    self.comparisons(terms, variable, other, facts);
                }
            }
        }
    }

    /// Returns true if two of so many variables are to be compared.
    pub(crate) fn are_related(&self, n_variables: usize, x: Symbol, y: Symbol) -> bool {
        n_variables <= self.sizes.all_pairs || self.together.contains(&(x, y))
    }

    fn comparisons(&self, terms: &mut Terms, a: Term, b: Term, facts: &mut Vec<Term>) {
        facts.extend([terms.eq(a, b), terms.ne(a, b)]);
        facts.extend([terms.sle(a, b), terms.sle(b, a), terms.slt(a, b), terms.slt(b, a)]);
        if self.unsigned.contains(&terms.width(a)) {
            facts.extend([terms.ule(a, b), terms.ule(b, a), terms.ult(a, b), terms.ult(b, a)]);
        }
    }
}
