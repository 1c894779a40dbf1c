//! Expressions without side effects whose values are defined whatever the variables hold.

use super::scope::{Field, Generator, Param, Var};
use super::types::{BOOL, INT, Int, LONG, UINT, ULONG, Value, strength};

impl Generator {
    /// An integer expression, about `depth` operators deep.
    pub fn int(&mut self, depth: usize) -> Value {
        if depth == 0 {
            return self.leaf();
        }
        let depth = depth - 1;
        match self.r.index(30) {
            0..=5 => self.arithmetic(depth),
            6 | 7 => self.division(depth),
            8 | 9 => self.shift(depth),
            10..=12 => self.bitwise(depth),
            13 | 14 => self.comparison(depth),
            15 => self.logical(depth),
            16 | 17 => self.conditional(depth),
            18 | 19 => self.cast(depth),
            20 | 21 => self.unary(depth),
            22 | 23 => self.pure_call(depth),
            24 => self.size_or_text(depth),
            25 => self.compound_literal(depth),
            26 => self.comma(depth),
            27 => self.float_as_int(depth),
            28 => self.pointer_expression(),
            _ => self.leaf(),
        }
    }

    pub fn leaf(&mut self) -> Value {
        if self.r.one_in(3) { self.constant() } else { self.place_or_constant() }
    }

    /// A literal, with all kinds of bases and suffixes.
    pub fn constant(&mut self) -> Value {
        let small = self.r.index(200) as i128;
        let primary = |text: String, ty: Int, n: i128| Value::new(text, strength::PRIMARY, ty, n, n);
        match self.r.index(12) {
            0 => primary(format!("{small}u"), UINT, small),
            1 => primary(format!("{small}L"), LONG, small),
            2 => primary(format!("{small:#x}UL"), ULONG, small),
            3 => {
                let c = self.r.pick(&['a', 'Z', '0', '~', ' ']);
                primary(format!("'{c}'"), INT, c as i128)
            }
            4 => primary(r"'\n'".to_string(), INT, 10),
            5 => Value::new(format!("-{small}"), strength::UNARY, INT, -small, -small),
            6 => primary("2147483647".to_string(), INT, 2_147_483_647),
            7 => primary("0x80000000".to_string(), UINT, 0x8000_0000),
            8 => {
                let n = (self.r.number() >> 1) as i128;
                primary(format!("{n}LL"), super::types::INTS[13], n)
            }
            9 => {
                let (name, n) = self.r.pick(&[("@RED", 0), ("@BLUE", 7), ("@LOW", -4), ("@HIGH", 3)]);
                primary(name.to_string(), INT, n)
            }
            10 => primary(format!("0{small:o}"), INT, small),
            _ => primary(small.to_string(), INT, small),
        }
    }

    /// `value` or something made of it with values from -`bound` to `bound`, which is 2^n - 1 for some n below 31.
    pub fn fit(&mut self, value: Value, bound: i128) -> Value {
        let ty = value.ty.common(INT);
        let (lo, hi) = value.range_as(ty);
        if -bound <= lo && hi <= bound && ty == value.ty.promoted() {
            return value;
        }
        match self.r.index(3) {
            0 => {
                let lo = if lo < 0 { -bound } else { 0 };
                Value::new(
                    format!("{} % {}", value.at(strength::PRODUCT), bound + 1),
                    strength::PRODUCT,
                    ty,
                    lo,
                    bound,
                )
            }
            1 => Value::new(
                format!("{bound:#x} & {}", value.at(strength::EQUALITY)),
                strength::AND,
                ty,
                0,
                bound,
            ),
            _ => Value::new(format!("{} & {bound}", value.at(strength::AND)), strength::AND, ty, 0, bound),
        }
    }

