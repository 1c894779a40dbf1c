//! The language in which the models are written: the part of herd's `cat` that they need.
//!
//! ```text
//! model   ::= { "let" ["rec"] name "=" expr { "and" name "=" expr } | test expr }
//! test    ::= "acyclic" | "irreflexive" | "empty" | "flag"
//! expr    ::= expr "|" expr | expr ";" expr | expr "\" expr | expr "&" expr | expr "*" expr
//!           | expr "^-1" | expr "^+" | expr "^*" | expr "?" | "[" expr "]" | "(" expr ")" | name | ("domain" | "range") "(" expr ")"
//! ```
//!
//! In the order of the operators above, later ones bind more strongly; `*` between sets is their product. A `flag` is no axiom: it
//! asks whether a relation is inhabited. Values are sets of events, or relations, as rows of bits.
//!
//! A name means what the last definition of it says that stands before. Definitions are evaluated when a test needs them, and once: the first test forbids
//! most candidates, and it needs few.
//!
//! This is written apart from the engine's axioms, which are Rust code over another algebra, and shares nothing with them.

use std::collections::HashMap;
use std::rc::Rc;

/// The names that an execution gives meaning to.
pub const GIVEN: [&str; 26] = [
    "R",
    "W",
    "M",
    "IW",
    "F",
    "ATOMIC",
    "X",
    "ACQ",
    "REL",
    "SC",
    "FULL",
    "LIGHT",
    "READ-ANY",
    "ANY-WRITE",
    "WRITE-WRITE",
    "CONTROL",
    "po",
    "addr",
    "data",
    "ctrl",
    "rmw",
    "rf",
    "loc",
    "ext",
    "id",
    "co",
];

/// A model, read. Names are numbers: first the given ones, then one for each definition.
pub struct Model {
    tests: Vec<(Test, Expr)>,
    definitions: Vec<Definition>,
    /// For each name behind the given ones, the definition that it is part of.
    defined_by: Vec<usize>,
}

/// Names that are defined together, with what they mean.
struct Definition {
    names: Vec<(usize, Expr)>,
    recursive: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Test {
    Acyclic,
    Irreflexive,
    Empty,
    Flag,
}

enum Expr {
    Name(usize),
    Binary(char, Box<Expr>, Box<Expr>),
    Postfix(&'static str, Box<Expr>),
    Identity(Box<Expr>),
    Side(bool, Box<Expr>),
}

/// A set of events, or a relation.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// A set.
    Set(u128),
    /// A relation: for each event those it is related to.
    Relation(Vec<u128>),
}

/// What a model says about an execution.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// All axioms hold.
    pub allowed: bool,
    /// A flag is raised.
    pub flagged: bool,
}

/// What the given names mean.
pub type Environment = HashMap<&'static str, Value>;

impl Model {
    /// Reads a model; `Err` says what is wrong with it.
    pub fn parse(texts: &[&str]) -> Result<Model, String> {
        let mut model = Model { tests: Vec::new(), definitions: Vec::new(), defined_by: Vec::new() };
        let mut scope: HashMap<String, usize> =
            GIVEN.iter().enumerate().map(|(n, name)| ((*name).to_owned(), n)).collect();
        for text in texts {
            let mut parser = Parser { tokens: tokens(text)?, at: 0, scope };
            while parser.at < parser.tokens.len() {
                parser.statement(&mut model)?;
            }
            scope = parser.scope;
        }
        Ok(model)
    }

    /// Evaluates the model; `n` is the number of events.
    pub fn judge(&self, mut names: Environment, n: usize) -> Result<Judgement, String> {
        let mut values: Vec<Option<Rc<Value>>> =
            GIVEN.iter().map(|name| names.remove(name).map(Rc::new)).collect();
        values.resize(GIVEN.len() + self.defined_by.len(), None);
        let mut evaluation = Evaluation { model: self, n, values };
        let mut judgement = Judgement { allowed: true, flagged: false };
        for (test, expr) in &self.tests {
            let value = evaluation.value(expr)?;
            let rows = relation(&value)?;
            match test {
                Test::Flag => judgement.flagged |= rows.iter().any(|row| *row != 0),
                Test::Acyclic | Test::Irreflexive | Test::Empty if !holds(*test, rows) => {
                    return Ok(Judgement { allowed: false, flagged: false });
                }
                Test::Acyclic | Test::Irreflexive | Test::Empty => {}
            }
        }
        Ok(judgement)
    }
}

fn relation(value: &Value) -> Result<&[u128], String> {
    match value {
        Value::Relation(rows) => Ok(rows),
        Value::Set(_) => Err("a relation is needed where a set is".to_owned()),
    }
}

fn set(value: &Value) -> Result<u128, String> {
    match value {
        Value::Set(set) => Ok(*set),
        Value::Relation(_) => Err("a set is needed where a relation is".to_owned()),
    }
}

