//! Expressions from tokens.
//!
//! Nothing here recurses, since expressions can be a thousand operators deep. An operator-precedence parser with its own stack
//! appends nodes to a list, parts before wholes. Then widths asked for by the surroundings are handed down the list,
//! back to front, and expressions are built up, front to back.

use super::lex::Token;
use super::parse::{Parsed, Parser, constant};
use super::print_expr::register_width;
use super::{CASTS, DEFAULT_WIDTH, OPERATORS, ORDERS, SYNONYMS};
use crate::well_formed::MAX_HEIGHT;
use crate::{Barrier, BinOp, Cast, Expr, Order, RelocTarget, UnOp, Width};

/// The position of a node in the list.
type NodeIdx = usize;

/// A part of an expression whose constants may lack widths.
struct Part {
    shape: Shape,
    /// Its width, unless that depends on the surroundings.
    natural: Option<Width>,
    /// How many operators deep it is.
    height: usize,
    /// Where it stands.
    lexeme: usize,
}

enum Shape {
    Leaf(Expr),
    Bare { negative: bool, magnitude: u128 },
    Load(NodeIdx, Width, Order),
    Unary(UnOp, NodeIdx),
    Binary(BinOp, NodeIdx, NodeIdx),
    Cast(Cast, Width, NodeIdx),
    Ite(NodeIdx, NodeIdx, NodeIdx),
    SameObject(NodeIdx, NodeIdx),
}

/// What waits for operands.
enum Pending {
    Prefix(UnOp),
    Infix { op: BinOp, strength: u8, swapped: bool },
    Open(Bracket),
}

impl Pending {
    /// Returns true if it takes its operand away from an operator of the given strength that follows.
    fn binds(&self, next: u8) -> bool {
        match self {
            Pending::Prefix(_) => true,
            Pending::Infix { strength, .. } => *strength >= next,
            Pending::Open(_) => false,
        }
    }
}

/// What waits for its closing bracket.
enum Bracket {
    Group,
    Load,
    Cast(Cast, Width),
    /// With the number of commas so far.
    Ite(u8),
    /// The same.
    SameObject(u8),
}

/// The stacks of the operator-precedence parser.
#[derive(Default)]
struct Stacks {
    nodes: Vec<Part>,
    operands: Vec<NodeIdx>,
    pending: Vec<(Pending, usize)>,
}

impl Parser {
    /// An expression in a place that asks for a value of the width `expected`.
    pub(super) fn expr(&mut self, expected: Option<Width>) -> Parsed<Expr> {
        let mut stacks = Stacks::default();
        loop {
            self.operand(&mut stacks)?;
            if self.operator(&mut stacks)? {
                break;
            }
        }
        self.build(stacks.nodes, expected)
    }

    /// Reads prefixes and opening brackets up to an operand, and that.
    fn operand(&mut self, stacks: &mut Stacks) -> Parsed<()> {
        loop {
            let lexeme = self.position();
            match self.peek().clone() {
                Token::Sign("-") if matches!(self.peek_ahead(1), Token::Int(_) | Token::Float(..)) => {
                    self.advance();
                    return self.literal(true, stacks);
                }
                Token::Int(_) | Token::Float(..) => return self.literal(false, stacks),
                Token::Sign("&") => {
                    let address = self.address_of()?;
                    stacks.leaf(address, lexeme);
                    return Ok(());
                }
                Token::Word(word) if matches!(self.peek_ahead(1), Token::Sign("(")) && word != "self" => {
                    stacks.open(self.function_like(&word)?, lexeme);
                    self.advance();
                }
                Token::Word(_) | Token::Quoted(_) => {
                    let leaf = self.named()?;
                    stacks.leaf(leaf, lexeme);
                    return Ok(());
                }
                Token::Sign("(") => stacks.open(Bracket::Group, lexeme),
                Token::Sign("[") => stacks.open(Bracket::Load, lexeme),
                Token::Sign("-") => stacks.prefix(UnOp::Neg, lexeme),
                Token::Sign("-.") => stacks.prefix(UnOp::FNeg, lexeme),
                Token::Sign("~" | "!") => stacks.prefix(UnOp::Not, lexeme),
                Token::Text(_) | Token::Sign(_) | Token::End => return Err(self.expected("an expression")),
            }
            self.advance();
        }
    }

