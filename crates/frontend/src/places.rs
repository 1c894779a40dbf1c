//! Places in the preprocessed text of a program where something can be put in, and putting it in.
//!
//! Witnesses of verification name statements, branches, loops and calls by line and column ([`Place`]). To evaluate what they say there, text is put into
//! the *preprocessed* program ([`Texts::with`]) and the result is read like any other program; so what is said may be any expression of C in the scope of its place.
//!
//! | place | text that is put in | evaluated |
//! |---|---|---|
//! | statement | `if ((E, 0)) ; else` in front of it, which is right even where a statement without braces is the body of another one | before it |
//! | declaration | `E;` in front of it | before it |
//! | loop | `E,` in front of the condition | before the condition, each time |
//! | branch | around the condition | with its value |
//! | call | around the call | before its arguments, or with its result |
//!
//! # Direction of error
//! Columns are those of the preprocessed text: behind a macro they differ from those of the file. Nothing is put in where a place is in doubt ([`Texts::places`] names only what is certain).

use crate::Texts;
use crate::ast::{Declaration, Designator, Expr, ExprKind, External, Init, InitItem, Stmt, StmtKind};
use crate::parse::{Parsed, parse_unit};
use crate::source::{Files, Unit};
use std::collections::BTreeMap;

/// What stands at a place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceKind {
    /// A statement; true if it is a simple one: an expression, a jump, nothing.
    Statement {
        /// Whether no other statement is a part of it.
        simple: bool,
    },
    /// A declaration in a block.
    Declaration,
    /// The condition of a loop.
    Loop {
        /// Where the condition begins.
        condition: usize,
        /// True if there is none.
        empty: bool,
    },
    /// The condition of an `if` or a loop, without its brackets.
    Branch {
        /// Where it begins.
        open: usize,
        /// Where it ends.
        close: usize,
    },
    /// A call of a function by its name.
    Call {
        /// The function.
        name: String,
        /// Where the closing bracket stands.
        close: usize,
    },
}

/// A place in the user's program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The number of the text.
    pub text: usize,
    /// The offset in it.
    pub at: usize,
    /// The presumed file,
    pub file: String,
    /// line
    pub line: u32,
    /// and column; of a call, that of its closing bracket.
    pub column: u32,
    /// The text of the line before it: if the file has the same, the column is that of the file, too.
    pub before: String,
    /// The function that it is in.
    pub function: String,
    /// What stands there.
    pub kind: PlaceKind,
}

/// Text to put in, and where: the number of the text and the offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Insertion {
    /// The number of the text.
    pub text: usize,
    /// The offset in it.
    pub at: usize,
    /// What is put in.
    pub what: String,
}

impl Texts {
    /// All places of the program, in the order of the texts; nothing of a text that cannot be parsed.
    pub fn places(&self) -> Vec<Place> {
        let collect = || {
            let mut places = Vec::new();
            for (n, (name, text)) in self.texts.iter().enumerate() {
                let mut files = Files::default();
                let Parsed { unit, items, .. } = parse_unit(text, name, false, &mut files);
                let mut walk =
                    Walk { unit: &unit, files: &files, text: n, function: "", places: &mut places };
                items.iter().for_each(|item| walk.external(item));
            }
            places
        };
        crate::on_large_stack(collect).unwrap_or_default()
    }

    /// The same program with text put in. `prelude` comes first in every text that something is put into.
    pub fn with(&self, insertions: &[Insertion], prelude: &str) -> Texts {
        let mut by_text: BTreeMap<usize, BTreeMap<usize, Vec<&str>>> = BTreeMap::new();
        for Insertion { text, at, what } in insertions {
            by_text.entry(*text).or_default().entry(*at).or_default().push(what);
        }
        let mut texts = self.texts.clone();
        for (n, insertions) in by_text {
            let Some((name, text)) = texts.get_mut(n) else { continue };
            for (at, whats) in insertions.into_iter().rev() {
                text.insert_str(at, &whats.concat());
            }
            let name = name.replace('\\', "\\\\").replace('"', "\\\"");
            text.insert_str(0, &format!("{prelude}\n# 1 \"{name}\"\n"));
        }
        Texts { texts, ..self.clone() }
    }
}

