//! Terms of SMT-LIB.

use super::Sexp;
use crate::{Sort, Term, Terms, Width};
use std::collections::BTreeMap;

/// What a name means.
#[derive(Clone, Default)]
pub(super) struct Scope {
    pub(super) names: BTreeMap<String, Term>,
    /// Abbreviations: parameters and body.
    pub(super) defined: BTreeMap<String, (Vec<(String, Sort)>, Sexp)>,
}

pub(super) fn sort(s: &Sexp) -> Result<Sort, String> {
    let refused =
        || Err(format!("sort {}: only Bool, bit-vectors and arrays of them have a model here", s.text()));
    match s {
        Sexp::Word(word) if word == "Bool" => Ok(Sort::Bool),
        Sexp::Word(_) => refused(),
        Sexp::List(list) => match list.as_slice() {
            [Sexp::Word(underscore), Sexp::Word(name), width] if underscore == "_" && name == "BitVec" => {
                Ok(Sort::Bits(number(width).and_then(in_width)?))
            }
            [Sexp::Word(name), index, element] if name == "Array" => match (sort(index)?, sort(element)?) {
                (Sort::Bits(index), Sort::Bits(element)) => Ok(Sort::Array { index, element }),
                _ => refused(),
            },
            _ => refused(),
        },
    }
}

fn in_width(n: u128) -> Result<Width, String> {
    let width = Width::try_from(n).ok().filter(|width| (1..=128).contains(width));
    width.ok_or_else(|| format!("{n} bits are too many or too few"))
}

fn number(s: &Sexp) -> Result<u128, String> {
    s.word().and_then(|w| w.parse().ok()).ok_or_else(|| format!("{} is no number", s.text()))
}

/// The term of an expression.
pub(super) fn term(terms: &mut Terms, scope: &Scope, s: &Sexp) -> Result<Term, String> {
    match s {
        Sexp::Word(word) => leaf(terms, scope, word),
        Sexp::List(list) => match list.as_slice() {
            [Sexp::Word(name), bindings, body] if name == "let" => {
                let mut inner = scope.clone();
                for binding in bindings.list().ok_or("let without bindings")? {
                    let [name, value] = binding.list().ok_or("a binding should be a pair")? else {
                        return Err("a binding should be a pair".to_owned());
                    };
                    let value = term(terms, scope, value)?;
                    inner.names.insert(name.word().ok_or("a binding without name")?.to_owned(), value);
                }
                term(terms, &inner, body)
            }
            [Sexp::Word(underscore), Sexp::Word(value), width] if underscore == "_" => {
                let bits = value.strip_prefix("bv").and_then(|v| v.parse::<u128>().ok());
                let bits = bits.ok_or_else(|| format!("{} has no model", s.text()))?;
                Ok(terms.constant(bits, number(width).and_then(in_width)?))
            }
            [head, args @ ..] => application(terms, scope, head, args, s),
            [] => Err("an empty application".to_owned()),
        },
    }
}

fn leaf(terms: &mut Terms, scope: &Scope, word: &str) -> Result<Term, String> {
    if let Some(known) = scope.names.get(word) {
        return Ok(*known);
    }
    let literal = |digits: &str, radix: u32, bits: usize| {
        let value = u128::from_str_radix(digits, radix).map_err(|_| format!("{word} is no literal"))?;
        Ok((value, in_width((digits.len() * bits) as u128)?))
    };
    let constant: Result<(u128, Width), String> = match word {
        "true" => return Ok(terms.tt()),
        "false" => return Ok(terms.ff()),
        _ if word.starts_with("#b") => literal(&word[2..], 2, 1),
        _ if word.starts_with("#x") => literal(&word[2..], 16, 4),
        _ if scope.defined.contains_key(word) => {
            return application(
                terms,
                scope,
                &Sexp::Word(word.to_owned()),
                &[],
                &Sexp::Word(word.to_owned()),
            );
        }
        _ => Err(format!("{word} is not known (integers have no model here)")),
    };
    constant.map(|(value, width)| terms.constant(value, width))
}

fn application(
    terms: &mut Terms,
    scope: &Scope,
    head: &Sexp,
    args: &[Sexp],
    whole: &Sexp,
) -> Result<Term, String> {
    let kids: Vec<Term> = args.iter().map(|a| term(terms, scope, a)).collect::<Result<_, _>>()?;
    if let Some((params, body)) = head.word().and_then(|w| scope.defined.get(w)) {
        if params.len() != kids.len() {
            return Err(format!("{} has a wrong number of arguments", whole.text()));
        }
        let mut inner = Scope { names: BTreeMap::new(), defined: scope.defined.clone() };
        for ((name, declared), kid) in params.iter().zip(&kids) {
            if terms.sort(*kid) != *declared {
                return Err(format!("{} has an argument of another sort", whole.text()));
            }
            inner.names.insert(name.clone(), *kid);
        }
        return term(terms, &inner, body);
    }
    apply(terms, head, &kids).ok_or_else(|| format!("{} has no model here", whole.text()))
}

