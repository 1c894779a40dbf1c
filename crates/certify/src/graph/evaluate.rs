//! Models as lists of operations on rows of bits: what is done for each execution is decided once, when the model is read.
//!
//! Every expression has a place for its value, equal expressions the same one. A test's operations compute what it needs and no earlier test has computed: the first test
//! forbids most executions, and it needs little. Whether a value is a set of events or a relation between them is known from the text.
//!
//! # Unsettled executions
//! Where reads are promised values, it is not yet known what they read from. Such an execution can only be rejected for what stays true: every pair that
//! is there must be there later, too. All operators keep that, but for `a \ b`, where a pair of `b` may come later. Then `b` is taken to be everything, unless it cannot *grow*: a pair
//! of two events that are there is in it now or never. That holds for program order, dependencies, places and kinds of events, and for what is built from these if no later event can
//! stand between the two: always but for compositions and closures of relations that are not part of program order (`forward`).

use super::cat::{Definition, Expr, GIVEN, SETS, Test, Text};
use std::cell::Cell;
use std::collections::HashMap;

/// Given relations that get new pairs of old events.
const GROWING: [&str; 3] = ["rf", "co", "rmw"];
/// Given relations within program order.
const FORWARD: [&str; 5] = ["po", "addr", "data", "ctrl", "id"];

/// What a model says about an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// All axioms hold.
    pub allowed: bool,
    /// A flag is raised.
    pub flagged: bool,
}

/// What the given names mean.
pub struct Environment {
    /// The number of events.
    pub n: usize,
    /// The given sets, in order.
    pub sets: [u128; SETS],
    /// The given relations, in order: `n` rows each; what is behind them has no meaning.
    pub rows: Vec<u128>,
}

thread_local! {
    // Models are evaluated some hundred times for each program: allocating and clearing their values took a third of that.
    static ROWS: Cell<Vec<u128>> = const { Cell::new(Vec::new()) };
}

impl Environment {
    /// Nothing is in any set or relation.
    pub fn empty(n: usize) -> Self {
        let given = (GIVEN.len() - SETS) * n;
        let mut rows = ROWS.take();
        if rows.len() < given {
            rows.resize(given, 0);
        }
        rows[..given].fill(0);
        Self { n, sets: [0; SETS], rows }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Operator {
    Or,
    And,
    Minus,
    Then,
    Product,
    Inverse,
    Plus,
    Optional,
    Identity,
    Domain,
    Range,
}

/// The place of a value: a set, or a relation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    Set(usize),
    Relation(usize),
}

#[derive(Debug)]
enum Operation {
    /// Computes a value from one or two others; a difference whose second operand can grow is empty as long as something is not settled.
    Compute { operator: Operator, to: Place, of: [Place; 2], can_shrink: bool },
    /// Computes a least fixed point: relations that are empty at first, and what they become in each step.
    Fix { body: Vec<Operation>, of: Vec<(usize, usize)> },
}

/// A model, read.
#[derive(Debug)]
pub struct Code {
    tests: Vec<(Test, Vec<Operation>, usize)>,
    n_sets: usize,
    n_relations: usize,
}

/// What is known about a value without computing it.
#[derive(Clone, Copy)]
struct Known {
    place: Place,
    grows: bool,
    forward: bool,
}

/// Translates a model.
pub struct Compiler<'t> {
    text: &'t Text,
    /// What names mean that were translated.
    names: HashMap<usize, Known>,
    /// Where values are that were computed.
    computed: HashMap<(Operator, [Place; 2]), Known>,
    operations: Vec<Operation>,
    n_sets: usize,
    n_relations: usize,
}

impl<'t> Compiler<'t> {
    /// Nothing is translated.
    pub fn new(text: &'t Text) -> Self {
        let known = |(n, name): (usize, &&str)| {
            let place = if n < SETS { Place::Set(n) } else { Place::Relation(n - SETS) };
            (n, Known { place, grows: GROWING.contains(name), forward: FORWARD.contains(name) })
        };
        Self {
            text,
            names: GIVEN.iter().enumerate().map(known).collect(),
            computed: HashMap::new(),
            operations: Vec::new(),
            n_sets: SETS,
            n_relations: GIVEN.len() - SETS,
        }
    }

