//! Random C programs that are sequential, terminate and have one meaning only.
//!
//! A program is a set of definitions whose names start with a prefix, so that many can be compiled as one file; it
//! starts at the function `PREFIX_main` and reports what it computes through `emit` (see [`PRELUDE`]). Names
//! are written with `@` for the prefix until the end.
//!
//! What makes the programs well-defined:
//! - ranges of expressions are known, and operations that could overflow are not generated (`types`, `expr`, `float`);
//! - indices are masked, pointers stay inside of their arrays, divisors are not zero, all variables are initialised;
//! - the order of evaluation does not matter (`stmt`);
//! - loops have counters that nothing else changes, recursion counts down, and a global `fuel` bounds the whole.

mod decl;
mod expr;
mod float;
mod scope;
mod stmt;
mod types;

use base::convert::count32;
use scope::{Field, Generator, Param, Pure, Struct, Var};
use stmt::StatementContext;
use types::{INT, INTS, Int, LONG, UCHAR, UINT, strength};

/// What every program needs: the results, folded into 64 words.
pub const PRELUDE: &str = "\
unsigned long long out[64];
unsigned n_out;
static void emit(unsigned long long value) {
  out[n_out % 64] = out[n_out % 64] * 31 + value;
  n_out++;
}
";

/// The members of `union @word`, with how many there are.
const UNION_MEMBERS: [(&str, Int, usize); 6] = [
    ("q", INTS[14], 1),
    ("w", UINT, 2),
    ("i", INT, 2),
    ("h", INTS[5], 4),
    ("s", INTS[4], 4),
    ("b", UCHAR, 8),
];

/// The definitions of a program, the same for the same seed.
pub fn program(seed: u64, prefix: &str) -> String {
    let mut g = Generator::new(seed);
    g.types();
    g.globals();
    g.pure_functions();
    g.table();
    g.procedures();
    g.main();
    g.out.replace('@', prefix)
}

impl Generator {
    fn types(&mut self) {
        self.line("enum @Colour { @RED, @GREEN, @BLUE = 7 };");
        self.line("enum @Level { @LOW = -4, @MIDDLE, @HIGH = 3 };");
        self.open("union @word");
        for (name, ty, len) in UNION_MEMBERS {
            let dims = if len == 1 { String::new() } else { format!("[{len}]") };
            self.line(format!("{} {name}{dims};", ty.name));
        }
        self.close(";");
        for def in 0..self.r.between(2, 3) {
            self.structure(def);
        }
        self.line("struct @node { int value; struct @node *next; };");
    }

    fn structure(&mut self, def: usize) {
        let first = self.r.pick(&INTS);
        let mut fields = vec![Field::Int(first)];
        self.open(format!("struct @S{def}"));
        self.line(format!("{} f0;", first.name));
        for n in 1..self.r.between(3, 7) {
            let field = match self.r.index(8) {
                0 | 1 => Field::Array(self.int_type(), self.r.pick(&[2, 4])),
                2..=4 => {
                    let bits = if self.r.one_in(10) { 32 } else { count32(self.r.between(1, 31)) };
                    Field::Bits(self.r.pick(&[INT, UINT]), bits)
                }
                5 if def > 0 => Field::Nested(self.r.index(def)),
                _ => Field::Int(self.int_type()),
            };
            match &field {
                Field::Int(ty) => self.line(format!("{} f{n};", ty.name)),
                Field::Bits(ty, bits) => {
                    if self.r.one_in(6) {
                        self.line("unsigned : 0;");
                    }
                    self.line(format!("{} f{n} : {bits};", ty.name));
                }
                Field::Array(ty, len) => self.line(format!("{} f{n}[{len}];", ty.name)),
                Field::Nested(inner) => self.line(format!("struct @S{inner} f{n};")),
            }
            fields.push(field);
        }
        self.close(";");
        self.structs.push(Struct { fields });
    }

