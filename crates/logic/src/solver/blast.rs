//! Terms to literals and words, each once.

use super::arrays::Arrays;
use super::derivation::DerivationLog;
use super::gates::Gates;
use super::sat::Lit;
use super::words::Word;
use crate::term::{Op, Sort, Term, Terms};
use base::Idx;

/// Where the literals of a term are, if it has been translated. Arrays have none, but their parts are translated.
#[derive(Clone, Copy)]
struct LiteralRange {
    first: u32,
    n: u32,
}

const NOWHERE: LiteralRange = LiteralRange { first: u32::MAX, n: 0 };

/// The translation of a pool's terms.
pub(super) struct Blaster {
    pub(super) gates: Gates,
    pub(super) arrays: Arrays,
    places: Vec<LiteralRange>,
    lits: Vec<Lit>,
    stack: Vec<(Term, bool)>,
    pub(super) n_encoded: u64,
}

fn position(n: usize) -> u32 {
    u32::try_from(n).expect("the literals of all words should fit 32 bits")
}

impl Blaster {
    pub(super) fn new(log: Option<Box<dyn DerivationLog>>) -> Self {
        Self {
            gates: Gates::new(log),
            arrays: Arrays::default(),
            places: Vec::new(),
            lits: Vec::new(),
            stack: Vec::new(),
            n_encoded: 0,
        }
    }

    /// The literal of a truth-valued term.
    pub(super) fn literal(&mut self, terms: &Terms, term: Term) -> Lit {
        self.encode(terms, term);
        self.lits[self.places[term.index()].first as usize]
    }

    /// The literals of a translated term.
    pub(super) fn word(&self, term: Term) -> &[Lit] {
        let place = self.places[term.index()];
        debug_assert!(place.first != u32::MAX, "{term} should have been translated");
        &self.lits[place.first as usize..(place.first + place.n) as usize]
    }

    fn is_done(&self, term: Term) -> bool {
        self.places[term.index()].first != u32::MAX
    }

    fn encode(&mut self, terms: &Terms, root: Term) {
        if self.places.len() < terms.len() {
            self.places.resize(terms.len(), NOWHERE);
        }
        self.stack.push((root, false));
        while let Some((t, ready)) = self.stack.pop() {
            if self.is_done(t) {
                continue;
            }
            if !ready {
                self.stack.push((t, true));
                self.stack.extend(terms.kids(t).iter().map(|&k| (k, false)));
                continue;
            }
            let word = self.node(terms, t);
            self.places[t.index()] =
                LiteralRange { first: position(self.lits.len()), n: position(word.len()) };
            self.lits.extend(word);
            self.n_encoded += 1;
        }
    }

    fn node(&mut self, terms: &Terms, t: Term) -> Word {
        match terms.sort(t) {
            Sort::Bool => vec![self.truth_node(terms, t)],
            Sort::Bits(width) => self.bits_node(terms, t, usize::from(width)),
            Sort::Array { .. } => Vec::new(),
        }
    }

    fn truth_node(&mut self, terms: &Terms, t: Term) -> Lit {
        let kids = terms.kids(t);
        let first = |me: &Self, n: usize| me.word(kids[n])[0];
        match terms.op(t) {
            Op::Bool(b) => self.gates.truth(b),
            Op::Var(_) => self.gates.fresh(),
            Op::Not => !first(self, 0),
            Op::And => {
                let inputs: Word = (0..kids.len()).map(|n| first(self, n)).collect();
                self.gates.and_all(&inputs)
            }
            Op::Ite => {
                let (c, a, b) = (first(self, 0), first(self, 1), first(self, 2));
                self.gates.mux(c, a, b)
            }
            Op::Eq if matches!(terms.sort(kids[0]), Sort::Array { .. }) => self.array_equation(terms, t),
            op => {
                let (a, b) = (self.word(kids[0]).to_vec(), self.word(kids[1]).to_vec());
                match op {
                    Op::Eq => self.gates.equal(&a, &b),
                    Op::Ult => self.gates.less(&a, &b),
                    Op::Ule => !self.gates.less(&b, &a),
                    Op::Slt => self.gates.less_signed(&a, &b),
                    Op::Sle => !self.gates.less_signed(&b, &a),
                    other => unreachable!("{other:?} should not be a truth value"),
                }
            }
        }
    }

