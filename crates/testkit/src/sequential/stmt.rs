//! Statements.
//!
//! Order of evaluation never matters: an expression with a side effect has exactly one, on a variable that the rest of the
//! expression does not name, and functions with side effects are called by statements of their own.

use super::scope::{Generator, Param, Var};
use super::types::{ENUM, INTS, Value, strength};

/// What a statement may do, given where it stands.
#[derive(Clone, Copy)]
pub struct StatementContext {
    /// True if side effects on global variables are allowed.
    pub pure: bool,
    /// How many loops there are around it.
    pub loops: usize,
    /// How much deeper statements may nest.
    pub depth: usize,
    /// True if `break` means something.
    pub can_break: bool,
    /// True if `continue` means something.
    pub can_continue: bool,
}

impl StatementContext {
    /// A place outside of loops and `switch`.
    pub fn new(pure: bool, loops: usize, depth: usize) -> StatementContext {
        StatementContext { pure, loops, depth, can_break: false, can_continue: false }
    }
    fn deeper(self) -> StatementContext {
        StatementContext { depth: self.depth - 1, ..self }
    }
    fn in_loop(self) -> StatementContext {
        StatementContext { loops: self.loops + 1, can_break: true, can_continue: true, ..self.deeper() }
    }
}

impl Generator {
    pub fn statements(&mut self, n: usize, at: StatementContext) {
        for _ in 0..n {
            self.statement(at);
        }
    }

    /// A block with variables of its own.
    pub fn body(&mut self, at: StatementContext) {
        let outer = self.vars.len();
        if self.r.one_in(2) {
            self.local();
        }
        let n = self.r.between(1, 3);
        self.statements(n, at);
        self.vars.truncate(outer);
    }

    fn statement(&mut self, at: StatementContext) {
        let simple = at.depth == 0;
        match self.r.index(if simple { 14 } else { 26 }) {
            0..=3 => self.assignment(),
            4 | 5 => self.compound_assignment(),
            6 => self.step_statement(),
            7 => self.step_in_expression(),
            8 => self.struct_assignment(),
            9 => self.float_assignment(),
            10 if at.can_break => self.jump(at),
            10..=13 => self.emit(at),
            14..=16 => self.branch(at.deeper()),
            17 if at.loops < 2 => self.for_loop(at.in_loop()),
            18 if at.loops < 2 => self.while_loop(at.in_loop()),
            19 if at.loops < 2 => self.walk(at),
            20 | 21 => self.switch(at.deeper()),
            22 => self.forward_goto(at.deeper()),
            23 if at.loops < 2 => self.backward_goto(StatementContext { loops: at.loops + 1, ..at.deeper() }),
            24 => self.text_loop(at),
            _ => {
                let outer = self.vars.len();
                self.open("");
                self.local();
                self.body(at.deeper());
                self.vars.truncate(outer);
                self.close("");
            }
        }
    }

    fn assignment(&mut self) {
        let Some(place) = self.place(true) else { return };
        let value = self.int(3);
        if self.r.one_in(6)
            && let Some(other) = self.place(true)
        {
            // Neither side's address depends on the other: indices are read before anything is written, or are
            // the same constant, so that the chain is not used with computed indices.
            if !place.text.contains(['[', '*', '>']) && !other.text.contains(['[', '*', '>']) {
                return self.line(format!(
                    "{} = {} = {};",
                    place.text,
                    other.text,
                    value.at(strength::CONDITIONAL)
                ));
            }
        }
        self.line(format!("{} = {};", place.text, value.at(strength::CONDITIONAL)));
    }

