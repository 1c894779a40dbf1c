//! Primary and postfix expressions, and the builtins that take types.

use super::cursor::{Parse, Parser};
use crate::ast::{Designator, Expr, ExprKind, TypeName, UnaryOp};
use crate::lex::Kind;

impl<'a> Parser<'_, 'a> {
    pub(super) fn primary(&mut self) -> Parse<Expr<'a>> {
        let at = self.here();
        let text = self.peek_text(0);
        let kind = match self.kind() {
            Kind::Ident => {
                self.bump();
                ExprKind::Ident(text)
            }
            Kind::Number => {
                self.bump();
                ExprKind::Number(text)
            }
            Kind::Char => {
                self.bump();
                ExprKind::Char(text)
            }
            Kind::Str => ExprKind::Str(self.strings()?),
            Kind::LParen if self.peek(1) == Kind::LBrace => {
                self.bump();
                let body = self.block()?;
                self.expect(Kind::RParen, " after statement expression")?;
                ExprKind::StmtExpr(body)
            }
            Kind::LParen => return self.parenthesized(""),
            Kind::Generic => self.generic()?,
            Kind::BuiltinVaArg => self.builtin(|p| {
                let list = Box::new(p.assignment()?);
                p.expect(Kind::Comma, " in `__builtin_va_arg`")?;
                Ok(ExprKind::VaArg(list, Box::new(p.type_name()?)))
            })?,
            Kind::BuiltinTypesCompatible => self.builtin(|p| {
                let left = Box::new(p.type_name()?);
                p.expect(Kind::Comma, " between types")?;
                Ok(ExprKind::TypesCompatible(left, Box::new(p.type_name()?)))
            })?,
            Kind::BuiltinChooseExpr => self.builtin(|p| {
                let condition = Box::new(p.assignment()?);
                p.expect(Kind::Comma, " in `__builtin_choose_expr`")?;
                let then = Box::new(p.assignment()?);
                p.expect(Kind::Comma, " in `__builtin_choose_expr`")?;
                Ok(ExprKind::ChooseExpr(condition, then, Box::new(p.assignment()?)))
            })?,
            Kind::BuiltinOffsetof => self.builtin(|p| {
                let ty = Box::new(p.type_name()?);
                p.expect(Kind::Comma, " in `__builtin_offsetof`")?;
                Ok(ExprKind::Offsetof(ty, p.member_path()?))
            })?,
            _ => return self.fail_expected("expression"),
        };
        Ok(Expr { at, kind })
    }

    /// `(expression)`; `context` is such as `" after `if`"`.
    pub(super) fn parenthesized(&mut self, context: &str) -> Parse<Expr<'a>> {
        self.expect(Kind::LParen, context)?;
        let inner = self.expr()?;
        self.expect(Kind::RParen, "")?;
        Ok(inner)
    }

    /// One or more adjacent string literals.
    pub(super) fn strings(&mut self) -> Parse<Vec<&'a str>> {
        let mut strings = Vec::new();
        while self.at(Kind::Str) {
            strings.push(self.peek_text(0));
            self.bump();
        }
        if strings.is_empty() { self.fail_expected("string literal") } else { Ok(strings) }
    }

    /// A keyword with parenthesized operands.
    fn builtin(&mut self, operands: impl FnOnce(&mut Self) -> Parse<ExprKind<'a>>) -> Parse<ExprKind<'a>> {
        self.bump();
        self.expect(Kind::LParen, " after builtin")?;
        let kind = operands(self)?;
        self.expect(Kind::RParen, " after operands of builtin")?;
        Ok(kind)
    }

    /// `a.b[1].c` in `offsetof`.
    fn member_path(&mut self) -> Parse<Vec<Designator<'a>>> {
        let mut path = vec![Designator::Field(self.identifier("name of a member")?)];
        loop {
            match self.kind() {
                Kind::Dot | Kind::LBracket => path.push(self.designator()?),
                Kind::Arrow => {
                    self.bump();
                    path.push(Designator::Index(Expr { at: self.before(), kind: ExprKind::Number("0") }));
                    path.push(Designator::Field(self.identifier("name of a member")?));
                }
                _ => return Ok(path),
            }
        }
    }

    fn generic(&mut self) -> Parse<ExprKind<'a>> {
        self.builtin(|p| {
            let control = Box::new(p.assignment()?);
            let mut choices: Vec<(Option<TypeName<'a>>, Expr<'a>)> = Vec::new();
            while p.eat(Kind::Comma) {
                let ty = if p.eat(Kind::Default) { None } else { Some(p.type_name()?) };
                p.expect(Kind::Colon, " in `_Generic`")?;
                choices.push((ty, p.assignment()?));
            }
            Ok(ExprKind::Generic(control, choices))
        })
    }

    /// Calls, indices, members and increments behind an expression.
    pub(super) fn postfix(&mut self, first: Expr<'a>) -> Parse<Expr<'a>> {
        // The caller's chain holds what `first` measures, so that links count from there.
        let mut base = first;
        loop {
            let start = base.at;
            let here = self.here();
            let (at, kind) = match self.kind() {
                Kind::LParen => {
                    let takes_types =
                        matches!(base.kind, ExprKind::Ident(name) if name.starts_with("__builtin_"));
                    self.bump();
                    let args = self.arguments(takes_types)?;
                    (start, ExprKind::Call(Box::new(base), args))
                }
                Kind::LBracket => {
                    self.bump();
                    let index = self.expr()?;
                    self.expect(Kind::RBracket, " after index")?;
                    (start, ExprKind::Index(Box::new(base), Box::new(index)))
                }
                Kind::Dot => {
                    self.bump();
                    (here, ExprKind::Member(Box::new(base), self.identifier("name of a member")?))
                }
                Kind::Arrow => {
                    self.bump();
                    (here, ExprKind::Arrow(Box::new(base), self.identifier("name of a member")?))
                }
                Kind::PlusPlus => (self.bump(), ExprKind::Unary(UnaryOp::PostInc, Box::new(base))),
                Kind::MinusMinus => (self.bump(), ExprKind::Unary(UnaryOp::PostDec, Box::new(base))),
                _ => return Ok(base),
            };
            self.link(1)?;
            base = Expr { at, kind };
        }
    }

    /// The arguments of a call up to its `)`. A builtin may take types (`__builtin_convertvector(v, T)`): such an
    /// argument is represented by the type's size.
    fn arguments(&mut self, takes_types: bool) -> Parse<Vec<Expr<'a>>> {
        let mut args = Vec::new();
        if self.eat(Kind::RParen) {
            return Ok(args);
        }
        loop {
            if takes_types && !self.at(Kind::Extension) && self.at_type() {
                let at = self.here();
                args.push(Expr { at, kind: ExprKind::SizeofType(Box::new(self.type_name()?)) });
            } else {
                args.push(self.assignment()?);
            }
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::RParen, " after arguments")?;
        Ok(args)
    }
}