/// An operation of the theory on operands of the right sorts.
fn apply(terms: &mut Terms, head: &Sexp, kids: &[Term]) -> Option<Term> {
    let is_bool = |terms: &Terms| kids.iter().all(|k| terms.sort(*k) == Sort::Bool);
    let same = |terms: &Terms| kids.windows(2).all(|w| terms.sort(w[0]) == terms.sort(w[1]));
    match head {
        Sexp::List(_) => indexed(terms, head, kids),
        Sexp::Word(word) => match (word.as_str(), kids) {
            ("not", [a]) if is_bool(terms) => Some(terms.not(*a)),
            ("and", _) if is_bool(terms) => Some(terms.and(kids)),
            ("or", _) if is_bool(terms) => Some(terms.or(kids)),
            ("xor", [a, b]) if is_bool(terms) => Some(terms.ne(*a, *b)),
            ("=>", [given @ .., then]) if is_bool(terms) => {
                let given = terms.and(given);
                Some(terms.implies(given, *then))
            }
            ("=", [_, ..]) if same(terms) => {
                let pairs: Vec<Term> = kids.windows(2).map(|w| terms.eq(w[0], w[1])).collect();
                Some(terms.and(&pairs))
            }
            ("distinct", [_, ..]) if same(terms) => {
                let mut all = Vec::new();
                for (n, a) in kids.iter().enumerate() {
                    all.extend(kids[n + 1..].iter().map(|b| terms.ne(*a, *b)));
                }
                Some(terms.and(&all))
            }
            ("ite", [c, a, b]) if terms.sort(*c) == Sort::Bool && terms.sort(*a) == terms.sort(*b) => {
                Some(terms.ite(*c, *a, *b))
            }
            ("select", [a, i]) => match terms.sort(*a) {
                Sort::Array { index, .. } if terms.sort(*i) == Sort::Bits(index) => {
                    Some(terms.select(*a, *i))
                }
                _ => None,
            },
            ("store", [a, i, v]) => match terms.sort(*a) {
                Sort::Array { index, element }
                    if terms.sort(*i) == Sort::Bits(index) && terms.sort(*v) == Sort::Bits(element) =>
                {
                    Some(terms.store(*a, *i, *v))
                }
                _ => None,
            },
            (name, _) => bits(terms, name, kids),
        },
    }
}

fn bits(terms: &mut Terms, name: &str, kids: &[Term]) -> Option<Term> {
    if !kids.iter().all(|k| terms.sort(*k).width().is_some()) {
        return None;
    }
    if let ("concat", [a, b]) = (name, kids) {
        let room = u32::from(terms.width(*a)) + u32::from(terms.width(*b)) <= 128;
        return room.then(|| terms.concat(*a, *b));
    }
    if !kids.windows(2).all(|w| terms.sort(w[0]) == terms.sort(w[1])) {
        return None;
    }
    let fold = |terms: &mut Terms, op: fn(&mut Terms, Term, Term) -> Term| {
        let mut rest = kids.iter().copied();
        let first = rest.next()?;
        Some(rest.fold(first, |a, b| op(terms, a, b)))
    };
    match (name, kids) {
        ("bvadd", _) => fold(terms, Terms::add),
        ("bvmul", _) => fold(terms, Terms::mul),
        ("bvand", _) => fold(terms, Terms::bit_and),
        ("bvor", _) => fold(terms, Terms::bit_or),
        ("bvxor", _) => fold(terms, Terms::bit_xor),
        ("bvnot", [a]) => Some(terms.bit_not(*a)),
        ("bvneg", [a]) => Some(terms.neg(*a)),
        (_, [a, b]) => {
            let (a, b) = (*a, *b);
            Some(match name {
                "bvsub" => terms.sub(a, b),
                "bvudiv" => terms.udiv(a, b),
                "bvurem" => terms.urem(a, b),
                "bvsdiv" => terms.sdiv(a, b),
                "bvsrem" => terms.srem(a, b),
                "bvshl" => terms.shl(a, b),
                "bvlshr" => terms.lshr(a, b),
                "bvashr" => terms.ashr(a, b),
                "bvult" => terms.ult(a, b),
                "bvule" => terms.ule(a, b),
                "bvugt" => terms.ugt(a, b),
                "bvuge" => terms.uge(a, b),
                "bvslt" => terms.slt(a, b),
                "bvsle" => terms.sle(a, b),
                "bvsgt" => terms.sgt(a, b),
                "bvsge" => terms.sge(a, b),
                _ => return None,
            })
        }
        _ => None,
    }
}

/// `(_ extract 7 0)` and its like, and constant arrays.
fn indexed(terms: &mut Terms, head: &Sexp, kids: &[Term]) -> Option<Term> {
    let [a] = kids else { return None };
    let list = head.list()?;
    let index = |n: usize| list.get(n).and_then(|s| number(s).ok());
    if let [Sexp::Word(as_), Sexp::Word(constant), of] = list
        && as_ == "as"
        && constant == "const"
    {
        let Sort::Array { index, element } = sort(of).ok()? else { return None };
        return (terms.sort(*a) == Sort::Bits(element)).then(|| terms.const_array(index, *a));
    }
    let width = u128::from(terms.sort(*a).width()?);
    match list.get(1)?.word()? {
        "extract" => {
            let (hi, lo) = (index(2)?, index(3)?);
            let (high, low) = (Width::try_from(hi).ok()?, Width::try_from(lo).ok()?);
            (lo <= hi && hi < width).then(|| terms.extract(high, low, *a))
        }
        "zero_extend" => Some(terms.zext(in_width(width + index(2)?).ok()?, *a)),
        "sign_extend" => Some(terms.sext(in_width(width + index(2)?).ok()?, *a)),
        _ => None,
    }
}