    /// Translates everything.
    pub fn compile(mut self) -> Result<Code, String> {
        let mut tests = Vec::new();
        for (test, expr) in &self.text.tests {
            let Place::Relation(relation) = self.expr(expr)?.place else {
                return Err("a test of a set".to_owned());
            };
            tests.push((*test, std::mem::take(&mut self.operations), relation));
        }
        Ok(Code { tests, n_sets: self.n_sets, n_relations: self.n_relations })
    }

    fn expr(&mut self, expr: &Expr) -> Result<Known, String> {
        match expr {
            Expr::Name(name) => self.name(*name),
            Expr::Identity(of) => self.unary(Operator::Identity, of),
            Expr::Side(range, of) => self.unary(if *range { Operator::Range } else { Operator::Domain }, of),
            Expr::Postfix("^-1", of) => self.unary(Operator::Inverse, of),
            Expr::Postfix("^+", of) => self.unary(Operator::Plus, of),
            Expr::Postfix("^*", of) => {
                let closure = self.unary(Operator::Plus, of)?;
                self.compute(Operator::Optional, closure, closure)
            }
            Expr::Postfix(_, of) => self.unary(Operator::Optional, of),
            Expr::Binary(operator, left, right) => {
                let operator = match operator {
                    '|' => Operator::Or,
                    '&' => Operator::And,
                    ';' => Operator::Then,
                    '*' => Operator::Product,
                    _ => Operator::Minus,
                };
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                self.compute(operator, left, right)
            }
        }
    }

    fn unary(&mut self, operator: Operator, of: &Expr) -> Result<Known, String> {
        let of = self.expr(of)?;
        self.compute(operator, of, of)
    }

    fn name(&mut self, name: usize) -> Result<Known, String> {
        if let Some(known) = self.names.get(&name) {
            return Ok(*known);
        }
        let text = self.text;
        let definition = &text.definitions[text.defined_by[name - GIVEN.len()]];
        if definition.recursive {
            self.recursive(definition)?;
        } else {
            for (name, expr) in &definition.names {
                let known = self.expr(expr)?;
                self.names.insert(*name, known);
            }
        }
        self.names.get(&name).copied().ok_or_else(|| "a definition does not define its name".to_owned())
    }

    /// Recursive definitions are least fixed points: the operators on a recursive name are monotone. What is computed inside is of no use outside.
    fn recursive(&mut self, definition: &Definition) -> Result<(), String> {
        for (name, _) in &definition.names {
            let known = Known { place: self.new_relation(), grows: true, forward: false };
            self.names.insert(*name, known);
        }
        for (_, expr) in &definition.names {
            self.names_of(expr)?;
        }
        let before = std::mem::take(&mut self.operations);
        let outside = self.computed.clone();
        let mut of = Vec::new();
        for (name, expr) in &definition.names {
            let next = self.expr(expr)?;
            let (Place::Relation(to), Place::Relation(from)) = (self.names[name].place, next.place) else {
                return Err("a set is defined by itself".to_owned());
            };
            of.push((to, from));
        }
        self.computed = outside;
        let body = std::mem::replace(&mut self.operations, before);
        self.operations.push(Operation::Fix { body, of });
        Ok(())
    }

    /// Translates the names of an expression, so that their values are computed before it.
    fn names_of(&mut self, expr: &Expr) -> Result<(), String> {
        match expr {
            Expr::Name(name) => self.name(*name).map(drop),
            Expr::Identity(of) | Expr::Side(_, of) | Expr::Postfix(_, of) => self.names_of(of),
            Expr::Binary(_, left, right) => {
                self.names_of(left)?;
                self.names_of(right)
            }
        }
    }

    fn new_relation(&mut self) -> Place {
        self.n_relations += 1;
        Place::Relation(self.n_relations - 1)
    }

    fn new_set(&mut self) -> Place {
        self.n_sets += 1;
        Place::Set(self.n_sets - 1)
    }

