//! The locations of a function from tokens.
//!
//! Labels can be used before they stand anywhere. While a body is read, a `LocId` in an action is the number of a
//! [`Target`]; when all locations are known, the targets take its place.

use super::lex::Token;
use super::names::is_reserved;
use super::parse::{Parsed, Parser};
use super::print_expr::register_width;
use crate::{
    Action, Callee, Expr, FuncId, LocId, Location, Op, Property, SignedOp, Storage, Sync, SyncKind,
    Undefined, UndefinedKind, VarId, Width,
};
use base::{Idx, IdxVec};
use rustc_hash::FxHashMap;

/// Where an action goes on, and the token that says so.
enum Target {
    /// At a label.
    Label(String, usize),
    /// At the location after this one.
    After(LocId, usize),
}

/// The part of a body that has been read.
#[derive(Default)]
struct Body {
    locations: IdxVec<LocId, Location>,
    labels: FxHashMap<String, LocId>,
    targets: Vec<Target>,
}

impl Body {
    fn target(&mut self, target: Target) -> LocId {
        self.targets.push(target);
        LocId::new(self.targets.len() - 1)
    }
}

impl Parser {
    /// The locations of `func`, up to the closing brace; it starts at the label `entry` or at the first location.
    pub(super) fn body(&mut self, func: FuncId, entry: Option<String>) -> Parsed<()> {
        self.current = func;
        let vars = self.program.functions[func].vars.iter_enumerated();
        self.vars = vars.map(|(id, var)| (var.name.clone(), id)).collect();
        let start = self.position();
        let mut body = Body::default();
        while !self.eat("}") {
            self.location(&mut body)?;
        }
        if body.locations.is_empty() {
            return Err(self.error_before("a function should have a location"));
        }
        let mut locations = std::mem::take(&mut body.locations);
        let n_locations = locations.len();
        for location in locations.iter_mut() {
            for next in location.action.successors_mut() {
                *next = self.resolve_target(&body, &body.targets[next.index()], n_locations)?;
            }
        }
        let entry = match entry {
            Some(label) => self.resolve_target(&body, &Target::Label(label, start), n_locations)?,
            None => LocId(0),
        };
        let function = &mut self.program.functions[func];
        (function.locations, function.entry) = (locations, entry);
        Ok(())
    }

    fn resolve_target(&self, body: &Body, target: &Target, n_locations: usize) -> Parsed<LocId> {
        match target {
            Target::Label(label, lexeme) => {
                let missing = || self.error_at(*lexeme, format!("there is no location {label}"));
                body.labels.get(label).copied().ok_or_else(missing)
            }
            Target::After(loc, _) if loc.index() + 1 < n_locations => Ok(LocId::new(loc.index() + 1)),
            Target::After(_, lexeme) => {
                Err(self.error_at(*lexeme, "the last location should say where it goes on: -> label"))
            }
        }
    }

    fn location(&mut self, body: &mut Body) -> Parsed<()> {
        if matches!(self.peek(), Token::Word(_) | Token::Quoted(_))
            && matches!(self.peek_ahead(1), Token::Sign(":"))
        {
            let label = self.name()?;
            if body.labels.insert(label.clone(), body.locations.next_id()).is_some() {
                return Err(self.error_before(format!("there are two locations {label}")));
            }
            self.expect(":")?;
        }
        let action = self.action(body)?;
        let span = self.span()?;
        body.locations.push(Location { action, span });
        Ok(())
    }

    fn action(&mut self, body: &mut Body) -> Parsed<Action> {
        if let Some(word) = self.peek_word() {
            match word {
                "if" => return self.branch(body),
                "call" => return self.call(None, body),
                "return" | "thread_exit" | "exit" | "error" | "unsupported" | "undefined" => {
                    return self.end();
                }
                _ => {}
            }
        }
        let assigns_call = matches!(self.peek_ahead(1), Token::Sign("="))
            && matches!(self.peek_ahead(2), Token::Word(word) if word == "call");
        if assigns_call {
            let ret = self.variable()?;
            self.expect("=")?;
            return self.call(Some(ret), body);
        }
        let sync = if self.eat("#") { Some(self.sync()?) } else { None };
        let mut ops = Vec::new();
        loop {
            if self.eat_word("goto") {
                let next = self.label(body)?;
                return Ok(Action::Ops { ops, sync, next });
            }
            if !self.eat_word("skip") {
                ops.push(self.op()?);
            }
            if !self.eat(";") {
                break;
            }
        }
        Ok(Action::Ops { ops, sync, next: self.next(body)? })
    }

