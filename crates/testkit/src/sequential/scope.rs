//! What a piece of the program can name: variables, functions, types.

use super::types::{ENUM, INT, INTS, Int, SIGNED_ENUM, UINT, Value, strength};
use base::Random;

/// A variable.
#[derive(Clone, Debug)]
pub enum Var {
    /// `T x`, which is not written to if it counts or is constant.
    Scalar { name: String, ty: Int, writable: bool },
    /// `T a[2^m]` or `T a[2^m][2^n]`.
    Array { name: String, ty: Int, dims: Vec<usize>, writable: bool },
    /// `struct s x`, or a pointer to one.
    Struct { name: String, def: usize, pointer: bool, writable: bool },
    /// `T *p`, of which `p[-before]` up to `p[after - 1]` exist.
    Pointer { name: String, ty: Int, base: String, before: usize, after: usize },
    /// `union @word u`.
    Union { name: String },
    /// `double x` or `float x`, at most [`FLOAT_BOUND`].
    Float { name: String, double: bool },
}

/// A bound on the absolute values of floating-point variables.
pub const FLOAT_BOUND: f64 = 1_048_576.0;

/// A field of a structure.
#[derive(Clone, Debug)]
pub enum Field {
    Int(Int),
    /// Of `int` or `unsigned`.
    Bits(Int, u32),
    Array(Int, usize),
    Nested(usize),
}

/// A structure; its fields are called `f0`, `f1`, …
#[derive(Clone, Debug)]
pub struct Struct {
    pub fields: Vec<Field>,
}

/// A function without side effects: it reads its arguments and constants only.
#[derive(Clone, Debug)]
pub struct Pure {
    pub name: String,
    pub params: Vec<Param>,
    pub ret: Param,
}

/// The type of a parameter or result.
#[derive(Clone, Debug)]
pub enum Param {
    Int(Int),
    Struct(usize),
}

/// A place that can be read, and maybe written.
#[derive(Clone, Debug)]
pub struct Lvalue {
    pub text: String,
    pub ty: Int,
    /// For bit-fields: what they are promoted to differs from their declared type, and so do their ranges.
    pub bits: Option<u32>,
}

impl Lvalue {
    pub fn value(&self) -> Value {
        match self.bits {
            None => Value::any(&self.text, strength::PRIMARY, self.ty),
            Some(bits) => {
                let narrow = Int { bits, ..self.ty };
                let ty = if bits == 32 { self.ty } else { INT };
                Value::new(&self.text, strength::PRIMARY, ty, narrow.min(), narrow.max())
            }
        }
    }
    /// Returns true if `++`, `+=` and the like cannot overflow: they wrap around, or happen in a wider `int` first.
    pub fn wraps(&self) -> bool {
        !self.ty.signed || self.ty.bits < 32 || self.bits.is_some_and(|bits| bits < 32)
    }
}

/// A program in the making.
pub struct Generator {
    pub r: Random,
    pub structs: Vec<Struct>,
    pub pure: Vec<Pure>,
    /// True if the table of functions exists by now.
    pub has_table: bool,
    /// How many functions with side effects can be called.
    pub procedures: usize,
    pub vars: Vec<Var>,
    /// The text so far.
    pub out: String,
    pub indent: usize,
    names: usize,
}

impl Generator {
    pub fn new(seed: u64) -> Generator {
        Generator {
            r: Random(seed),
            structs: Vec::new(),
            pure: Vec::new(),
            has_table: false,
            procedures: 0,
            vars: Vec::new(),
            out: String::new(),
            indent: 0,
            names: 0,
        }
    }

