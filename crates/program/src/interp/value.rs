//! What operations on bit-vectors mean.
use crate::{BinOp, Cast, UnOp, Width};
/// `l op r` on values of width `w`.
pub fn binary(_op: BinOp, _l: u128, _r: u128, _w: Width) -> u128 { 0 }
/// `op v` on a value of width `w`.
pub fn unary(_op: UnOp, _v: u128, _w: Width) -> u128 { 0 }
/// `v`, of width `from`, as a value of width `to`.
pub fn cast(_kind: Cast, _v: u128, _from: Width, _to: Width) -> u128 { 0 }