    fn compound_assignment(&mut self) {
        let Some(place) = self.place(true) else { return };
        let value = self.int(2);
        let ty = place.value().ty.promoted();
        let text = &place.text;
        let line = match self.r.index(6) {
            0 | 1 if place.wraps() => {
                // Computed in the common type, where it must not overflow either.
                let value = self.fit(value, 0x3fff);
                let common = place.value().ty.common(value.ty);
                let narrow = place.value();
                if common.signed && !common.holds(narrow.lo * 0x3fff - 1, narrow.hi * 0x3fff + 1) {
                    return self.line(format!("{text} = {};", value.at(strength::CONDITIONAL)));
                }
                let op = self.r.pick(&["+=", "-=", "*="]);
                format!("{text} {op} {};", value.at(strength::CONDITIONAL))
            }
            2 => {
                let (op, n) = (self.r.pick(&["/=", "%="]), self.r.between(1, 30));
                format!("{text} {op} {n};")
            }
            3 => format!("{text} >>= {} & {};", value.at(strength::AND), ty.bits - 1),
            4 if !ty.signed => format!("{text} <<= {} & {};", value.at(strength::AND), ty.bits - 1),
            _ => {
                let op = self.r.pick(&["&=", "|=", "^="]);
                format!("{text} {op} {};", value.at(strength::CONDITIONAL))
            }
        };
        self.line(line);
    }

    /// `x++` and the like as a statement.
    fn step_statement(&mut self) {
        let Some(place) = self.place(true).filter(|p| p.wraps()) else { return };
        let op = self.r.pick(&["++", "--"]);
        if self.r.one_in(2) {
            self.line(format!("{}{op};", place.text));
        } else {
            self.line(format!("{op}{};", place.text));
        }
    }

    /// `y = x++ + e`, where nothing else names `x`.
    fn step_in_expression(&mut self) {
        let scalar =
            |v: &Var| matches!(v, Var::Scalar { writable: true, ty, .. } if !ty.signed || ty.bits < 32);
        let Some(at) = self.vars.iter().position(scalar) else { return };
        let stepped = self.vars.remove(at);
        let Var::Scalar { name, ty, .. } = &stepped else { unreachable!("it should be a scalar") };
        let pointers = self.vars.clone();
        self.vars.retain(|v| !matches!(v, Var::Pointer { .. }));
        let op = self.r.pick(&["++", "--"]);
        let text = if self.r.one_in(2) { format!("{name}{op}") } else { format!("{op}{name}") };
        let value = Value::any(text, strength::UNARY, *ty);
        let rest = self.int(2);
        let rest = self.fit(rest, 0xfff);
        let target = self.place(true);
        self.vars = pointers;
        self.vars.insert(at, stepped);
        let Some(target) = target else { return };
        let value = self.fit(value, 0xffff);
        let op = self.r.pick(&['+', '-', '^', '&']);
        self.line(format!(
            "{} = {} {op} {};",
            target.text,
            value.at(strength::PRIMARY),
            rest.at(strength::PRIMARY)
        ));
    }

    fn struct_assignment(&mut self) {
        let fits = |v: &Var| matches!(v, Var::Struct { writable: true, .. });
        let vars: Vec<Var> = self.vars.iter().filter(|v| fits(v)).cloned().collect();
        if vars.is_empty() {
            return self.assignment();
        }
        let Var::Struct { name, def, pointer, .. } = self.r.pick(&vars) else {
            unreachable!("it should be a struct")
        };
        let target = if pointer { format!("*{name}") } else { name };
        let makes = |f: &&super::scope::Pure| matches!(f.ret, Param::Struct(d) if d == def);
        let makers: Vec<_> = self.pure.iter().filter(makes).cloned().collect();
        let value = if !makers.is_empty() && self.r.one_in(2) {
            let maker = self.r.pick(&makers);
            let args: Vec<String> = maker.params.iter().map(|p| self.argument(p, 1)).collect();
            format!("{}({})", maker.name, args.join(", "))
        } else if self.r.one_in(4) {
            let (cond, value) = (self.comparison(1), self.struct_value(def, 1));
            format!("{} ? {target} : {value}", cond.at(strength::LOGICAL_OR))
        } else {
            self.struct_value(def, 1)
        };
        self.line(format!("{target} = {value};"));
    }