    pub fn line(&mut self, text: impl AsRef<str>) {
        self.out.push_str(&"  ".repeat(self.indent));
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    pub fn open(&mut self, text: impl AsRef<str>) {
        self.line(format!("{} {{", text.as_ref()).trim_start());
        self.indent += 1;
    }

    pub fn close(&mut self, text: &str) {
        self.indent -= 1;
        self.line(format!("}}{text}"));
    }

    /// A name that nothing else has.
    pub fn fresh(&mut self, stem: &str) -> String {
        self.names += 1;
        format!("{stem}{}", self.names)
    }

    pub fn int_type(&mut self) -> Int {
        match self.r.index(12) {
            0 => ENUM,
            1 => SIGNED_ENUM,
            _ => self.r.pick(&INTS),
        }
    }

    /// A place, if the scope has any that is writable (should that be asked for).
    pub fn place(&mut self, writable: bool) -> Option<Lvalue> {
        for _ in 0..8 {
            if self.vars.is_empty() {
                return None;
            }
            let var = self.vars[self.r.index(self.vars.len())].clone();
            if let Some(place) = self.place_in(&var, writable) {
                return Some(place);
            }
        }
        None
    }

    fn place_in(&mut self, var: &Var, to_write: bool) -> Option<Lvalue> {
        match var {
            Var::Scalar { name, ty, writable } if *writable || !to_write => {
                Some(Lvalue { text: name.clone(), ty: *ty, bits: None })
            }
            Var::Array { name, ty, dims, writable } if *writable || !to_write => {
                Some(Lvalue { text: self.element(name, dims), ty: *ty, bits: None })
            }
            Var::Struct { name, def, pointer, writable } if *writable || !to_write => {
                let prefix = match (pointer, self.r.one_in(3)) {
                    (true, false) => format!("{name}->"),
                    (true, true) => format!("(*{name})."),
                    (false, true) => format!("(&{name})->"),
                    (false, false) => format!("{name}."),
                };
                Some(self.field(&prefix, *def))
            }
            Var::Pointer { name, ty, before, after, .. } => {
                Some(Lvalue { text: self.pointed_to(name, *before, *after), ty: *ty, bits: None })
            }
            Var::Union { name } => Some(self.union_member(name)),
            Var::Scalar { .. } | Var::Array { .. } | Var::Struct { .. } | Var::Float { .. } => None,
        }
    }

    /// An index below `len`, a power of two; a simple one, since it may be part of another index's array.
    pub fn index(&mut self, len: usize) -> String {
        let scalars: Vec<&Var> = self.vars.iter().filter(|v| matches!(v, Var::Scalar { .. })).collect();
        let n = self.r.index(scalars.len() + 1);
        match scalars.get(n) {
            Some(Var::Scalar { name, ty, .. }) if ty.signed || self.r.one_in(2) => {
                format!("{name} & {}", len - 1)
            }
            Some(Var::Scalar { name, .. }) => format!("{name} % {len}"),
            _ => self.r.index(len).to_string(),
        }
    }

    fn element(&mut self, name: &str, dims: &[usize]) -> String {
        let indices: Vec<String> = dims.iter().map(|&len| self.index(len)).collect();
        match (&indices[..], self.r.index(6)) {
            ([i], 0) => format!("(*({name} + ({i})))"),
            ([i], 1) => format!("({i})[{name}]"),
            ([i, j], 0) => format!("(*({name}[{i}] + ({j})))"),
            _ => indices.iter().fold(name.to_string(), |text, i| format!("{text}[{i}]")),
        }
    }

    fn pointed_to(&mut self, name: &str, before: usize, after: usize) -> String {
        let len = before + after;
        let index = if len.is_power_of_two() && self.r.one_in(2) {
            let index = self.index(len);
            format!("(int)({index}) - {before}")
        } else {
            (self.r.index(len).cast_signed() - before.cast_signed()).to_string()
        };
        match self.r.index(4) {
            0 if after > 0 => format!("(*{name})"),
            1 => format!("(*({name} + ({index})))"),
            _ => format!("{name}[{index}]"),
        }
    }

    fn field(&mut self, prefix: &str, def: usize) -> Lvalue {
        let n = self.r.index(self.structs[def].fields.len());
        let text = format!("{prefix}f{n}");
        match self.structs[def].fields[n].clone() {
            Field::Int(ty) => Lvalue { text, ty, bits: None },
            Field::Bits(ty, bits) => Lvalue { text, ty, bits: Some(bits) },
            Field::Array(ty, len) => {
                let index = self.index(len);
                Lvalue { text: format!("{text}[{index}]"), ty, bits: None }
            }
            Field::Nested(inner) => self.field(&format!("{text}."), inner),
        }
    }

    fn union_member(&mut self, name: &str) -> Lvalue {
        let (member, ty, len) = self.r.pick(&super::UNION_MEMBERS);
        let text = if len == 1 {
            format!("{name}.{member}")
        } else {
            let index = self.index(len);
            format!("{name}.{member}[{index}]")
        };
        Lvalue { text, ty, bits: None }
    }

    /// A value in place of what the scope does not have.
    pub fn place_or_constant(&mut self) -> Value {
        match self.place(false) {
            Some(place) => place.value(),
            None => Value::new("3u", strength::PRIMARY, UINT, 3, 3),
        }
    }
}
