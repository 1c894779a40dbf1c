//! Initialisers: from braces and designators to stores at byte offsets.
//!
//! [`Sema::fill`] walks an aggregate member by member while a [`Cursor`] walks the items of one braced list. An aggregate
//! without braces of its own takes as many items as it needs and leaves the rest to the aggregate around it (*brace elision*);
//! a designator sends the walk to another member, and it goes on from there. An item that may be a whole record is typed to
//! find out, and waits in the cursor if it turns out to be for the record's first scalar.
//!
//! The same walk serves automatic and static objects: only what becomes of the stored values differs.

mod range;

use super::Sema;
use super::composite;
use super::linkage::ObjectRef;
use super::literal::string_bytes;
use crate::ast::{self, At, Designator, Init, InitItem};
use crate::hir::{self, BitField, ConstValue, Expr, ExprKind, StaticInit};
use crate::types::{IntKind, Ty, Type};
use base::convert::index;

/// A place to be initialised.
#[derive(Clone, Copy)]
struct Subobject {
    ty: Ty,
    offset: u64,
    bits: Option<BitField>,
}

/// What is stored at a place.
enum Value {
    Expr(Expr),
    /// A string, in units of an integer kind, already cut to the array's size.
    Bytes(Vec<u8>, IntKind),
}

struct Store {
    place: Subobject,
    at: At,
    value: Value,
}

/// The stores so far.
#[derive(Default)]
struct Filler {
    stores: Vec<Store>,
    /// True if a designator occurred, so that stores may overlap.
    is_designated: bool,
    /// One past the last byte stored.
    end: u64,
    /// How many elements a flexible array got.
    flexible: Option<u64>,
}

/// A walk over the items of one braced list.
struct Cursor<'a> {
    items: &'a [InitItem<'a>],
    next: usize,
    /// The value of the next item, if it was typed already.
    typed: Option<Expr>,
    /// The item whose designators were followed last: what they led to may still be an aggregate whose first scalar the item is for.
    followed: Option<usize>,
}

impl<'a> Cursor<'a> {
    fn new(items: &'a [InitItem<'a>]) -> Self {
        Self { items, next: 0, typed: None, followed: None }
    }
    fn peek(&self) -> Option<&'a InitItem<'a>> {
        self.items.get(self.next)
    }
    fn advance(&mut self) -> Option<Expr> {
        self.next += 1;
        self.typed.take()
    }
}

/// The literals of a string that is a whole initialiser.
fn string_of<'a>(expr: &'a ast::Expr<'a>) -> Option<&'a [&'a str]> {
    match &expr.kind {
        ast::ExprKind::Str(literals) => Some(literals),
        ast::ExprKind::Unary(ast::UnaryOp::Extension, inner) => string_of(inner),
        _ => None,
    }
}