    /// An action without successors.
    fn end(&mut self) -> Parsed<Action> {
        match self.word()?.as_str() {
            "return" => {
                let nothing = self.starts_line() || matches!(self.peek(), Token::Sign("@" | "}"));
                let expected = self.program.functions[self.current].ret;
                Ok(Action::Return(if nothing { None } else { Some(self.expr(expected)?) }))
            }
            "thread_exit" => Ok(Action::ThreadExit(self.expr(Some(self.pointer()))?)),
            "exit" => Ok(Action::Exit),
            "error" => {
                let property = self.property()?;
                Ok(Action::Error { property, message: self.string()? })
            }
            "undefined" => Ok(Action::Undefined(self.undefined()?)),
            _ => Ok(Action::Unsupported(self.string()?)),
        }
    }

    /// What is undefined: a kind, unless it is any other, and a text.
    fn undefined(&mut self) -> Parsed<Undefined> {
        if self.peek_word().is_none() {
            return Ok(Undefined::new(UndefinedKind::Other, self.string()?));
        }
        let name = self.dashed_name()?;
        let kind = UndefinedKind::named(&name);
        let kind =
            kind.ok_or_else(|| self.error_before(format!("there is no undefined behaviour {name}")))?;
        Ok(Undefined::new(kind, self.string()?))
    }

    /// Words with dashes.
    fn dashed_name(&mut self) -> Parsed<String> {
        let mut name = self.word()?;
        while self.eat("-") {
            name = format!("{name}-{}", self.word()?);
        }
        Ok(name)
    }

    fn property(&mut self) -> Parsed<Property> {
        let name = self.dashed_name()?;
        let property = Property::ALL.iter().find(|(_, n)| *n == name).map(|(property, _)| *property);
        property.ok_or_else(|| self.error_before(format!("there is no property {name}")))
    }

    fn branch(&mut self, body: &mut Body) -> Parsed<Action> {
        self.expect_word("if")?;
        let cond = self.expr(Some(Width::BOOL))?;
        self.expect_word("then")?;
        let yes = self.label(body)?;
        let no = if self.eat_word("else") { self.label(body)? } else { self.following(body) };
        Ok(Action::Branch { cond, yes, no })
    }

    fn call(&mut self, ret: Option<VarId>, body: &mut Body) -> Parsed<Action> {
        self.expect_word("call")?;
        let pointer = Some(self.pointer());
        let (callee, target) = if self.eat("*") {
            self.expect("(")?;
            let address = self.expr(pointer)?;
            self.expect(")")?;
            (Callee::Indirect(address), None)
        } else {
            let name = self.name()?;
            let func = self.resolve_function(&name)?;
            (Callee::Direct(func), Some(func))
        };
        let mut args = Vec::new();
        self.expect("(")?;
        while !self.eat(")") {
            let callee = target.map(|func| &self.program.functions[func]);
            let expected = callee.and_then(|f| register_width(f, *f.params.get(args.len())?));
            args.push(self.expr(expected)?);
            if !self.eat(",") && !self.at_sign(")") {
                return Err(self.expected(", or )"));
            }
        }
        Ok(Action::Call { callee, args, ret, next: self.next(body)? })
    }

    fn sync(&mut self) -> Parsed<Sync> {
        let name = self.word()?;
        let kind = SyncKind::ALL.iter().find(|(_, n)| *n == name).map(|(kind, _)| *kind);
        let kind = kind.ok_or_else(|| self.error_before(format!("there is no synchronisation {name}")))?;
        let [object] = self.arguments([self.pointer()])?;
        Ok(Sync { kind, object })
    }

    /// `-> label`, or else the next location.
    fn next(&mut self, body: &mut Body) -> Parsed<LocId> {
        if self.eat("->") { self.label(body) } else { Ok(self.following(body)) }
    }

    fn following(&self, body: &mut Body) -> LocId {
        body.target(Target::After(body.locations.next_id(), self.position()))
    }

    fn label(&mut self, body: &mut Body) -> Parsed<LocId> {
        let label = self.name()?;
        Ok(body.target(Target::Label(label, self.position() - 1)))
    }

    /// A variable of the current function.
    fn variable(&mut self) -> Parsed<VarId> {
        let name = self.name()?;
        let var = self.vars.get(&name).copied();
        var.ok_or_else(|| self.error_before(format!("there is no variable {name}")))
    }

    /// Expressions in parentheses, in places that ask for these widths.
    fn arguments<const N: usize>(&mut self, widths: [Width; N]) -> Parsed<[Expr; N]> {
        self.expect("(")?;
        let mut exprs = Vec::new();
        for (n, width) in widths.into_iter().enumerate() {
            if n > 0 {
                self.expect(",")?;
            }
            exprs.push(self.expr(Some(width))?);
        }
        self.expect(")")?;
        Ok(exprs.try_into().expect("there should be an expression for each width"))
    }

