//! The value of an expression as a term.
//!
//! One-bit values are `Bool` terms, all others bit-vectors. Of a choice only the side that is taken has to have a value: what the
//! other side would read is not assumed to exist.

use crate::analysis::Site;
use crate::encoding::encode::{Encoding, Partial, SuccessorKind, Valued};
use logic::Term;
use program::interp::{Identity, Interp};
use program::{BinOp, Cast, Expr, UnOp, Width};

impl Encoding<'_, '_> {
    /// The value of an expression: `Bool` for one bit, bits otherwise.
    pub(crate) fn value(&mut self, partial: &mut Partial, expr: &Expr) -> Valued<Term> {
        self.value_under(partial, expr, None)
    }

    /// The same, where it is only needed if `under` holds.
    pub(crate) fn value_under(
        &mut self,
        partial: &mut Partial,
        expr: &Expr,
        under: Option<Term>,
    ) -> Valued<Term> {
        Ok(match expr {
            Expr::Const(value, Width::BOOL) => self.terms.truth(*value != 0),
            Expr::Const(value, width) => self.terms.constant(*value, width.0),
            Expr::Reg(var, _) if let Some(known) = self.known_by_control(partial, *var) => known,
            Expr::Reg(var, _) => {
                let symbol = self.register(partial, *var);
                self.current(partial, symbol)
            }
            Expr::LocalAddr(var, _) => {
                let object = self.local_object(partial, *var);
                self.object_address(object)?
            }
            Expr::ObjectAddr(id, _) => {
                let object = match self.encoder.program.objects[*id].thread_local {
                    true => Identity::ThreadLocal(*id, self.thread),
                    false => Identity::Static(*id),
                };
                self.object_address(object)?
            }
            Expr::FuncAddr(func, _) => self.function_address(*func),
            Expr::SelfHandle(width) => match self.encoder.handles.get(&self.thread) {
                Some(handle) => *handle,
                None => self.terms.constant(Interp::handle(self.thread), width.0),
            },
            Expr::Load { addr, width, .. } => {
                let value = self.load(partial, addr, *width, under)?;
                if *width == Width::BOOL { self.terms.bits_to_bool(value) } else { value }
            }
            Expr::Unary(op, e) => {
                let value = self.value_under(partial, e, under)?;
                self.unary(*op, value)?
            }
            Expr::Binary(op, l, r) => {
                let (l, r) = (self.value_under(partial, l, under)?, self.value_under(partial, r, under)?);
                self.binary(*op, l, r)?
            }
            Expr::Cast(kind, width, e) => {
                let value = self.value_under(partial, e, under)?;
                self.cast(*kind, *width, value)?
            }
            Expr::Ite(c, yes, no) => {
                let c = self.value_under(partial, c, under)?;
                let not_c = self.terms.not(c);
                let (on_yes, on_no) = match under {
                    None => (c, not_c),
                    Some(under) => (self.terms.and2(under, c), self.terms.and2(under, not_c)),
                };
                let yes = self.value_under(partial, yes, Some(on_yes))?;
                let no = self.value_under(partial, no, Some(on_no))?;
                self.terms.ite(c, yes, no)
            }
            Expr::SameObject(l, r) => self.same_object(partial, l, r, under)?,
        })
    }

    /// Returns when two addresses are inside of one object, or just behind it. An address that the points-to analysis does not take for one of the object is none: what
    /// computes such an address has left another object before.
    fn same_object(
        &mut self,
        partial: &mut Partial,
        left: &Expr,
        right: &Expr,
        under: Option<Term>,
    ) -> Valued<Term> {
        let targets = self.encoder.analysis.points_to.targets(self.func, left);
        if targets.unknown {
            let what = "arithmetic on a pointer that may be anything";
            return Err(SuccessorKind::Unsupported(what.to_owned()));
        }
        let addresses = [self.value_under(partial, left, under)?, self.value_under(partial, right, under)?];
        let mut sites: Vec<Site> = targets.places.iter().map(|(site, _)| *site).collect();
        sites.dedup();
        let mut ways = Vec::new();
        for object in sites.into_iter().flat_map(|site| self.objects_of(partial, site)).collect::<Vec<_>>() {
            let (base, size) = (self.object_address(object)?, self.size(object));
            let both = addresses.map(|address| {
                let inside = self.terms.sub(address, base);
                self.terms.ule(inside, size)
            });
            ways.push(self.terms.and(&both));
        }
        Ok(self.terms.or(&ways))
    }

