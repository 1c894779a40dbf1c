//! Terms as C programmers read them: `x <=s 5`, `a[i]`, `!lock || x == y`.
//!
//! Signed operations carry an `s`, unsigned ones a `u`; `==`, `+` and the like are the same for both. A term is a
//! graph and its text a tree, which can be exponentially larger: the text ends with `…` after [`MAX_TEXT`] characters.

use super::rules_bits::readable;
use super::{Op, Term, Terms, mask, signed};

/// Where the text of a term is cut off.
const MAX_TEXT: usize = 20_000;

/// A piece of text still to be written. The stack of pieces replaces recursion.
enum Piece {
    Text(String),
    /// A term and how tightly its surroundings bind.
    Term(Term, u8),
    /// The negation of a term.
    Negated(Term, u8),
}

const CHOICE: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const EQUALITY: u8 = 7;
const ORDER: u8 = 8;
const SUM: u8 = 10;
const PRODUCT: u8 = 11;
const UNARY: u8 = 12;

impl Terms {
    /// The text of `term`.
    pub fn show(&self, term: Term) -> String {
        let mut text = String::new();
        let mut stack = vec![Piece::Term(term, 0)];
        while let Some(piece) = stack.pop() {
            if text.len() > MAX_TEXT {
                text.push('…');
                return text;
            }
            let mut pieces = match piece {
                Piece::Text(t) => {
                    text.push_str(&t);
                    continue;
                }
                Piece::Term(t, outer) => self.pieces(t, outer),
                Piece::Negated(t, outer) => self.negated(t, outer),
            };
            pieces.reverse();
            stack.append(&mut pieces);
        }
        text
    }

    fn pieces(&self, t: Term, outer: u8) -> Vec<Piece> {
        let kids = self.kids(t);
        let infix = |sign: &str, level: u8| wrap(separated(kids, sign, level + 1), level, outer);
        match self.op(t) {
            Op::Bool(b) => text(b.to_string()),
            Op::Const(c) => text(readable(c, self.width(t))),
            Op::Var(symbol) => text(self.name(symbol).to_owned()),
            Op::Not => self.negated(kids[0], outer),
            Op::And => wrap(separated(kids, " && ", AND), AND, outer),
            Op::Eq => infix(" == ", EQUALITY),
            Op::Ite => wrap(choice(kids), CHOICE, outer),
            Op::Ult => infix(" <u ", ORDER),
            Op::Ule => infix(" <=u ", ORDER),
            Op::Slt => infix(" <s ", ORDER),
            Op::Sle => infix(" <=s ", ORDER),
            Op::Add => wrap(self.sum_pieces(kids), SUM, outer),
            Op::Mul => wrap(self.product_pieces(kids), PRODUCT, outer),
            Op::Udiv => infix(" /u ", PRODUCT),
            Op::Urem => infix(" %u ", PRODUCT),
            Op::Sdiv => infix(" /s ", PRODUCT),
            Op::Srem => infix(" %s ", PRODUCT),
            Op::BitNot => around("~", kids[0], UNARY, ""),
            Op::BitAnd => infix(" & ", 6),
            Op::BitOr => infix(" | ", 4),
            Op::BitXor => infix(" ^ ", 5),
            Op::Shl => infix(" << ", 9),
            Op::Lshr => infix(" >>u ", 9),
            Op::Ashr => infix(" >>s ", 9),
            Op::Concat => infix(" ++ ", 9),
            Op::Extract { hi, lo } => around("", kids[0], UNARY, &format!("[{hi}:{lo}]")),
            Op::Zext(width) => around(&format!("u{width}("), kids[0], 0, ")"),
            Op::Sext(width) => around(&format!("s{width}("), kids[0], 0, ")"),
            Op::Select => {
                [around("", kids[0], UNARY, "["), around("", kids[1], 0, "]")].into_iter().flatten().collect()
            }
            Op::Store => {
                [around("", kids[0], UNARY, "["), around("", kids[1], 0, " := "), around("", kids[2], 0, "]")]
                    .into_iter()
                    .flatten()
                    .collect()
            }
            Op::ConstArray(_) => around("{", kids[0], 0, "}"),
        }
    }