    fn op(&mut self) -> Parsed<Op> {
        if self.eat("[") {
            return self.store();
        }
        let pointer = self.pointer();
        let word = match self.peek_word() {
            Some(word) if is_reserved(word) => word.to_string(),
            _ => return self.assignment(),
        };
        self.advance();
        Ok(match word.as_str() {
            "havoc" => Op::Havoc { var: self.variable()? },
            "forget" => Op::Forget { var: self.variable()?, alive: true },
            "end_life" => Op::Forget { var: self.variable()?, alive: false },
            "guard" => Op::Guard(self.expr(Some(Width::BOOL))?),
            "assume" => Op::Assume(self.expr(Some(Width::BOOL))?),
            "copy" => {
                let [dst, src, len] = self.arguments([pointer; 3])?;
                Op::Copy { dst, src, len }
            }
            "fill" => {
                let [dst, byte, len] = self.arguments([pointer, Width::BYTE, pointer])?;
                Op::Fill { dst, byte, len }
            }
            "free" => {
                let [address] = self.arguments([pointer])?;
                Op::Free(address)
            }
            "atomic_begin" => Op::AtomicBegin,
            "atomic_end" => Op::AtomicEnd,
            "fence" => Op::Fence(self.barrier()?),
            "wait_begin" => {
                let [cond] = self.arguments([pointer])?;
                Op::WaitBegin(cond)
            }
            "wait_end" => self.wait_end(None),
            "signal" | "broadcast" => {
                let [cond] = self.arguments([pointer])?;
                Op::Signal { cond, all: word == "broadcast" }
            }
            "signed" => return self.signed(),
            _ => return Err(self.error_before(format!("{word} starts no operation"))),
        })
    }

    /// The rest of `signed add(e, e)`.
    fn signed(&mut self) -> Parsed<Op> {
        let name = self.word()?;
        let op = SignedOp::ALL.iter().find(|(_, n)| *n == name).map(|(op, _)| *op);
        let op = op.ok_or_else(|| self.error_before(format!("there is no signed operation {name}")))?;
        self.expect("(")?;
        let left = self.expr(None)?;
        self.expect(",")?;
        let right = self.expr(Some(left.width()))?;
        let span = self.span()?;
        self.expect(")")?;
        Ok(Op::Signed { op, left, right, span })
    }

    /// The rest of `[e]:32 = e`.
    fn store(&mut self) -> Parsed<Op> {
        let addr = self.expr(Some(self.pointer()))?;
        self.expect("]")?;
        self.expect(":")?;
        let width = self.width()?;
        let order = self.order_mark()?;
        self.expect("=")?;
        let start = self.position();
        let value = self.expr(Some(width))?;
        if value.width() != width {
            let message = format!("a value of {} bits is stored as {width}", value.width());
            return Err(self.error_at(start, message));
        }
        Ok(Op::Store { addr, value, order })
    }

    /// What starts with a variable.
    fn wait_end(&mut self, woken: Option<VarId>) -> Op {
        Op::WaitEnd { timed: !self.starts_line() && self.eat_word("timed"), woken }
    }

    fn assignment(&mut self) -> Parsed<Op> {
        let var = self.variable()?;
        let pointer = self.pointer();
        if self.eat(",") {
            let error = self.variable()?;
            self.expect("=")?;
            self.expect_word("join")?;
            let [handle] = self.arguments([pointer])?;
            return Ok(Op::Join { handle, result: var, error });
        }
        self.expect("=")?;
        let word = self.peek_word().unwrap_or_default().to_string();
        if self.eat_word("wait_end") {
            return Ok(self.wait_end(Some(var)));
        }
        if !matches!(word.as_str(), "alloc" | "alloca" | "library_alloc" | "realloc" | "create" | "detach") {
            let expected = register_width(&self.program.functions[self.current], var);
            return Ok(Op::Set { var, value: self.expr(expected)? });
        }
        self.advance();
        if word == "create" {
            let [func, arg] = self.arguments([pointer; 2])?;
            return Ok(Op::Create { handle: var, func, arg });
        }
        if word == "realloc" {
            let [ptr, size, stays] = self.arguments([pointer, pointer, Width::BOOL])?;
            return Ok(Op::Realloc { var, ptr, size, stays });
        }
        let [operand] = self.arguments([pointer])?;
        if word == "detach" {
            return Ok(Op::Detach { handle: operand, error: var });
        }
        let storage = match word.as_str() {
            "alloc" => Storage::Heap,
            "alloca" => Storage::Frame,
            _ => Storage::Library,
        };
        let align = if self.eat_word("align") { self.number()? } else { 1 };
        Ok(Op::Alloc { var, size: operand, align, storage })
    }
}
