//! Every rule on all values of small widths.

use super::*;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// All assignments to two truth values and two numbers of `width` bits.
fn models(terms: &Terms, vars: &[Term], width: Width) -> Vec<Model> {
    let mut all = Vec::new();
    let n = 1u128 << width;
    for code in 0..4 * n * n {
        let mut model = Model::default();
        let values = [code & 1, code >> 1 & 1, (code >> 2) % n, (code >> 2) / n];
        for (&v, value) in vars.iter().zip(values) {
            let value =
                if terms.sort(v) == Sort::Bool { Value::Bool(value == 1) } else { Value::Bits(value) };
            model.set(terms.as_var(v).unwrap(), value);
        }
        all.push(model);
    }
    all
}

/// The values of one term in all models.
type Column = Rc<[Value]>;

struct Proof {
    terms: Terms,
    models: Vec<Model>,
    known: FxHashMap<Term, Column>,
    n_checked: usize,
}

impl Proof {
    /// Makes `op(kids)` and compares its value with the operation on the values of `kids`, in all models.
    fn check(&mut self, op: Op, kids: &[Term]) -> Term {
        let result = self.terms.make(op, kids);
        let columns: Vec<Column> = kids.iter().map(|&k| self.column(k)).collect();
        let found = self.column(result);
        for n in 0..self.models.len() {
            let operands: Vec<Value> = columns.iter().map(|c| c[n].clone()).collect();
            let expected = self.terms.apply(op, kids, &operands);
            let same = match (&expected, &found[n]) {
                (Value::Array(a), Value::Array(b)) => (0..16).all(|i| a.get(i) == b.get(i)),
                (a, b) => a == b,
            };
            let model = &self.models[n];
            assert!(same, "{op:?} {:?} is not {} in {model:?}", self.texts(kids), self.terms.show(result));
        }
        self.n_checked += 1;
        result
    }

    fn column(&mut self, term: Term) -> Column {
        if let Some(column) = self.known.get(&term) {
            return Rc::clone(column);
        }
        for t in self.terms.subterms(&[term]) {
            if self.known.contains_key(&t) {
                continue;
            }
            let kids = self.terms.kids(t);
            let columns: Vec<Column> = kids.iter().map(|k| Rc::clone(&self.known[k])).collect();
            let value = |n: usize| match self.terms.op(t) {
                Op::Var(_) => self.terms.eval(t, &self.models[n]),
                op => {
                    let operands: Vec<Value> = columns.iter().map(|c| c[n].clone()).collect();
                    self.terms.apply(op, kids, &operands)
                }
            };
            let column: Column = (0..self.models.len()).map(value).collect();
            self.known.insert(t, column);
        }
        Rc::clone(&self.known[&term])
    }

    fn texts(&self, kids: &[Term]) -> Vec<String> {
        kids.iter().map(|&k| self.terms.show(k)).collect()
    }
}

const BINARY: [Op; 13] = [
    Op::Add,
    Op::Mul,
    Op::Udiv,
    Op::Urem,
    Op::Sdiv,
    Op::Srem,
    Op::BitAnd,
    Op::BitOr,
    Op::BitXor,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Concat,
];
const COMPARE: [Op; 5] = [Op::Eq, Op::Ult, Op::Ule, Op::Slt, Op::Sle];

fn prove_width(width: Width) -> Vec<u64> {
    let mut terms = Terms::new();
    let p = terms.var("p", Sort::Bool);
    let q = terms.var("q", Sort::Bool);
    let x = terms.var("x", Sort::Bits(width));
    let y = terms.var("y", Sort::Bits(width));
    let models = models(&terms, &[p, q, x, y], width);
    let mut proof = Proof { terms, models, known: FxHashMap::default(), n_checked: 0 };
    let constants: Vec<Term> = (0..1u128 << width).map(|c| proof.terms.constant(c, width)).collect();
    let mut words = vec![x, y];
    words.extend(&constants);
    // Two rounds of operations on words; the second round works on a sample of the first round's results.
    let mut atoms = vec![p, q];
    for round in 0..2 {
        let base = words.clone();
        for (n, &a) in base.iter().enumerate() {
            words.push(proof.check(Op::BitNot, &[a]));
            for c in [p, q] {
                let b = base[(n * 7 + 3) % base.len()];
                words.push(proof.check(Op::Ite, &[c, a, b]));
            }
            unary_shapes(&mut proof, a, width, &mut words);
            for (m, &b) in base.iter().enumerate() {
                if round == 1 && (n * 31 + m * 17) % 5 != 0 {
                    continue;
                }
                for op in BINARY {
                    let t = proof.check(op, &[a, b]);
                    if op != Op::Concat {
                        words.push(t);
                    } else {
                        concat_shapes(&mut proof, t, width, constants[m % constants.len()]);
                    }
                }
                for op in COMPARE {
                    atoms.push(proof.check(op, &[a, b]));
                }
            }
        }
        words.sort_unstable();
        words.dedup();
        let keep = (words.len() / 24).max(1);
        words =
            words.into_iter().enumerate().filter(|(n, _)| *n < 6 || n % keep == 0).map(|(_, t)| t).collect();
    }
    connectives(&mut proof, atoms, &words);
    arrays(&mut proof, &words, p, q, width);
    assert!(proof.n_checked > 1000);
    proof.terms.firings().map(|(_, n)| n).collect()
}

