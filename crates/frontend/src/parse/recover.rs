//! Where to go on after an error.
//!
//! A restart point should be neither too near (the rest of the broken text would cause more messages) nor too far
//! (real errors would go unseen). Indentation is not looked at; the first token of a line is a weak hint.

use super::cursor::Parser;
use crate::lex::Kind;

impl Parser<'_, '_> {
    /// Skips the rest of the broken item of the file scope that began at token `start`: to behind the first `;`
    /// outside braces, or the `}` that ends a body, at or after the current token.
    pub(super) fn recover_external(&mut self, start: usize) {
        let failed = self.position();
        let mut depth = 0usize;
        let mut position = start;
        loop {
            let kind = self.kind_at(position);
            let passed = position >= failed;
            position += 1;
            match kind {
                Kind::Eof => break,
                Kind::LBrace => depth += 1,
                Kind::RBrace => {
                    depth = depth.saturating_sub(1);
                    // `struct S { … } s;` goes on behind its brace; a function's body does not.
                    if depth == 0 && passed && (position == start + 1 || self.starts_line(position)) {
                        break;
                    }
                }
                Kind::Semi if depth == 0 && passed => break,
                _ => {}
            }
        }
        self.go_to(position);
        self.eat(Kind::Semi);
    }

    /// Skips the rest of the broken statement, or field, that began at token `start`: to behind a `;` or a nested
    /// block, or to the `}` that ends the surrounding block.
    pub(super) fn recover_item(&mut self, start: usize) {
        if self.kind_at(start) == Kind::For && self.leave_for_header(start) {
            return;
        }
        let first = self.position();
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::Eof => return,
                Kind::LBrace => depth += 1,
                Kind::RBrace if depth == 0 => break,
                Kind::RBrace => depth -= 1,
                _ => {}
            }
            let end = depth == 0 && matches!(self.kind(), Kind::Semi | Kind::RBrace);
            self.bump();
            if end {
                break;
            }
        }
        debug_assert!(self.position() > first || self.at(Kind::RBrace), "recovery should make progress");
        while self.eat(Kind::Else) {}
    }

    /// If the current token is in the header of the `for` at token `start`, goes behind the header's `)`: its
    /// semicolons end nothing.
    fn leave_for_header(&mut self, start: usize) -> bool {
        let failed = self.position();
        let mut depth = 0usize;
        for position in start + 1.. {
            match self.kind_at(position) {
                Kind::Eof | Kind::LBrace | Kind::RBrace => return false,
                Kind::LParen => depth += 1,
                Kind::RParen => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                if position < failed {
                    return false;
                }
                self.go_to(position + 1);
                return true;
            }
        }
        false
    }
}