    fn bits_node(&mut self, terms: &Terms, t: Term, width: usize) -> Word {
        let kids = terms.kids(t);
        let kid = |me: &Self, n: usize| me.word(kids[n]).to_vec();
        match terms.op(t) {
            Op::Const(c) => self.gates.constant(c, width),
            Op::Var(_) => self.gates.fresh_word(width),
            Op::Select => {
                let index = kid(self, 1);
                self.read_variable(terms, kids[0], &index)
            }
            Op::Add => self.sum_node(terms, kids, width),
            Op::Ite => {
                let (c, a, b) = (self.word(kids[0])[0], kid(self, 1), kid(self, 2));
                self.gates.choose(c, &a, &b)
            }
            Op::Concat => [kid(self, 1), kid(self, 0)].concat(),
            Op::Extract { hi, lo } => self.word(kids[0])[usize::from(lo)..=usize::from(hi)].to_vec(),
            Op::BitNot => self.gates.invert(&kid(self, 0)),
            op @ (Op::Zext(_) | Op::Sext(_)) => {
                let mut word = kid(self, 0);
                let fill = if matches!(op, Op::Zext(_)) { self.gates.no() } else { word[word.len() - 1] };
                word.resize(width, fill);
                word
            }
            op => {
                let (a, b) = (kid(self, 0), kid(self, 1));
                self.binary_node(terms, op, t, &a, &b)
            }
        }
    }

    fn sum_node(&mut self, terms: &Terms, kids: &[Term], width: usize) -> Word {
        let mut total = self.gates.constant(0, width);
        for &kid in kids {
            let factor = if terms.op(kid) == Op::Mul { terms.as_const(terms.kid(kid, 0)) } else { None };
            let (base, factor) = factor.map_or((kid, 1), |c| (terms.kid(kid, 1), c));
            let word = self.word(base).to_vec();
            total = self.gates.add_scaled(&total, &word, factor);
        }
        total
    }

    fn binary_node(&mut self, terms: &Terms, op: Op, t: Term, a: &[Lit], b: &[Lit]) -> Word {
        let gates = &mut self.gates;
        let pairs = a.iter().zip(b);
        match op {
            Op::Mul => match terms.as_const(terms.kid(t, 0)) {
                Some(c) => {
                    let zero = gates.constant(0, b.len());
                    gates.add_scaled(&zero, b, c)
                }
                None => gates.product(a, b),
            },
            Op::Udiv => gates.divide(a, b).0,
            Op::Urem => gates.divide(a, b).1,
            Op::Sdiv => gates.divide_signed(a, b).0,
            Op::Srem => gates.divide_signed(a, b).1,
            Op::BitAnd => pairs.map(|(&x, &y)| gates.and(x, y)).collect(),
            Op::BitOr => pairs.map(|(&x, &y)| gates.or(x, y)).collect(),
            Op::BitXor => pairs.map(|(&x, &y)| gates.xor(x, y)).collect(),
            Op::Shl => gates.shift(a, b, true, gates.no()),
            Op::Lshr => gates.shift(a, b, false, gates.no()),
            Op::Ashr => gates.shift(a, b, false, a[a.len() - 1]),
            other => unreachable!("{other:?} should not be a bit-vector of two"),
        }
    }

    /// The number a word stands for in the last model.
    pub(super) fn value(&self, word: &[Lit]) -> u128 {
        word.iter().rev().fold(0, |sum, &l| 2 * sum + u128::from(self.gates.value(l)))
    }
}
