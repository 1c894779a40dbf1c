//! Declarations, function definitions and initialisers.

use super::cursor::{Parse, Parser};
use super::scope::Meaning;
use super::specifiers::SpecifierContext;
use crate::ast::{
    At, Declaration, Declarator, Derivation, Designator, Expr, External, FunctionDef, Init, InitDeclarator,
    InitItem, Params, Specifiers, Stmt, StmtKind, StorageClass,
};
use crate::lex::Kind;

/// What specifiers turned out to begin.
enum Declared<'a> {
    Objects(Declaration<'a>),
    Function(FunctionDef<'a>),
}

impl<'a> Parser<'_, 'a> {
    /// A declaration or function definition at file scope.
    pub(super) fn external_declaration(&mut self) -> Parse<External<'a>> {
        let at = self.here();
        let start = self.position();
        let specifiers = self.specifiers(SpecifierContext::Outside)?;
        if self.position() == start && !matches!(self.kind(), Kind::Ident | Kind::Star | Kind::LParen) {
            return self.fail_expected("declaration");
        }
        Ok(match self.declarators(at, specifiers)? {
            Declared::Objects(declaration) => External::Decl(declaration),
            Declared::Function(function) => External::Function(function),
        })
    }

    /// A declaration or nested function among statements. `__attribute__((fallthrough));` is an empty statement.
    pub(super) fn local_declaration(&mut self) -> Parse<Stmt<'a>> {
        let at = self.here();
        let specifiers = self.specifiers(SpecifierContext::Statement)?;
        let only_attributes = specifiers.ty.is_none() && specifiers.storage.is_none();
        if only_attributes && self.eat(Kind::Semi) {
            return Ok(Stmt { at, kind: StmtKind::Empty });
        }
        let kind = match self.declarators(at, specifiers)? {
            Declared::Objects(declaration) => StmtKind::Decl(declaration),
            Declared::Function(function) => StmtKind::Function(Box::new(function)),
        };
        Ok(Stmt { at, kind })
    }

    /// What follows the specifiers: declarators up to `;`, or one declarator and a function's body.
    fn declarators(&mut self, at: At, specifiers: Specifiers<'a>) -> Parse<Declared<'a>> {
        let meaning = match specifiers.storage {
            Some(StorageClass::Typedef) => Meaning::Type,
            _ => Meaning::Value,
        };
        let mut declarators = Vec::new();
        if self.eat(Kind::Semi) {
            return Ok(Declared::Objects(Declaration { at, specifiers, declarators }));
        }
        loop {
            let declarator = self.named_declarator("name in declaration")?;
            self.scopes.declare(declarator.name.unwrap_or_default(), meaning);
            if declarators.is_empty() && meaning == Meaning::Value && self.at_body(&declarator) {
                return self.function(at, specifiers, declarator).map(Declared::Function);
            }
            let init = if self.eat(Kind::Eq) { Some(self.initializer()?) } else { None };
            declarators.push(InitDeclarator { declarator, bits: None, init });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Semi, " after declaration")?;
        Ok(Declared::Objects(Declaration { at, specifiers, declarators }))
    }

    /// Returns true if the declarator, that of a function, is followed by a body or declarations of K&R parameters.
    fn at_body(&self, declarator: &Declarator<'a>) -> bool {
        let Some(Derivation::Function(params)) = declarator.derivations.first() else { return false };
        let old_style = !params.names.is_empty();
        self.at(Kind::LBrace)
            || old_style && (self.at_type() || self.at_unknown_type(SpecifierContext::Outside, true))
    }

    fn function(
        &mut self,
        at: At,
        specifiers: Specifiers<'a>,
        declarator: Declarator<'a>,
    ) -> Parse<FunctionDef<'a>> {
        let (knr, body) = self.scoped(|p| {
            if let Some(Derivation::Function(params)) = declarator.derivations.first() {
                p.declare_parameters(params);
            }
            let mut knr = Vec::new();
            while !p.at(Kind::LBrace) {
                knr.push(p.old_style_declaration()?);
            }
            Ok((knr, p.nested(|p| p.block_items())?))
        })?;
        Ok(FunctionDef { at, specifiers, declarator, knr, body, end: self.before() })
    }

    fn declare_parameters(&mut self, params: &Params<'a>) {
        let declared =
            params.params.iter().flat_map(|param| &param.declarators).filter_map(|it| it.declarator.name);
        for name in declared.chain(params.names.iter().copied()) {
            self.scopes.declare(name, Meaning::Value);
        }
    }

    /// The declaration of K&R parameters between a function's declarator and its body.
    fn old_style_declaration(&mut self) -> Parse<Declaration<'a>> {
        let at = self.here();
        let start = self.position();
        let specifiers = self.specifiers(SpecifierContext::Outside)?;
        if self.position() == start {
            return self.fail_expected("body of the function");
        }
        let mut declarators = Vec::new();
        while !self.at(Kind::Semi) {
            let declarator = self.named_declarator("name of a parameter")?;
            declarators.push(InitDeclarator { declarator, bits: None, init: None });
            if !self.eat(Kind::Comma) {
                break;
            }
        }
        self.expect(Kind::Semi, " after declaration of parameters")?;
        Ok(Declaration { at, specifiers, declarators })
    }

    /// Returns true if a static assertion begins here; `static_assert` may also be a function of the program.
    pub(super) fn at_static_assert(&self) -> bool {
        match self.kind() {
            Kind::StaticAssert => true,
            Kind::Ident => {
                self.peek(1) == Kind::LParen
                    && self.peek_text(0) == "static_assert"
                    && self.scopes.meaning("static_assert").is_none()
            }
            _ => false,
        }
    }

    /// `_Static_assert(condition, "message");`, the message being optional.
    pub(super) fn static_assert(&mut self) -> Parse<Expr<'a>> {
        self.bump();
        self.expect(Kind::LParen, " after `_Static_assert`")?;
        let condition = self.assignment()?;
        if self.eat(Kind::Comma) {
            self.strings()?;
        }
        self.expect(Kind::RParen, " after static assertion")?;
        self.expect(Kind::Semi, " after static assertion")?;
        Ok(condition)
    }

    fn initializer(&mut self) -> Parse<Init<'a>> {
        if !self.at(Kind::LBrace) {
            return Ok(Init::Expr(self.assignment()?));
        }
        let at = self.here();
        Ok(Init::List(at, self.initializer_list()?))
    }

    /// A braced initialiser.
    pub(super) fn initializer_list(&mut self) -> Parse<Vec<InitItem<'a>>> {
        self.nested(|p| {
            let opened_at = p.expect(Kind::LBrace, "")?;
            let mut items = Vec::new();
            while !p.eat(Kind::RBrace) {
                if p.at(Kind::Eof) {
                    return p.fail_unclosed(Kind::RBrace, opened_at);
                }
                let designators = p.designators()?;
                items.push(InitItem { designators, init: p.initializer()? });
                if !p.eat(Kind::Comma) {
                    p.expect(Kind::RBrace, " after initialisers")?;
                    break;
                }
            }
            Ok(items)
        })
    }

    /// `.a[1] =`, GNU's `[1 ... 2] =` and `a:`, and none at all.
    fn designators(&mut self) -> Parse<Vec<Designator<'a>>> {
        if self.at(Kind::Ident) && self.peek(1) == Kind::Colon {
            let field = self.identifier("name of a field")?;
            self.bump();
            return Ok(vec![Designator::Field(field)]);
        }
        let mut designators = Vec::new();
        while matches!(self.kind(), Kind::Dot | Kind::LBracket) {
            designators.push(self.designator()?);
        }
        if !designators.is_empty() {
            // Old GNU style has no `=` behind `[1]`.
            self.eat(Kind::Eq);
        }
        Ok(designators)
    }

    /// `.a`, `[1]` or `[1 ... 2]`.
    pub(super) fn designator(&mut self) -> Parse<Designator<'a>> {
        if self.eat(Kind::Dot) {
            return Ok(Designator::Field(self.identifier("name of a field")?));
        }
        self.bump();
        let first = self.conditional()?;
        let designator = match self.eat(Kind::Ellipsis) {
            true => Designator::Range(first, self.conditional()?),
            false => Designator::Index(first),
        };
        self.expect(Kind::RBracket, " after index")?;
        Ok(designator)
    }
}