    fn arithmetic(&mut self, depth: usize) -> Value {
        let (a, b) = (self.int(depth), self.int(depth));
        let op = self.r.pick(&['+', '-', '*']);
        let level = if op == '*' { strength::PRODUCT } else { strength::SUM };
        let ty = a.ty.common(b.ty);
        if let Some(sum) = combine(op, level, ty, &a, &b) {
            return sum;
        }
        let bound = if op == '*' { 0x7fff } else { 0x3fff_ffff };
        let (a, b) = (self.fit(a, bound), self.fit(b, bound));
        combine(op, level, a.ty.common(b.ty), &a, &b).expect("small operands should not overflow")
    }

    fn division(&mut self, depth: usize) -> Value {
        let a = self.int(depth);
        let op = self.r.pick(&['/', '%']);
        let b = match self.r.index(4) {
            0 => {
                let n = self.r.between(2, 9) as i128;
                Value::new(format!("-{n}"), strength::UNARY, INT, -n, -n)
            }
            1 => {
                let divisor = self.int(depth.min(1));
                let divisor = self.fit(divisor, 7);
                let ty = divisor.ty.common(INT);
                let text = format!("({} & 7) + 1", divisor.at(strength::AND));
                Value::new(text, strength::SUM, ty, 1, 8)
            }
            2 => Value::new("10u", strength::PRIMARY, UINT, 10, 10),
            _ => {
                let n = self.r.between(1, 1000) as i128;
                Value::new(n.to_string(), strength::PRIMARY, INT, n, n)
            }
        };
        let ty = a.ty.common(b.ty);
        let text = format!("{} {op} {}", a.at(strength::PRODUCT), b.at(strength::PRODUCT + 1));
        let ((lo, hi), (divisor_lo, divisor_hi)) = (a.range_as(ty), b.range_as(ty));
        if !ty.signed {
            let most = if op == '/' { hi } else { divisor_hi - 1 };
            return Value::new(text, strength::PRODUCT, ty, 0, most);
        }
        let (lo, hi) = if op == '%' {
            let most = divisor_lo.abs().max(divisor_hi) - 1;
            (if lo < 0 { -most } else { 0 }, most)
        } else if divisor_lo >= 1 {
            (lo.min(0), hi.max(0))
        } else {
            let most = lo.abs().max(hi.abs()) / 2;
            (-most, most)
        };
        Value::new(text, strength::PRODUCT, ty, lo, hi)
    }

    fn shift(&mut self, depth: usize) -> Value {
        let (a, n) = (self.int(depth), self.int(depth.min(1)));
        let ty = a.ty.promoted();
        if self.r.one_in(2) {
            let text = format!("{} >> ({} & {})", a.at(strength::SHIFT), n.at(strength::AND), ty.bits - 1);
            let (lo, hi) = a.range_as(ty);
            return Value::new(text, strength::SHIFT, ty, lo.min(0), hi.max(0));
        }
        if !ty.signed {
            let text = format!("{} << ({} & {})", a.at(strength::SHIFT), n.at(strength::AND), ty.bits - 1);
            return Value::any(text, strength::SHIFT, ty);
        }
        let text = format!("({} & 0x7fff) << ({} & 15)", a.at(strength::AND), n.at(strength::AND));
        Value::new(text, strength::SHIFT, ty, 0, 0x7fff << 15)
    }

    fn bitwise(&mut self, depth: usize) -> Value {
        let (a, b) = (self.int(depth), self.int(depth));
        let (op, level) = self.r.pick(&[('&', strength::AND), ('|', strength::OR), ('^', strength::XOR)]);
        let ty = a.ty.common(b.ty);
        let text = format!("{} {op} {}", a.at(level), b.at(level + 1));
        let ((a_lo, a_hi), (b_lo, b_hi)) = (a.range_as(ty), b.range_as(ty));
        match (op, a_lo >= 0, b_lo >= 0) {
            ('&', true, true) => Value::new(text, level, ty, 0, a_hi.min(b_hi)),
            ('&', true, false) => Value::new(text, level, ty, 0, a_hi),
            ('&', false, true) => Value::new(text, level, ty, 0, b_hi),
            (_, true, true) => {
                let most = (a_hi.max(b_hi).cast_unsigned() + 1).next_power_of_two().cast_signed() - 1;
                Value::new(text, level, ty, 0, most)
            }
            _ => Value::any(text, level, ty),
        }
    }

