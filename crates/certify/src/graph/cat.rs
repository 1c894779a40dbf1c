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
//! This is written apart from the engine's axioms, which are Rust code over another algebra, and shares nothing with them.

use std::collections::HashMap;

/// A model, read.
pub struct Model {
    statements: Vec<Statement>,
}

enum Statement {
    Let(Vec<(String, Expr)>, bool),
    Test(Test, Expr),
}

#[derive(Clone, Copy, PartialEq)]
enum Test {
    Acyclic,
    Irreflexive,
    Empty,
    Flag,
}

enum Expr {
    Name(String),
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

/// The names that an execution gives meaning to.
pub type Environment = HashMap<String, Value>;

impl Model {
    /// Reads a model; `Err` says what is wrong with it.
    pub fn parse(texts: &[&str]) -> Result<Model, String> {
        let mut statements = Vec::new();
        for text in texts {
            let mut parser = Parser { tokens: tokens(text)?, at: 0 };
            while parser.at < parser.tokens.len() {
                statements.push(parser.statement()?);
            }
        }
        Ok(Model { statements })
    }

    /// Evaluates the model; `n` is the number of events.
    pub fn judge(&self, mut names: Environment, n: usize) -> Result<Judgement, String> {
        let mut judgement = Judgement { allowed: true, flagged: false };
        for statement in &self.statements {
            match statement {
                Statement::Let(definitions, recursive) => define(definitions, *recursive, &mut names, n)?,
                Statement::Test(Test::Flag, expr) => {
                    judgement.flagged |= expr.rows(&names, n)?.iter().any(|row| *row != 0);
                }
                Statement::Test(test, expr) => {
                    if !holds(*test, &expr.rows(&names, n)?) {
                        return Ok(Judgement { allowed: false, flagged: false });
                    }
                }
            }
        }
        Ok(judgement)
    }
}

/// Recursive definitions are least fixed points: the operators on a recursive name are monotone.
fn define(
    definitions: &[(String, Expr)],
    recursive: bool,
    names: &mut Environment,
    n: usize,
) -> Result<(), String> {
    if recursive {
        for (name, _) in definitions {
            names.insert(name.clone(), Value::Relation(vec![0; n]));
        }
    }
    loop {
        let mut changed = false;
        for (name, expr) in definitions {
            let value = expr.value(names, n)?;
            changed |= names.get(name) != Some(&value);
            names.insert(name.clone(), value);
        }
        if !recursive || !changed {
            return Ok(());
        }
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
    let row = |row: &u128| {
        (0..right.len()).filter(|middle| row >> middle & 1 == 1).fold(0, |sum, middle| sum | right[middle])
    };
    left.iter().map(row).collect()
}

fn inverse(rows: &[u128]) -> Vec<u128> {
    (0..rows.len())
        .map(|to| {
            (0..rows.len()).filter(|from| rows[*from] >> to & 1 == 1).fold(0, |sum, from| sum | 1 << from)
        })
        .collect()
}

fn reflexive(rows: Vec<u128>) -> Vec<u128> {
    rows.into_iter().enumerate().map(|(event, row)| row | 1 << event).collect()
}

impl Expr {
    fn rows(&self, names: &Environment, n: usize) -> Result<Vec<u128>, String> {
        match self.value(names, n)? {
            Value::Relation(rows) => Ok(rows),
            Value::Set(_) => Err("a relation is needed where a set is".to_owned()),
        }
    }

    fn set(&self, names: &Environment, n: usize) -> Result<u128, String> {
        match self.value(names, n)? {
            Value::Set(set) => Ok(set),
            Value::Relation(_) => Err("a set is needed where a relation is".to_owned()),
        }
    }

    fn value(&self, names: &Environment, n: usize) -> Result<Value, String> {
        Ok(match self {
            Expr::Name(name) => names.get(name).cloned().ok_or_else(|| format!("`{name}` has no meaning"))?,
            Expr::Identity(set) => {
                let set = set.set(names, n)?;
                Value::Relation((0..n).map(|event| set & 1 << event).collect())
            }
            Expr::Side(range, relation) => {
                let rows = relation.rows(names, n)?;
                let rows = if *range { inverse(&rows) } else { rows };
                Value::Set((0..n).filter(|event| rows[*event] != 0).fold(0, |set, event| set | 1 << event))
            }
            Expr::Postfix(operator, relation) => {
                let rows = relation.rows(names, n)?;
                Value::Relation(match *operator {
                    "^-1" => inverse(&rows),
                    "^+" => closure(&rows),
                    "^*" => reflexive(closure(&rows)),
                    _ => reflexive(rows),
                })
            }
            Expr::Binary(';', left, right) => {
                Value::Relation(compose(&left.rows(names, n)?, &right.rows(names, n)?))
            }
            Expr::Binary('*', left, right) => {
                let (from, to) = (left.set(names, n)?, right.set(names, n)?);
                Value::Relation((0..n).map(|event| if from >> event & 1 == 1 { to } else { 0 }).collect())
            }
            Expr::Binary(operator, left, right) => {
                let combine = |left: u128, right: u128| match operator {
                    '|' => left | right,
                    '&' => left & right,
                    _ => left & !right,
                };
                match (left.value(names, n)?, right.value(names, n)?) {
                    (Value::Set(left), Value::Set(right)) => Value::Set(combine(left, right)),
                    (Value::Relation(left), Value::Relation(right)) => {
                        Value::Relation(left.iter().zip(&right).map(|(l, r)| combine(*l, *r)).collect())
                    }
                    _ => return Err(format!("`{operator}` between a set and a relation")),
                }
            }
        })
    }
}

/// The operators with two operands, weakest first.
const BINARY: [char; 5] = ['|', ';', '\\', '&', '*'];
const POSTFIX: [&str; 4] = ["^-1", "^+", "^*", "?"];

struct Parser {
    tokens: Vec<String>,
    at: usize,
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

    fn statement(&mut self) -> Result<Statement, String> {
        let test = match self.next().as_str() {
            "let" => {
                let recursive = self.accept("rec");
                let mut definitions = Vec::new();
                loop {
                    let name = self.next();
                    self.expect("=")?;
                    definitions.push((name, self.expr(0)?));
                    if !self.accept("and") {
                        return Ok(Statement::Let(definitions, recursive));
                    }
                }
            }
            "acyclic" => Test::Acyclic,
            "irreflexive" => Test::Irreflexive,
            "empty" => Test::Empty,
            "flag" => Test::Flag,
            other => return Err(format!("`{other}` begins no statement")),
        };
        Ok(Statement::Test(test, self.expr(0)?))
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
            name if name.starts_with(|c: char| c.is_alphabetic()) => Ok(Expr::Name(name.to_owned())),
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
