//! Where the members of records go: the System V ABI as gcc implements it for x86.
//!
//! A member takes the next free bytes, aligned. A bit-field takes the next free *bits*, unless it would then span more units
//! of its type's alignment than its type has: then it starts at the next such unit. Under `packed` and `#pragma pack` it may
//! span. A bit-field of width 0 ends the current unit. Named bit-fields align the record like their type, unnamed ones
//! do not.
//!
//! | asked for | alignment of a member |
//! |---|---|
//! | nothing | its type's |
//! | `aligned(n)` | the greater one of its type's and `n` |
//! | `packed` (of the member or its record) | 1 |
//! | `packed` and `aligned(n)` | `n` |
//! | `#pragma pack(n)`, with any of these | at most `n` |
//!
//! Two oddities of gcc are kept, because what counts is where it puts things: a bit-field as wide as an integer that happens to
//! stand where such an integer could is aligned like one, and `#pragma pack` lets a bit-field align a packed record.
//!
//! A bit-field is accessed through a unit that holds all its bits: the aligned one of its own type where that is inside the record
//! and touches no ordinary member (writing the unit must not write a neighbour), otherwise just the bytes that hold its bits. A bit-field of width 0
//! is a border, too: C11 (3.14) calls bit-fields that follow each other one *memory location* unless such a border is between them, whatever bytes they
//! are in, so that threads that access two of them race.

use crate::hir::BitField;
use crate::types::{Field, Layout, Ty};
use std::ops::Range;

/// A member before it is placed.
#[derive(Debug)]
pub(super) struct Member {
    /// Its name, or empty.
    pub(super) name: String,
    pub(super) ty: Ty,
    /// The type's size; 0 for a flexible array.
    pub(super) size: u64,
    /// The type's alignment.
    pub(super) align: u64,
    /// The alignment asked for by the member's attributes, or 0.
    pub(super) asked_align: u64,
    pub(super) packed: bool,
    pub(super) bits: Option<Bits>,
}

/// What makes a member a bit-field.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bits {
    pub(super) width: u32,
    pub(super) signed: bool,
    pub(super) named: bool,
}

/// What holds for a record as a whole.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RecordRules {
    pub(super) is_union: bool,
    pub(super) packed: bool,
    /// `#pragma pack`.
    pub(super) pack: Option<u64>,
    /// The alignment asked for, or 0.
    pub(super) align: u64,
}

/// Lays out a record.
pub(super) fn lay_out(members: Vec<Member>, rules: RecordRules) -> Layout {
    let mut placer = Placer { rules, next_bit: 0, end_bit: 0, align: 1 };
    let places: Vec<u64> = members.iter().map(|member| placer.place(member)).collect();
    let align = placer.align.max(rules.align);
    let size = placer.end_bit.div_ceil(8).next_multiple_of(align);
    let around = match rules.is_union {
        true => members.iter().map(|member| Surroundings::in_union(member, size)).collect(),
        false => surroundings(&members, &places, size),
    };
    let mut fields = Vec::with_capacity(members.len());
    for ((member, bit), around) in members.into_iter().zip(places).zip(around) {
        match member.bits {
            Some(bits) if bits.named => {
                let (offset, bits) = access_unit(bit, member.size, bits, &around);
                fields.push(Field { name: member.name, ty: member.ty, offset, align: 1, bits: Some(bits) });
            }
            Some(_) => {}
            None => {
                let align = placer.member_align(&member, placer.is_packed(&member));
                fields.push(Field { name: member.name, ty: member.ty, offset: bit / 8, align, bits: None });
            }
        }
    }
    Layout { size, align, fields }
}

struct Placer {
    rules: RecordRules,
    /// The first free bit; always 0 in a union.
    next_bit: u64,
    /// One past the last bit of any member.
    end_bit: u64,
    align: u64,
}

impl Placer {
    /// The first bit of a member.
    fn place(&mut self, member: &Member) -> u64 {
        let is_packed = self.is_packed(member);
        let (start, end) = match member.bits {
            Some(bits) => {
                let start = self.place_bits(member, bits, is_packed);
                (start, start + u64::from(bits.width))
            }
            None => {
                let align = self.member_align(member, is_packed);
                self.align = self.align.max(align);
                let start = self.next_bit.next_multiple_of(align * 8);
                (start, start + member.size * 8)
            }
        };
        self.end_bit = self.end_bit.max(end);
        if !self.rules.is_union {
            self.next_bit = end;
        }
        start
    }

    fn is_packed(&self, member: &Member) -> bool {
        (self.rules.packed || member.packed) && (member.align > 1 || member.bits.is_some())
    }