struct Walk<'w, 'a> {
    unit: &'w Unit<'a>,
    files: &'w Files,
    text: usize,
    function: &'a str,
    places: &'w mut Vec<Place>,
}

impl<'a> Walk<'_, 'a> {
    fn external(&mut self, item: &External<'a>) {
        if let External::Function(function) = item {
            self.function = function.declarator.name.unwrap_or_default();
            function.body.iter().for_each(|stmt| self.block_item(stmt));
        }
    }

    fn add(&mut self, at: u32, shown: usize, kind: PlaceKind) {
        let Ok(offset) = u32::try_from(shown) else { return };
        let span = self.unit.span(offset);
        let before = self.unit.text[..shown].rsplit('\n').next().unwrap_or_default().to_owned();
        if span.is_somewhere() {
            let file = self.files.name(span.file).to_owned();
            let function = self.function.to_owned();
            let (line, column) = (span.line, span.col);
            self.places.push(Place {
                text: self.text,
                at: at as usize,
                file,
                line,
                column,
                before,
                function,
                kind,
            });
        }
    }

    fn block_item(&mut self, stmt: &Stmt<'a>) {
        match &stmt.kind {
            StmtKind::Decl(declaration) => {
                self.add(stmt.at, stmt.at as usize, PlaceKind::Declaration);
                self.declaration(declaration);
            }
            StmtKind::Function(function) => {
                let outer =
                    std::mem::replace(&mut self.function, function.declarator.name.unwrap_or_default());
                function.body.iter().for_each(|stmt| self.block_item(stmt));
                self.function = outer;
            }
            StmtKind::StaticAssert(_) => {}
            _ => self.statement(stmt),
        }
    }

    fn statement(&mut self, stmt: &Stmt<'a>) {
        let simple = is_simple(&stmt.kind);
        // A jump to a label or a case would leave out what stands in front of it.
        if !matches!(stmt.kind, StmtKind::Label(..) | StmtKind::Case(..) | StmtKind::Default(_)) {
            self.add(stmt.at, stmt.at as usize, PlaceKind::Statement { simple });
        }
        match &stmt.kind {
            StmtKind::Expr(expr) | StmtKind::Return(Some(expr)) | StmtKind::GotoComputed(expr) => {
                self.expr(expr)
            }
            StmtKind::Block(items) => items.iter().for_each(|item| self.block_item(item)),
            StmtKind::If(condition, then, otherwise) => {
                self.condition(stmt.at, false);
                self.expr(condition);
                self.statement(then);
                otherwise.iter().for_each(|stmt| self.statement(stmt));
            }
            StmtKind::While(condition, body) => {
                self.condition(stmt.at, true);
                self.expr(condition);
                self.statement(body);
            }
            StmtKind::DoWhile(body, condition) => {
                self.statement(body);
                self.expr(condition);
            }
            StmtKind::For(first, condition, step, body) => {
                self.for_condition(stmt.at);
                first.iter().for_each(|first| match &first.kind {
                    StmtKind::Decl(declaration) => self.declaration(declaration),
                    StmtKind::Expr(expr) => self.expr(expr),
                    _ => {}
                });
                condition.iter().chain(step).for_each(|expr| self.expr(expr));
                self.statement(body);
            }
            StmtKind::Switch(expr, body) => {
                self.expr(expr);
                self.statement(body);
            }
            StmtKind::Label(_, stmt) | StmtKind::Case(_, _, stmt) | StmtKind::Default(stmt) => {
                self.statement(stmt)
            }
            StmtKind::Empty
            | StmtKind::Decl(_)
            | StmtKind::Function(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(None)
            | StmtKind::Asm(_)
            | StmtKind::StaticAssert(_) => {}
        }
    }

    /// The condition in brackets that follows a keyword.
    fn condition(&mut self, at: u32, is_loop: bool) {
        let Some(open) = self.unit.text[at as usize..].find('(').map(|n| at as usize + n) else { return };
        let Some(close) = closing(self.unit.text, open) else { return };
        self.add(at, at as usize, PlaceKind::Branch { open: open + 1, close });
        if is_loop {
            self.add(at, at as usize, PlaceKind::Loop { condition: open + 1, empty: false });
        }
    }

    /// The condition between the two semicolons of a `for`.
    fn for_condition(&mut self, at: u32) {
        let text = self.unit.text;
        let Some(open) = text[at as usize..].find('(').map(|n| at as usize + n) else { return };
        let parts = closing(text, open).map(|close| semicolons(text, open, close));
        let Some([first, second]) = parts.as_deref().and_then(|parts| <[usize; 2]>::try_from(parts).ok())
        else {
            return;
        };
        let empty = text[first + 1..second].trim().is_empty();
        self.add(at, at as usize, PlaceKind::Loop { condition: first + 1, empty });
        if !empty {
            self.add(at, at as usize, PlaceKind::Branch { open: first + 1, close: second });
        }
    }

    fn declaration(&mut self, declaration: &Declaration<'a>) {
        declaration
            .declarators
            .iter()
            .filter_map(|declarator| declarator.init.as_ref())
            .for_each(|init| self.init(init));
    }

    fn init(&mut self, init: &Init<'a>) {
        match init {
            Init::Expr(expr) => self.expr(expr),
            Init::List(_, items) => items.iter().for_each(|item| self.init_item(item)),
        }
    }

    fn init_item(&mut self, item: &InitItem<'a>) {
        item.designators.iter().for_each(|designator| match designator {
            Designator::Field(_) => {}
            Designator::Index(expr) => self.expr(expr),
            Designator::Range(first, last) => [first, last].into_iter().for_each(|expr| self.expr(expr)),
        });
        self.init(&item.init);
    }

    /// Only what is evaluated.
    fn expr(&mut self, expr: &Expr<'a>) {
        match &expr.kind {
            ExprKind::Call(callee, args) => {
                self.expr(callee);
                args.iter().for_each(|arg| self.expr(arg));
                if let ExprKind::Ident(name) = callee.kind {
                    self.call(callee.at, name);
                }
            }
            ExprKind::Binary(_, left, right)
            | ExprKind::Assign(_, left, right)
            | ExprKind::Comma(left, right)
            | ExprKind::Index(left, right) => {
                self.expr(left);
                self.expr(right);
            }
            ExprKind::Unary(_, inner)
            | ExprKind::Cast(_, inner)
            | ExprKind::Member(inner, _)
            | ExprKind::Arrow(inner, _)
            | ExprKind::VaArg(inner, _) => self.expr(inner),
            ExprKind::Cond(condition, then, otherwise) => {
                self.expr(condition);
                then.iter().for_each(|then| self.expr(then));
                self.expr(otherwise);
            }
            ExprKind::CompoundLiteral(_, items) => items.iter().for_each(|item| self.init_item(item)),
            ExprKind::StmtExpr(stmts) => stmts.iter().for_each(|stmt| self.block_item(stmt)),
            ExprKind::Ident(_)
            | ExprKind::Number(_)
            | ExprKind::Char(_)
            | ExprKind::Str(_)
            | ExprKind::SizeofExpr(_)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofExpr(..)
            | ExprKind::AlignofType(..)
            | ExprKind::LabelAddr(_)
            | ExprKind::Generic(..)
            | ExprKind::TypesCompatible(..)
            | ExprKind::Offsetof(..)
            | ExprKind::ChooseExpr(..) => {}
        }
    }

    /// A call of a name that is directly followed by its arguments.
    fn call(&mut self, at: u32, name: &str) {
        let after = at as usize + name.len();
        let text = self.unit.text;
        let Some(rest) = text[at as usize..].strip_prefix(name) else { return };
        let gap = rest.len() - rest.trim_start().len();
        if !rest.trim_start().starts_with('(') {
            return;
        }
        if let Some(close) = closing(text, after + gap) {
            self.add(at, close, PlaceKind::Call { name: name.to_owned(), close });
        }
    }
}

