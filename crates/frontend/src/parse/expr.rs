//! Expressions with operators: assignments, conditionals, binary operators by precedence climbing, unary operators
//! and casts.
//!
//! Chains are loops: `a = b = c` and `a ? b : c ? d : e` collect their parts and fold them from the right, so that
//! only brackets and unary operators make the parser recurse.

use super::cursor::{Parse, Parser};
use crate::ast::{At, BinaryOp, Expr, ExprKind, UnaryOp};
use crate::lex::Kind;

impl<'a> Parser<'_, 'a> {
    /// A full expression: assignments separated by commas.
    pub(super) fn expr(&mut self) -> Parse<Expr<'a>> {
        self.chain(|p| {
            let mut left = p.assignment()?;
            while p.at(Kind::Comma) {
                let at = p.bump();
                let right = p.assignment()?;
                p.link(1)?;
                left = Expr { at, kind: ExprKind::Comma(Box::new(left), Box::new(right)) };
            }
            Ok(left)
        })
    }

    /// An expression without commas.
    pub(super) fn assignment(&mut self) -> Parse<Expr<'a>> {
        self.chain(|p| {
            let mut targets: Vec<(At, Option<BinaryOp>, Expr<'a>)> = Vec::new();
            let mut value = loop {
                let operand = p.conditional()?;
                let Some(op) = assignment_op(p.kind()) else { break operand };
                targets.push((p.bump(), op, operand));
            };
            p.link(targets.len())?;
            while let Some((at, op, target)) = targets.pop() {
                value = Expr { at, kind: ExprKind::Assign(op, Box::new(target), Box::new(value)) };
            }
            Ok(value)
        })
    }

    /// An expression without commas and assignments.
    pub(super) fn conditional(&mut self) -> Parse<Expr<'a>> {
        self.chain(|p| {
            let mut choices: Vec<(At, Expr<'a>, Option<Box<Expr<'a>>>)> = Vec::new();
            let mut value = loop {
                let operand = p.binary(0)?;
                if !p.at(Kind::Question) {
                    break operand;
                }
                let at = p.bump();
                let then = if p.at(Kind::Colon) { None } else { Some(Box::new(p.nested(|p| p.expr())?)) };
                p.expect(Kind::Colon, " in conditional expression")?;
                choices.push((at, operand, then));
            };
            p.link(choices.len())?;
            while let Some((at, condition, then)) = choices.pop() {
                value = Expr { at, kind: ExprKind::Cond(Box::new(condition), then, Box::new(value)) };
            }
            Ok(value)
        })
    }

    /// Binary operators that bind at least as tightly as `min`.
    fn binary(&mut self, min: u8) -> Parse<Expr<'a>> {
        self.chain(|p| {
            let mut left = p.cast()?;
            while let Some((op, precedence)) = binary_op(p.kind())
                && precedence >= min
            {
                let at = p.bump();
                let right = p.binary(precedence + 1)?;
                p.link(1)?;
                left = Expr { at, kind: ExprKind::Binary(op, Box::new(left), Box::new(right)) };
            }
            Ok(left)
        })
    }

    /// A cast, or a unary expression. All recursion of expressions passes here.
    pub(super) fn cast(&mut self) -> Parse<Expr<'a>> {
        self.nested(|p| {
            if !p.at_parenthesized_type() {
                return p.unary();
            }
            let at = p.bump();
            let ty = Box::new(p.type_name()?);
            p.expect(Kind::RParen, " after type name")?;
            if p.at(Kind::LBrace) {
                let kind = ExprKind::CompoundLiteral(ty, p.initializer_list()?);
                return p.postfix(Expr { at, kind });
            }
            Ok(Expr { at, kind: ExprKind::Cast(ty, Box::new(p.cast()?)) })
        })
    }

    /// Returns true if the current token is the `(` of a cast, compound literal or `sizeof (type)`.
    fn at_parenthesized_type(&self) -> bool {
        self.at(Kind::LParen) && (self.type_begins(1) || self.at_cast_to_unknown_type())
    }

    /// `(foo_t) x` and `(foo_t *)`, with `foo_t` undeclared, can be nothing else. `(f)(x)` can.
    fn at_cast_to_unknown_type(&self) -> bool {
        if self.peek(1) != Kind::Ident || self.scopes.meaning(self.peek_text(1)).is_some() {
            return false;
        }
        matches!(
            (self.peek(2), self.peek(3)),
            (Kind::Star, Kind::RParen | Kind::Star)
                | (Kind::RParen, Kind::Ident | Kind::Number | Kind::Str | Kind::Char | Kind::Sizeof)
                | (Kind::RParen, Kind::Tilde | Kind::Bang | Kind::LBrace)
        )
    }

    fn unary(&mut self) -> Parse<Expr<'a>> {
        let op = match self.kind() {
            Kind::PlusPlus => UnaryOp::PreInc,
            Kind::MinusMinus => UnaryOp::PreDec,
            Kind::Amp => UnaryOp::AddrOf,
            Kind::Star => UnaryOp::Deref,
            Kind::Plus => UnaryOp::Plus,
            Kind::Minus => UnaryOp::Neg,
            Kind::Tilde => UnaryOp::BitNot,
            Kind::Bang => UnaryOp::Not,
            Kind::Real => UnaryOp::Real,
            Kind::Imag => UnaryOp::Imag,
            Kind::Extension => UnaryOp::Extension,
            Kind::Sizeof | Kind::Alignof => return self.size_or_alignment(),
            Kind::AmpAmp => {
                let at = self.bump();
                let label = self.identifier("label after `&&`")?;
                return Ok(Expr { at, kind: ExprKind::LabelAddr(label) });
            }
            _ => {
                let primary = self.primary()?;
                return self.postfix(primary);
            }
        };
        let at = self.bump();
        Ok(Expr { at, kind: ExprKind::Unary(op, Box::new(self.cast()?)) })
    }

    /// `sizeof` and `_Alignof`, of a type or an expression.
    fn size_or_alignment(&mut self) -> Parse<Expr<'a>> {
        let is_size = self.at(Kind::Sizeof);
        let is_standard = matches!(self.peek_text(0), "_Alignof" | "alignof");
        let at = self.bump();
        let operand = if self.at_parenthesized_type() {
            let opened_at = self.bump();
            let ty = Box::new(self.type_name()?);
            self.expect(Kind::RParen, " after type name")?;
            if !self.at(Kind::LBrace) {
                let kind =
                    if is_size { ExprKind::SizeofType(ty) } else { ExprKind::AlignofType(ty, is_standard) };
                return Ok(Expr { at, kind });
            }
            let kind = ExprKind::CompoundLiteral(ty, self.initializer_list()?);
            self.postfix(Expr { at: opened_at, kind })?
        } else {
            self.cast()?
        };
        let operand = Box::new(operand);
        let kind =
            if is_size { ExprKind::SizeofExpr(operand) } else { ExprKind::AlignofExpr(operand, is_standard) };
        Ok(Expr { at, kind })
    }
}