    pub(crate) fn as_bits(&mut self, value: Term) -> Term {
        if self.terms.sort(value) == logic::Sort::Bool { self.terms.bool_to_bit(value) } else { value }
    }

    fn unary(&mut self, op: UnOp, value: Term) -> Valued<Term> {
        let is_bool = self.terms.sort(value) == logic::Sort::Bool;
        Ok(match op {
            UnOp::Not if is_bool => self.terms.not(value),
            UnOp::Not => self.terms.bit_not(value),
            UnOp::Neg if is_bool => value, // modulo 2
            UnOp::Neg => self.terms.neg(value),
            UnOp::FNeg => return Err(floating()),
        })
    }

    pub(crate) fn binary(&mut self, op: BinOp, l: Term, r: Term) -> Valued<Term> {
        if op.is_float() {
            return Err(floating());
        }
        if self.terms.sort(l) == logic::Sort::Bool {
            match op {
                BinOp::And => return Ok(self.terms.and2(l, r)),
                BinOp::Or => return Ok(self.terms.or2(l, r)),
                BinOp::Xor | BinOp::Ne => return Ok(self.terms.ne(l, r)),
                BinOp::Eq => return Ok(self.terms.eq(l, r)),
                _ => {}
            }
        }
        let (is_bool, l, r) = (self.terms.sort(l) == logic::Sort::Bool, self.as_bits(l), self.as_bits(r));
        let terms = &mut *self.terms;
        let result = match op {
            BinOp::Add => terms.add(l, r),
            BinOp::Sub => terms.sub(l, r),
            BinOp::Mul => terms.mul(l, r),
            BinOp::UDiv => terms.udiv(l, r),
            BinOp::SDiv => terms.sdiv(l, r),
            BinOp::URem => terms.urem(l, r),
            BinOp::SRem => terms.srem(l, r),
            BinOp::And => terms.bit_and(l, r),
            BinOp::Or => terms.bit_or(l, r),
            BinOp::Xor => terms.bit_xor(l, r),
            BinOp::Shl => terms.shl(l, r),
            BinOp::LShr => terms.lshr(l, r),
            BinOp::AShr => terms.ashr(l, r),
            BinOp::Eq => return Ok(terms.eq(l, r)),
            BinOp::Ne => return Ok(terms.ne(l, r)),
            BinOp::ULt => return Ok(terms.ult(l, r)),
            BinOp::ULe => return Ok(terms.ule(l, r)),
            BinOp::SLt => return Ok(terms.slt(l, r)),
            BinOp::SLe => return Ok(terms.sle(l, r)),
            BinOp::FAdd
            | BinOp::FSub
            | BinOp::FMul
            | BinOp::FDiv
            | BinOp::FEq
            | BinOp::FNe
            | BinOp::FLt
            | BinOp::FLe => unreachable!("floats should have been handled before"),
        };
        Ok(if is_bool { self.terms.bits_to_bool(result) } else { result })
    }

    fn cast(&mut self, kind: Cast, width: Width, value: Term) -> Valued<Term> {
        let bits = self.as_bits(value);
        let result = match kind {
            Cast::Zext => self.terms.zext(width.0, bits),
            Cast::Sext => self.terms.sext(width.0, bits),
            Cast::Trunc => self.terms.extract(width.0 - 1, 0, bits),
            Cast::SToF | Cast::UToF | Cast::FToS | Cast::FToU | Cast::FToF => return Err(floating()),
        };
        Ok(if width == Width::BOOL { self.terms.bits_to_bool(result) } else { result })
    }
}

fn floating() -> SuccessorKind {
    SuccessorKind::Unsupported("floating-point arithmetic in formulas".to_owned())
}