    /// Reads what follows an operand; says whether the expression is complete.
    fn operator(&mut self, stacks: &mut Stacks) -> Parsed<bool> {
        loop {
            if let Some((op, strength, swapped)) = self.infix() {
                stacks.reduce(strength, self)?;
                stacks.pending.push((Pending::Infix { op, strength, swapped }, self.position()));
                self.advance();
                return Ok(false);
            }
            stacks.reduce(0, self)?;
            let Some((Pending::Open(bracket), lexeme)) = stacks.pending.pop() else { return Ok(true) };
            let expected = match bracket {
                Bracket::Load => "]",
                Bracket::Ite(0 | 1) | Bracket::SameObject(0) => ",",
                Bracket::Group | Bracket::Cast(..) | Bracket::Ite(_) | Bracket::SameObject(_) => ")",
            };
            self.expect(expected)?;
            match bracket {
                Bracket::Group => {}
                Bracket::Load => {
                    self.expect(":")?;
                    let width = self.width()?;
                    let order = self.order_mark()?;
                    let addr = stacks.take();
                    stacks.whole(Shape::Load(addr, width, order), lexeme, self)?;
                }
                Bracket::Cast(kind, width) => {
                    let operand = stacks.take();
                    stacks.whole(Shape::Cast(kind, width, operand), lexeme, self)?;
                }
                Bracket::Ite(commas @ (0 | 1)) => {
                    stacks.open(Bracket::Ite(commas + 1), lexeme);
                    return Ok(false);
                }
                Bracket::Ite(_) => {
                    let (no, yes, cond) = (stacks.take(), stacks.take(), stacks.take());
                    stacks.whole(Shape::Ite(cond, yes, no), lexeme, self)?;
                }
                Bracket::SameObject(0) => {
                    stacks.open(Bracket::SameObject(1), lexeme);
                    return Ok(false);
                }
                Bracket::SameObject(_) => {
                    let (right, left) = (stacks.take(), stacks.take());
                    stacks.whole(Shape::SameObject(left, right), lexeme, self)?;
                }
            }
        }
    }

    /// The infix operator that is next.
    fn infix(&self) -> Option<(BinOp, u8, bool)> {
        let Token::Sign(sign) = self.peek() else { return None };
        let main =
            OPERATORS.iter().find(|(_, s, _)| s == sign).map(|&(op, _, strength)| (op, strength, false));
        let synonym = || SYNONYMS.iter().find(|(_, s, ..)| s == sign);
        main.or_else(|| synonym().map(|&(op, _, strength, swapped)| (op, strength, swapped)))
    }

    /// `!acq` and the like, or nothing.
    pub(super) fn order_mark(&mut self) -> Parsed<Order> {
        if self.eat("!") { self.order() } else { Ok(Order::Plain) }
    }

    /// The name of an order.
    pub(super) fn order(&mut self) -> Parsed<Order> {
        let name = self.word()?;
        let order = ORDERS.iter().find(|(_, n)| *n == name).map(|(order, _)| *order);
        order.ok_or_else(|| self.error_before("a memory order should be plain, rlx, acq, rel, acq_rel or sc"))
    }

    /// The kind of a fence.
    pub(super) fn barrier(&mut self) -> Parsed<Barrier> {
        let name = self.word()?;
        let barrier = Barrier::ALL.iter().find(|(_, n)| *n == name).map(|(barrier, _)| *barrier);
        barrier
            .ok_or_else(|| self.error_before("a fence should be sc, acq_rel, rel, acq, store or instruction"))
    }

    /// The width of a pointer.
    pub(super) fn pointer(&self) -> Width {
        self.program.data_model.pointer()
    }

    fn literal(&mut self, negative: bool, stacks: &mut Stacks) -> Parsed<()> {
        let lexeme = self.position();
        let number = self.peek().clone();
        self.advance();
        match number {
            Token::Float(bits, width) => {
                let sign = u128::from(negative) << (width - 1);
                stacks.leaf(Expr::Const(u128::from(bits) ^ sign, Width(width)), lexeme);
            }
            Token::Int(magnitude) if self.eat(":") => {
                let width = self.width()?;
                let value =
                    constant(negative, magnitude, width).ok_or_else(|| self.does_not_fit(lexeme, width))?;
                stacks.leaf(Expr::Const(value, width), lexeme);
            }
            Token::Int(magnitude) => stacks.push(Shape::Bare { negative, magnitude }, None, 1, lexeme),
            other => unreachable!("{other:?} should be a number"),
        }
        Ok(())
    }