    fn globals(&mut self) {
        self.line("static int @fuel = 400;");
        for n in 0..self.r.between(3, 6) {
            let (ty, name) = (self.int_type(), format!("@g{n}"));
            let value = self.initial_value(0, true);
            let word = self.r.pick(&["static ", "", "static "]);
            let initialiser = if self.r.one_in(4) { String::new() } else { format!(" = {value}") };
            self.line(format!("{word}{} {name}{initialiser};", ty.name));
            self.vars.push(Var::Scalar { name, ty, writable: true });
        }
        // Procedures get a pointer into this array.
        self.line("static int @a0[8] = {1, -2, [5] = 30, 4};");
        self.vars.push(Var::Array { name: "@a0".to_string(), ty: INT, dims: vec![8], writable: true });
        for n in 1..3 {
            let var = self.array(&format!("@a{n}"), "static ", true);
            self.vars.push(var);
        }
        for def in 0..self.structs.len() {
            let value = self.struct_initialiser(def, 0, true);
            self.line(format!("static struct @S{def} @s{def} = {value};"));
            self.vars.push(Var::Struct { name: format!("@s{def}"), def, pointer: false, writable: true });
        }
        self.line("static union @word @u = {0x0123456789abcdefull};");
        self.vars.push(Var::Union { name: "@u".to_string() });
        self.line("static int *@p = &@a0[3];");
        self.vars.push(Var::Pointer { name: "@p".into(), ty: INT, base: "@a0".into(), before: 3, after: 5 });
        self.line("static struct @S1 *const @ps = &@s1;");
        self.vars.push(Var::Struct { name: "@ps".to_string(), def: 1, pointer: true, writable: true });
        self.line("static double @d = 2.5;");
        self.vars.push(Var::Float { name: "@d".to_string(), double: true });
        self.line(
            "static struct @node @nodes[3] = {{10, &@nodes[2]}, {.next = 0, .value = 30}, {20, @nodes + 1}};",
        );
        self.line("static const char *const @words[] = {\"zero\", \"one\", [3] = \"three\"};");
    }

    /// Functions that only compute.
    fn pure_functions(&mut self) {
        let globals = std::mem::take(&mut self.vars);
        let table = self.array("@k", "static const ", true);
        for n in 0..self.r.between(2, 4) {
            self.vars = vec![table.clone()];
            let name = format!("@pure{n}");
            match self.r.index(4) {
                0 => self.recursive_function(name),
                1 => {
                    let (def, param) = (self.r.index(self.structs.len()), self.int_type());
                    self.pure_function(name, vec![Param::Int(param)], Param::Struct(def));
                }
                2 => {
                    let (def, ret) = (self.r.index(self.structs.len()), self.int_type());
                    self.pure_function(name, vec![Param::Struct(def), Param::Int(INT)], Param::Int(ret));
                }
                _ => {
                    let params = (0..self.r.between(1, 3)).map(|_| Param::Int(self.int_type())).collect();
                    let ret = self.int_type();
                    self.pure_function(name, params, Param::Int(ret));
                }
            }
        }
        self.vars = globals;
        self.vars.push(table);
    }

    fn pure_function(&mut self, name: String, params: Vec<Param>, ret: Param) {
        let declared: Vec<String> = params.iter().map(|param| self.parameter(param)).collect();
        self.open(format!("static {} {name}({})", type_name(&ret), declared.join(", ")));
        self.local();
        if let Param::Struct(def) = ret {
            let value = self.struct_initialiser(def, 1, false);
            self.line(format!("struct @S{def} result = {value};"));
            self.vars.push(Var::Struct { name: "result".to_string(), def, pointer: false, writable: true });
        }
        let n = self.r.between(1, 3);
        self.statements(n, StatementContext::new(true, 1, 1));
        let result = match ret {
            Param::Int(_) => self.int(2).at(strength::CONDITIONAL),
            Param::Struct(_) => "result".to_string(),
        };
        self.line(format!("return {result};"));
        self.close("");
        self.pure.push(Pure { name, params, ret });
    }

    /// Declares a parameter and brings it into scope.
    fn parameter(&mut self, param: &Param) -> String {
        let name = self.fresh("x");
        let declared = format!("{} {name}", type_name(param));
        self.vars.push(match *param {
            Param::Int(ty) => Var::Scalar { name, ty, writable: true },
            Param::Struct(def) => Var::Struct { name, def, pointer: false, writable: true },
        });
        declared
    }

    fn recursive_function(&mut self, name: String) {
        let (ret, ty) = (self.int_type(), self.int_type());
        self.open(format!("static {} {name}(unsigned n, {} x)", ret.name, ty.name));
        self.vars.push(Var::Scalar { name: "n".to_string(), ty: UINT, writable: false });
        self.vars.push(Var::Scalar { name: "x".to_string(), ty, writable: true });
        self.line("n %= 6;");
        let (base, next) = (self.int(1), self.int(1));
        self.line(format!("if (n == 0) return {};", base.at(strength::CONDITIONAL)));
        self.local();
        self.line(format!("{} deeper = {name}(n - 1, {});", ret.name, next.at(strength::CONDITIONAL)));
        self.vars.push(Var::Scalar { name: "deeper".to_string(), ty: ret, writable: true });
        self.statements(1, StatementContext::new(true, 2, 1));
        let result = self.int(2);
        self.line(format!("return {};", result.at(strength::CONDITIONAL)));
        self.close("");
        let params = vec![Param::Int(UINT), Param::Int(ty)];
        self.pure.push(Pure { name, params, ret: Param::Int(ret) });
    }

