//! Every domain against evaluation: random commands over small variables, from random elements, on all concrete states.
//!
//! The states of an element are the models of its formula, so that these tests are about formulas, too.

use crate::cpa::bdd::BddDomain;
use crate::cpa::domain::{Domain, Meeting};
use crate::cpa::interval::IntervalDomain;
use crate::cpa::value::ValueDomain;
use base::Random;
use logic::path::Cmd;
use logic::{ArrayValue, Model, Sort, Symbol, Term, Terms, Value};
use std::rc::Rc;

const WIDTH: u8 = 2;

/// Two words, a truth value and an array of two words: all 512 states of them can be looked at.
struct World {
    terms: Terms,
    words: [Symbol; 2],
    truth: Symbol,
    array: Symbol,
    states: Vec<Model>,
}

impl World {
    fn new() -> World {
        let mut terms = Terms::new();
        let mut variable = |name: &str, sort| {
            let term = terms.var(name, sort);
            terms.as_var(term).expect("a variable should have a symbol")
        };
        let words = [variable("x", Sort::Bits(WIDTH)), variable("y", Sort::Bits(WIDTH))];
        let truth = variable("b", Sort::Bool);
        let array = variable("a", Sort::Array { index: 1, element: WIDTH });
        let mut states = Vec::new();
        for n in 0..512u128 {
            let mut state = Model::default();
            state.set(words[0], Value::Bits(n & 3));
            state.set(words[1], Value::Bits(n >> 2 & 3));
            state.set(truth, Value::Bool(n >> 4 & 1 == 1));
            state.set(array, array_value(n >> 5 & 3, n >> 7 & 3));
            states.push(state);
        }
        World { terms, words, truth, array, states }
    }

    fn all_variables(&self) -> [Symbol; 4] {
        [self.words[0], self.words[1], self.truth, self.array]
    }

    fn word(&mut self, r: &mut Random, depth: u32) -> Term {
        if depth == 0 || r.below(4) == 0 {
            return match r.below(3) {
                0 => self.terms.constant(u128::from(r.below(4)), WIDTH),
                n => self.terms.var_of(self.words[n as usize - 1]),
            };
        }
        let (a, b) = (self.word(r, depth - 1), self.word(r, depth - 1));
        let t = &mut self.terms;
        match r.below(18) {
            0 => t.add(a, b),
            1 => t.sub(a, b),
            2 => t.mul(a, b),
            3 => t.udiv(a, b),
            4 => t.urem(a, b),
            5 => t.sdiv(a, b),
            6 => t.srem(a, b),
            7 => t.bit_and(a, b),
            8 => t.bit_or(a, b),
            9 => t.bit_xor(a, b),
            10 => t.bit_not(a),
            11 => t.shl(a, b),
            12 => t.lshr(a, b),
            13 => t.ashr(a, b),
            14 => {
                let (high, low) = (t.extract(0, 0, a), t.extract(1, 1, b));
                t.concat(high, low)
            }
            15 => {
                let low = t.extract(0, 0, a);
                if r.below(2) == 0 { t.zext(WIDTH, low) } else { t.sext(WIDTH, low) }
            }
            16 => {
                let condition = self.condition(r, depth - 1);
                self.terms.ite(condition, a, b)
            }
            _ => {
                let (array, index) = (self.array_term(r, depth - 1), self.terms.extract(0, 0, a));
                self.terms.select(array, index)
            }
        }
    }

    fn condition(&mut self, r: &mut Random, depth: u32) -> Term {
        if depth == 0 || r.below(5) == 0 {
            return self.terms.var_of(self.truth);
        }
        let (a, b) = (self.word(r, depth - 1), self.word(r, depth - 1));
        match r.below(8) {
            0 | 1 => self.terms.eq(a, b),
            2 => self.terms.ult(a, b),
            3 => self.terms.ule(a, b),
            4 => self.terms.slt(a, b),
            5 => self.terms.sle(a, b),
            6 => {
                let part = self.condition(r, depth - 1);
                self.terms.not(part)
            }
            _ => {
                let (a, b) = (self.condition(r, depth - 1), self.condition(r, depth - 1));
                self.terms.and2(a, b)
            }
        }
    }

