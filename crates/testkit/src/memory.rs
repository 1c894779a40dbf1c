//! Random C programs about memory: structures in structures, arrays in both, unions, pointers into the middle of objects, punning,
//! copies, fills and allocations, in one to three threads.
//!
//! Every statement is a line of its own, so that a failing program is shrunk by leaving out lines. Most accesses are inside their
//! objects, some are not: what is undefined ends a run. None is so far outside that it could be inside another object, which the
//! interpreter takes to be meant (an index is below 6, a distance below 4).

use base::Random;
use std::fmt::Write;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Type {
    Scalar(&'static str),
    Pointer(Box<Type>),
    Array(Box<Type>, u64),
    Record(usize),
}

struct Record {
    is_union: bool,
    fields: Vec<Type>,
}

const SCALARS: [&str; 6] = ["char", "unsigned char", "short", "int", "unsigned", "long"];

const HEAD: &str = "typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, void *, void *(*)(void *), void *);
extern int pthread_join(pthread_t, void **);
extern void *malloc(unsigned long);
extern void *calloc(unsigned long, unsigned long);
extern void *realloc(void *, unsigned long);
extern void free(void *);
extern void *memcpy(void *, const void *, unsigned long);
extern void *memmove(void *, const void *, unsigned long);
extern void *memset(void *, int, unsigned long);
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void __VERIFIER_atomic_begin(void);
extern void __VERIFIER_atomic_end(void);
void check(int c) { if (!c) reach_error(); }
";

/// The program of this number.
pub fn generate(seed: u64) -> String {
    let mut generator = Generator {
        r: Random(seed),
        records: Vec::new(),
        globals: Vec::new(),
        locals: Vec::new(),
        text: HEAD.to_owned(),
    };
    generator.program();
    generator.text
}

struct Generator {
    r: Random,
    records: Vec<Record>,
    globals: Vec<(String, Type)>,
    locals: Vec<(String, Type)>,
    text: String,
}

impl Generator {
    fn program(&mut self) {
        self.record_types();
        self.global_variables();
        self.helper();
        let n_threads = self.r.below(3);
        for thread in 0..n_threads {
            let _ = writeln!(self.text, "void *thread{thread}(void *arg) {{");
            self.local_variables();
            self.body(5);
            self.text.push_str("return 0;\n}\n");
        }
        self.text.push_str("int main(void) {\n");
        self.locals.clear();
        self.local_variables();
        self.pointers_are_set(true);
        let _ = writeln!(self.text, "pthread_t id[3];");
        self.body(2);
        for thread in 0..n_threads {
            let _ = writeln!(self.text, "pthread_create(&id[{thread}], 0, thread{thread}, 0);");
        }
        self.body(8);
        self.text.push_str("return 0;\n}\n");
    }

    // ---- types and variables --------------------------------------------------------------------------------

    fn scalar(&mut self) -> Type {
        Type::Scalar(self.r.pick(&SCALARS))
    }

    fn type_(&mut self, depth: u32) -> Type {
        match self.r.below(10) {
            0..=3 => self.scalar(),
            4 => Type::Pointer(Box::new(self.pointed_at())),
            5..=7 if depth > 0 => {
                let n = 2 + self.r.below(3);
                Type::Array(Box::new(self.type_(depth - 1)), n)
            }
            _ if !self.records.is_empty() => Type::Record(self.r.index(self.records.len())),
            _ => self.scalar(),
        }
    }

    fn pointed_at(&mut self) -> Type {
        match self.r.below(4) {
            0 if !self.records.is_empty() => Type::Record(self.r.index(self.records.len())),
            1 => Type::Scalar("char"),
            2 => self.scalar(),
            _ => Type::Scalar("int"),
        }
    }

    fn record_types(&mut self) {
        for n in 0..1 + self.r.index(3) {
            let is_union = self.r.one_in(5);
            let n_fields = 2 + self.r.below(3);
            let fields: Vec<Type> = (0..n_fields).map(|_| self.type_(1)).collect();
            let body: String = fields
                .iter()
                .enumerate()
                .map(|(f, t)| format!("{}; ", self.declare(t, &format!("f{f}"))))
                .collect();
            let keyword = if is_union { "union" } else { "struct" };
            let _ = writeln!(self.text, "{keyword} R{n} {{ {body}}};");
            self.records.push(Record { is_union, fields });
        }
    }

    fn name(&self, type_: &Type) -> String {
        match type_ {
            Type::Scalar(name) => (*name).to_owned(),
            Type::Pointer(to) => format!("{} *", self.name(to)),
            Type::Array(..) => unreachable!("arrays should have no names"),
            Type::Record(n) if self.records.get(*n).is_some_and(|r| r.is_union) => format!("union R{n}"),
            Type::Record(n) => format!("struct R{n}"),
        }
    }

    fn declare(&self, type_: &Type, name: &str) -> String {
        match type_ {
            Type::Array(element, n) => self.declare(element, &format!("{name}[{n}]")),
            other => format!("{} {name}", self.name(other)),
        }
    }

    fn global_variables(&mut self) {
        let mut types: Vec<Type> = (0..self.records.len()).map(Type::Record).collect();
        types.extend((0..1 + self.r.below(3)).map(|_| self.type_(2)));
        types.push(Type::Array(Box::new(Type::Scalar("int")), 4));
        for (n, type_) in types.into_iter().enumerate() {
            let name = format!("g{n}");
            let _ = writeln!(self.text, "{};", self.declare(&type_, &name));
            self.globals.push((name, type_));
        }
    }

    fn local_variables(&mut self) {
        self.locals.clear();
        for n in 0..self.r.below(3) {
            let type_ = self.type_(2);
            self.local(&format!("l{n}"), type_);
        }
        self.text.push_str("int i = 0, j = 1;\n");
        for n in 0..1 + self.r.below(2) {
            let type_ = Type::Pointer(Box::new(self.pointed_at()));
            self.local(&format!("p{n}"), type_);
        }
        self.pointers_are_set(false);
    }

    fn local(&mut self, name: &str, type_: Type) {
        let _ = writeln!(self.text, "{};", self.declare(&type_, name));
        self.locals.push((name.to_owned(), type_));
    }

    /// Most pointers point somewhere.
    fn pointers_are_set(&mut self, global: bool) {
        let variables = if global { &self.globals } else { &self.locals };
        for (name, type_) in variables.clone() {
            if let Type::Pointer(to) = &type_ {
                let to = self.pointer_to(to);
                let _ = writeln!(self.text, "{name} = {to};");
            }
        }
    }

    /// A function with parameters that are pointers.
    fn helper(&mut self) {
        let _ = writeln!(self.text, "int helper(int *p, int n) {{");
        self.locals = vec![("p".to_owned(), Type::Pointer(Box::new(Type::Scalar("int"))))];
        self.text.push_str("int i = n & 3, j = 0;\n");
        if self.r.one_in(2) {
            let type_ = self.type_(1);
            self.local("l", type_);
        }
        self.body(3);
        self.text.push_str("return p[n & 1];\n}\n");
    }

    // ---- expressions ----------------------------------------------------------------------------------------

    fn index(&mut self, n: u64) -> String {
        let var = self.r.pick(&["i", "j"]);
        match self.r.below(20) {
            0..=9 => self.r.below(n).to_string(),
            10..=14 => format!("(unsigned){var} % {n}"),
            15..=16 => format!("({var} & 1)"),
            17..=18 => format!("{var} % 6"),
            _ => n.to_string(),
        }
    }

    fn distance(&mut self) -> String {
        let var = self.r.pick(&["i", "j"]);
        match self.r.below(10) {
            0..=3 => "0".to_owned(),
            4 => "1".to_owned(),
            5 => "-1".to_owned(),
            6 => format!("({var} & 1)"),
            7 => format!("(({var} & 3) - 2)"),
            8 => format!("-({var} & 1)"),
            _ => format!("({var} % 4)"),
        }
    }

    /// A place and its type, which is no array.
    fn place(&mut self) -> (String, Type) {
        let both = self.globals.len() + self.locals.len();
        let n = self.r.index(both);
        let (name, type_) = if n < self.globals.len() {
            self.globals[n].clone()
        } else {
            self.locals[n - self.globals.len()].clone()
        };
        self.inside(name, type_)
    }

    /// A part of a place.
    fn inside(&mut self, text: String, type_: Type) -> (String, Type) {
        match type_ {
            Type::Array(element, n) => {
                let at = self.index(n);
                self.inside(format!("{text}[{at}]"), *element)
            }
            Type::Record(n) if !self.r.one_in(6) => {
                let f = self.r.index(self.records[n].fields.len());
                let field = self.records[n].fields[f].clone();
                self.inside(format!("{text}.f{f}"), field)
            }
            // Pointers inside records are often null.
            Type::Pointer(to) if !self.r.one_in(if text.contains(['.', '[']) { 2 } else { 8 }) => {
                let distance = self.distance();
                let text = if distance == "0" { format!("(*{text})") } else { format!("{text}[{distance}]") };
                self.inside(text, *to)
            }
            other => (text, other),
        }
    }

    /// A place of a type.
    fn place_of(&mut self, wanted: &Type) -> Option<String> {
        (0..30).map(|_| self.place()).find(|(_, type_)| type_ == wanted).map(|(text, _)| text)
    }

    fn scalar_place(&mut self) -> String {
        for _ in 0..50 {
            if let (text, Type::Scalar(_)) = self.place() {
                return text;
            }
        }
        "i".to_owned()
    }

    fn value(&mut self, depth: u32) -> String {
        match self.r.below(if depth == 0 { 6 } else { 9 }) {
            0 => self.r.below(4).to_string(),
            1 => self.r.pick(&["i", "j", "-1", "300", "0x12345678"]).to_owned(),
            2..=5 => self.scalar_place(),
            6 => format!("{} + {}", self.value(0), self.value(0)),
            7 => format!("({} ? {} : {})", self.condition(), self.value(0), self.value(0)),
            _ => self.punned(),
        }
    }

    /// A place looked at as something else.
    fn punned(&mut self) -> String {
        let (place, _) = self.place();
        match self.r.below(4) {
            0 => format!("((char *)&{place})[{}]", self.distance()),
            1 => format!("*({} *)&{place}", self.r.pick(&["char", "short", "int"])),
            2 => format!("*({} *)((char *)&{place} + {})", self.r.pick(&["char", "short"]), self.distance()),
            _ => format!("((int *)&{place})[{}]", self.distance()),
        }
    }

    fn condition(&mut self) -> String {
        match self.r.below(6) {
            0 => {
                let (l, r) = (self.place().0, self.place().0);
                format!("(char *)&{l} {} (char *)&{r}", self.r.pick(&["==", "!=", "<"]))
            }
            1 => format!("i {} j", self.r.pick(&["==", "<", "!="])),
            _ => format!("{} {} {}", self.value(0), self.r.pick(&["==", "!=", "<", "<="]), self.value(0)),
        }
    }

    fn pointer_to(&mut self, to: &Type) -> String {
        if let Some(place) = self.place_of(to)
            && !self.r.one_in(8)
        {
            return format!("&{place}");
        }
        match self.r.below(6) {
            0 => format!("malloc(sizeof({}))", self.name(to)),
            1 => format!("malloc({} * sizeof({}))", 1 + self.r.below(3), self.name(to)),
            2 => format!("malloc(((i & 3) + 1) * sizeof({}))", self.name(to)),
            3 => format!("calloc({}, sizeof({}))", 1 + self.r.below(3), self.name(to)),
            4 => format!("calloc((j & 3) + 1, sizeof({}))", self.name(to)),
            _ => format!("({} *)&{}", self.name(to), self.place().0),
        }
    }

    // ---- statements -----------------------------------------------------------------------------------------

    fn body(&mut self, most: u64) {
        for _ in 0..1 + self.r.below(most) {
            let statement = self.statement(1);
            let _ = writeln!(self.text, "{statement}");
        }
    }

    fn statement(&mut self, depth: u32) -> String {
        match self.r.below(if depth == 0 { 17 } else { 22 }) {
            0..=4 => format!("{} = {};", self.scalar_place(), self.value(1)),
            5..=6 => self.pointer_statement(),
            7 => format!("{} = {};", self.punned(), self.value(0)),
            8..=9 => self.copy(),
            10 => self.fill(),
            11 => format!("i = {};", self.value(0)),
            12 => "j = __VERIFIER_nondet_int();".to_owned(),
            13 => format!("i = helper((int *)&{}, {});", self.place().0, self.value(0)),
            14 => format!("check({} != 77);", self.value(0)),
            15 => format!("__VERIFIER_assume({});", self.condition()),
            16 => format!("{}++;", self.scalar_place()),
            17 => format!("if ({}) {{ {} }}", self.condition(), self.statement(0)),
            18 => format!(
                "if ({}) {{ {} }} else {{ {} }}",
                self.condition(),
                self.statement(0),
                self.statement(0)
            ),
            19..=20 => format!("for (i = 0; i < {}; i++) {{ {} }}", 2 + self.r.below(2), self.statement(0)),
            _ => format!(
                "__VERIFIER_atomic_begin(); {} {} __VERIFIER_atomic_end();",
                self.statement(0),
                self.statement(0)
            ),
        }
    }

    fn pointer_statement(&mut self) -> String {
        for _ in 0..30 {
            if let (text, Type::Pointer(to)) = self.place() {
                return match self.r.below(12) {
                    0 => format!("{text}++;"),
                    1 => format!("{text} += {};", self.distance()),
                    2 => format!("free({text});"),
                    3 if self.r.one_in(3) => format!("{text} = realloc({text}, 4 + 8 * (i & 3));"),
                    3 => format!("{text} = realloc({text}, {});", 8 + self.r.below(24)),
                    4 => format!("{text} = ({} *)((char *){text} + {});", self.name(&to), self.r.below(8)),
                    _ => format!("{text} = {};", self.pointer_to(&to)),
                };
            }
        }
        "i++;".to_owned()
    }

    fn length(&mut self, place: &str) -> String {
        match self.r.below(12) {
            0..=6 => format!("sizeof({place})"),
            7..=8 => (1 + self.r.below(6)).to_string(),
            9 => format!("(i & 1) * sizeof({place})"),
            10 => "(j & 3)".to_owned(),
            _ => "((i & 1) * 4)".to_owned(),
        }
    }

    fn copy(&mut self) -> String {
        let (to, type_) = self.place();
        let from = match self.place_of(&type_) {
            Some(from) if !self.r.one_in(4) => from,
            _ => self.place().0,
        };
        if self.r.one_in(2) && matches!(type_, Type::Record(_)) {
            return match self.place_of(&type_) {
                Some(from) => format!("{to} = {from};"),
                None => "i++;".to_owned(),
            };
        }
        let len = self.length(&to);
        format!("{}(&{to}, &{from}, {len});", self.r.pick(&["memcpy", "memmove"]))
    }

    fn fill(&mut self) -> String {
        let (to, type_) = self.place();
        if matches!(type_, Type::Pointer(_)) {
            return "j++;".to_owned(); // an address with some bytes of a constant is none (A21)
        }
        let len = self.length(&to);
        format!("memset(&{to}, {}, {len});", self.r.pick(&["0", "1", "255", "i", "j"]))
    }
}