    /// A truth value.
    pub fn comparison(&mut self, depth: usize) -> Value {
        let (a, b) = (self.int(depth), self.int(depth));
        let (op, level) = self.r.pick(&[
            ("<", strength::RELATION),
            ("<=", strength::RELATION),
            (">", strength::RELATION),
            (">=", strength::RELATION),
            ("==", strength::EQUALITY),
            ("!=", strength::EQUALITY),
        ]);
        Value::new(format!("{} {op} {}", a.at(level), b.at(level + 1)), level, INT, 0, 1)
    }

    fn logical(&mut self, depth: usize) -> Value {
        let (a, b) = (self.int(depth), self.comparison(depth));
        let (op, level) = self.r.pick(&[("&&", strength::LOGICAL_AND), ("||", strength::LOGICAL_OR)]);
        Value::new(format!("{} {op} {}", a.at(level), b.at(level + 1)), level, INT, 0, 1)
    }

    fn conditional(&mut self, depth: usize) -> Value {
        let (c, a, b) = (self.comparison(depth.min(1)), self.int(depth), self.int(depth));
        let ty = a.ty.common(b.ty);
        let ((a_lo, a_hi), (b_lo, b_hi)) = (a.range_as(ty), b.range_as(ty));
        let text = format!("{} ? {} : {}", c.at(strength::LOGICAL_OR), a.text, b.at(strength::CONDITIONAL));
        Value::new(text, strength::CONDITIONAL, ty, a_lo.min(b_lo), a_hi.max(b_hi))
    }

    fn cast(&mut self, depth: usize) -> Value {
        let value = self.int(depth);
        let ty = self.int_type();
        let (lo, hi) = value.range_as(ty);
        Value::new(format!("({}){}", ty.name, value.at(strength::UNARY)), strength::UNARY, ty, lo, hi)
    }

    fn unary(&mut self, depth: usize) -> Value {
        let value = self.int(depth);
        let ty = value.ty.promoted();
        let (lo, hi) = value.range_as(ty);
        let operand = if value.text.starts_with(['-', '+']) {
            format!("({})", value.text)
        } else {
            value.at(strength::UNARY)
        };
        match self.r.index(4) {
            0 if ty.signed => Value::new(format!("~{operand}"), strength::UNARY, ty, -hi - 1, -lo - 1),
            0 => Value::any(format!("~{operand}"), strength::UNARY, ty),
            1 => Value::new(format!("!{operand}"), strength::UNARY, INT, 0, 1),
            2 if !ty.signed || lo > ty.min() => {
                Value::wrapped(format!("-{operand}"), strength::UNARY, ty, -hi, -lo)
            }
            _ => Value::new(format!("+{operand}"), strength::UNARY, ty, lo, hi),
        }
    }

    /// A call of a function without side effects, or of one in the table.
    fn pure_call(&mut self, depth: usize) -> Value {
        if self.has_table && self.r.one_in(3) {
            let (index, a, b) = (self.index(4), self.int(depth), self.int(depth));
            let call = self.r.pick(&["@table[{}]", "(*@table[{}])"]).replace("{}", &index);
            return Value::any(format!("{call}({}, {})", a.text, b.text), strength::PRIMARY, LONG);
        }
        if self.pure.is_empty() {
            return self.leaf();
        }
        let function = self.r.pick(&self.pure);
        let args: Vec<String> =
            function.params.iter().map(|param| self.argument(param, depth.min(1))).collect();
        let text = format!("{}({})", function.name, args.join(", "));
        match function.ret {
            Param::Int(ty) => Value::any(text, strength::PRIMARY, ty),
            Param::Struct(def) => match self.structs[def].fields[0].clone() {
                Field::Int(ty) => Value::any(format!("{text}.f0"), strength::PRIMARY, ty),
                other => unreachable!("{other:?} should not be the first field"),
            },
        }
    }