    fn array_term(&mut self, r: &mut Random, depth: u32) -> Term {
        if depth == 0 || r.below(3) == 0 {
            return self.terms.var_of(self.array);
        }
        let array = self.array_term(r, depth - 1);
        let (at, value) = (self.word(r, depth - 1), self.word(r, depth - 1));
        match r.below(5) {
            0 => {
                let (condition, other) = (self.condition(r, depth - 1), self.array_term(r, depth - 1));
                self.terms.ite(condition, array, other)
            }
            1 => self.terms.const_array(1, value),
            _ => {
                let index = self.terms.extract(0, 0, at);
                self.terms.store(array, index, value)
            }
        }
    }

    fn block(&mut self, r: &mut Random, length: u64) -> Vec<Cmd> {
        (0..=r.below(length)).map(|_| self.command(r)).collect()
    }

    fn command(&mut self, r: &mut Random) -> Cmd {
        let word = self.words[r.below(2) as usize];
        match r.below(10) {
            0..=2 => Cmd::Assume(self.condition(r, 3)),
            3..=5 => Cmd::Assign(word, self.word(r, 3)),
            6 => Cmd::Assign(self.truth, self.condition(r, 3)),
            7 | 8 => Cmd::Assign(self.array, self.array_term(r, 2)),
            _ => Cmd::Havoc(self.all_variables()[r.below(4) as usize]),
        }
    }

    /// All states after a block.
    fn execute(&self, from: Vec<Model>, block: &[Cmd]) -> Vec<Model> {
        let mut states = from;
        for cmd in block {
            states = match *cmd {
                Cmd::Assume(guard) => {
                    states.into_iter().filter(|s| self.terms.eval(guard, s).truth()).collect()
                }
                Cmd::Assign(x, term) => states
                    .into_iter()
                    .map(|mut state| {
                        let value = self.terms.eval(term, &state);
                        state.set(x, value);
                        state
                    })
                    .collect(),
                Cmd::Havoc(x) => {
                    let values = self.values(x);
                    let all = states.iter().flat_map(|state| {
                        values.iter().map(|value| {
                            let mut state = state.clone();
                            state.set(x, value.clone());
                            state
                        })
                    });
                    all.collect()
                }
            };
            states = self.distinct(states);
        }
        states
    }

    fn values(&self, symbol: Symbol) -> Vec<Value> {
        match self.terms.sort(self.terms.var_of(symbol)) {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Sort::Bits(_) => (0..4).map(Value::Bits).collect(),
            Sort::Array { .. } => (0..16).map(|n| array_value(n & 3, n >> 2)).collect(),
        }
    }

    fn number(&self, state: &Model) -> usize {
        let bits = |s: Symbol| state.get(s).expect("every variable should have a value").bits() as usize;
        let array = state.get(self.array).expect("the array should have a value").array();
        let truth = state.get(self.truth).expect("the truth value should have a value").truth();
        let (first, second) = (array.get(0) as usize, array.get(1) as usize);
        bits(self.words[0]) | bits(self.words[1]) << 2 | usize::from(truth) << 4 | first << 5 | second << 7
    }

    fn distinct(&self, states: Vec<Model>) -> Vec<Model> {
        let mut seen = [false; 512];
        for state in states {
            seen[self.number(&state)] = true;
        }
        (0..512).filter(|n| seen[*n]).map(|n| self.states[n].clone()).collect()
    }

    /// The states of some elements, by number.
    fn members<D: Domain>(&mut self, domain: &mut D, elements: &[D::Element]) -> Vec<bool> {
        let formulas: Vec<Term> = elements.iter().map(|e| domain.formula(&mut self.terms, e)).collect();
        let is_in = |state: &Model| formulas.iter().any(|f| self.terms.eval(*f, state).truth());
        self.states.iter().map(is_in).collect()
    }

    fn show(&self, block: &[Cmd]) -> String {
        logic::path::show_block(&self.terms, block)
    }
}

fn array_value(first: u128, second: u128) -> Value {
    let mut array = ArrayValue::default();
    array.set(0, first);
    array.set(1, second);
    Value::Array(Rc::new(array))
}

fn subset(a: &[bool], b: &[bool]) -> bool {
    a.iter().zip(b).all(|(a, b)| !a || *b)
}