    fn float_assignment(&mut self) {
        let vars: Vec<Var> = self.vars.iter().filter(|v| matches!(v, Var::Float { .. })).cloned().collect();
        let value = self.float(2);
        if vars.is_empty() {
            return self.assignment();
        }
        let Var::Float { name, .. } = self.r.pick(&vars) else { unreachable!("it should be a float") };
        match self.r.index(4) {
            0 => self.line(format!("{name} = -{name};")),
            1 => {
                let n = self.int(1);
                let n = self.fit(n, 0xffff);
                self.line(format!("{name} = {};", n.at(strength::CONDITIONAL)));
            }
            2 => {
                let n = self.r.between(1, 9);
                self.line(format!("{name} /= {n};"));
            }
            _ => self.line(format!("{name} = {};", value.at(strength::CONDITIONAL))),
        }
    }

    fn jump(&mut self, at: StatementContext) {
        let word = if at.can_continue && self.r.one_in(2) { "continue" } else { "break" };
        let cond = self.condition(2);
        self.line(format!("if ({cond}) {word};"));
    }

    fn emit(&mut self, at: StatementContext) {
        if at.pure {
            return self.assignment();
        }
        match self.r.index(8) {
            0 => {
                let value = self.float(2);
                let bits = self.float_bits(&value);
                self.line(format!("emit({bits});"));
            }
            1 => {
                if let Some(place) = self.place(true) {
                    let value = self.int(2);
                    self.line(format!("emit({} = {});", place.text, value.at(strength::CONDITIONAL)));
                }
            }
            2 if at.loops == 0 => self.call_procedure(),
            _ => {
                let value = self.int(3);
                self.line(format!("emit({});", value.at(strength::CONDITIONAL)));
            }
        }
    }

    fn branch(&mut self, at: StatementContext) {
        let cond = self.condition(3);
        if self.r.one_in(4) {
            // The `else` belongs to the inner `if`.
            let inner = self.condition(1);
            self.line(format!("if ({cond})"));
            self.open(format!("  if ({inner})"));
            self.body(at);
            self.indent -= 1;
            self.line("  } else {");
            self.indent += 1;
            self.body(at);
            return self.close("");
        }
        self.open(format!("if ({cond})"));
        self.body(at);
        if self.r.one_in(2) {
            self.indent -= 1;
            self.line("} else {");
            self.indent += 1;
            self.body(at);
        }
        self.close("");
    }

    fn for_loop(&mut self, at: StatementContext) {
        let (i, n) = (self.fresh("i"), self.r.between(1, 5));
        let ty = self.r.pick(&INTS);
        let ty = if ty.bits == 1 { ENUM } else { ty };
        let fuel = if at.pure { "" } else { " && @fuel-- > 0" };
        match self.r.index(3) {
            0 => self.open(format!("for ({} {i} = {n}; {i} != 0{fuel}; {i}--)", ty.name)),
            1 => {
                let name = ty.name;
                self.open(format!("for ({name} {i} = 0, {i}_end = {n}; {i} < {i}_end{fuel}; {i} += 1)"));
            }
            _ => self.open(format!("for ({} {i} = 0; {i} < {n}{fuel}; ++{i})", ty.name)),
        }
        self.vars.push(Var::Scalar { name: i, ty, writable: false });
        self.body(at);
        self.vars.pop();
        self.close("");
    }

    fn while_loop(&mut self, at: StatementContext) {
        let (n, most) = (self.fresh("n"), self.r.between(1, 5));
        let cond = self.condition(2);
        self.open("");
        self.line(format!("unsigned {n} = 0;"));
        self.vars.push(Var::Scalar { name: n.clone(), ty: super::types::UINT, writable: false });
        let fuel = if at.pure { "" } else { " && @fuel-- > 0" };
        if self.r.one_in(2) {
            self.open(format!("while ({n}++ < {most}{fuel} && ({cond}))"));
            self.body(at);
            self.close("");
        } else {
            self.open("do");
            self.body(at);
            self.close(&format!(" while (++{n} < {most}{fuel} && ({cond}));"));
        }
        self.vars.pop();
        self.close("");
    }

