//! Statements and `asm`.

use super::cursor::{Failed, Parse, Parser};
use super::specifiers::SpecifierContext;
use crate::ast::{Asm, AsmOperand, At, Expr, Stmt, StmtKind};
use crate::lex::Kind;

/// What may stand before a statement.
enum Prefix<'a> {
    Label(&'a str),
    Case(Expr<'a>, Option<Expr<'a>>),
    Default,
}

impl<'a> Parser<'_, 'a> {
    /// `{ … }` with a scope of its own.
    pub(super) fn block(&mut self) -> Parse<Vec<Stmt<'a>>> {
        self.nested(|p| p.scoped(|p| p.block_items()))
    }

    /// `{ … }` in the scope that is open. Broken statements are left out.
    pub(super) fn block_items(&mut self) -> Parse<Vec<Stmt<'a>>> {
        let opened_at = self.expect(Kind::LBrace, "")?;
        let mut items = Vec::new();
        while !self.eat(Kind::RBrace) {
            if self.at(Kind::Eof) {
                return self.fail_unclosed(Kind::RBrace, opened_at);
            }
            let start = self.position();
            match self.statement() {
                Ok(statement) => items.push(statement),
                Err(Failed) => self.recover_item(start),
            }
        }
        Ok(items)
    }

    /// A statement or declaration behind any number of labels.
    fn statement(&mut self) -> Parse<Stmt<'a>> {
        self.chain(|p| {
            let mut prefixes = Vec::new();
            loop {
                let at = p.here();
                let Some(prefix) = p.prefix()? else { break };
                prefixes.push((at, prefix));
            }
            let at_end = p.at(Kind::RBrace) && !prefixes.is_empty();
            let mut statement = match at_end {
                true => Stmt { at: p.here(), kind: StmtKind::Empty },
                false => p.unlabelled_statement()?,
            };
            p.link(prefixes.len())?;
            while let Some((at, prefix)) = prefixes.pop() {
                let inner = Box::new(statement);
                let kind = match prefix {
                    Prefix::Label(name) => StmtKind::Label(name, inner),
                    Prefix::Case(first, last) => StmtKind::Case(first, last, inner),
                    Prefix::Default => StmtKind::Default(inner),
                };
                statement = Stmt { at, kind };
            }
            Ok(statement)
        })
    }

    /// One label, if there is one.
    fn prefix(&mut self) -> Parse<Option<Prefix<'a>>> {
        let prefix = match self.kind() {
            Kind::Ident if self.peek(1) == Kind::Colon => {
                let name = self.identifier("label")?;
                self.bump();
                self.skip_label_attributes()?;
                return Ok(Some(Prefix::Label(name)));
            }
            Kind::Case => {
                self.bump();
                let first = self.conditional()?;
                let last = if self.eat(Kind::Ellipsis) { Some(self.conditional()?) } else { None };
                Prefix::Case(first, last)
            }
            Kind::Default => {
                self.bump();
                Prefix::Default
            }
            _ => return Ok(None),
        };
        self.expect(Kind::Colon, " after `case` or `default`")?;
        Ok(Some(prefix))
    }

    /// `label: __attribute__((unused))`; but `label: __attribute__((unused)) int x;` is a declaration's.
    fn skip_label_attributes(&mut self) -> Parse<()> {
        let start = self.position();
        self.skip_attributes()?;
        if self.at_type() {
            self.go_to(start);
        }
        Ok(())
    }

    /// The statement that another one governs. Blocks count their own depth.
    fn substatement(&mut self) -> Parse<Box<Stmt<'a>>> {
        let statement = match self.kind() {
            Kind::LBrace => self.statement(),
            _ => self.nested(|p| p.statement()),
        };
        statement.map(Box::new)
    }

    fn unlabelled_statement(&mut self) -> Parse<Stmt<'a>> {
        let at = self.here();
        let kind = match self.kind() {
            Kind::LBrace => StmtKind::Block(self.block()?),
            Kind::Semi => {
                self.bump();
                StmtKind::Empty
            }
            Kind::If => return self.if_statement(),
            Kind::While => {
                self.bump();
                let condition = self.parenthesized(" after `while`")?;
                StmtKind::While(condition, self.substatement()?)
            }
            Kind::Do => self.do_while()?,
            Kind::For => self.scoped(|p| p.for_loop())?,
            Kind::Switch => {
                self.bump();
                let value = self.parenthesized(" after `switch`")?;
                StmtKind::Switch(value, self.substatement()?)
            }
            Kind::Goto | Kind::Break | Kind::Continue | Kind::Return => self.jump()?,
            Kind::Asm => {
                let asm = self.asm()?;
                self.expect(Kind::Semi, " after `asm`")?;
                StmtKind::Asm(asm)
            }
            Kind::Label => self.local_labels()?,
            _ if self.at_static_assert() => StmtKind::StaticAssert(self.static_assert()?),
            _ if self.at_declaration() => return self.local_declaration(),
            _ => {
                let expr = self.expr()?;
                self.expect(Kind::Semi, " after expression")?;
                StmtKind::Expr(expr)
            }
        };
        Ok(Stmt { at, kind })
    }

    fn at_declaration(&self) -> bool {
        self.at_type() || self.at_attribute() || self.at_unknown_type(SpecifierContext::Statement, false)
    }

    /// `if`, with all its `else if`s in one loop.
    fn if_statement(&mut self) -> Parse<Stmt<'a>> {
        let mut branches: Vec<(At, Expr<'a>, Box<Stmt<'a>>)> = Vec::new();
        let mut otherwise = None;
        while self.at(Kind::If) {
            let at = self.bump();
            let condition = self.parenthesized(" after `if`")?;
            branches.push((at, condition, self.substatement()?));
            if !self.eat(Kind::Else) {
                break;
            }
            if !self.at(Kind::If) {
                otherwise = Some(self.substatement()?);
                break;
            }
        }
        self.link(branches.len())?;
        while let Some((at, condition, then)) = branches.pop() {
            otherwise = Some(Box::new(Stmt { at, kind: StmtKind::If(condition, then, otherwise) }));
        }
        Ok(*otherwise.expect("an `if` should have a branch"))
    }

    fn do_while(&mut self) -> Parse<StmtKind<'a>> {
        self.bump();
        let body = self.substatement()?;
        self.expect(Kind::While, " after body of `do`")?;
        let condition = self.parenthesized(" after `while`")?;
        self.expect(Kind::Semi, " after `do … while`")?;
        Ok(StmtKind::DoWhile(body, condition))
    }

    fn for_loop(&mut self) -> Parse<StmtKind<'a>> {
        self.bump();
        self.expect(Kind::LParen, " after `for`")?;
        let init = match self.kind() {
            Kind::Semi => {
                self.bump();
                None
            }
            _ if self.at_declaration() => Some(Box::new(self.local_declaration()?)),
            _ => {
                let expr = self.expr()?;
                self.expect(Kind::Semi, " in `for`")?;
                Some(Box::new(Stmt { at: expr.at, kind: StmtKind::Expr(expr) }))
            }
        };
        let condition = if self.at(Kind::Semi) { None } else { Some(self.expr()?) };
        self.expect(Kind::Semi, " in `for`")?;
        let step = if self.at(Kind::RParen) { None } else { Some(self.expr()?) };
        self.expect(Kind::RParen, " after `for`")?;
        Ok(StmtKind::For(init, condition, step, self.substatement()?))
    }

    fn jump(&mut self) -> Parse<StmtKind<'a>> {
        let keyword = self.kind();
        self.bump();
        let kind = match keyword {
            Kind::Break => StmtKind::Break,
            Kind::Continue => StmtKind::Continue,
            Kind::Return if self.at(Kind::Semi) => StmtKind::Return(None),
            Kind::Return => StmtKind::Return(Some(self.expr()?)),
            _ if self.eat(Kind::Star) => StmtKind::GotoComputed(self.expr()?),
            _ => StmtKind::Goto(self.identifier("label after `goto`")?),
        };
        self.expect(Kind::Semi, &format!(" after `{}`", keyword.name()))?;
        Ok(kind)
    }

    /// `__label__ a, b;`. The tree does not keep it: a function in which two blocks declare the same label has, for
    /// those who read the tree, that label twice.
    fn local_labels(&mut self) -> Parse<StmtKind<'a>> {
        self.bump();
        self.identifier("label after `__label__`")?;
        while self.eat(Kind::Comma) {
            self.identifier("label after `,`")?;
        }
        self.expect(Kind::Semi, " after local labels")?;
        Ok(StmtKind::Empty)
    }

    /// `asm volatile goto ("template" : outputs : inputs : clobbers : labels)`
    pub(super) fn asm(&mut self) -> Parse<Asm<'a>> {
        self.bump();
        while matches!(self.kind(), Kind::Volatile | Kind::Inline | Kind::Goto | Kind::Const) {
            self.bump();
        }
        self.expect(Kind::LParen, " after `asm`")?;
        let mut asm = Asm { template: self.strings()?, ..Asm::default() };
        if self.eat(Kind::Colon) {
            asm.outputs = self.asm_operands()?;
        }
        if self.eat(Kind::Colon) {
            asm.inputs = self.asm_operands()?;
        }
        if self.eat(Kind::Colon) {
            while self.at(Kind::Str) {
                asm.clobbers.extend(self.strings()?);
                self.eat(Kind::Comma);
            }
        }
        if self.eat(Kind::Colon) {
            while self.at(Kind::Ident) {
                asm.labels.push(self.identifier("label")?);
                self.eat(Kind::Comma);
            }
        }
        self.expect(Kind::RParen, " after operands of `asm`")?;
        Ok(asm)
    }

    /// `[name] "constraint" (expression), …`
    fn asm_operands(&mut self) -> Parse<Vec<AsmOperand<'a>>> {
        let mut operands = Vec::new();
        while matches!(self.kind(), Kind::Str | Kind::LBracket) {
            let mut name = None;
            if self.eat(Kind::LBracket) {
                name = Some(self.identifier("name of an operand")?);
                self.expect(Kind::RBracket, " after name of an operand")?;
            }
            let constraint = self.strings()?;
            operands.push(AsmOperand { name, constraint, value: self.parenthesized(" after constraint")? });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        Ok(operands)
    }
}