fn either(a: &[bool], b: &[bool]) -> Vec<bool> {
    a.iter().zip(b).map(|(a, b)| *a || *b).collect()
}

/// Elements reached by a random block from all states.
fn elements<D: Domain>(world: &mut World, domain: &mut D, r: &mut Random) -> Vec<D::Element> {
    let (top, block) = (domain.top(), world.block(r, 6));
    domain.transfer(&world.terms, &top, &block, &mut |_| true).expect("there should be room")
}

/// Checks all operators; tells how many transfers were exact.
fn check<D: Domain>(mut domain: impl FnMut() -> D, rounds: u64) -> (u64, u64) {
    let (mut exact, mut total) = (0, 0);
    for seed in 1..=rounds {
        let mut r = Random(seed);
        let mut world = World::new();
        let mut d = domain();
        let untracked = (r.below(3) == 0).then(|| world.all_variables()[r.below(4) as usize]);
        let mut all = elements(&mut world, &mut d, &mut r);
        all.extend(elements(&mut world, &mut d, &mut r));
        let block = world.block(&mut r, 4);
        for element in &all {
            let before = world.members(&mut d, std::slice::from_ref(element));
            let from = (0..512).filter(|n| before[*n]).map(|n| world.states[n].clone()).collect();
            let mut concrete = vec![false; 512];
            for state in world.execute(from, &block) {
                concrete[world.number(&state)] = true;
            }
            let after = d
                .transfer(&world.terms, element, &block, &mut |s| Some(s) != untracked)
                .expect("there should be room");
            let reached = world.members(&mut d, &after);
            assert!(subset(&concrete, &reached), "seed {seed}: {} loses a state", world.show(&block));
            total += 1;
            exact += u64::from(concrete == reached);

            let mut less = element.clone();
            let dead = world.words[0];
            d.forget(&world.terms, &mut less, &mut |s| s != dead).expect("there should be room");
            let less = world.members(&mut d, &[less]);
            assert!(subset(&before, &less), "seed {seed}: forgetting loses a state");
            let havocked = world.execute(
                (0..512).filter(|n| less[*n]).map(|n| world.states[n].clone()).collect(),
                &[Cmd::Havoc(dead)],
            );
            assert!(
                havocked.iter().all(|s| less[world.number(s)]),
                "seed {seed}: something is not forgotten"
            );
        }
        for (new, old) in all.iter().zip(all.iter().skip(1)) {
            pair(&mut world, &mut d, new, old, seed);
        }
    }
    (exact, total)
}

fn pair<D: Domain>(world: &mut World, d: &mut D, new: &D::Element, old: &D::Element, seed: u64) {
    let (of_new, of_old) =
        (world.members(d, std::slice::from_ref(new)), world.members(d, std::slice::from_ref(old)));
    let rest = d.minus(new, old).expect("there should be room");
    let rest: Vec<D::Element> = rest.into_iter().collect();
    let left = world.members(d, &rest);
    assert!(subset(&of_new, &either(&left, &of_old)), "seed {seed}: a difference loses a state");
    assert!(subset(&left, &of_new), "seed {seed}: a difference is larger than what it is of");
    assert!(d.minus(new, new).expect("there should be room").is_none(), "seed {seed}: stop is not reflexive");
    for waiting in [true, false] {
        let meeting = Meeting { waiting, n_elements: 1 << 20 };
        if let Some(merged) = d.merge(new, old, meeting).expect("there should be room") {
            let both = world.members(d, &[merged]);
            assert!(subset(&either(&of_new, &of_old), &both), "seed {seed}: a merge loses a state");
        }
    }
}

#[test]
fn values_lose_no_state() {
    let (exact, total) = check(ValueDomain::default, 1500);
    assert!(exact * 4 > total, "{exact} of {total} transfers are exact");
}

#[test]
fn intervals_lose_no_state() {
    let (exact, total) = check(IntervalDomain::default, 1500);
    assert!(exact * 4 > total, "{exact} of {total} transfers are exact");
}

#[test]
fn decision_diagrams_lose_no_state_and_gain_few() {
    let (exact, total) = check(BddDomain::new, 400);
    assert!(exact * 10 > total * 6, "{exact} of {total} transfers are exact");
}