/// The string in `"…"` or `{"…"}`.
fn braced_string<'a>(items: &'a [InitItem<'a>]) -> Option<&'a [&'a str]> {
    match items {
        [InitItem { designators, init: Init::Expr(expr) }] if designators.is_empty() => string_of(expr),
        _ => None,
    }
}

impl<'a> Sema<'a> {
    /// The type of an object once its initialiser has completed it.
    pub(super) fn completed_by(&mut self, ty: Ty, init: &'a Init<'a>) -> Ty {
        let Type::Array(element, None) = *self.types.get(ty) else { return ty };
        match init {
            Init::List(_, items) => self.completed_by_items(ty, items),
            Init::Expr(expr) => match (&expr.kind, string_of(expr)) {
                (_, Some(literals)) => self.string_array(element, literals),
                (ast::ExprKind::CompoundLiteral(_, items), _) => self.completed_by_items(ty, items),
                _ => ty,
            },
        }
    }

    fn string_array(&mut self, element: Ty, literals: &[&str]) -> Ty {
        let (encoding, bytes) = string_bytes(literals);
        let unit = self.types.int_bytes(self.unit_kind(encoding));
        let count = bytes.len() as u64 / unit + 1;
        self.types.intern(Type::Array(element, Some(count)))
    }

    /// The same for a braced list.
    pub(super) fn completed_by_items(&mut self, ty: Ty, items: &'a [InitItem<'a>]) -> Ty {
        let Type::Array(element, None) = *self.types.get(ty) else { return ty };
        if let (Some(literals), true) = (braced_string(items), self.is_integer(element)) {
            return self.string_array(element, literals);
        }
        let is_plain = |item: &InitItem<'_>| {
            item.designators.is_empty() && (self.is_scalar(element) || matches!(item.init, Init::List(..)))
        };
        let count = if items.iter().all(is_plain) {
            items.len() as u64
        } else {
            let place = Subobject { ty, offset: 0, bits: None };
            self.quietly(|sema| sema.fill(place, &mut Cursor::new(items), true, None, &mut Filler::default()))
        };
        self.types.intern(Type::Array(element, Some(count)))
    }

    /// The initialiser of an automatic object of complete type.
    pub(super) fn local_init(&mut self, ty: Ty, init: &'a Init<'a>) -> hir::Init {
        let mut filler = Filler::default();
        self.fill_object(Subobject { ty, offset: 0, bits: None }, init, &mut filler);
        let is_braced = match init {
            Init::List(..) => true,
            Init::Expr(_) => matches!(self.types.get(ty), Type::Array(..)),
        };
        self.local_stores(ty, is_braced, filler)
    }

    /// The initialiser of an automatic compound literal.
    pub(super) fn local_init_items(&mut self, ty: Ty, items: &'a [InitItem<'a>], at: At) -> hir::Init {
        let mut filler = Filler::default();
        self.fill_braced(Subobject { ty, offset: 0, bits: None }, items, at, &mut filler);
        self.local_stores(ty, true, filler)
    }

    fn local_stores(&mut self, ty: Ty, is_braced: bool, filler: Filler) -> hir::Init {
        let mut items = Vec::with_capacity(filler.stores.len());
        for store in filler.stores {
            let value = match store.value {
                Value::Expr(value) => value,
                Value::Bytes(bytes, kind) => self.string_object(bytes, kind, store.at),
            };
            items.push(hir::InitItem { offset: store.place.offset, bits: store.place.bits, value });
        }
        hir::Init { zero_fill: is_braced && !self.is_scalar(ty), items }
    }

    /// Evaluates the initialiser of an object with static storage.
    pub(super) fn initialise_object(&mut self, object: ObjectRef, init: &'a Init<'a>) {
        let ty = self.linkage.objects[object].ty;
        self.initialise_with(object, |sema, filler| {
            sema.fill_object(Subobject { ty, offset: 0, bits: None }, init, filler);
        });
    }

    /// Evaluates the braced initialiser of a compound literal with static storage.
    pub(super) fn initialise_object_items(&mut self, object: ObjectRef, items: &'a [InitItem<'a>], at: At) {
        let ty = self.linkage.objects[object].ty;
        self.initialise_with(object, |sema, filler| {
            sema.fill_braced(Subobject { ty, offset: 0, bits: None }, items, at, filler);
        });
    }

    fn initialise_with(&mut self, object: ObjectRef, fill: impl FnOnce(&mut Self, &mut Filler)) {
        let Some(global) = self.linkage.objects[object].id else { return };
        let was_static = std::mem::replace(&mut self.in_static_init, true);
        let mut filler = Filler::default();
        fill(self, &mut filler);
        self.in_static_init = was_static;
        if let (Some(count), Type::Record(id)) = (filler.flexible, self.types.get(self.globals[global].ty))
            && let Some(grown) = self.with_flexible_array(*id, count)
        {
            self.globals[global].ty = grown;
        }
        let mut init = Vec::with_capacity(filler.stores.len());
        for store in filler.stores {
            if let Some(value) = self.static_store(store.value, store.place.ty, store.at) {
                let is_zero = matches!(value, ConstValue::Int { value: 0, .. });
                if filler.is_designated || !is_zero {
                    init.push(StaticInit { offset: store.place.offset, bits: store.place.bits, value });
                }
            }
        }
        self.globals[global].init = init;
    }

    fn static_store(&mut self, value: Value, ty: Ty, at: At) -> Option<ConstValue> {
        let value = match value {
            Value::Bytes(bytes, _) => return Some(ConstValue::Bytes(bytes)),
            Value::Expr(value) => value,
        };
        match (self.evaluate(&value), value.kind) {
            (Some(constant), _) => Some(self.static_value(constant, ty)),
            (None, ExprKind::Unsupported(what)) => {
                self.error(at, format!("this initialiser has no model: {what}"));
                None
            }
            (None, _) => {
                self.error(at, "the initialiser of an object with static storage should be constant");
                None
            }
        }
    }

    fn fill_object(&mut self, place: Subobject, init: &'a Init<'a>, filler: &mut Filler) {
        match init {
            Init::List(at, items) => self.fill_braced(place, items, *at, filler),
            Init::Expr(expr) => self.fill_from_expr(place, expr, None, filler),
        }
    }

    fn fill_braced(&mut self, place: Subobject, items: &'a [InitItem<'a>], at: At, filler: &mut Filler) {
        self.forget(place, filler);
        match *self.types.unatomic(place.ty) {
            Type::Array(element, count) => {
                if let (Some(literals), true) = (braced_string(items), self.is_integer(element)) {
                    return self.fill_string(place, literals, at, filler);
                }
                let filled = self.fill(place, &mut Cursor::new(items), true, None, filler);
                if count.is_none() {
                    filler.flexible = Some(filled);
                }
            }
            Type::Record(_) if !self.is_complex(place.ty) => {
                self.fill(place, &mut Cursor::new(items), true, None, filler);
            }
            _ => match items.first() {
                Some(first) => {
                    if items.len() > 1 {
                        self.warn(at, "too many initialisers for a scalar");
                    }
                    self.fill_object(place, &first.init, filler);
                }
                None => {
                    let zero = self.int_constant(0, self.basic.int, at);
                    let zero = self.convert(zero, place.ty);
                    self.store(place, at, zero, filler);
                }
            },
        }
    }

    /// Drops earlier stores into a place that is initialised again as a whole.
    fn forget(&self, place: Subobject, filler: &mut Filler) {
        if !filler.is_designated || place.offset >= filler.end {
            return;
        }
        let end = place.offset + self.types.size_of(place.ty).unwrap_or(0);
        if place.bits.is_none() {
            filler.stores.retain(|store| store.place.offset < place.offset || store.place.offset >= end);
        }
    }

    /// Initialises a place by one expression, typed already or not.
    fn fill_from_expr(
        &mut self,
        place: Subobject,
        expr: &'a ast::Expr<'a>,
        typed: Option<Expr>,
        filler: &mut Filler,
    ) {
        let is_array = matches!(self.types.get(place.ty), Type::Array(..));
        if typed.is_none() {
            if let (true, Some(literals)) = (is_array, string_of(expr)) {
                return self.fill_string(place, literals, expr.at, filler);
            }
            if let ast::ExprKind::CompoundLiteral(_, items) = &expr.kind
                && (is_array || (self.in_static_init && !self.is_scalar(place.ty)))
            {
                return self.fill_braced(place, items, expr.at, filler);
            }
            if is_array {
                return self.error(expr.at, "an array should be initialised by a list or a string");
            }
        }
        let value = match typed {
            Some(value) => value,
            None => self.value(expr),
        };
        let value = self.assign_convert(value, place.ty, expr.at);
        self.store(place, expr.at, value, filler);
    }

    fn store(&self, place: Subobject, at: At, value: Expr, filler: &mut Filler) {
        if !self.is_scalar(place.ty) {
            self.forget(place, filler);
        }
        filler.end = filler.end.max(place.offset + self.types.size_of(place.ty).unwrap_or(0));
        if self.in_static_init && self.is_composite(place.ty) {
            for (offset, part) in composite::literal_parts(value) {
                let place = Subobject { ty: part.ty, offset: place.offset + offset, bits: None };
                filler.stores.push(Store { place, at, value: Value::Expr(part) });
            }
            return;
        }
        filler.stores.push(Store { place, at, value: Value::Expr(value) });
    }

    fn fill_string(&mut self, place: Subobject, literals: &[&str], at: At, filler: &mut Filler) {
        let Type::Array(element, count) = *self.types.get(place.ty) else { return };
        let (encoding, mut bytes) = string_bytes(literals);
        let kind = self.unit_kind(encoding);
        let unit = self.types.int_bytes(kind);
        if self.types.size_of(element) != Some(unit) {
            return self.error(at, "a string should initialise an array of its own characters");
        }
        bytes.resize(bytes.len() + index(unit), 0);
        match count {
            Some(count) => bytes.truncate(usize::try_from(count * unit).unwrap_or(usize::MAX)),
            None => filler.flexible = Some(bytes.len() as u64 / unit),
        }
        self.forget(place, filler);
        filler.end = filler.end.max(place.offset + bytes.len() as u64);
        if !bytes.is_empty() {
            filler.stores.push(Store { place, at, value: Value::Bytes(bytes, kind) });
        }
    }

    /// Initialises an aggregate from a list, its own (`braced`) or that of an aggregate around it, beginning at `path` if there
    /// is one. Returns one past the highest position reached.
    fn fill(
        &mut self,
        place: Subobject,
        cursor: &mut Cursor<'a>,
        braced: bool,
        mut path: Option<&'a [Designator<'a>]>,
        filler: &mut Filler,
    ) -> u64 {
        let (mut position, mut reached) = (0, 0);
        while let Some(item) = cursor.peek() {
            if path.is_none() && !item.designators.is_empty() && cursor.followed != Some(cursor.next) {
                if !braced {
                    break;
                }
                path = Some(&item.designators);
            }
            if let Some(designators) = path.take() {
                filler.is_designated = true;
                cursor.followed = Some(cursor.next);
                match self.fill_designated(place, cursor, designators, filler) {
                    Some(last) => position = last,
                    None => {
                        cursor.advance();
                        continue;
                    }
                }
            } else if let Some(sub) = self.sub_place(place, position) {
                self.fill_element(sub, cursor, filler);
            } else if braced {
                self.warn(item_at(item), "too many initialisers");
                cursor.advance();
                continue;
            } else {
                break;
            }
            position += 1;
            reached = reached.max(position);
            if self.is_union(place.ty) {
                position = u64::MAX;
            }
        }
        reached
    }

    fn is_union(&self, ty: Ty) -> bool {
        matches!(self.types.unatomic(ty), Type::Record(id) if self.types.record(*id).is_union)
    }

    /// The element or member at a position; `None` past the end.
    fn sub_place(&self, place: Subobject, position: u64) -> Option<Subobject> {
        match *self.types.unatomic(place.ty) {
            Type::Array(element, count) if count.is_none_or(|count| position < count) => {
                let size = self.types.size_of(element)?;
                Some(Subobject {
                    ty: element,
                    offset: place.offset + position.checked_mul(size)?,
                    bits: None,
                })
            }
            Type::Record(id) => {
                let fields = &self.types.record(id).layout.as_ref()?.fields;
                let field = fields.get(usize::try_from(position).ok()?)?;
                Some(Subobject { ty: field.ty, offset: place.offset + field.offset, bits: field.bits })
            }
            _ => None,
        }
    }

    /// Initialises what designators name with the next item. Returns the (last) position designated at this level, or `None` after
    /// an error.
    fn fill_designated(
        &mut self,
        place: Subobject,
        cursor: &mut Cursor<'a>,
        designators: &'a [Designator<'a>],
        filler: &mut Filler,
    ) -> Option<u64> {
        let (first, rest) = designators.split_first()?;
        let at = cursor.peek().map_or(0, item_at);
        let (from, to, rest) = match first {
            Designator::Field(name) => {
                let Some(found) = self.find_field(place.ty, name) else {
                    self.error(at, format!("there is no member '{name}' to initialise"));
                    return None;
                };
                let position = found.position as u64;
                (position, position, if found.is_nested { designators } else { rest })
            }
            Designator::Index(index) => {
                let index = self.index_value(index)?;
                (index, index, rest)
            }
            Designator::Range(first, last) => (self.index_value(first)?, self.index_value(last)?, rest),
        };
        let is_index = !matches!(first, Designator::Field(_));
        if is_index != matches!(self.types.unatomic(place.ty), Type::Array(..)) {
            self.error(at, "this designator does not fit the type that is initialised");
            return None;
        }
        if from < to && rest.is_empty() && !self.in_static_init {
            return self.fill_range(place, cursor, from..=to, filler);
        }
        let start = cursor.next;
        for position in from..=to {
            let Some(sub) = self.sub_place(place, position) else {
                self.error(at, "this designator is out of bounds");
                return None;
            };
            (cursor.next, cursor.typed) = (start, None);
            if rest.is_empty() {
                self.fill_element(sub, cursor, filler);
            } else {
                self.fill(sub, cursor, false, Some(rest), filler);
            }
        }
        Some(to)
    }

    fn index_value(&mut self, index: &'a ast::Expr<'a>) -> Option<u64> {
        let value = self.constant_integer(index).and_then(|value| u64::try_from(value).ok());
        if value.is_none() {
            self.error(index.at, "an index in a designator should be a constant and not negative");
        }
        value
    }

    /// Initialises a place with the next item, or, without braces of its own, with the next items.
    fn fill_element(&mut self, place: Subobject, cursor: &mut Cursor<'a>, filler: &mut Filler) {
        let Some(item) = cursor.peek() else { return };
        let expr = match &item.init {
            Init::List(at, items) => {
                cursor.advance();
                return self.fill_braced(place, items, *at, filler);
            }
            Init::Expr(expr) => expr,
        };
        match *self.types.get(place.ty) {
            Type::Array(element, _) => {
                let is_string =
                    cursor.typed.is_none() && string_of(expr).is_some() && self.is_integer(element);
                let is_literal =
                    matches!(expr.kind, ast::ExprKind::CompoundLiteral(..)) && !self.is_scalar(element);
                if is_string || (is_literal && cursor.typed.is_none() && self.is_array_literal(expr)) {
                    cursor.advance();
                    return self.fill_from_expr(place, expr, None, filler);
                }
                self.fill(place, cursor, false, None, filler);
            }
            Type::Record(_) if !self.is_complex(place.ty) => {
                if self.is_whole_record(place, expr, cursor) {
                    let typed = cursor.advance();
                    return self.fill_from_expr(place, expr, typed, filler);
                }
                self.fill(place, cursor, false, None, filler);
            }
            _ => {
                let typed = cursor.advance();
                self.fill_from_expr(place, expr, typed, filler);
            }
        }
    }

    fn is_array_literal(&mut self, expr: &'a ast::Expr<'a>) -> bool {
        let ty = self.quietly(|sema| sema.expr(expr)).ty;
        matches!(self.types.get(ty), Type::Array(..))
    }

    /// Returns true if the next item is a value of the record's own type; it is typed to find out.
    fn is_whole_record(
        &mut self,
        place: Subobject,
        expr: &'a ast::Expr<'a>,
        cursor: &mut Cursor<'a>,
    ) -> bool {
        use ast::ExprKind as E;
        if matches!(expr.kind, E::Number(_) | E::Char(_) | E::Str(_)) {
            return false;
        }
        if let (E::CompoundLiteral(name, _), true) = (&expr.kind, self.in_static_init) {
            // In a static initialiser a compound literal of record type is a braced list.
            let ty = self.type_name(name).ty;
            return self.unatomic(ty) == self.unatomic(place.ty);
        }
        if cursor.typed.is_none() {
            cursor.typed = Some(self.value(expr));
        }
        cursor.typed.as_ref().is_some_and(|typed| typed.ty == self.unatomic(place.ty))
    }
}

fn item_at(item: &InitItem<'_>) -> At {
    match &item.init {
        Init::Expr(expr) => expr.at,
        Init::List(at, _) => *at,
    }
}