    fn compute(&mut self, operator: Operator, left: Known, right: Known) -> Result<Known, String> {
        let of = [left.place, right.place];
        if let Some(known) = self.computed.get(&(operator, of)) {
            return Ok(*known);
        }
        let to = match (operator, of) {
            (Operator::Or | Operator::And | Operator::Minus, [Place::Set(_), Place::Set(_)])
            | (Operator::Domain | Operator::Range, [Place::Relation(_), _]) => self.new_set(),
            (
                Operator::Or | Operator::And | Operator::Minus | Operator::Then,
                [Place::Relation(_), Place::Relation(_)],
            )
            | (Operator::Inverse | Operator::Plus | Operator::Optional, [Place::Relation(_), _])
            | (Operator::Product, [Place::Set(_), Place::Set(_)])
            | (Operator::Identity, [Place::Set(_), _]) => self.new_relation(),
            _ => {
                return Err(format!(
                    "an operand of `{operator:?}` is a set or a relation, but should be the other"
                ));
            }
        };
        let (grows, forward) = properties(operator, left, right);
        let can_shrink = operator == Operator::Minus && right.grows;
        self.operations.push(Operation::Compute { operator, to, of, can_shrink });
        let known = Known { place: to, grows, forward };
        self.computed.insert((operator, of), known);
        Ok(known)
    }
}

/// Whether a value can grow, and whether it is part of program order.
fn properties(operator: Operator, left: Known, right: Known) -> (bool, bool) {
    let either = left.grows || right.grows;
    match operator {
        Operator::Or => (either, left.forward && right.forward),
        Operator::And => (either, left.forward || right.forward),
        Operator::Minus => (either, left.forward),
        Operator::Then => (either || !left.forward || !right.forward, left.forward && right.forward),
        Operator::Plus => (either || !left.forward, left.forward),
        Operator::Optional => (either, left.forward),
        Operator::Identity => (either, true),
        Operator::Inverse | Operator::Product => (either, false),
        Operator::Domain => (true, false),
        Operator::Range => (either || !left.forward, false),
    }
}

impl Code {
    /// Evaluates the model. If something is not settled, only what stays true is held against the execution.
    pub fn judge(&self, given: Environment, settled: bool) -> Judgement {
        let mut values = Values { n: given.n, settled, sets: given.sets.to_vec(), rows: given.rows };
        values.sets.resize(self.n_sets, 0);
        // Every value is computed before it is used: what an earlier evaluation left there does no harm.
        if values.rows.len() < self.n_relations * given.n {
            values.rows.resize(self.n_relations * given.n, 0);
        }
        let judgement = self.judge_values(&mut values);
        ROWS.set(values.rows);
        judgement
    }

    fn judge_values(&self, values: &mut Values) -> Judgement {
        let mut judgement = Judgement { allowed: true, flagged: false };
        for (test, operations, relation) in &self.tests {
            values.run(operations);
            let rows = values.relation(*relation);
            match test {
                Test::Flag => judgement.flagged |= rows.iter().any(|row| *row != 0),
                // What has to be there may still come.
                Test::Cyclic | Test::Reflexive | Test::Inhabited if !values.settled => {}
                test if !holds(*test, rows) => return Judgement { allowed: false, flagged: false },
                _ => {}
            }
        }
        judgement
    }
}

fn holds(test: Test, rows: &[u128]) -> bool {
    match test {
        Test::Acyclic => is_acyclic(rows),
        Test::Irreflexive => rows.iter().enumerate().all(|(event, row)| row >> event & 1 == 0),
        Test::Empty => rows.iter().all(|row| *row == 0),
        Test::Flag => true,
        Test::Cyclic => !holds(Test::Acyclic, rows),
        Test::Reflexive => !holds(Test::Irreflexive, rows),
        Test::Inhabited => !holds(Test::Empty, rows),
    }
}

/// Returns true if there is no cycle: if events that lead to none of those left can be taken away until there is none.
fn is_acyclic(rows: &[u128]) -> bool {
    let mut left = if rows.len() == 128 { u128::MAX } else { (1 << rows.len()) - 1 };
    loop {
        let before = left;
        for event in members(before) {
            if rows[event] & left == 0 {
                left &= !(1 << event);
            }
        }
        if left == 0 || left == before {
            return left == 0;
        }
    }
}

/// The transitive closure, by Warshall's algorithm.
fn close(rows: &mut [u128]) {
    for through in 0..rows.len() {
        let reached = rows[through];
        for row in rows.iter_mut() {
            if *row >> through & 1 == 1 {
                *row |= reached;
            }
        }
    }
}

