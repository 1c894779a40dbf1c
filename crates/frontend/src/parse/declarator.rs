//! Declarators, read inside out: [`Declarator::derivations`] go from the name outwards, so `*a[3]` is an array, then
//! a pointer.

use super::cursor::{Parse, Parser};
use super::scope::Meaning;
use super::specifiers::SpecifierContext;
use crate::ast::{
    Attribute, Declaration, Declarator, Derivation, InitDeclarator, Params, Quals, TypeName, TypeSpec,
};
use crate::lex::Kind;

impl<'a> Parser<'_, 'a> {
    /// A declarator that must have a name.
    pub(super) fn named_declarator(&mut self, what: &str) -> Parse<Declarator<'a>> {
        let declarator = self.declarator()?;
        if declarator.name.is_none() { self.fail_expected(what) } else { Ok(declarator) }
    }

    /// A type name, as in casts.
    pub(super) fn type_name(&mut self) -> Parse<TypeName<'a>> {
        let start = self.position();
        let specifiers = self.specifiers(SpecifierContext::TypeName)?;
        if self.position() == start {
            return self.fail_expected("type name");
        }
        let declarator = self.declarator()?;
        match declarator.name {
            Some(name) => self.fail(format!("unexpected name `{name}` in a type name")),
            None => Ok(TypeName { specifiers, declarator }),
        }
    }

    /// A declarator, with or without a name.
    pub(super) fn declarator(&mut self) -> Parse<Declarator<'a>> {
        self.nested(|p| {
            let mut attributes = Vec::new();
            p.attributes(&mut attributes)?;
            let pointers = p.pointers(&mut attributes)?;
            let mut declarator = Declarator { at: p.here(), ..Declarator::default() };
            if p.at(Kind::Ident) {
                declarator.name = Some(p.identifier("name")?);
            } else if p.at_inner_declarator() {
                p.bump();
                declarator = p.declarator()?;
                p.expect(Kind::RParen, " after declarator")?;
            }
            p.suffixes(&mut declarator)?;
            declarator.derivations.extend(pointers.into_iter().rev().map(Derivation::Pointer));
            declarator.attributes.extend(attributes);
            Ok(declarator)
        })
    }

    /// `*const *`, in the order of the text.
    fn pointers(&mut self, attributes: &mut Vec<Attribute<'a>>) -> Parse<Vec<Quals>> {
        let mut pointers = Vec::new();
        while self.eat(Kind::Star) {
            let mut quals = Quals::default();
            loop {
                match self.kind() {
                    Kind::Extension | Kind::Segment => _ = self.bump(),
                    _ if self.at_attribute() => self.attributes(attributes)?,
                    _ if self.qualifier(&mut quals) => {}
                    _ => break,
                }
            }
            pointers.push(quals);
        }
        Ok(pointers)
    }

    /// Returns true if the current `(` brackets a declarator; otherwise it begins a parameter list.
    fn at_inner_declarator(&self) -> bool {
        self.at(Kind::LParen)
            && match self.peek(1) {
                Kind::Star | Kind::LParen | Kind::LBracket | Kind::Attribute => true,
                Kind::Ident => !self.scopes.is_type(self.peek_text(1)),
                _ => false,
            }
    }

    /// Array sizes, parameter lists, attributes and an asm label.
    fn suffixes(&mut self, declarator: &mut Declarator<'a>) -> Parse<()> {
        loop {
            self.attributes_and_asm_label(&mut declarator.attributes)?;
            let derivation = match self.kind() {
                Kind::LBracket => self.array_suffix()?,
                Kind::LParen => self.parameter_list()?,
                _ => return Ok(()),
            };
            declarator.derivations.push(derivation);
        }
    }

    /// `[size]`. Qualifiers and `static` in it concern only how a parameter may be used, and are dropped.
    fn array_suffix(&mut self) -> Parse<Derivation<'a>> {
        self.bump();
        while self.eat(Kind::Static) || self.qualifier(&mut Quals::default()) {}
        let mut size = None;
        if self.at(Kind::Star) && self.peek(1) == Kind::RBracket {
            self.bump();
        } else if !self.at(Kind::RBracket) {
            size = Some(Box::new(self.assignment()?));
        }
        self.expect(Kind::RBracket, " after array size")?;
        Ok(Derivation::Array(size))
    }

    fn parameter_list(&mut self) -> Parse<Derivation<'a>> {
        self.bump();
        let mut params = Params::default();
        if self.at_identifier_list() {
            while !self.at(Kind::RParen) {
                params.names.push(self.identifier("name of a parameter")?);
                self.eat(Kind::Comma);
            }
        } else if !self.at(Kind::RParen) {
            params.prototype = true;
            self.scoped(|p| p.parameters(&mut params))?;
        }
        self.expect(Kind::RParen, " after parameters")?;
        Ok(Derivation::Function(params))
    }

    /// Returns true if a K&R list of names, none of which is a type, goes up to the `)`.
    fn at_identifier_list(&self) -> bool {
        let mut ahead = 0;
        while self.peek(ahead) == Kind::Ident && !self.scopes.is_type(self.peek_text(ahead)) {
            match self.peek(ahead + 1) {
                Kind::Comma => ahead += 2,
                next => return next == Kind::RParen,
            }
        }
        false
    }

    fn parameters(&mut self, params: &mut Params<'a>) -> Parse<()> {
        loop {
            if self.eat(Kind::Ellipsis) {
                params.variadic = true;
                return Ok(());
            }
            params.params.push(self.parameter()?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        if let [only] = params.params.as_slice()
            && is_void(only)
        {
            params.params.clear();
        }
        Ok(())
    }

    fn parameter(&mut self) -> Parse<Declaration<'a>> {
        let at = self.here();
        let start = self.position();
        let specifiers = self.specifiers(SpecifierContext::Parameter)?;
        if self.position() == start {
            return self.fail_expected("parameter");
        }
        let declarator = self.declarator()?;
        if let Some(name) = declarator.name {
            self.scopes.declare(name, Meaning::Value);
        }
        let declarators = vec![InitDeclarator { declarator, bits: None, init: None }];
        Ok(Declaration { at, specifiers, declarators })
    }
}

/// Returns true if a parameter is the `void` of `(void)`.
fn is_void(param: &Declaration<'_>) -> bool {
    let unnamed = param
        .declarators
        .iter()
        .all(|it| it.declarator.name.is_none() && it.declarator.derivations.is_empty());
    unnamed && matches!(&param.specifiers.ty, Some(TypeSpec::Basic(words)) if words.as_slice() == ["void"])
}
