//! Attributes in all their spellings. What cannot be parsed as an argument is skipped. One that
//! [`attributes`](crate::attributes) does not know gets a warning, here, so that none is ignored in silence wherever it stands.

use super::cursor::{Parse, Parser};
use super::specifiers::SpecifierContext;
use crate::ast::{Attribute, Expr, ExprKind};
use crate::lex::Kind;

impl<'a> Parser<'_, 'a> {
    /// Returns true if an attribute begins here. `asm` is one only behind a declarator.
    pub(super) fn at_attribute(&self) -> bool {
        match self.kind() {
            Kind::Attribute | Kind::Alignas | Kind::Declspec => true,
            Kind::LBracket => self.peek(1) == Kind::LBracket,
            _ => false,
        }
    }

    /// Any number of attributes.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute<'a>>) -> Parse<()> {
        while self.at_attribute() {
            match self.kind() {
                Kind::Alignas => attributes.push(self.alignas()?),
                Kind::LBracket => self.bracketed_attributes(attributes)?,
                Kind::Declspec => {
                    self.bump();
                    self.attribute_list(attributes)?;
                }
                _ => {
                    self.bump();
                    self.expect(Kind::LParen, " after `__attribute__`")?;
                    self.attribute_list(attributes)?;
                    self.expect(Kind::RParen, " after attributes")?;
                }
            }
        }
        Ok(())
    }

    /// What may follow a declarator: attributes, and the name that the linker shall know.
    pub(super) fn attributes_and_asm_label(&mut self, attributes: &mut Vec<Attribute<'a>>) -> Parse<()> {
        loop {
            self.attributes(attributes)?;
            if !(self.at(Kind::Asm) && self.peek(1) == Kind::LParen) {
                return Ok(());
            }
            self.bump();
            self.bump();
            let at = self.here();
            let label = Expr { at, kind: ExprKind::Str(self.strings()?) };
            attributes.push(Attribute { at, name: "asm", args: vec![label], type_arg: None });
            self.expect(Kind::RParen, " after asm label")?;
        }
    }

    /// Attributes where the tree has no place for them.
    pub(super) fn skip_attributes(&mut self) -> Parse<()> {
        self.attributes(&mut Vec::new())
    }

    fn alignas(&mut self) -> Parse<Attribute<'a>> {
        let at = self.bump();
        self.expect(Kind::LParen, " after `_Alignas`")?;
        let mut attribute = Attribute { at, name: "alignas", args: Vec::new(), type_arg: None };
        if self.at_type() {
            attribute.type_arg = Some(Box::new(self.type_name()?));
        } else {
            attribute.args.push(self.conditional()?);
        }
        self.expect(Kind::RParen, " after alignment")?;
        Ok(attribute)
    }

    /// `[[noreturn, gnu::packed]]`
    fn bracketed_attributes(&mut self, attributes: &mut Vec<Attribute<'a>>) -> Parse<()> {
        self.bump();
        self.bump();
        self.attributes_until(Kind::RBracket, attributes)?;
        self.expect(Kind::RBracket, " after attributes")?;
        Ok(())
    }

    /// `(packed, aligned(8))`
    fn attribute_list(&mut self, attributes: &mut Vec<Attribute<'a>>) -> Parse<()> {
        self.expect(Kind::LParen, " before attributes")?;
        self.attributes_until(Kind::RParen, attributes)
    }

    fn attributes_until(&mut self, close: Kind, attributes: &mut Vec<Attribute<'a>>) -> Parse<()> {
        while !self.eat(close) {
            if self.eat(Kind::Comma) {
                continue;
            }
            let at = self.here();
            let mut name = self.attribute_word()?;
            while self.at(Kind::Colon) && self.peek(1) == Kind::Colon {
                self.bump();
                self.bump();
                name = self.attribute_word()?;
            }
            let name = without_underscores(name);
            let mut attribute = Attribute { at, name, args: Vec::new(), type_arg: None };
            if crate::attributes::treatment(name).is_none() {
                self.warn_once(at, name, format!("the attribute '{name}' is not known and ignored"));
            }
            if self.eat(Kind::LParen) {
                self.nested(|p| p.attribute_args(&mut attribute))?;
            }
            attributes.push(attribute);
        }
        Ok(())
    }

    /// An attribute's name, which may be a keyword (`const`).
    fn attribute_word(&mut self) -> Parse<&'a str> {
        let word = self.peek_text(0);
        if !word.starts_with(|c: char| c.is_alphabetic() || c == '_')
            || self.at(Kind::Str)
            || self.at(Kind::Char)
        {
            return self.fail_expected("name of an attribute");
        }
        self.bump();
        Ok(word)
    }

    fn attribute_args(&mut self, attribute: &mut Attribute<'a>) -> Parse<()> {
        while !self.eat(Kind::RParen) {
            if self.eat(Kind::Comma) {
                continue;
            }
            if self.at_type() {
                let ty = self.attempt(|p| p.whole_argument(|p| p.type_name()));
                attribute.type_arg = ty.map(Box::new).or(attribute.type_arg.take());
            } else if let Some(arg) = self.attempt(|p| p.whole_argument(|p| p.assignment())) {
                attribute.args.push(arg);
                continue;
            }
            self.skip_argument()?;
        }
        Ok(())
    }

    fn whole_argument<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        let arg = parse(self)?;
        if matches!(self.kind(), Kind::Comma | Kind::RParen) { Ok(arg) } else { self.fail_expected("`,`") }
    }

    /// Skips to the `,` or `)` behind an argument that is no expression.
    fn skip_argument(&mut self) -> Parse<()> {
        let mut depth = 0usize;
        loop {
            match self.kind() {
                Kind::Comma | Kind::RParen if depth == 0 => return Ok(()),
                Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::RBrace if depth > 0 => depth -= 1,
                Kind::Eof | Kind::RBracket | Kind::RBrace => {
                    return self.fail_expected("`)` after arguments of an attribute");
                }
                _ => {}
            }
            self.bump();
        }
    }

    /// The type behind `enum E :`, kept as the attribute `underlying`.
    pub(super) fn underlying_type(&mut self) -> Parse<Attribute<'a>> {
        let at = self.here();
        let specifiers = self.specifiers(SpecifierContext::TypeName)?;
        let ty = crate::ast::TypeName { specifiers, declarator: Default::default() };
        Ok(Attribute { at, name: "underlying", args: Vec::new(), type_arg: Some(Box::new(ty)) })
    }
}

/// `__packed__` is `packed`.
fn without_underscores(name: &str) -> &str {
    match name.strip_prefix("__").and_then(|name| name.strip_suffix("__")) {
        Some(inner) if !inner.is_empty() => inner,
        _ => name,
    }
}