    /// A pointer that runs over an array.
    fn walk(&mut self, at: StatementContext) {
        let fits = |v: &Var| matches!(v, Var::Array { dims, writable: true, .. } if dims.len() == 1);
        let arrays: Vec<Var> = self.vars.iter().filter(|v| fits(v)).cloned().collect();
        if arrays.is_empty() {
            return self.assignment();
        }
        let Var::Array { name, ty, dims, .. } = self.r.pick(&arrays) else {
            unreachable!("it should be an array")
        };
        let (p, len) = (self.fresh("p"), dims[0]);
        self.open("");
        self.line(format!("{} *{p} = {name};", ty.name));
        let value = self.int(2);
        match self.r.index(3) {
            0 => {
                self.open(format!("while ({p} < {name} + {len})"));
                self.line(format!("*{p}++ = {};", value.at(strength::CONDITIONAL)));
                self.close("");
            }
            1 => {
                self.line(format!("{p} += {len};"));
                self.open("do");
                self.line(format!("*--{p} = {};", value.at(strength::CONDITIONAL)));
                self.close(&format!(" while ({p} != {name});"));
            }
            _ => {
                self.open(format!("for (; {p} - {name} < {len}; ++{p})"));
                self.line(format!("*{p} ^= {};", value.at(strength::CONDITIONAL)));
                if !at.pure {
                    self.line(format!("emit(*{p});"));
                }
                self.close("");
            }
        }
        self.close("");
    }

    fn switch(&mut self, at: StatementContext) {
        let value = self.int(2);
        let value = self.fit(value, 7);
        let cases = self.r.between(1, 5);
        let default_at = self.r.index(cases + 2);
        self.open(format!("switch ({})", value.text));
        let start = self.r.index(3);
        for n in 0..cases {
            if n == default_at {
                self.line("default:");
            }
            self.line(format!("case {}:", start + n));
            self.open("");
            self.body(StatementContext { can_break: true, ..at });
            self.close("");
            if !self.r.one_in(3) {
                self.line("break;");
            }
        }
        self.close("");
    }

    fn forward_goto(&mut self, at: StatementContext) {
        let label = self.fresh("label");
        let cond = self.condition(2);
        self.line(format!("if ({cond}) goto {label};"));
        let n = self.r.between(1, 2);
        self.statements(n, at);
        self.line(format!("{label}:;"));
    }

    fn backward_goto(&mut self, at: StatementContext) {
        let (label, n) = (self.fresh("label"), self.fresh("n"));
        let cond = self.condition(2);
        self.open("");
        self.line(format!("short {n} = 0;"));
        self.line(format!("{label}:"));
        self.open("");
        self.body(at);
        self.close("");
        self.line(format!("if (++{n} < 4 && ({cond})) goto {label};"));
        self.close("");
    }

    /// A loop over the characters of a string.
    fn text_loop(&mut self, at: StatementContext) {
        let Some(place) = self.place(true).filter(|p| p.wraps() && !p.text.contains(['[', '*', '>'])) else {
            return;
        };
        let s = self.fresh("s");
        let text = self.r.pick(&["words", "", "a\\tb\\x41\\0hidden", "two\" \"parts", "\\377\\200"]);
        self.open("");
        self.line(format!("const char *{s} = \"{text}\";"));
        self.line(format!("while (*{s}) {} ^= *{s}++;", place.text));
        if !at.pure {
            self.line(format!("emit(*{s});"));
            self.line(format!("emit(sizeof(\"{text}\"));"));
        }
        self.close("");
    }

    /// Calls one of the functions with side effects.
    pub fn call_procedure(&mut self) {
        if self.procedures == 0 {
            return;
        }
        let n = self.r.index(self.procedures);
        self.call_procedure_number(n);
    }

    pub fn call_procedure_number(&mut self, n: usize) {
        let (a, b, def) = (self.int(2), self.int(2), 0);
        let s = self.struct_value(def, 1);
        let offset = self.r.index(5);
        let (a, b) = (a.at(strength::CONDITIONAL), b.at(strength::CONDITIONAL));
        let call = format!("@proc{n}({a}, {b}, {s}, @a0 + {offset})");
        match self.r.index(3) {
            0 => self.line(format!("emit({call});")),
            1 => self.line(format!("(void){call};")),
            _ => {
                let ty = self.r.pick(&INTS);
                let name = self.fresh("result");
                self.open("");
                self.line(format!("{} {name} = {call};", ty.name));
                self.line(format!("emit({name});"));
                self.close("");
            }
        }
    }
}