    /// An argument for a parameter.
    pub fn argument(&mut self, param: &Param, depth: usize) -> String {
        match param {
            Param::Int(_) => self.int(depth).at(strength::CONDITIONAL),
            Param::Struct(def) => self.struct_value(*def, depth),
        }
    }

    /// A structure: a variable, or a compound literal.
    pub fn struct_value(&mut self, def: usize, depth: usize) -> String {
        let fits = |var: &&Var| matches!(var, Var::Struct { def: d, .. } if *d == def);
        let vars: Vec<Var> = self.vars.iter().filter(fits).cloned().collect();
        if !vars.is_empty() && !self.r.one_in(4) {
            return match self.r.pick(&vars) {
                Var::Struct { name, pointer: true, .. } => format!("*{name}"),
                Var::Struct { name, .. } => name,
                other => unreachable!("{other:?} should be a structure"),
            };
        }
        let initialiser = self.struct_initialiser(def, depth, false);
        format!("(struct @S{def}){initialiser}")
    }

    /// Braces with a value for some fields, by position or by name.
    pub fn struct_initialiser(&mut self, def: usize, depth: usize, constant: bool) -> String {
        let fields = self.structs[def].fields.clone();
        let named = self.r.one_in(2);
        let mut parts = Vec::new();
        for (n, field) in fields.iter().enumerate() {
            if named && n > 0 && self.r.one_in(3) {
                continue;
            }
            let value = match field {
                Field::Int(_) | Field::Bits(..) => self.initial_value(depth, constant),
                Field::Array(_, len) => {
                    let at = self.r.index(*len);
                    let values = [self.initial_value(depth, constant), self.initial_value(depth, constant)];
                    if at + 1 < *len {
                        format!("{{[{at}] = {}, {}}}", values[0], values[1])
                    } else {
                        format!("{{{}}}", values[0])
                    }
                }
                Field::Nested(inner) => self.struct_initialiser(*inner, depth, constant),
            };
            parts.push(if named { format!(".f{n} = {value}") } else { value });
        }
        format!("{{{}}}", parts.join(", "))
    }

    /// A value in an initialiser.
    pub fn initial_value(&mut self, depth: usize, constant: bool) -> String {
        if !constant {
            return self.int(depth).at(strength::CONDITIONAL);
        }
        let vars = std::mem::take(&mut self.vars);
        let text = match self.r.index(5) {
            0 => "sizeof(int) * 3 + @BLUE".to_string(),
            1 => "(1 ? -5 : 6u) + (char)200".to_string(),
            _ => self.constant().text,
        };
        self.vars = vars;
        text
    }

    fn size_or_text(&mut self, depth: usize) -> Value {
        let size = |what: &str, n: i128| Value::new(format!("sizeof{what}"), strength::UNARY, ULONG, n, n);
        match self.r.index(8) {
            0 => size("(long)", 8),
            1 => size("(struct @S0 *)", 8),
            2 => size(" \"four\"", 5),
            3 => size("(union @word)", 8),
            4 => size("(short[3][2])", 12),
            5 => Value::any("sizeof(struct @S0)".to_string(), strength::UNARY, ULONG),
            6 => {
                let index = self.index(8);
                Value::any(format!("\"strings!\"[{index}]"), strength::PRIMARY, super::types::INTS[1])
            }
            _ => {
                let value = self.int(depth.min(1));
                let bytes = i128::from(value.ty.bits.div_ceil(8));
                // A bit-field has no size.
                size(&format!("(+{})", value.at(strength::PRIMARY)), bytes.max(4))
            }
        }
    }