fn holds(test: Test, rows: &[u128]) -> bool {
    match test {
        Test::Acyclic => holds(Test::Irreflexive, &closure(rows)),
        Test::Irreflexive => rows.iter().enumerate().all(|(event, row)| row >> event & 1 == 0),
        Test::Empty => rows.iter().all(|row| *row == 0),
        Test::Flag => true,
    }
}

/// The transitive closure, by Warshall's algorithm.
fn closure(rows: &[u128]) -> Vec<u128> {
    let mut closed = rows.to_vec();
    for through in 0..closed.len() {
        for from in 0..closed.len() {
            if closed[from] >> through & 1 == 1 {
                closed[from] |= closed[through];
            }
        }
    }
    closed
}

fn compose(left: &[u128], right: &[u128]) -> Vec<u128> {
    left.iter().map(|row| members(*row).fold(0, |sum, middle| sum | right[middle])).collect()
}

fn inverse(rows: &[u128]) -> Vec<u128> {
    let mut inverted = vec![0; rows.len()];
    for (from, row) in rows.iter().enumerate() {
        members(*row).for_each(|to| inverted[to] |= 1 << from);
    }
    inverted
}

/// The events of a set.
fn members(mut set: u128) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

fn reflexive(rows: Vec<u128>) -> Vec<u128> {
    rows.into_iter().enumerate().map(|(event, row)| row | 1 << event).collect()
}

/// A model that is being evaluated.
struct Evaluation<'m> {
    model: &'m Model,
    n: usize,
    /// What names mean, as far as it is known.
    values: Vec<Option<Rc<Value>>>,
}

impl Evaluation<'_> {
    /// What a name means.
    fn name(&mut self, name: usize) -> Result<Rc<Value>, String> {
        if let Some(known) = &self.values[name] {
            return Ok(Rc::clone(known));
        }
        let model = self.model;
        let definition = name.checked_sub(GIVEN.len()).map(|n| &model.definitions[model.defined_by[n]]);
        self.define(definition.ok_or_else(|| format!("`{}` has no meaning here", GIVEN[name]))?)?;
        let value = self.values[name].as_ref();
        value.map(Rc::clone).ok_or_else(|| "a definition does not define its name".to_owned())
    }

    /// Recursive definitions are least fixed points: the operators on a recursive name are monotone.
    fn define(&mut self, definition: &Definition) -> Result<(), String> {
        if definition.recursive {
            for (name, _) in &definition.names {
                self.values[*name] = Some(Rc::new(Value::Relation(vec![0; self.n])));
            }
        }
        loop {
            let mut changed = false;
            for (name, expr) in &definition.names {
                let value = self.value(expr)?;
                changed |= self.values[*name].as_ref() != Some(&value);
                self.values[*name] = Some(value);
            }
            if !definition.recursive || !changed {
                return Ok(());
            }
        }
    }

    fn value(&mut self, expr: &Expr) -> Result<Rc<Value>, String> {
        let n = self.n;
        let value = match expr {
            Expr::Name(name) => return self.name(*name),
            Expr::Identity(of) => {
                let of = set(&*self.value(of)?)?;
                Value::Relation((0..n).map(|event| of & 1 << event).collect())
            }
            Expr::Side(range, of) => {
                let of = self.value(of)?;
                let rows = relation(&of)?;
                let rows = if *range { inverse(rows) } else { rows.to_vec() };
                Value::Set((0..n).filter(|event| rows[*event] != 0).fold(0, |set, event| set | 1 << event))
            }
            Expr::Postfix(operator, of) => {
                let of = self.value(of)?;
                let rows = relation(&of)?;
                Value::Relation(match *operator {
                    "^-1" => inverse(rows),
                    "^+" => closure(rows),
                    "^*" => reflexive(closure(rows)),
                    _ => reflexive(rows.to_vec()),
                })
            }
            Expr::Binary(operator, left, right) => {
                let (left, right) = (self.value(left)?, self.value(right)?);
                combine(*operator, &left, &right, n)?
            }
        };
        Ok(Rc::new(value))
    }
}

fn combine(operator: char, left: &Value, right: &Value, n: usize) -> Result<Value, String> {
    let bits = |left: u128, right: u128| match operator {
        '|' => left | right,
        '&' => left & right,
        _ => left & !right,
    };
    Ok(match (operator, left, right) {
        (';', left, right) => Value::Relation(compose(relation(left)?, relation(right)?)),
        ('*', left, right) => {
            let (from, to) = (set(left)?, set(right)?);
            Value::Relation((0..n).map(|event| if from >> event & 1 == 1 { to } else { 0 }).collect())
        }
        (_, Value::Set(left), Value::Set(right)) => Value::Set(bits(*left, *right)),
        (_, Value::Relation(left), Value::Relation(right)) => {
            Value::Relation(left.iter().zip(right).map(|(l, r)| bits(*l, *r)).collect())
        }
        _ => return Err(format!("`{operator}` between a set and a relation")),
    })
}

