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
//! A name means what the last definition of it says that stands before. A model is read once, and translated into a list of operations for each test
//! ([`evaluate`](super::evaluate)).
//!
//! This is written apart from the engine's axioms, which are Rust code over another algebra, and shares nothing with them.

use super::evaluate::{Code, Compiler};
use std::collections::HashMap;

/// How many of the given names are sets.
pub const SETS: usize = 16;

/// The names that an execution gives meaning to: first sets, then relations.
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

/// A model as it is written. Names are numbers: first the given ones, then one for each definition.
#[derive(Default)]
pub struct Text {
    pub tests: Vec<(Test, Expr)>,
    pub definitions: Vec<Definition>,
    /// For each name behind the given ones, the definition that it is part of.
    pub defined_by: Vec<usize>,
}

/// Names that are defined together, with what they mean.
pub struct Definition {
    pub names: Vec<(usize, Expr)>,
    pub recursive: bool,
}

/// What a test asks of a relation.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Test {
    Acyclic,
    Irreflexive,
    Empty,
    Flag,
    /// It has to have a cycle,
    Cyclic,
    /// relate an event to itself,
    Reflexive,
    /// or have a pair: only users' models ask that.
    Inhabited,
}

/// An expression.
pub enum Expr {
    Name(usize),
    Binary(char, Box<Expr>, Box<Expr>),
    Postfix(&'static str, Box<Expr>),
    Identity(Box<Expr>),
    Side(bool, Box<Expr>),
}

/// Reads a model; `Err` says what is wrong with it.
pub fn parse(texts: &[&str]) -> Result<Code, String> {
    let mut model = Text::default();
    let mut scope: HashMap<String, usize> =
        GIVEN.iter().enumerate().map(|(n, name)| ((*name).to_owned(), n)).collect();
    for text in texts {
        let mut parser = Parser { tokens: tokens(text)?, at: 0, scope };
        while parser.at < parser.tokens.len() {
            parser.statement(&mut model)?;
        }
        scope = parser.scope;
    }
    Compiler::new(&model).compile()
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

    fn statement(&mut self, model: &mut Text) -> Result<(), String> {
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
    fn definition(&mut self, model: &mut Text) -> Result<(), String> {
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
