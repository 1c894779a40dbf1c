//! Symbols to expressions and statements.
//!
//! ```text
//! file      ::= [ title ] { statement }
//! statement ::= "let" [ "rec" ] binding { "and" binding } | "include" text
//!             | [ "flag" ] [ "~" ] test expr [ "as" name ] | "undefined_unless" …
//!             | ("show" | "unshow" | "showraw") … | "with" name "from" expr
//! binding   ::= name [ name | "(" names ")" ] "=" expr
//! expr      ::= expr op expr | expr postfix | "~" expr | "[" expr "]" | name [ "(" exprs ")" | name ]
//!             | "let" … "in" expr | "try" expr "with" expr | "_" | "0" | "{" "}" | "(" expr ")"
//! ```
//! Operators bind in herd's order, weakest first: `|`, `;`, `\`, `&`, `*`, `~`, and what stands behind an expression. `*` and `+` behind an expression are old spellings of `^*` and
//! `^+`: `*` is a product if an expression follows.

use super::lexer::{Position, Symbol, place, symbols};
use super::{Flaw, Test};
use std::rc::Rc;

#[derive(Debug)]
pub(super) enum Ast {
    Name(String, Position),
    Apply(String, Vec<Ast>, Position),
    Binary(&'static str, Box<Ast>, Box<Ast>, Position),
    Postfix(&'static str, Box<Ast>, Position),
    Complement(Box<Ast>),
    Identity(Box<Ast>, Position),
    All,
    NoPair,
    NoEvent,
    Try(Box<Ast>, Box<Ast>),
    Let(Vec<Binding>, Box<Ast>),
}

#[derive(Debug)]
pub(super) struct Binding {
    pub name: String,
    pub parameters: Option<Vec<String>>,
    pub body: Rc<Ast>,
    pub position: Position,
}

#[derive(Debug)]
pub(super) enum Statement {
    Let {
        recursive: bool,
        bindings: Vec<Binding>,
    },
    Test {
        test: Test,
        negated: bool,
        flag: bool,
        expr: Ast,
        name: Option<String>,
        position: Position,
    },
    Include(String, Position),
    /// Something that changes pictures only.
    Show(&'static str, Position),
    /// The enumeration of coherence orders, which is built in.
    Coherence,
}

/// Words that cannot be names.
const WORDS: [&str; 28] = [
    "let",
    "rec",
    "and",
    "in",
    "as",
    "acyclic",
    "irreflexive",
    "empty",
    "flag",
    "undefined_unless",
    "include",
    "show",
    "unshow",
    "showraw",
    "with",
    "from",
    "try",
    "if",
    "then",
    "else",
    "match",
    "end",
    "procedure",
    "call",
    "forall",
    "do",
    "enum",
    "fun",
];

const OPERATORS: [&str; 5] = ["|", ";", "\\", "&", "*"];

pub(super) struct Parser<'t> {
    file: &'t str,
    symbols: Vec<(Symbol, Position)>,
    at: usize,
}

impl<'t> Parser<'t> {
    pub fn new(number: usize, file: &'t str, text: &str) -> Result<Self, Flaw> {
        let mut parser = Self { file, symbols: symbols(number, file, text)?, at: 0 };
        parser.title();
        Ok(parser)
    }

    /// A file may begin with a name, a text, or both, which say what it is about.
    fn title(&mut self) {
        let is_name = matches!(self.peek(), Symbol::Word(word) if !WORDS.contains(&word.as_str()));
        self.at += usize::from(is_name);
        self.at += usize::from(matches!(self.peek(), Symbol::Text(_)));
    }

    fn peek(&self) -> &Symbol {
        &self.symbols[self.at].0
    }

    fn position(&self) -> Position {
        self.symbols[self.at].1
    }

    fn next(&mut self) -> Symbol {
        let symbol = self.peek().clone();
        self.at = (self.at + 1).min(self.symbols.len() - 1);
        symbol
    }

    fn flaw<T>(&self, position: Position, what: String) -> Result<T, Flaw> {
        Err(Flaw { place: place(self.file, position), what })
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Symbol::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Symbol::Word(found) if found == word)
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, sign: &str) -> Result<(), Flaw> {
        if self.accept(sign) {
            return Ok(());
        }
        self.flaw(self.position(), format!("expected `{sign}`, found {}", self.peek().show()))
    }

    fn name(&mut self) -> Result<String, Flaw> {
        let position = self.position();
        match self.next() {
            Symbol::Word(word) if !WORDS.contains(&word.as_str()) => Ok(word),
            other => self.flaw(position, format!("expected a name, found {}", other.show())),
        }
    }

    /// The next statement; `None` at the end.
    pub fn statement(&mut self) -> Result<Option<Statement>, Flaw> {
        let position = self.position();
        let word = match self.next() {
            Symbol::End => return Ok(None),
            Symbol::Word(word) => word,
            Symbol::Sign("~") => {
                self.at -= 1;
                return Ok(Some(self.test(false, position)?));
            }
            other => return self.flaw(position, format!("a statement cannot begin with {}", other.show())),
        };
        let statement = match word.as_str() {
            "let" => {
                let recursive = self.accept_word("rec");
                Statement::Let { recursive, bindings: self.bindings()? }
            }
            "include" => match self.next() {
                Symbol::Text(file) => Statement::Include(file, position),
                other => {
                    return self.flaw(position, format!("expected a file's name, found {}", other.show()));
                }
            },
            "flag" | "undefined_unless" => self.test(true, position)?,
            "acyclic" | "irreflexive" | "empty" => {
                self.at -= 1;
                self.test(false, position)?
            }
            "show" => self.show("show", position)?,
            "unshow" => self.show("unshow", position)?,
            "showraw" => self.show("showraw", position)?,
            "with" => self.with(position)?,
            other => return self.flaw(position, format!("the statement `{other}` is not understood")),
        };
        Ok(Some(statement))
    }

    fn test(&mut self, flag: bool, position: Position) -> Result<Statement, Flaw> {
        let negated = self.accept("~");
        let at = self.position();
        let test = match self.next() {
            Symbol::Word(word) if word == "acyclic" => Test::Acyclic,
            Symbol::Word(word) if word == "irreflexive" => Test::Irreflexive,
            Symbol::Word(word) if word == "empty" => Test::Empty,
            other => {
                let what = format!("expected `acyclic`, `irreflexive` or `empty`, found {}", other.show());
                return self.flaw(at, what);
            }
        };
        let expr = self.expr(0)?;
        let name = if self.accept_word("as") { Some(self.name()?) } else { None };
        Ok(Statement::Test { test, negated, flag, expr, name, position })
    }

    fn show(&mut self, what: &'static str, position: Position) -> Result<Statement, Flaw> {
        loop {
            self.expr(0)?;
            if self.accept_word("as") {
                self.name()?;
            }
            if !self.accept(",") {
                return Ok(Statement::Show(what, position));
            }
        }
    }

    /// `with co from …` enumerates the coherence orders, which are enumerated anyway.
    fn with(&mut self, position: Position) -> Result<Statement, Flaw> {
        let name = self.name()?;
        if !self.accept_word("from") {
            return self.flaw(self.position(), format!("expected `from`, found {}", self.peek().show()));
        }
        let from = self.expr(0)?;
        let known = matches!(&from, Ast::Apply(function, ..) if matches!(function.as_str(), "generate_cos" | "generate_orders" | "generate_coherence"));
        if name == "co" && known {
            return Ok(Statement::Coherence);
        }
        self.flaw(
            position,
            "only `with co from generate_cos(…)` is understood: all coherence orders".to_owned(),
        )
    }

    fn bindings(&mut self) -> Result<Vec<Binding>, Flaw> {
        let mut bindings = Vec::new();
        loop {
            let position = self.position();
            let name = self.name()?;
            let parameters = if self.is_sign("=") { None } else { Some(self.parameters()?) };
            self.expect("=")?;
            let body = Rc::new(self.expr(0)?);
            bindings.push(Binding { name, parameters, body, position });
            if !self.accept_word("and") {
                return Ok(bindings);
            }
        }
    }

    fn parameters(&mut self) -> Result<Vec<String>, Flaw> {
        if !self.accept("(") {
            return Ok(vec![self.name()?]);
        }
        let mut names = Vec::new();
        while !self.accept(")") {
            names.push(self.name()?);
            if !self.is_sign(")") {
                self.expect(",")?;
            }
        }
        Ok(names)
    }

    fn expr(&mut self, level: usize) -> Result<Ast, Flaw> {
        if self.accept_word("let") {
            if self.is_word("rec") {
                return self
                    .flaw(self.position(), "`let rec` inside an expression is not understood".to_owned());
            }
            let bindings = self.bindings()?;
            if !self.accept_word("in") {
                return self.flaw(self.position(), format!("expected `in`, found {}", self.peek().show()));
            }
            return Ok(Ast::Let(bindings, Box::new(self.expr(0)?)));
        }
        let Some(operator) = OPERATORS.get(level).copied() else { return self.unary() };
        let mut left = self.expr(level + 1)?;
        loop {
            let position = self.position();
            if !self.accept(operator) {
                return Ok(left);
            }
            left = Ast::Binary(operator, Box::new(left), Box::new(self.expr(level + 1)?), position);
        }
    }

    fn unary(&mut self) -> Result<Ast, Flaw> {
        if self.accept("~") {
            return Ok(Ast::Complement(Box::new(self.unary()?)));
        }
        let mut expr = self.atom()?;
        loop {
            let position = self.position();
            let operator = match self.peek() {
                Symbol::Sign("^-1") => "^-1",
                Symbol::Sign("^+" | "+") => "^+",
                Symbol::Sign("^*") => "^*",
                Symbol::Sign("^?" | "?") => "?",
                Symbol::Sign("*") if !self.begins_expression(self.at + 1) => "^*",
                _ => return Ok(expr),
            };
            self.at += 1;
            expr = Ast::Postfix(operator, Box::new(expr), position);
        }
    }

    fn begins_expression(&self, at: usize) -> bool {
        match &self.symbols[at].0 {
            Symbol::Word(word) => !WORDS.contains(&word.as_str()) || word == "try",
            Symbol::Sign(sign) => matches!(*sign, "(" | "[" | "{" | "~" | "_" | "0"),
            Symbol::Tag(_) => true,
            Symbol::Text(_) | Symbol::End => false,
        }
    }

    fn atom(&mut self) -> Result<Ast, Flaw> {
        let position = self.position();
        match self.next() {
            Symbol::Sign("(") => {
                let expr = self.expr(0)?;
                self.expect(")")?;
                Ok(expr)
            }
            Symbol::Sign("[") => {
                let expr = self.expr(0)?;
                self.expect("]")?;
                Ok(Ast::Identity(Box::new(expr), position))
            }
            Symbol::Sign("{") => {
                if self.accept("}") {
                    return Ok(Ast::NoEvent);
                }
                self.flaw(position, "sets of tags or of single events are not understood".to_owned())
            }
            Symbol::Sign("_") => Ok(Ast::All),
            Symbol::Sign("0") => Ok(Ast::NoPair),
            Symbol::Word(word) if word == "try" => {
                let tried = self.expr(0)?;
                if !self.accept_word("with") {
                    let what = format!("expected `with`, found {}", self.peek().show());
                    return self.flaw(self.position(), what);
                }
                // What follows is as much as binds as strongly as an operand: herd's files write `try … with 0`.
                Ok(Ast::Try(Box::new(tried), Box::new(self.expr(0)?)))
            }
            Symbol::Word(word) if !WORDS.contains(&word.as_str()) => self.applied(word, position),
            Symbol::Tag(tag) => self.flaw(position, format!("the tag `'{tag}` is not understood")),
            other => self.flaw(position, format!("an expression cannot begin with {}", other.show())),
        }
    }

    /// A name, or a function and its arguments.
    fn applied(&mut self, word: String, position: Position) -> Result<Ast, Flaw> {
        if self.is_sign("(") {
            self.at += 1;
            let mut arguments = Vec::new();
            while !self.accept(")") {
                arguments.push(self.expr(0)?);
                if !self.is_sign(")") {
                    self.expect(",")?;
                }
            }
            return Ok(Ast::Apply(word, arguments, position));
        }
        let is_name = matches!(self.peek(), Symbol::Word(next) if !WORDS.contains(&next.as_str()));
        if is_name {
            let at = self.position();
            let argument = self.name()?;
            return Ok(Ast::Apply(word, vec![Ast::Name(argument, at)], position));
        }
        Ok(Ast::Name(word, position))
    }
}
