//! C's integer types on an LP64 machine, and values of which a range is known.
//!
//! Ranges are what keeps the programs defined: an operation is only written down if no value that its operands can have makes
//! it overflow; otherwise the operands are cut down first.

/// An integer type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Int {
    pub name: &'static str,
    pub bits: u32,
    pub signed: bool,
    pub rank: u8,
}

const fn int(name: &'static str, bits: u32, signed: bool, rank: u8) -> Int {
    Int { name, bits, signed, rank }
}

pub const BOOL: Int = int("_Bool", 1, false, 0);
pub const UCHAR: Int = int("unsigned char", 8, false, 1);
pub const INT: Int = int("int", 32, true, 3);
pub const UINT: Int = int("unsigned", 32, false, 3);
pub const ULONG: Int = int("unsigned long", 64, false, 4);
pub const LONG: Int = int("long", 64, true, 4);

/// All types but enumerations; `int` is the most frequent one.
pub const INTS: [Int; 15] = [
    BOOL,
    int("char", 8, true, 1),
    int("signed char", 8, true, 1),
    UCHAR,
    int("short", 16, true, 2),
    int("unsigned short", 16, false, 2),
    INT,
    INT,
    INT,
    UINT,
    UINT,
    LONG,
    ULONG,
    int("long long", 64, true, 5),
    int("unsigned long long", 64, false, 5),
];

/// The enumeration of a program without negative constants, which GCC makes an `unsigned`.
pub const ENUM: Int = int("enum @Colour", 32, false, 3);
/// The enumeration of a program with negative constants.
pub const SIGNED_ENUM: Int = int("enum @Level", 32, true, 3);

impl Int {
    pub fn min(self) -> i128 {
        if self.signed { -(1 << (self.bits - 1)) } else { 0 }
    }
    pub fn max(self) -> i128 {
        if self.signed { (1 << (self.bits - 1)) - 1 } else { (1 << self.bits) - 1 }
    }
    pub fn holds(self, lo: i128, hi: i128) -> bool {
        self.min() <= lo && hi <= self.max()
    }
    /// The type after integer promotion.
    pub fn promoted(self) -> Int {
        if self.rank < INT.rank {
            INT
        } else if self == ENUM {
            UINT
        } else if self == SIGNED_ENUM {
            INT
        } else {
            self
        }
    }
    /// The type that an operator brings both operands to.
    pub fn common(self, other: Int) -> Int {
        let (a, b) = (self.promoted(), other.promoted());
        let (high, low) = if a.rank >= b.rank { (a, b) } else { (b, a) };
        if high.signed == low.signed || !high.signed || high.bits > low.bits {
            return high;
        }
        // The signed type of higher rank cannot hold the unsigned one: `long long` with `unsigned long`.
        if high.rank == low.rank { low } else { int("unsigned long long", 64, false, 5) }
    }
}

/// How strongly operators bind: what may stand where without parentheses.
pub mod strength {
    pub const COMMA: u8 = 1;
    pub const CONDITIONAL: u8 = 3;
    pub const LOGICAL_OR: u8 = 4;
    pub const LOGICAL_AND: u8 = 5;
    pub const OR: u8 = 6;
    pub const XOR: u8 = 7;
    pub const AND: u8 = 8;
    pub const EQUALITY: u8 = 9;
    pub const RELATION: u8 = 10;
    pub const SHIFT: u8 = 11;
    pub const SUM: u8 = 12;
    pub const PRODUCT: u8 = 13;
    pub const UNARY: u8 = 14;
    pub const PRIMARY: u8 = 15;
}

/// An expression of integer type without side effects.
#[derive(Clone, Debug)]
pub struct Value {
    pub text: String,
    pub strength: u8,
    pub ty: Int,
    pub lo: i128,
    pub hi: i128,
}

impl Value {
    pub fn new(text: impl Into<String>, strength: u8, ty: Int, lo: i128, hi: i128) -> Value {
        let value = Value { text: text.into(), strength, ty, lo, hi };
        assert!(ty.holds(lo, hi) && lo <= hi, "{value:?} should have a range within its type");
        value
    }
    /// An expression that can have any value of its type.
    pub fn any(text: impl Into<String>, strength: u8, ty: Int) -> Value {
        Value::new(text, strength, ty, ty.min(), ty.max())
    }
    /// An expression with values from `lo` to `hi`, or, where the type wraps around, any.
    pub fn wrapped(text: impl Into<String>, strength: u8, ty: Int, lo: i128, hi: i128) -> Value {
        if ty.holds(lo, hi) { Value::new(text, strength, ty, lo, hi) } else { Value::any(text, strength, ty) }
    }
    /// The range after conversion to `ty`.
    pub fn range_as(&self, ty: Int) -> (i128, i128) {
        if ty == BOOL {
            (0, 1)
        } else if ty.holds(self.lo, self.hi) {
            (self.lo, self.hi)
        } else {
            (ty.min(), ty.max())
        }
    }
    /// The text, in parentheses if it binds weaker than `strength`.
    pub fn at(&self, strength: u8) -> String {
        if self.strength < strength { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// A floating-point expression without side effects.
#[derive(Clone, Debug)]
pub struct Float {
    pub text: String,
    pub strength: u8,
    pub double: bool,
    /// A bound on the absolute value.
    pub bound: f64,
}

impl Float {
    pub fn at(&self, strength: u8) -> String {
        if self.strength < strength { format!("({})", self.text) } else { self.text.clone() }
    }
}