    fn place_bits(&mut self, member: &Member, bits: Bits, is_packed: bool) -> u64 {
        let natural = member.align * 8;
        let width = u64::from(bits.width);
        if width == 0 {
            return self.next_bit.next_multiple_of(natural.max(member.asked_align * 8));
        }
        let mut align = (member.asked_align * 8).max(1);
        let is_integer = self.could_be_integer(width) && (width <= 8 || !is_packed);
        if is_integer {
            align = align.max(width);
        }
        if let Some(pack) = self.rules.pack {
            align = align.min(pack * 8);
        }
        if bits.named {
            let of_type = match self.rules.pack {
                Some(pack) => member.align.min(pack),
                None if is_packed => 1,
                None => member.align,
            };
            self.align = self.align.max(of_type).max(align.div_ceil(8));
        }
        let start = self.next_bit.next_multiple_of(align);
        let spanned = (start % natural + width).div_ceil(natural);
        let may_span = is_packed || self.rules.pack.is_some() || is_integer;
        if !may_span && spanned > member.size * 8 / natural {
            return start.next_multiple_of(natural);
        }
        start
    }

    /// Returns true if a bit-field that starts at the next free bit looks like an integer of its own.
    fn could_be_integer(&self, width: u64) -> bool {
        matches!(width, 8 | 16 | 32 | 64 | 128) && self.next_bit.is_multiple_of(width)
    }

    fn member_align(&self, member: &Member, is_packed: bool) -> u64 {
        let align = match (is_packed, member.asked_align) {
            (true, asked) => asked.max(1),
            (false, asked) => member.align.max(asked),
        };
        self.rules.pack.map_or(align, |pack| align.min(pack))
    }
}

/// What is around a bit-field, in bytes from the start of the record.
#[derive(Clone)]
struct Surroundings {
    /// The bytes that neither an ordinary member nor a bit-field of another memory location takes.
    free: Range<u64>,
    /// The bytes of all bit-fields of its memory location.
    location: Range<u64>,
}

impl Surroundings {
    fn in_union(member: &Member, size: u64) -> Self {
        let bits = member.bits.map_or(0, |bits| u64::from(bits.width));
        Self { free: 0..size, location: 0..bits.div_ceil(8) }
    }
}

/// What is around each member of a structure.
fn surroundings(members: &[Member], places: &[u64], size: u64) -> Vec<Surroundings> {
    let mut found: Vec<Surroundings> = Vec::with_capacity(members.len());
    // Where the memory location starts, and its first member.
    let (mut from, mut first) = (0, 0);
    for (n, (member, bit)) in members.iter().zip(places).enumerate() {
        let (start, end) = match member.bits {
            Some(bits) if bits.width > 0 => {
                let location = bit / 8..(bit + u64::from(bits.width)).div_ceil(8);
                found.push(Surroundings { free: from..size, location });
                continue;
            }
            Some(_) => (bit.div_ceil(8), bit.div_ceil(8)),
            None => (bit / 8, bit / 8 + member.size),
        };
        close_location(&mut found[first..], start);
        found.push(Surroundings { free: start..end, location: start..end });
        (from, first) = (end, n + 1);
    }
    close_location(&mut found[first..], size);
    found
}

/// Bit-fields that follow each other, up to a border, are one memory location.
fn close_location(members: &mut [Surroundings], border: u64) {
    let start = members.first().map_or(0, |first| first.location.start);
    let end = members.last().map_or(0, |last| last.location.end);
    for member in members {
        (member.free.end, member.location) = (border, start..end);
    }
}

/// The unit, and the bits of it, through which a bit-field is accessed.
fn access_unit(bit: u64, type_size: u64, bits: Bits, around: &Surroundings) -> (u64, BitField) {
    let make = |offset: u64, unit: u64| {
        let shift = u32::try_from(bit - offset * 8).expect("a bit-field should begin inside its unit");
        let before = offset.saturating_sub(around.location.start);
        let location = before + unit.max(around.location.end.saturating_sub(offset));
        (offset, BitField { unit, shift, width: bits.width, signed: bits.signed, before, location })
    };
    let holds = |offset: u64, unit: u64| bit + u64::from(bits.width) <= (offset + unit) * 8;
    let aligned = bit / (type_size * 8) * type_size;
    if holds(aligned, type_size) && aligned >= around.free.start && aligned + type_size <= around.free.end {
        return make(aligned, type_size);
    }
    // All its bytes and no others: 3 bytes are a unit, too.
    let offset = bit / 8;
    let unit = (bit + u64::from(bits.width)).div_ceil(8) - offset;
    make(offset, unit)
}