/// Returns true if no other statement is a part of a statement.
fn is_simple(kind: &StmtKind<'_>) -> bool {
    matches!(
        kind,
        StmtKind::Empty
            | StmtKind::Expr(_)
            | StmtKind::Return(_)
            | StmtKind::Goto(_)
            | StmtKind::GotoComputed(_)
            | StmtKind::Break
            | StmtKind::Continue
    )
}

/// The bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let mut depth = 0usize;
    code(text, open).find_map(|(at, byte)| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

/// The semicolons between two brackets that are in no brackets themselves.
fn semicolons(text: &str, open: usize, close: usize) -> Vec<usize> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for (at, byte) in code(text, open).take_while(|(at, _)| *at < close) {
        match byte {
            b'(' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth = depth.saturating_sub(1),
            b';' if depth == 1 => found.push(at),
            _ => {}
        }
    }
    found
}

/// The bytes from `start` on that are not in a literal.
fn code(text: &str, start: usize) -> impl Iterator<Item = (usize, u8)> + '_ {
    let mut literal = None;
    let mut escaped = false;
    text.bytes().enumerate().skip(start).filter(move |(_, byte)| {
        let Some(quote) = literal else {
            if matches!(byte, b'"' | b'\'') {
                literal = Some(*byte);
            }
            return literal.is_none();
        };
        if escaped {
            escaped = false;
        } else if *byte == b'\\' {
            escaped = true;
        } else if *byte == quote {
            literal = None;
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Texts {
        Texts { texts: vec![("a.c".to_owned(), text.to_owned())], ..Texts::default() }
    }

    #[test]
    fn places_have_lines_columns_and_kinds() {
        let text = "int f(int);\nint main(void) {\n  int x = f(1);\n  for (int i = 0; i < 3; i++)\n    if (x) x--;\n  while (f(\")\"[0])) ;\n}\n";
        let shown: Vec<String> = texts(text)
            .places()
            .iter()
            .map(|place| format!("{}:{} {:?}", place.line, place.column, place.kind))
            .map(|shown| shown.split(['{', '(']).next().unwrap_or_default().trim().to_owned())
            .collect();
        let expected = [
            "3:3 Declaration",
            "3:14 Call",
            "4:3 Statement",
            "4:3 Loop",
            "4:3 Branch",
            "5:5 Statement",
            "5:5 Branch",
            "5:12 Statement",
            "6:3 Statement",
            "6:3 Branch",
            "6:3 Loop",
            "6:18 Call",
            "6:21 Statement",
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_is_put_in_front_of_every_statement_changes_nothing_but_that() {
        let text = "int n; int g(int x) { if (x) if (x > 1) return 2; else return 1; else n++; return 0; } int main(void) { return g(2); }";
        let texts = texts(text);
        let insertions: Vec<Insertion> = texts
            .places()
            .iter()
            .filter(|place| matches!(place.kind, PlaceKind::Statement { .. }))
            .map(|place| Insertion {
                text: place.text,
                at: place.at,
                what: "if ((count++, 0)) ; else ".to_owned(),
            })
            .collect();
        assert_eq!(insertions.len(), 7);
        let loaded = texts.with(&insertions, "static int count;").load(&crate::Options::default());
        assert!(loaded.program.is_some(), "{:?}", loaded.diagnostics);
    }
}