    fn does_not_fit(&self, lexeme: usize, width: Width) -> super::TextError {
        self.error_at(lexeme, format!("this number does not fit {width} bits"))
    }

    /// What `word(` starts.
    fn function_like(&self, word: &str) -> Parsed<Bracket> {
        if word == "ite" {
            return Ok(Bracket::Ite(0));
        }
        if word == "same_object" {
            return Ok(Bracket::SameObject(0));
        }
        let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let name = &word[..word.len() - digits.len()];
        let kind = CASTS.iter().find(|(_, n)| *n == name).map(|(kind, _)| *kind);
        let width = digits.parse().ok().filter(|width| (1..=128).contains(width));
        match (kind, width) {
            (Some(kind), Some(width)) => Ok(Bracket::Cast(kind, Width(width))),
            _ => Err(self.error(format!("there is no operation {word}: should this be a call?"))),
        }
    }

    /// What `&` and the following name stand for.
    fn address_of(&mut self) -> Parsed<Expr> {
        self.expect("&")?;
        let address = self.address()?;
        if let Some(var) = self.resolve_local(&address) {
            return Ok(Expr::LocalAddr(var, self.pointer()));
        }
        Ok(match self.resolve_static(&address)? {
            RelocTarget::Object(object) => Expr::ObjectAddr(object, self.pointer()),
            RelocTarget::Func(func) => Expr::FuncAddr(func, self.pointer()),
        })
    }

    /// A truth value, a register or `self()`.
    fn named(&mut self) -> Parsed<Expr> {
        if self.eat_word("true") {
            return Ok(Expr::Const(1, Width::BOOL));
        }
        if self.eat_word("false") {
            return Ok(Expr::Const(0, Width::BOOL));
        }
        if self.eat_word("self") {
            self.expect("(")?;
            self.expect(")")?;
            return Ok(Expr::SelfHandle(self.pointer()));
        }
        let name = self.name()?;
        let Some(&var) = self.vars.get(&name) else {
            return Err(self.error_before(format!("there is no variable {name}")));
        };
        let Some(width) = register_width(&self.program.functions[self.current], var) else {
            return Err(self.error_before(format!("{name} is in memory, to be read as [&{name}]:32 or so")));
        };
        Ok(Expr::Reg(var, width))
    }

    /// The expression whose parts are `nodes`, in a place that asks for the width `expected`.
    fn build(&self, nodes: Vec<Part>, expected: Option<Width>) -> Parsed<Expr> {
        let asked = self.widths_asked_for(&nodes, expected);
        let mut built: Vec<Option<Expr>> = Vec::with_capacity(nodes.len());
        for (node, asked) in nodes.into_iter().zip(asked) {
            let mut take = |part: NodeIdx| {
                Box::new(built[part].take().expect("every part should be built and used once"))
            };
            let expr = match node.shape {
                Shape::Leaf(expr) => expr,
                Shape::Bare { negative, magnitude } => {
                    let width = asked.unwrap_or(DEFAULT_WIDTH);
                    let value = constant(negative, magnitude, width);
                    Expr::Const(value.ok_or_else(|| self.does_not_fit(node.lexeme, width))?, width)
                }
                Shape::Load(addr, width, order) => Expr::Load { addr: take(addr), width, order },
                Shape::Unary(op, operand) => Expr::Unary(op, take(operand)),
                Shape::Binary(op, left, right) => Expr::Binary(op, take(left), take(right)),
                Shape::Cast(kind, width, operand) => Expr::Cast(kind, width, take(operand)),
                Shape::Ite(cond, yes, no) => Expr::Ite(take(cond), take(yes), take(no)),
                Shape::SameObject(left, right) => Expr::SameObject(take(left), take(right)),
            };
            built.push(Some(expr));
        }
        Ok(built.pop().flatten().expect("an expression should have a last node"))
    }