/// The events of a set.
fn members(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

/// The values of an execution.
struct Values {
    n: usize,
    settled: bool,
    sets: Vec<u128>,
    /// `n` rows for each relation.
    rows: Vec<u128>,
}

impl Values {
    fn relation(&self, relation: usize) -> &[u128] {
        &self.rows[relation * self.n..(relation + 1) * self.n]
    }

    fn run(&mut self, operations: &[Operation]) {
        for operation in operations {
            match operation {
                Operation::Compute { can_shrink: true, to, .. } if !self.settled => self.clear(*to),
                Operation::Compute { operator, to: Place::Set(to), of, .. } => {
                    self.sets[*to] = self.set_of(*operator, *of);
                }
                Operation::Compute { operator, to: Place::Relation(to), of, .. } => {
                    self.relation_of(*operator, *to, *of);
                }
                Operation::Fix { body, of } => self.fix(body, of),
            }
        }
    }

    fn clear(&mut self, place: Place) {
        match place {
            Place::Set(set) => self.sets[set] = 0,
            Place::Relation(relation) => self.rows[relation * self.n..(relation + 1) * self.n].fill(0),
        }
    }

    fn fix(&mut self, body: &[Operation], of: &[(usize, usize)]) {
        of.iter().for_each(|(to, _)| self.clear(Place::Relation(*to)));
        loop {
            self.run(body);
            let changed = of.iter().any(|(to, from)| self.relation(*to) != self.relation(*from));
            for (to, from) in of {
                let from = from * self.n..(from + 1) * self.n;
                self.rows.copy_within(from, to * self.n);
            }
            if !changed {
                return;
            }
        }
    }

    fn set(&self, place: Place) -> u128 {
        match place {
            Place::Set(set) => self.sets[set],
            Place::Relation(_) => unreachable!("types should have been checked"),
        }
    }

    fn set_of(&self, operator: Operator, [left, right]: [Place; 2]) -> u128 {
        if let Place::Relation(of) = left {
            let rows = self.relation(of).iter().enumerate();
            return match operator {
                Operator::Range => rows.fold(0, |set, (_, row)| set | row),
                _ => rows.filter(|(_, row)| **row != 0).fold(0, |set, (event, _)| set | 1 << event),
            };
        }
        let (left, right) = (self.set(left), self.set(right));
        match operator {
            Operator::Or => left | right,
            Operator::And => left & right,
            _ => left & !right,
        }
    }

    fn relation_of(&mut self, operator: Operator, to: usize, of: [Place; 2]) {
        let n = self.n;
        let (left, right) = match of {
            [Place::Set(left), Place::Set(right)] => {
                let (from, into) = (self.sets[left], self.sets[right]);
                let row = |event: usize| match operator {
                    Operator::Identity => from & 1 << event,
                    _ if from >> event & 1 == 1 => into,
                    _ => 0,
                };
                self.rows[to * n..(to + 1) * n].iter_mut().enumerate().for_each(|(n, r)| *r = row(n));
                return;
            }
            [Place::Relation(left), Place::Relation(right)] => (left, right),
            _ => unreachable!("types should have been checked"),
        };
        // A value is computed from earlier ones, or (in a recursive definition) from values that stay the same meanwhile.
        let (old, new) = self.rows.split_at_mut(to * n);
        let (left, right, new) =
            (&old[left * n..(left + 1) * n], &old[right * n..(right + 1) * n], &mut new[..n]);
        match operator {
            Operator::Or => zip(new, left, right, |left, right| left | right),
            Operator::And => zip(new, left, right, |left, right| left & right),
            Operator::Then => {
                for (row, left) in new.iter_mut().zip(left) {
                    *row = members(*left).fold(0, |sum, middle| sum | right[middle]);
                }
            }
            Operator::Inverse => {
                new.fill(0);
                for (from, row) in left.iter().enumerate() {
                    members(*row).for_each(|to| new[to] |= 1 << from);
                }
            }
            Operator::Plus => {
                new.copy_from_slice(left);
                close(new);
            }
            Operator::Optional => {
                new.iter_mut().zip(left).enumerate().for_each(|(event, (new, row))| *new = row | 1 << event);
            }
            _ => zip(new, left, right, |left, right| left & !right),
        }
    }
}

fn zip(new: &mut [u128], left: &[u128], right: &[u128], combine: impl Fn(u128, u128) -> u128) {
    let pairs = left.iter().zip(right);
    new.iter_mut().zip(pairs).for_each(|(new, (left, right))| *new = combine(*left, *right));
}