/// The operator of an assignment: `None` inside for plain `=`.
fn assignment_op(kind: Kind) -> Option<Option<BinaryOp>> {
    Some(match kind {
        Kind::Eq => None,
        Kind::StarEq => Some(BinaryOp::Mul),
        Kind::SlashEq => Some(BinaryOp::Div),
        Kind::PercentEq => Some(BinaryOp::Rem),
        Kind::PlusEq => Some(BinaryOp::Add),
        Kind::MinusEq => Some(BinaryOp::Sub),
        Kind::ShlEq => Some(BinaryOp::Shl),
        Kind::ShrEq => Some(BinaryOp::Shr),
        Kind::AmpEq => Some(BinaryOp::BitAnd),
        Kind::CaretEq => Some(BinaryOp::BitXor),
        Kind::PipeEq => Some(BinaryOp::BitOr),
        _ => return None,
    })
}

/// A binary operator and how tightly it binds.
fn binary_op(kind: Kind) -> Option<(BinaryOp, u8)> {
    Some(match kind {
        Kind::PipePipe => (BinaryOp::LogOr, 1),
        Kind::AmpAmp => (BinaryOp::LogAnd, 2),
        Kind::Pipe => (BinaryOp::BitOr, 3),
        Kind::Caret => (BinaryOp::BitXor, 4),
        Kind::Amp => (BinaryOp::BitAnd, 5),
        Kind::EqEq => (BinaryOp::Eq, 6),
        Kind::BangEq => (BinaryOp::Ne, 6),
        Kind::Lt => (BinaryOp::Lt, 7),
        Kind::LtEq => (BinaryOp::Le, 7),
        Kind::Gt => (BinaryOp::Gt, 7),
        Kind::GtEq => (BinaryOp::Ge, 7),
        Kind::Shl => (BinaryOp::Shl, 8),
        Kind::Shr => (BinaryOp::Shr, 8),
        Kind::Plus => (BinaryOp::Add, 9),
        Kind::Minus => (BinaryOp::Sub, 9),
        Kind::Star => (BinaryOp::Mul, 10),
        Kind::Slash => (BinaryOp::Div, 10),
        Kind::Percent => (BinaryOp::Rem, 10),
        _ => return None,
    })
}