fn unary_shapes(proof: &mut Proof, a: Term, width: Width, words: &mut Vec<Term>) {
    for hi in 0..width {
        for lo in 0..=hi {
            let part = proof.check(Op::Extract { hi, lo }, &[a]);
            words.push(proof.check(Op::Zext(width), &[part]));
            words.push(proof.check(Op::Sext(width), &[part]));
        }
    }
    let wide = [proof.check(Op::Zext(width + 2), &[a]), proof.check(Op::Sext(width + 2), &[a])];
    for t in wide {
        for hi in 0..width + 2 {
            for lo in 0..=hi {
                proof.check(Op::Extract { hi, lo }, &[t]);
            }
        }
        let one = proof.terms.constant(1, width + 2);
        let sum = proof.check(Op::Add, &[t, one]);
        let twice = proof.check(Op::Add, &[sum, t]);
        words.push(proof.check(Op::Extract { hi: width - 1, lo: 0 }, &[twice]));
        let widest = proof.check(Op::Sext(width + 3), &[t]);
        let constant = proof.terms.constant(3, width + 3);
        for op in COMPARE {
            proof.check(op, &[widest, constant]);
            for other in wide {
                proof.check(op, &[other, t]);
            }
        }
        proof.check(Op::Zext(width + 3), &[t]);
        proof.check(Op::BitNot, &[t]);
    }
}

fn concat_shapes(proof: &mut Proof, t: Term, width: Width, constant: Term) {
    let high = proof.check(Op::Extract { hi: 2 * width - 1, lo: width }, &[t]);
    let low = proof.check(Op::Extract { hi: width - 1, lo: 0 }, &[t]);
    proof.check(Op::Concat, &[high, low]);
    let other = proof.terms.concat(constant, constant);
    proof.check(Op::Eq, &[t, other]);
    if width > 1 {
        let (a, b) = (proof.terms.extract(width - 1, 1, low), proof.terms.extract(0, 0, low));
        proof.check(Op::Concat, &[a, b]);
    }
}

fn connectives(proof: &mut Proof, mut atoms: Vec<Term>, words: &[Term]) {
    atoms.sort_unstable();
    atoms.dedup();
    let keep = (atoms.len() / 24).max(1);
    let mut sample: Vec<Term> = atoms.iter().copied().step_by(keep).collect();
    sample.extend(&atoms[..atoms.len().min(16)]);
    let mut results = Vec::new();
    for &a in &sample {
        results.push(proof.check(Op::Not, &[a]));
        for &b in &sample {
            let both = proof.check(Op::And, &[a, b]);
            results.push(proof.check(Op::Not, &[both]));
            proof.check(Op::Eq, &[a, b]);
            let not_b = proof.terms.not(b);
            proof.check(Op::Eq, &[a, not_b]);
            let one_sided = proof.check(Op::And, &[not_b, a]);
            let clauses = [proof.terms.not(both), proof.terms.not(one_sided)];
            proof.check(Op::And, &clauses);
            let c = sample[(a.0 as usize * 5 + b.0 as usize) % sample.len()];
            let chosen = proof.check(Op::Ite, &[c, a, b]);
            proof.check(Op::Ite, &[c, chosen, a]);
            proof.check(Op::Ite, &[c, b, chosen]);
            proof.check(Op::Ite, &[a, a, b]);
            let w = words[(a.0 as usize + 3 * b.0 as usize) % words.len()];
            let v = words[(a.0 as usize * 3 + b.0 as usize) % words.len()];
            let chosen = proof.check(Op::Ite, &[a, w, v]);
            proof.check(Op::Ite, &[b, chosen, w]);
            let same = proof.terms.eq(v, w);
            proof.check(Op::Ite, &[same, v, w]);
        }
    }
    for (n, &a) in results.iter().enumerate().step_by(3) {
        for &b in results[n..].iter().step_by(29) {
            let c = sample[n % sample.len()];
            proof.check(Op::And, &[a, b, c]);
        }
    }
}

