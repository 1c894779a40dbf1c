//! Declaration specifiers: storage, qualifiers and the type, in any order, with `struct`, `union` and `enum`.

use super::cursor::{Failed, Parse, Parser};
use super::scope::Meaning;
use crate::ast::{
    Declaration, Declarator, EnumItem, InitDeclarator, Quals, Specifiers, StorageClass, TypeSpec,
};
use crate::lex::Kind;

/// Where specifiers stand: that decides when an undeclared identifier is taken for a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpecifierContext {
    /// At file scope or in a record, where no expression can stand.
    Outside,
    /// Among statements.
    Statement,
    /// In a parameter list.
    Parameter,
    /// Where only a type can stand.
    TypeName,
}

impl<'a> Parser<'_, 'a> {
    /// Returns true if a declaration or a type name begins here.
    pub(super) fn at_type(&self) -> bool {
        self.type_begins(0)
    }

    /// Returns true if a declaration or a type name begins `ahead` tokens after the current one.
    pub(super) fn type_begins(&self, mut ahead: usize) -> bool {
        while self.peek(ahead) == Kind::Extension {
            ahead += 1;
        }
        match self.peek(ahead) {
            Kind::Ident => self.scopes.is_type(self.peek_text(ahead)),
            kind => kind.starts_declaration(),
        }
    }

    /// Returns true if the current identifier, being undeclared, should be taken for a type. `certain` says that a
    /// declaration has begun already.
    pub(super) fn at_unknown_type(&self, place: SpecifierContext, certain: bool) -> bool {
        if !self.at(Kind::Ident) || self.scopes.meaning(self.peek_text(0)).is_some() {
            return false;
        }
        match place {
            SpecifierContext::Parameter | SpecifierContext::TypeName => true,
            SpecifierContext::Statement if !certain => {
                self.peek(1) == Kind::Ident
                    && matches!(
                        self.peek(2),
                        Kind::Semi | Kind::Comma | Kind::Eq | Kind::LBracket | Kind::RParen
                    )
            }
            SpecifierContext::Outside | SpecifierContext::Statement => {
                matches!(self.peek(1), Kind::Ident | Kind::Star) || self.peek(1).is_qualifier()
            }
        }
    }

    /// Specifiers, possibly none at all.
    pub(super) fn specifiers(&mut self, place: SpecifierContext) -> Parse<Specifiers<'a>> {
        self.nested(|p| {
            let mut specifiers = Specifiers::default();
            let start = p.position();
            let mut words = Vec::new();
            while p.specifier(&mut specifiers, &mut words, place, start)? {}
            if !words.is_empty() {
                specifiers.ty = Some(TypeSpec::Basic(words));
            }
            Ok(specifiers)
        })
    }

    /// One specifier; false if there is none. Words of basic types are collected in `words`.
    fn specifier(
        &mut self,
        specifiers: &mut Specifiers<'a>,
        words: &mut Vec<&'a str>,
        place: SpecifierContext,
        start: usize,
    ) -> Parse<bool> {
        if let Some(basic) = self.kind().basic_words() {
            words.extend(basic);
            self.bump();
            return Ok(true);
        }
        let no_type = specifiers.ty.is_none() && words.is_empty();
        match self.kind() {
            Kind::Ident if no_type => return Ok(self.typedef_name(specifiers, place, start)),
            Kind::Struct | Kind::Union => specifiers.ty = Some(self.record()?),
            Kind::Enum => specifiers.ty = Some(self.enumeration()?),
            Kind::Typeof => specifiers.ty = Some(self.typeof_specifier()?),
            Kind::Atomic if self.peek(1) == Kind::LParen => specifiers.ty = Some(self.atomic_specifier()?),
            Kind::Const | Kind::Volatile | Kind::Restrict | Kind::Atomic => {
                self.qualifier(&mut specifiers.quals);
            }
            _ if self.at_attribute() => self.attributes(&mut specifiers.attributes)?,
            _ => return Ok(self.plain_specifier(specifiers)),
        }
        Ok(true)
    }

    /// A specifier of one keyword that takes nothing with it; false if there is none.
    fn plain_specifier(&mut self, specifiers: &mut Specifiers<'a>) -> bool {
        match self.kind() {
            Kind::Typedef => specifiers.storage = Some(StorageClass::Typedef),
            Kind::Extern => specifiers.storage = Some(StorageClass::Extern),
            Kind::Static => specifiers.storage = Some(StorageClass::Static),
            Kind::Auto => specifiers.storage = Some(StorageClass::Auto),
            Kind::Register => specifiers.storage = Some(StorageClass::Register),
            Kind::ThreadLocal => specifiers.thread_local = true,
            Kind::Inline => specifiers.inline = true,
            Kind::Noreturn => specifiers.noreturn = true,
            Kind::AutoType => specifiers.ty = Some(TypeSpec::Auto),
            Kind::Extension | Kind::Segment => {}
            _ => return false,
        }
        self.bump();
        true
    }

    fn typedef_name(
        &mut self,
        specifiers: &mut Specifiers<'a>,
        place: SpecifierContext,
        start: usize,
    ) -> bool {
        let name = self.peek_text(0);
        if !self.scopes.is_type(name) {
            if !self.at_unknown_type(place, self.position() > start) {
                return false;
            }
            self.scopes.declare(name, Meaning::Type);
        }
        self.bump();
        specifiers.ty = Some(TypeSpec::Typedef(name));
        true
    }

    /// Passes a type qualifier; false if there is none.
    pub(super) fn qualifier(&mut self, quals: &mut Quals) -> bool {
        match self.kind() {
            Kind::Const => quals.is_const = true,
            Kind::Volatile => quals.is_volatile = true,
            Kind::Restrict => quals.is_restrict = true,
            Kind::Atomic => quals.is_atomic = true,
            _ => return false,
        }
        self.bump();
        true
    }

    fn typeof_specifier(&mut self) -> Parse<TypeSpec<'a>> {
        self.bump();
        self.expect(Kind::LParen, " after `typeof`")?;
        let ty = if self.at_type() {
            TypeSpec::TypeofType(Box::new(self.type_name()?))
        } else {
            TypeSpec::TypeofExpr(Box::new(self.expr()?))
        };
        self.expect(Kind::RParen, " after operand of `typeof`")?;
        Ok(ty)
    }

    fn atomic_specifier(&mut self) -> Parse<TypeSpec<'a>> {
        self.bump();
        self.bump();
        let ty = self.type_name()?;
        self.expect(Kind::RParen, " after type")?;
        Ok(TypeSpec::Atomic(Box::new(ty)))
    }

    fn tag(&mut self) -> Option<&'a str> {
        let tag = self.at(Kind::Ident).then(|| self.peek_text(0));
        if tag.is_some() {
            self.bump();
        }
        tag
    }

    /// `struct` or `union`.
    fn record(&mut self) -> Parse<TypeSpec<'a>> {
        let is_union = self.at(Kind::Union);
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        // Taken at the beginning of the body; nothing inside changes it.
        let pack = self.pack();
        let mut fields = None;
        if self.at(Kind::LBrace) {
            fields = Some(self.fields()?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return self.fail_expected("tag or `{`");
        }
        Ok(TypeSpec::Record { is_union, tag, fields, attributes, pack })
    }

    fn fields(&mut self) -> Parse<Vec<Declaration<'a>>> {
        let opened_at = self.bump();
        let mut fields = Vec::new();
        while !self.eat(Kind::RBrace) {
            if self.eat(Kind::Semi) {
                continue;
            }
            if self.at(Kind::Eof) {
                return self.fail_unclosed(Kind::RBrace, opened_at);
            }
            let start = self.position();
            if self.at_static_assert() {
                // Checked where the header is compiled; the tree has no place for it.
                if self.static_assert().is_err() {
                    self.recover_item(start);
                }
                continue;
            }
            match self.field() {
                Ok(field) => fields.push(field),
                Err(Failed) => self.recover_item(start),
            }
        }
        Ok(fields)
    }

    /// Fields that share their specifiers.
    fn field(&mut self) -> Parse<Declaration<'a>> {
        let at = self.here();
        let start = self.position();
        let specifiers = self.specifiers(SpecifierContext::Outside)?;
        if self.position() == start {
            return self.fail_expected("field or `}`");
        }
        let mut declarators = Vec::new();
        while !matches!(self.kind(), Kind::Semi | Kind::RBrace) {
            declarators.push(self.field_declarator()?);
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        if !self.at(Kind::RBrace) {
            self.expect(Kind::Semi, " after field")?;
        }
        Ok(Declaration { at, specifiers, declarators })
    }

    fn field_declarator(&mut self) -> Parse<InitDeclarator<'a>> {
        let mut declarator = match self.kind() {
            Kind::Colon => Declarator { at: self.here(), ..Declarator::default() },
            _ => self.named_declarator("name of a field")?,
        };
        let bits = if self.eat(Kind::Colon) { Some(self.conditional()?) } else { None };
        self.attributes(&mut declarator.attributes)?;
        Ok(InitDeclarator { declarator, bits, init: None })
    }

    fn enumeration(&mut self) -> Parse<TypeSpec<'a>> {
        self.bump();
        let mut attributes = Vec::new();
        self.attributes(&mut attributes)?;
        let tag = self.tag();
        if self.at(Kind::Colon) && self.type_begins(1) {
            self.bump();
            attributes.push(self.underlying_type()?);
        }
        let mut items = None;
        if self.eat(Kind::LBrace) {
            items = Some(self.enumerators()?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return self.fail_expected("tag or `{`");
        }
        Ok(TypeSpec::Enum { tag, items, attributes })
    }

    fn enumerators(&mut self) -> Parse<Vec<EnumItem<'a>>> {
        let mut items = Vec::new();
        while !self.eat(Kind::RBrace) {
            let at = self.here();
            let name = self.identifier("enumerator or `}`")?;
            self.skip_attributes()?;
            let value = if self.eat(Kind::Eq) { Some(self.conditional()?) } else { None };
            self.scopes.declare(name, Meaning::Value);
            items.push(EnumItem { at, name, value });
            if !self.eat(Kind::Comma) {
                self.expect(Kind::RBrace, " after enumerators")?;
                break;
            }
        }
        Ok(items)
    }
}