    fn compound_literal(&mut self, depth: usize) -> Value {
        if self.r.one_in(2) {
            let ty = self.r.pick(&super::types::INTS);
            let values: Vec<String> = (0..4).map(|_| self.initial_value(depth.min(1), false)).collect();
            let index = self.index(4);
            let text = format!("(({}[]){{{}}})[{index}]", ty.name, values.join(", "));
            return Value::any(text, strength::PRIMARY, ty);
        }
        let def = self.r.index(self.structs.len());
        let initialiser = self.struct_initialiser(def, depth.min(1), false);
        match self.structs[def].fields[0].clone() {
            Field::Int(ty) => {
                Value::any(format!("((struct @S{def}){initialiser}).f0"), strength::PRIMARY, ty)
            }
            other => unreachable!("{other:?} should not be the first field"),
        }
    }

    /// Compilers differ on whether a bit-field behind a comma is still promoted to `int`, so that a sign makes sure.
    fn comma(&mut self, depth: usize) -> Value {
        let (a, b) = (self.int(depth.min(1)), self.int(depth));
        let second =
            if b.ty == INT { format!("+{}", b.at(strength::PRIMARY)) } else { b.at(strength::COMMA + 1) };
        let text = format!("((void){}, {second})", a.at(strength::UNARY));
        Value { text, strength: strength::PRIMARY, ..b }
    }

    /// Differences and comparisons of pointers into the same array, and bytes of a scalar.
    fn pointer_expression(&mut self) -> Value {
        if self.vars.is_empty() {
            return self.leaf();
        }
        let truth = |text: String| Value::new(text, strength::PRIMARY, INT, 0, 1);
        match self.vars[self.r.index(self.vars.len())].clone() {
            Var::Pointer { name, base, before, after, .. } => {
                let k = self.r.index(before + after + 1);
                match self.r.index(5) {
                    0 => truth(format!("({name} <= {base} + {k})")),
                    1 => truth(format!("({name} == &{base}[{k}])")),
                    2 => truth(format!("({name} != 0)")),
                    3 => truth(format!("!{name}")),
                    _ => Value::new(
                        format!("({name} - {base})"),
                        strength::PRIMARY,
                        LONG,
                        0,
                        (before + after) as i128,
                    ),
                }
            }
            Var::Scalar { name, ty, writable: true } if ty.bits >= 8 => {
                let index = self.index((ty.bits / 8) as usize);
                let text = format!("((unsigned char *)&{name})[{index}]");
                Value::any(text, strength::PRIMARY, super::types::UCHAR)
            }
            Var::Array { name, dims, .. } if dims.len() == 1 => {
                let k = self.r.index(dims[0]);
                truth(format!("(&{name}[{k}] > {name})"))
            }
            _ => self.leaf(),
        }
    }

    /// Something that becomes a truth value by conversion.
    pub fn condition(&mut self, depth: usize) -> String {
        let value = if self.r.one_in(4) { self.int(depth) } else { self.comparison(depth) };
        if self.r.one_in(8) {
            return format!("({}){}", BOOL.name, value.at(strength::UNARY));
        }
        value.text
    }
}

/// `a op b` in type `ty`, unless it can overflow.
fn combine(op: char, level: u8, ty: Int, a: &Value, b: &Value) -> Option<Value> {
    let ((a_lo, a_hi), (b_lo, b_hi)) = (a.range_as(ty), b.range_as(ty));
    let (lo, hi) = match op {
        '+' => (a_lo + b_lo, a_hi + b_hi),
        '-' => (a_lo - b_hi, a_hi - b_lo),
        _ => {
            let corners = [(a_lo, b_lo), (a_lo, b_hi), (a_hi, b_lo), (a_hi, b_hi)];
            let products = corners.map(|(x, y)| x.saturating_mul(y));
            (products.into_iter().min()?, products.into_iter().max()?)
        }
    };
    let text = format!("{} {op} {}", a.at(level), b.at(level + 1));
    (ty.holds(lo, hi) || !ty.signed).then(|| Value::wrapped(text, level, ty, lo, hi))
}