fn arrays(proof: &mut Proof, words: &[Term], p: Term, q: Term, width: Width) {
    let sort = Sort::Array { index: width, element: width };
    let a = proof.terms.var("a", sort);
    let symbol = proof.terms.as_var(a).unwrap();
    for (n, model) in proof.models.iter_mut().enumerate() {
        let mut value = ArrayValue { default: n as u128 & mask(width), ..ArrayValue::default() };
        value.set((n as u128 / 3) & mask(width), 1);
        model.set(symbol, Value::Array(value.into()));
    }
    let fixed = proof.check(Op::ConstArray(width), &[words[2]]);
    let mut all = vec![a, fixed];
    for n in 0..60 {
        let pick = |m: usize| words[(n * m + m) % words.len().min(12)];
        let base = all[(n * 7) % all.len()];
        let stored = proof.check(Op::Store, &[base, pick(3), pick(5)]);
        let again = proof.check(Op::Store, &[stored, pick(3), pick(7)]);
        let read = proof.check(Op::Select, &[base, pick(3)]);
        proof.check(Op::Store, &[base, pick(3), read]);
        let other = all[(n * 5) % all.len()];
        let c = if n % 2 == 0 { p } else { q };
        let either = proof.check(Op::Ite, &[c, again, other]);
        proof.check(Op::Ite, &[c, stored, base]);
        proof.check(Op::Ite, &[c, base, stored]);
        proof.check(Op::Eq, &[stored, stored]);
        for t in [stored, again, either] {
            proof.check(Op::Select, &[t, pick(11)]);
        }
        all.extend([stored, either]);
    }
}

#[test]
fn every_rule_is_valid_and_fires() {
    let mut fired = vec![0; rules::RULES.len()];
    for width in 1..=4 {
        for (sum, n) in fired.iter_mut().zip(prove_width(width)) {
            *sum += n;
        }
    }
    let dead: Vec<&str> =
        rules::RULES.iter().zip(&fired).filter(|(_, n)| **n == 0).map(|(r, _)| r.name).collect();
    assert_eq!(dead, [""; 0], "every rule should fire");
}

#[test]
fn equations_are_solved_modulo_two_to_the_width() {
    let mut t = Terms::new();
    let (x, y) = (t.var("x", Sort::Bits(32)), t.var("y", Sort::Bits(32)));
    let one = t.constant(1, 32);
    let (x1, y1) = (t.add(x, one), t.add(y, one));
    assert_eq!(t.eq(x1, y1), t.eq(x, y));
    assert_eq!(t.eq(x1, x), t.ff());
    let three = t.constant(3, 32);
    let triple = t.mul(three, x);
    let nine = t.constant(9, 32);
    assert_eq!(t.eq(triple, nine), t.eq(x, three));
    let back = t.sub(x1, one);
    assert_eq!(back, x);
}

#[test]
fn printing_is_readable() {
    let mut t = Terms::new();
    let sort = Sort::Bits(32);
    let (x, y) = (t.var("x", sort), t.var("y", sort));
    let a = t.var("a", Sort::Array { index: 32, element: 32 });
    let five = t.constant(5, 32);
    let bound = t.sle(x, five);
    assert_eq!(t.show(bound), "x <=s 5");
    let read = t.select(a, x);
    let same = t.ne(read, y);
    let either = t.or2(bound, same);
    assert_eq!(t.show(either), "y != a[x] || x <s 6");
    let sum = t.sub(x, y);
    let sum = t.sub(sum, five);
    assert_eq!(t.show(sum), "x - y - 5");
    let twice = t.add(x, x);
    assert_eq!(t.show(twice), "2*x");
}

#[test]
fn towers_of_terms_do_not_overflow_the_stack() {
    let mut t = Terms::new();
    let sort = Sort::Bits(8);
    let (x, y) = (t.var("x", sort), t.var("y", sort));
    let mut tower = x;
    for _ in 0..100_000 {
        let product = t.bit_xor(tower, y);
        tower = t.mul(product, x);
    }
    assert!(t.size(tower) > 100_000);
    let by = t.constant(3, 8);
    let map = FxHashMap::from_iter([(t.as_var(x).unwrap(), by)]);
    let replaced = t.substitute(tower, &map);
    assert_eq!(t.free_vars(replaced), [t.as_var(y).unwrap()]);
    t.eval(replaced, &Model::default());
    assert!(t.show(tower).ends_with('…'));
    let zero = t.constant(0, 8);
    let goal = t.eq(tower, zero);
    assert!(t.smtlib(&[goal]).len() > 100_000);
    let mut array = t.var("a", Sort::Array { index: 8, element: 8 });
    for n in 0..20_000 {
        let index = t.var(&format!("i{n}"), sort);
        array = t.store(array, index, y);
    }
    t.select(array, x);
}

/// The fast substitution and the simple one it stands for.
#[test]
fn substitutions_agree() {
    let mut t = Terms::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| t.var(n, Sort::Bits(8)));
    let [sx, sy] = [x, y].map(|v| t.as_var(v).unwrap());
    let mut words = vec![x, y, z];
    for n in 0..200usize {
        let (a, b) = (words[n * 7 % words.len()], words[n * 5 % words.len()]);
        let next = match n % 4 {
            0 => t.add(a, b),
            1 => t.bit_and(a, b),
            2 => t.mul(a, b),
            _ => {
                let less = t.ult(a, b);
                t.ite(less, b, z)
            }
        };
        words.push(next);
        let (zero, swapped) = (t.constant(0, 8), t.add(z, y));
        let map = FxHashMap::from_iter([(sx, swapped), (sy, zero)]);
        let simple = t.substitute_with(next, &map, &mut FxHashMap::default());
        assert_eq!(t.substitute(next, &map), simple);
        assert!(!t.mentions(simple, sx));
    }
}