    /// For each node, the width that its place asks for: the rule for bare constants in [`super`].
    fn widths_asked_for(&self, nodes: &[Part], expected: Option<Width>) -> Vec<Option<Width>> {
        let mut asked = vec![None; nodes.len()];
        if let Some(root) = asked.last_mut() {
            *root = expected;
        }
        for (n, node) in nodes.iter().enumerate().rev() {
            let either = |l: NodeIdx, r: NodeIdx| nodes[l].natural.or(nodes[r].natural);
            match node.shape {
                Shape::Leaf(_) | Shape::Bare { .. } | Shape::Cast(..) => {}
                Shape::Load(addr, ..) => asked[addr] = Some(self.pointer()),
                Shape::SameObject(left, right) => {
                    (asked[left], asked[right]) = (Some(self.pointer()), Some(self.pointer()));
                }
                Shape::Unary(_, operand) => asked[operand] = asked[n],
                Shape::Binary(op, left, right) => {
                    let from_place = if op.is_comparison() { None } else { asked[n] };
                    let width = either(left, right).or(from_place);
                    (asked[left], asked[right]) = (width, width);
                }
                Shape::Ite(cond, yes, no) => {
                    let width = either(yes, no).or(asked[n]);
                    (asked[cond], asked[yes], asked[no]) = (Some(Width::BOOL), width, width);
                }
            }
        }
        asked
    }
}

impl Stacks {
    fn push(&mut self, shape: Shape, natural: Option<Width>, height: usize, lexeme: usize) {
        self.operands.push(self.nodes.len());
        self.nodes.push(Part { shape, natural, height, lexeme });
    }

    fn leaf(&mut self, expr: Expr, lexeme: usize) {
        let width = expr.width();
        self.push(Shape::Leaf(expr), Some(width), 1, lexeme);
    }

    fn open(&mut self, bracket: Bracket, lexeme: usize) {
        self.pending.push((Pending::Open(bracket), lexeme));
    }

    fn take(&mut self) -> NodeIdx {
        self.operands.pop().expect("an operator should come after its operands")
    }

    fn prefix(&mut self, op: UnOp, lexeme: usize) {
        self.pending.push((Pending::Prefix(op), lexeme));
    }

    /// Applies pending operators that bind at least as strongly as `strength`.
    fn reduce(&mut self, strength: u8, parser: &Parser) -> Parsed<()> {
        while let Some((pending, lexeme)) = self.pending.pop_if(|(pending, _)| pending.binds(strength)) {
            let last = self.take();
            let shape = match pending {
                Pending::Prefix(op) => Shape::Unary(op, last),
                Pending::Infix { op, swapped: false, .. } => Shape::Binary(op, self.take(), last),
                Pending::Infix { op, swapped: true, .. } => Shape::Binary(op, last, self.take()),
                Pending::Open(_) => unreachable!("an open bracket should not bind"),
            };
            self.whole(shape, lexeme, parser)?;
        }
        Ok(())
    }

    /// Appends a node with parts.
    fn whole(&mut self, shape: Shape, lexeme: usize, parser: &Parser) -> Parsed<()> {
        let node = |n: NodeIdx| &self.nodes[n];
        let (natural, height) = match shape {
            Shape::Leaf(_) | Shape::Bare { .. } => unreachable!("leaves should have no parts"),
            Shape::Load(part, width, _) | Shape::Cast(_, width, part) => (Some(width), node(part).height),
            Shape::Unary(_, part) => (node(part).natural, node(part).height),
            Shape::Binary(op, l, r) => {
                let natural =
                    if op.is_comparison() { Some(Width::BOOL) } else { node(l).natural.or(node(r).natural) };
                (natural, node(l).height.max(node(r).height))
            }
            Shape::SameObject(l, r) => (Some(Width::BOOL), node(l).height.max(node(r).height)),
            Shape::Ite(c, l, r) => {
                let height = node(c).height.max(node(l).height).max(node(r).height);
                (node(l).natural.or(node(r).natural), height)
            }
        };
        if height >= MAX_HEIGHT {
            return Err(
                parser.error_at(lexeme, format!("this expression is more than {MAX_HEIGHT} operators deep"))
            );
        }
        self.push(shape, natural, height + 1, lexeme);
        Ok(())
    }
}