/// The operators with two operands, weakest first.
const BINARY: [char; 5] = ['|', ';', '\\', '&', '*'];
const POSTFIX: [&str; 4] = ["^-1", "^+", "^*", "?"];

struct Parser {
    tokens: Vec<String>,
    at: usize,
    /// What names mean at this point.
    scope: HashMap<String, usize>,
}

impl Parser {
    fn peek(&self) -> &str {
        self.tokens.get(self.at).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens.get(self.at - 1).cloned().unwrap_or_default()
    }

    fn accept(&mut self, token: &str) -> bool {
        let found = self.peek() == token;
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.accept(token) {
            Ok(())
        } else {
            Err(format!("`{token}` should stand before `{}`", self.peek()))
        }
    }

    fn statement(&mut self, model: &mut Model) -> Result<(), String> {
        let test = match self.next().as_str() {
            "let" => return self.definition(model),
            "acyclic" => Test::Acyclic,
            "irreflexive" => Test::Irreflexive,
            "empty" => Test::Empty,
            "flag" => Test::Flag,
            other => return Err(format!("`{other}` begins no statement")),
        };
        let expr = self.expr(0)?;
        model.tests.push((test, expr));
        Ok(())
    }

    /// The names of a recursive definition mean themselves in it; others are known behind it.
    fn definition(&mut self, model: &mut Model) -> Result<(), String> {
        let recursive = self.accept("rec");
        let first = GIVEN.len() + model.defined_by.len();
        let mut names = self.defined_names();
        let scope = names.drain(..).enumerate().map(|(n, name)| (name, first + n));
        let scope: Vec<(String, usize)> = scope.collect();
        if recursive {
            self.scope.extend(scope.iter().cloned());
        }
        let mut defined = Vec::new();
        for (_, number) in &scope {
            self.next();
            self.expect("=")?;
            defined.push((*number, self.expr(0)?));
            model.defined_by.push(model.definitions.len());
            self.accept("and");
        }
        self.scope.extend(scope);
        model.definitions.push(Definition { names: defined, recursive });
        Ok(())
    }

    /// The names that the definition which begins here defines.
    fn defined_names(&self) -> Vec<String> {
        let begins = ["let", "acyclic", "irreflexive", "empty", "flag"];
        let rest = &self.tokens[self.at.min(self.tokens.len())..];
        let end = rest.iter().position(|token| begins.contains(&token.as_str())).unwrap_or(rest.len());
        let equals = (1..end).filter(|n| rest[*n] == "=");
        equals.map(|n| rest[n - 1].clone()).collect()
    }

    fn expr(&mut self, level: usize) -> Result<Expr, String> {
        let Some(operator) = BINARY.get(level) else { return self.postfix() };
        let mut left = self.expr(level + 1)?;
        while self.accept(&operator.to_string()) {
            left = Expr::Binary(*operator, Box::new(left), Box::new(self.expr(level + 1)?));
        }
        Ok(left)
    }

    fn postfix(&mut self) -> Result<Expr, String> {
        let mut expr = self.atom()?;
        while let Some(operator) = POSTFIX.into_iter().find(|operator| self.peek() == *operator) {
            self.at += 1;
            expr = Expr::Postfix(operator, Box::new(expr));
        }
        Ok(expr)
    }

    fn atom(&mut self) -> Result<Expr, String> {
        match self.next().as_str() {
            "(" => {
                let expr = self.expr(0)?;
                self.expect(")")?;
                Ok(expr)
            }
            "[" => {
                let expr = self.expr(0)?;
                self.expect("]")?;
                Ok(Expr::Identity(Box::new(expr)))
            }
            side @ ("domain" | "range") => {
                let expr = self.atom()?;
                Ok(Expr::Side(side == "range", Box::new(expr)))
            }
            name if name.starts_with(|c: char| c.is_alphabetic()) => {
                let known = self.scope.get(name).copied();
                known.map(Expr::Name).ok_or_else(|| format!("`{name}` has no meaning"))
            }
            other => Err(format!("`{other}` begins no expression")),
        }
    }
}

fn tokens(text: &str) -> Result<Vec<String>, String> {
    let mut found = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else { return Ok(found) };
        if let Some(comment) = rest.strip_prefix("(*") {
            rest = comment.split_once("*)").ok_or("a comment has no end")?.1;
            continue;
        }
        let symbol = POSTFIX.into_iter().find(|operator| rest.starts_with(operator));
        let len = if let Some(symbol) = symbol {
            symbol.len()
        } else if first.is_alphabetic() {
            rest.find(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        found.push(rest[..len].to_owned());
        rest = &rest[len..];
    }
}