    /// A table of functions of one type.
    fn table(&mut self) {
        let globals = std::mem::take(&mut self.vars);
        for n in 0..3 {
            self.vars.clear();
            let params = vec![Param::Int(INT), Param::Int(LONG)];
            self.pure_function(format!("@op{n}"), params, Param::Int(LONG));
        }
        self.vars = globals;
        self.line("typedef long @operation(int, long);");
        self.line("static @operation *const @table[4] = {@op0, &@op1, [3] = @op0, [2] = @op2};");
        self.has_table = true;
    }

    /// Functions with side effects; each can call those before it.
    fn procedures(&mut self) {
        for n in 0..self.r.between(2, 3) {
            let outer = self.vars.len();
            let (ret, a, b) = (self.r.pick(&INTS), self.int_type(), self.int_type());
            let params = [Param::Int(a), Param::Int(b), Param::Struct(0)];
            let params: Vec<String> = params.iter().map(|param| self.parameter(param)).collect();
            self.open(format!("static {} @proc{n}({}, int *q)", ret.name, params.join(", ")));
            self.vars.push(Var::Pointer { name: "q".into(), ty: INT, base: "q".into(), before: 0, after: 4 });
            let (ty, value) = (self.int_type(), self.initial_value(0, true));
            self.line(format!("static {} calls = {value};", ty.name));
            self.vars.push(Var::Scalar { name: "calls".to_string(), ty, writable: true });
            self.local();
            self.local();
            let statements = self.r.between(2, 5);
            self.statements(statements, StatementContext::new(false, 0, 2));
            if self.r.one_in(2) {
                let (cond, early) = (self.condition(2), self.int(2));
                self.line(format!("if ({cond}) return {};", early.at(strength::CONDITIONAL)));
                self.statements(2, StatementContext::new(false, 0, 1));
            }
            let result = self.int(2);
            self.line(format!("return {};", result.at(strength::CONDITIONAL)));
            self.close("");
            self.vars.truncate(outer);
            self.procedures = n + 1;
        }
    }

    fn main(&mut self) {
        let globals = self.vars.clone();
        self.open("void @main(void)");
        for _ in 0..3 {
            self.local();
        }
        let n = self.r.between(3, 7);
        self.statements(n, StatementContext::new(false, 0, 3));
        for n in 0..self.procedures {
            self.call_procedure_number(n);
        }
        self.line("for (const struct @node *node = @nodes; node; node = node->next) emit(node->value);");
        self.line("for (unsigned i = 0; i < sizeof @words / sizeof *@words; i++)");
        self.line("  for (const char *s = @words[i]; s && *s; ++s) emit(*s);");
        self.vars = globals;
        for var in self.vars.clone() {
            self.emit_all(&var);
        }
        self.close("");
    }

    /// Reports all of a variable.
    fn emit_all(&mut self, var: &Var) {
        match var {
            Var::Scalar { name, .. } => self.line(format!("emit({name});")),
            Var::Array { name, dims, .. } if dims.len() == 1 => {
                self.line(format!("for (int i = 0; i < {}; i++) emit({name}[i]);", dims[0]));
            }
            Var::Array { name, .. } => {
                self.line(format!("for (int i = 0; i < 8; i++) emit({name}[i / 4][i % 4]);"));
            }
            Var::Struct { name, def, pointer: false, .. } => self.emit_struct(name, *def),
            Var::Union { name } => self.line(format!("emit({name}.q);")),
            Var::Float { name, .. } => self.line(format!("emit((long)({name} * 1000));")),
            Var::Struct { .. } | Var::Pointer { .. } => {}
        }
    }

    fn emit_struct(&mut self, name: &str, def: usize) {
        for (n, field) in self.structs[def].fields.clone().iter().enumerate() {
            match field {
                Field::Int(_) | Field::Bits(..) => self.line(format!("emit({name}.f{n});")),
                Field::Array(_, len) => {
                    self.line(format!("for (int i = 0; i < {len}; i++) emit({name}.f{n}[i]);"));
                }
                Field::Nested(inner) => self.emit_struct(&format!("{name}.f{n}"), *inner),
            }
        }
    }
}

fn type_name(param: &Param) -> String {
    match param {
        Param::Int(ty) => ty.name.to_string(),
        Param::Struct(def) => format!("struct @S{def}"),
    }
}
