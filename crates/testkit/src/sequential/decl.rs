//! Declarations of variables.

use super::scope::{Field, Generator, Var};
use super::types::{INTS, SIGNED_ENUM, strength};

impl Generator {
    /// Declares a variable at the start of a block.
    pub fn local(&mut self) {
        let name = self.fresh("v");
        match self.r.index(12) {
            0..=3 => {
                let ty = self.int_type();
                let value = self.int(2);
                let constant = self.r.one_in(8);
                let word = if constant { "const " } else { "" };
                self.line(format!("{word}{} {name} = {};", ty.name, value.at(strength::CONDITIONAL)));
                self.vars.push(Var::Scalar { name, ty, writable: !constant });
            }
            4 | 5 => {
                let var = self.array(&name, "", false);
                self.vars.push(var);
            }
            6 => {
                let def = self.r.index(self.structs.len());
                let value = if self.r.one_in(2) {
                    self.struct_value(def, 1)
                } else {
                    self.struct_initialiser(def, 1, false)
                };
                self.line(format!("struct @S{def} {name} = {value};"));
                self.vars.push(Var::Struct { name, def, pointer: false, writable: true });
            }
            7 => self.pointer(name),
            8 => {
                let double = self.r.one_in(2);
                let value = self.float(1);
                let ty = if double { "double" } else { "float" };
                self.line(format!("{ty} {name} = {};", value.at(strength::CONDITIONAL)));
                self.vars.push(Var::Float { name, double });
            }
            9 => self.pointer_to_pointer(name),
            10 => self.row(name),
            _ => {
                let value = self.int(2);
                self.line(format!("union @word {name} = {{{}}};", value.at(strength::CONDITIONAL)));
                self.vars.push(Var::Union { name });
            }
        }
    }

    /// Declares an array.
    pub fn array(&mut self, name: &str, word: &str, constant: bool) -> Var {
        let ty = match self.r.index(6) {
            0 => SIGNED_ENUM,
            _ => self.r.pick(&INTS),
        };
        let writable = !word.contains("const");
        if self.r.one_in(3) {
            let rows: Vec<String> = (0..2)
                .map(|_| {
                    format!("{{{}, {}}}", self.initial_value(1, constant), self.initial_value(1, constant))
                })
                .collect();
            self.line(format!("{word}{} {name}[2][4] = {{{}}};", ty.name, rows.join(", ")));
            return Var::Array { name: name.to_string(), ty, dims: vec![2, 4], writable };
        }
        let values: Vec<String> =
            (0..self.r.between(1, 4)).map(|_| self.initial_value(1, constant)).collect();
        let designator = if self.r.one_in(2) { "[3] = " } else { "" };
        self.line(format!("{word}{} {name}[8] = {{{designator}{}}};", ty.name, values.join(", ")));
        Var::Array { name: name.to_string(), ty, dims: vec![8], writable }
    }

    /// Declares a pointer to a pointer, if there is one; what it points to twice is the same as before.
    fn pointer_to_pointer(&mut self, name: String) {
        let pointers: Vec<Var> =
            self.vars.iter().filter(|v| matches!(v, Var::Pointer { .. })).cloned().collect();
        if pointers.is_empty() {
            return;
        }
        let Var::Pointer { name: inner, ty, base, before, after } = self.r.pick(&pointers) else {
            unreachable!("it should be a pointer")
        };
        self.line(format!("{} **{name} = &{inner};", ty.name));
        self.vars.push(Var::Pointer { name: format!("(*{name})"), ty, base, before, after });
    }

    /// Declares a pointer to a row of a two-dimensional array, if there is one.
    fn row(&mut self, name: String) {
        let fits = |v: &Var| matches!(v, Var::Array { dims, writable: true, .. } if dims.len() == 2);
        let arrays: Vec<Var> = self.vars.iter().filter(|v| fits(v)).cloned().collect();
        if arrays.is_empty() {
            return;
        }
        let Var::Array { name: array, ty, dims, .. } = self.r.pick(&arrays) else {
            unreachable!("it should be an array")
        };
        let index = self.index(dims[0]);
        self.line(format!("{} (*{name})[{}] = {array} + ({index});", ty.name, dims[1]));
        self.vars.push(Var::Array { name: format!("(*{name})"), ty, dims: vec![dims[1]], writable: true });
    }

    /// Declares a pointer into an array or to a structure, if there is one.
    fn pointer(&mut self, name: String) {
        let can = |v: &Var| match v {
            Var::Array { dims, writable, .. } => *writable && dims.len() == 1,
            Var::Struct { pointer, writable, .. } => *writable && !pointer,
            _ => false,
        };
        let targets: Vec<Var> = self.vars.iter().filter(|v| can(v)).cloned().collect();
        if targets.is_empty() {
            return;
        }
        match self.r.pick(&targets) {
            Var::Array { name: base, ty, dims, .. } => {
                let len = dims[0];
                let (before, dynamic) = (self.r.index(len), self.r.one_in(3));
                let var = if dynamic {
                    let index = self.index(len / 2);
                    self.line(format!("{} *{name} = {base} + ({index});", ty.name));
                    Var::Pointer { name, ty, base, before: 0, after: len / 2 + 1 }
                } else {
                    self.line(format!("{} *{name} = &{base}[{before}];", ty.name));
                    Var::Pointer { name, ty, base, before, after: len - before }
                };
                self.vars.push(var);
            }
            Var::Struct { name: base, def, .. } => {
                let array = self.structs[def].fields.iter().position(|f| matches!(f, Field::Array(..)));
                match (array, self.r.one_in(2)) {
                    (Some(n), true) => {
                        let Field::Array(ty, len) = self.structs[def].fields[n] else {
                            unreachable!("it should be an array")
                        };
                        let base = format!("{base}.f{n}");
                        self.line(format!("{} *{name} = {base} + 1;", ty.name));
                        self.vars.push(Var::Pointer { name, ty, base, before: 1, after: len - 1 });
                    }
                    _ => {
                        self.line(format!("struct @S{def} *{name} = &{base};"));
                        self.vars.push(Var::Struct { name, def, pointer: true, writable: true });
                    }
                }
            }
            other => unreachable!("{other:?} should be an array or a structure"),
        }
    }
}