    fn negated(&self, t: Term, outer: u8) -> Vec<Piece> {
        let kids = self.kids(t);
        match self.op(t) {
            Op::Not => vec![Piece::Term(kids[0], outer)],
            Op::And => {
                let mut all = Vec::new();
                for (n, &kid) in kids.iter().enumerate() {
                    if n > 0 {
                        all.push(Piece::Text(" || ".to_owned()));
                    }
                    all.push(Piece::Negated(kid, OR));
                }
                wrap(all, OR, outer)
            }
            Op::Eq => wrap(separated(kids, " != ", EQUALITY + 1), EQUALITY, outer),
            Op::Ult => wrap(separated(&swapped(kids), " <=u ", ORDER + 1), ORDER, outer),
            Op::Ule => wrap(separated(&swapped(kids), " <u ", ORDER + 1), ORDER, outer),
            Op::Slt => wrap(separated(&swapped(kids), " <=s ", ORDER + 1), ORDER, outer),
            Op::Sle => wrap(separated(&swapped(kids), " <s ", ORDER + 1), ORDER, outer),
            _ => around("!", t, UNARY, ""),
        }
    }

    /// A sum with its negative summands subtracted.
    fn sum_pieces(&self, kids: &[Term]) -> Vec<Piece> {
        let mut all = Vec::new();
        for (n, &kid) in kids.iter().enumerate() {
            let width = self.width(kid);
            let coefficient = match self.op(kid) {
                Op::Mul => self.as_const(self.kid(kid, 0)),
                op => {
                    if let Op::Const(c) = op {
                        Some(c)
                    } else {
                        None
                    }
                }
            };
            let negative = coefficient.filter(|&c| n > 0 && width > 1 && signed(c, width) < 0);
            let Some(c) = negative else {
                all.push(Piece::Text(if n > 0 { " + " } else { "" }.to_owned()));
                all.push(Piece::Term(kid, SUM));
                continue;
            };
            let positive = c.wrapping_neg() & mask(width);
            all.push(Piece::Text(" - ".to_owned()));
            if self.op(kid) != Op::Mul {
                all.push(Piece::Text(positive.to_string()));
                continue;
            }
            if positive != 1 {
                all.push(Piece::Text(format!("{positive}*")));
            }
            all.push(Piece::Term(self.kid(kid, 1), UNARY));
        }
        all
    }

    fn product_pieces(&self, kids: &[Term]) -> Vec<Piece> {
        let width = self.width(kids[0]);
        if self.as_const(kids[0]) == Some(mask(width)) {
            return around("-", kids[1], UNARY, "");
        }
        separated(kids, "*", PRODUCT + 1)
    }
}

fn swapped(kids: &[Term]) -> [Term; 2] {
    [kids[1], kids[0]]
}

fn text(text: String) -> Vec<Piece> {
    vec![Piece::Text(text)]
}

fn around(before: &str, t: Term, level: u8, after: &str) -> Vec<Piece> {
    vec![Piece::Text(before.to_owned()), Piece::Term(t, level), Piece::Text(after.to_owned())]
}

fn separated(kids: &[Term], sign: &str, level: u8) -> Vec<Piece> {
    let mut all = Vec::new();
    for (n, &kid) in kids.iter().enumerate() {
        if n > 0 {
            all.push(Piece::Text(sign.to_owned()));
        }
        all.push(Piece::Term(kid, level));
    }
    all
}

fn choice(kids: &[Term]) -> Vec<Piece> {
    let mut all = around("", kids[0], OR, " ? ");
    all.extend(around("", kids[1], OR, " : "));
    all.extend(around("", kids[2], CHOICE, ""));
    all
}

fn wrap(mut pieces: Vec<Piece>, level: u8, outer: u8) -> Vec<Piece> {
    if level < outer {
        pieces.insert(0, Piece::Text("(".to_owned()));
        pieces.push(Piece::Text(")".to_owned()));
    }
    pieces
}
