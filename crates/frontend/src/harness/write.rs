//! The text of the driver.

use super::arguments::{Call, Purpose};
use super::plan::{Kind, Part, Plan};
use super::roles::success;
use super::spell::any_value;
use super::{Harness, LibraryFiles};
use crate::hir::FunctionId;
use crate::types::{Ty, Type};
use std::fmt::Write;

/// Functions that wait for an event, and the types of their parameters.
const WAITS: [(&str, &str, &str); 3] = [
    ("pthread_cond_wait", "pthread_cond_t *condition, pthread_mutex_t *mutex", "condition, mutex"),
    ("sem_wait", "sem_t *semaphore", "semaphore"),
    ("cnd_wait", "cnd_t *condition, mtx_t *mutex", "condition, mutex"),
];

/// What the driver itself calls, and how it is declared where the library's files have no headers.
const DECLARATIONS: [(&str, &str); 5] = [
    ("pthread_create", "int pthread_create(pthread_t *, const void *, void *(*)(void *), void *)"),
    ("pthread_join", "int pthread_join(pthread_t, void **)"),
    ("pthread_exit", "void pthread_exit(void *)"),
    ("calloc", "void *calloc(__SIZE_TYPE__, __SIZE_TYPE__)"),
    ("free", "void free(void *)"),
];

/// Writes the driver.
pub(super) fn write(files: &LibraryFiles, plan: &Plan<'_>) -> Harness {
    let mut writer = Writer { files, plan, text: String::new(), assumptions: Vec::new(), calls: Vec::new() };
    // SOUNDNESS: A32
    let sizes = "sizes and lengths that clients choose are small: buffers of 1 to 3 elements, texts of at most two characters";
    writer.assumptions.push(sizes.to_owned());
    writer.head();
    writer.values();
    writer.callbacks();
    writer.objects();
    writer.functions();
    writer.client();
    writer.main();
    Harness { text: writer.text, assumptions: writer.assumptions }
}

struct Writer<'p, 'e> {
    files: &'p LibraryFiles,
    plan: &'p Plan<'e>,
    text: String,
    assumptions: Vec<String>,
    /// The functions of the driver among which a client chooses.
    calls: Vec<String>,
}

impl Writer<'_, '_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    fn lines(&mut self, indent: &str, lines: &[String]) {
        for line in lines {
            let _ = writeln!(self.text, "{indent}{line}");
        }
    }

    /// The functions that the library waits for events with.
    fn waits(&self) -> Vec<(&'static str, &'static str, &'static str)> {
        let functions = &self.plan.exports.module.functions;
        let is_called = |name: &str| functions.iter().any(|function| function.name == name);
        WAITS.into_iter().filter(|(name, ..)| is_called(name)).collect()
    }

    /// Returns true if a client may wait for an event for ever.
    fn forgives_waits(&self) -> bool {
        let knows = |name: &str| self.plan.exports.declared.contains(name);
        let can_count = self.files.has_headers || knows("pthread_mutex_t") && knows("pthread_cond_t");
        self.plan.client.threads.is_some() && !self.waits().is_empty() && can_count
    }

    fn head(&mut self) {
        self.line("/* The most general client of a library, written by `threadproof harness`: threads call its functions in any");
        self.line("   order, with any arguments that are valid for their types. Edit what your clients do differently, then run");
        self.line("   `threadproof verify` on this file: it includes the library. */");
        let mut renamed: Vec<(&str, String)> = Vec::new();
        if self.forgives_waits() {
            renamed.extend(self.waits().iter().map(|(name, ..)| (*name, format!("client_{name}"))));
        }
        if self.plan.exports.has_main {
            renamed.push(("main", "library_main".to_owned()));
        }
        for (old, new) in &renamed {
            self.line(format!("#define {old} {new}"));
        }
        for file in &self.files.names {
            let escaped = file.replace('\\', "\\\\").replace('"', "\\\"");
            self.line(format!("#include \"{escaped}\""));
        }
        for (old, _) in &renamed {
            self.line(format!("#undef {old}"));
        }
        self.declarations();
        if self.forgives_waits() {
            self.waiting();
        }
        self.line("");
    }

    /// What the driver itself calls. Files without any `#include` (merged or preprocessed ones) have their own declarations, which
    /// headers would contradict.
    fn declarations(&mut self) {
        if self.files.has_headers {
            self.line("#include <pthread.h>\n#include <stdlib.h>");
            return;
        }
        if !self.plan.exports.declared.contains("pthread_t") {
            self.line("typedef unsigned long pthread_t;");
        }
        for (name, declaration) in DECLARATIONS {
            if !self.plan.exports.declared.contains(name) {
                self.line(format!("extern {declaration};"));
            }
        }
    }

    fn waiting(&mut self) {
        if !self.files.has_headers {
            for function in ["pthread_mutex_lock", "pthread_mutex_unlock"] {
                self.line(format!("extern int {function}(pthread_mutex_t *);"));
            }
            self.line("extern int pthread_cond_signal(pthread_cond_t *);\nextern void exit(int);");
        }
        self.line("");
        self.line("/* A client that waits for an event waits for other clients, and none of them has to come: so the driver ends when every");
        self.line("   client has ended or waits. A client that waits for a mutex for ever is blocked, and reported.");
        self.line("   Take these definitions and the #defines above out if every wait should end. */");
        self.line("static pthread_mutex_t client_mutex;");
        self.line("static pthread_cond_t client_quiet;");
        self.line("static int client_n_busy, client_n_waiting;");
        self.line("static __thread int client_is_current;");
        self.line("static void client_waits(int change)");
        self.line("{");
        self.line("    if (!client_is_current) return;");
        self.line("    pthread_mutex_lock(&client_mutex);");
        self.line("    client_n_waiting += change;");
        self.line("    if (client_n_waiting == client_n_busy) pthread_cond_signal(&client_quiet);");
        self.line("    pthread_mutex_unlock(&client_mutex);");
        self.line("}");
        for (name, parameters, arguments) in self.waits() {
            self.line(format!("extern int {name}({parameters});"));
            self.line(format!("int client_{name}({parameters})"));
            self.line("{");
            self.line("    client_waits(1);");
            self.line(format!("    int result = {name}({arguments});"));
            self.line("    client_waits(-1);");
            self.line("    return result;");
            self.line("}");
            self.assumptions.push(format!("a client may stay in `{name}` for ever"));
        }
    }

    fn values(&mut self) {
        let mut names: Vec<&str> = vec!["bool"];
        let types = self.plan.speller.types;
        let mut wanted = |ty: Ty| names.extend(any_value(types, ty));
        for &function in &self.plan.exports.functions {
            let (_, params, _) = self.plan.signature(function);
            params.iter().for_each(|&ty| wanted(ty));
        }
        for ty in self.plan.callbacks() {
            if let Type::Function { ret, .. } = *types.get(ty) {
                wanted(ret);
            }
        }
        for kind in &self.plan.kinds {
            if let Type::Record(id) = types.get(kind.ty)
                && let Some(layout) = &types.record(*id).layout
            {
                layout.fields.iter().for_each(|field| wanted(field.ty));
            }
        }
        names.sort_unstable();
        names.dedup();
        for name in names {
            self.line(format!("extern {} __VERIFIER_nondet_{name}(void);", spelt_value(name)));
        }
        self.line("extern void __VERIFIER_assume(int);");
        self.line("");
        self.line("/* Any number below n. */");
        self.line("static unsigned client_choose(unsigned n)");
        self.line("{");
        self.line("    unsigned chosen = 0;");
        self.line("    for (unsigned bit = 1; bit < n; bit *= 2)");
        self.line("        if (__VERIFIER_nondet_bool()) chosen += bit;");
        self.line("    return chosen < n ? chosen : chosen - n;");
        self.line("}");
        self.line("/* Sizes of objects and buffers: from 1 to 3. */");
        self.line("static unsigned client_size(void) { return 1 + client_choose(3); }");
        self.line("/* What `void *` points to. */");
        self.line("static long client_item;");
        self.line("/* Texts: of at most two characters. */");
        self.line("static char *client_string(void)");
        self.line("{");
        self.line("    char *text = calloc(3, 1);");
        self.line(
            "    for (unsigned n = client_choose(3), i = 0; i < n; i++) text[i] = 'a' + client_choose(2);",
        );
        self.line("    return text;");
        self.line("}");
    }

    fn callbacks(&mut self) {
        let types = self.plan.speller.types;
        for (n, ty) in self.plan.callbacks().into_iter().enumerate() {
            let Some(head) = self.plan.speller.declare(ty, &format!("client_callback_{n}")) else { continue };
            let Type::Function { ret, params, .. } = types.get(ty) else { continue };
            let mut named: Vec<String> = Vec::new();
            for (k, &param) in params.iter().enumerate() {
                named.extend(self.plan.speller.declare(param, &format!("arg{k}")));
            }
            let bare = head.split_once('(').map_or(head.as_str(), |(name, _)| name).to_owned();
            let list = if named.is_empty() { "void".to_owned() } else { named.join(", ") };
            let result = match types.get(*ret) {
                Type::Void => String::new(),
                Type::Pointer(_) => " return 0; ".to_owned(),
                _ => any_value(types, *ret)
                    .map_or_else(String::new, |any| format!(" return __VERIFIER_nondet_{any}(); ")),
            };
            self.line(format!(
                "/* A function that clients hand over. */\nstatic {bare}({list}) {{{result}}}"
            ));
        }
    }

    fn objects(&mut self) {
        let plan = self.plan;
        let kinds: Vec<&Kind> = plan.kinds.iter().filter(|kind| kind.can_be_made(&plan.speller)).collect();
        for kind in &kinds {
            let made = plan
                .speller
                .declare(kind.ty, &format!("*client_make_{}(void)", kind.name))
                .unwrap_or_default();
            self.line(format!("static {made};"));
            if kind.shared {
                let name = &kind.name;
                let objects = plan
                    .speller
                    .declare(kind.ty, &format!("*client_{name}[{}]", kind.n_objects))
                    .unwrap_or_default();
                let any =
                    plan.speller.declare(kind.ty, &format!("*client_any_{name}(void)")).unwrap_or_default();
                self.line(format!("/* Objects that all clients share. */\nstatic {objects};"));
                self.line(format!(
                    "static {any} {{ return client_{name}[client_choose({})]; }}",
                    kind.n_objects
                ));
            }
        }
        for kind in kinds {
            self.make(kind);
            self.end(kind);
        }
    }

    /// `client_make_…`: an object that no other thread knows yet.
    fn make(&mut self, kind: &Kind) {
        let plan = self.plan;
        let pointer = |name: &str| plan.speller.declare(kind.ty, &format!("*{name}")).unwrap_or_default();
        self.line("");
        self.line(format!("static {}", pointer(&format!("client_make_{}(void)", kind.name))));
        self.line("{");
        self.line(format!("    {};", pointer("made = 0")));
        let makers = if kind.makers.is_empty() { &kind.initialisers } else { &kind.makers };
        if kind.makers.is_empty() {
            self.line("    made = calloc(1, sizeof *made);");
        }
        let mut alternatives = Vec::new();
        for &function in makers {
            alternatives.extend(self.making(function));
        }
        match alternatives.as_slice() {
            [] => self.fill(kind),
            [one] => self.lines("    ", one),
            several => {
                self.line(format!("    switch (client_choose({})) {{", several.len()));
                for (n, lines) in several.iter().enumerate() {
                    self.line(if n + 1 < several.len() {
                        format!("    case {n}: {{")
                    } else {
                        "    default: {".to_owned()
                    });
                    self.lines("        ", lines);
                    self.line("        break;\n    }");
                }
                self.line("    }");
            }
        }
        if !kind.makers.is_empty() {
            self.line("    __VERIFIER_assume(made != 0); /* a call that fails makes nothing */");
        }
        self.line("    return made;");
        self.line("}");
    }

    /// The lines that set `made` by a call of a function.
    fn making(&mut self, function: FunctionId) -> Option<Vec<String>> {
        let plan = self.plan;
        let name = plan.name(function);
        let part = plan.parts.iter().find(|(id, _)| *id == function)?.1;
        let (ret, _, _) = plan.signature(function);
        let purpose = match part {
            Part::Makes { through: Some(param), .. } => Purpose::Initialising(param, "&made"),
            Part::Initialises { param, .. } => Purpose::Initialising(param, "made"),
            _ => Purpose::Making,
        };
        let Call { before, arguments, after } = plan.call(function, purpose)?;
        let mut lines = before;
        let call = format!("{name}({})", arguments.join(", "));
        match (part, success(&plan.exports.module, function)) {
            (Part::Makes { through: None, .. }, _) => lines.push(format!("made = {call};")),
            (Part::Initialises { .. }, Some(is_true)) => {
                lines.push(format!("{} = {call};", plan.speller.declare(ret, "status")?));
                let what = if is_true { "status" } else { "status == 0" };
                lines.push(format!("__VERIFIER_assume({what}); /* clients use what was initialised */"));
            }
            _ => lines.push(format!("{call};")),
        }
        lines.extend(after);
        self.assumptions.push(match part {
            Part::Initialises { .. } => format!("`{name}` is called once for an object, before other threads know it (it initialises its argument)"),
            _ => format!("objects are made by `{name}`"),
        });
        Some(lines)
    }

    /// The members of an object that no function makes.
    fn fill(&mut self, kind: &Kind) {
        let types = self.plan.speller.types;
        let Type::Record(id) = types.get(kind.ty) else { return };
        let Some(layout) = &types.record(*id).layout else { return };
        for field in layout.fields.iter().filter(|field| !field.name.is_empty()) {
            if let Some((initialise, more)) = self.plan.synchroniser(field.ty) {
                self.line(format!("    {initialise}(&made->{}, {more});", field.name));
            } else if let Some(any) = any_value(types, field.ty) {
                self.line(format!("    made->{} = __VERIFIER_nondet_{any}();", field.name));
            }
        }
    }

    /// `client_end_…`: the last call for an object.
    fn end(&mut self, kind: &Kind) {
        let plan = self.plan;
        let mut alternatives = Vec::new();
        for &function in &kind.destructors {
            let Some(&(_, Part::Ends { param, .. })) = plan.parts.iter().find(|(id, _)| *id == function)
            else {
                continue;
            };
            let (_, params, _) = plan.signature(function);
            let object = if plan.kind_of(params[param]).is_some() { "object" } else { "&object" };
            let Some(Call { before, arguments, after }) = plan.call(function, Purpose::About(param, object))
            else {
                continue;
            };
            let name = plan.name(function);
            let call = format!("{name}({});", arguments.join(", "));
            alternatives.push([before, vec![call], after].concat());
            self.assumptions.push(format!("`{name}` is called once for an object, after all other calls for it (it frees or destroys its argument)"));
        }
        if alternatives.is_empty() {
            return;
        }
        let parameter = plan.speller.declare(kind.ty, "*object").unwrap_or_default();
        self.line("");
        self.line(format!(
            "/* The last call for an object. */\nstatic void client_end_{}({parameter})",
            kind.name
        ));
        self.line("{");
        self.line(format!("    switch (client_choose({})) {{", alternatives.len()));
        for (n, lines) in alternatives.iter().enumerate() {
            self.line(if n + 1 < alternatives.len() {
                format!("    case {n}: {{")
            } else {
                "    default: {".to_owned()
            });
            self.lines("        ", lines);
            self.line("        break;\n    }");
        }
        self.line("    }");
        self.line("}");
    }

    /// A function of the driver for each function that clients call: the place for a contract.
    fn functions(&mut self) {
        let plan = self.plan;
        for &(function, part) in &plan.parts {
            let name = plan.name(function);
            match part {
                Part::Called => match plan.call(function, Purpose::Plain) {
                    Some(call) => self.function(name, &call),
                    None => self.skipped(name, "an argument's type is not known here"),
                },
                Part::Skipped(why) => self.skipped(name, why),
                Part::Before | Part::Makes { .. } | Part::Initialises { .. } | Part::Ends { .. } => {}
            }
        }
        for kind in plan.kinds.iter().filter(|kind| kind.can_be_made(&plan.speller)) {
            if kind.makers.is_empty() && kind.initialisers.is_empty() {
                continue;
            }
            let name = &kind.name;
            let end = if kind.destructors.is_empty() {
                String::new()
            } else {
                format!(" client_end_{name}(object);")
            };
            let object = plan.speller.declare(kind.ty, "*object").unwrap_or_default();
            self.line("");
            self.line("/* An object of the client's own. */");
            self.line(format!(
                "static void client_call_make_{name}(void) {{ {object} = client_make_{name}();{end} }}"
            ));
            self.calls.push(format!("client_call_make_{name}"));
        }
    }

    fn function(&mut self, name: &str, call: &Call) {
        self.line("");
        self.line(format!("static void client_call_{name}(void)"));
        self.line("{");
        self.lines("    ", &call.before);
        if call.before.iter().any(|line| line.contains("__VERIFIER_nondet_")) {
            self.line("    /* __VERIFIER_assume(…): what clients keep to */");
        }
        self.line(format!("    {name}({});", call.arguments.join(", ")));
        self.lines("    ", &call.after);
        self.line("}");
        self.calls.push(format!("client_call_{name}"));
    }

    fn skipped(&mut self, name: &str, why: &str) {
        self.line("");
        self.line(format!("/* `{name}` is not called: {why}. */"));
        self.assumptions.push(format!("`{name}` is not called: {why}"));
    }

    fn client(&mut self) {
        let forgives = self.forgives_waits();
        self.line("");
        self.line("static void *client_thread(void *unused)");
        self.line("{");
        if forgives {
            self.line("    client_is_current = 1;");
        }
        self.line("    while (__VERIFIER_nondet_bool()) {");
        self.line(format!("        switch (client_choose({})) {{", self.calls.len()));
        let calls = std::mem::take(&mut self.calls);
        for (n, call) in calls.iter().enumerate() {
            let label = if n + 1 < calls.len() { format!("case {n}") } else { "default".to_owned() };
            self.line(format!("        {label}: {call}(); break;"));
        }
        self.line("        }");
        self.line("    }");
        if forgives {
            self.line("    pthread_mutex_lock(&client_mutex);");
            self.line("    client_n_busy--;");
            self.line("    if (client_n_waiting == client_n_busy) pthread_cond_signal(&client_quiet);");
            self.line("    pthread_mutex_unlock(&client_mutex);");
        }
        self.line("    return 0;");
        self.line("}");
    }

    fn main(&mut self) {
        self.line("");
        self.line("int main(void)");
        self.line("{");
        self.set_up();
        match self.plan.client.threads {
            None => {
                self.line("    /* Any number of clients. */");
                self.line("    while (__VERIFIER_nondet_bool()) {");
                self.line("        pthread_t client;");
                self.line("        pthread_create(&client, 0, client_thread, 0);");
                self.line("    }");
                self.line("    pthread_exit(0);");
            }
            Some(n) => self.fixed_number(n),
        }
        self.line("}");
    }

    /// Initialisers, and the objects that clients share.
    fn set_up(&mut self) {
        let plan = self.plan;
        for &(function, part) in &plan.parts {
            let (Part::Before, Some(call)) = (part, plan.call(function, Purpose::Plain)) else { continue };
            self.lines("    ", &call.before);
            self.line(format!("    {}({});", plan.name(function), call.arguments.join(", ")));
            self.lines("    ", &call.after);
        }
        for kind in plan.kinds_in_order() {
            for n in 0..kind.n_objects {
                self.line(format!("    client_{0}[{n}] = client_make_{0}();", kind.name));
            }
        }
    }

    /// A variable for each client rather than an array: who is joined is evident.
    fn fixed_number(&mut self, n: u32) {
        let forgives = self.forgives_waits();
        self.assumptions.push(format!("there are {n} clients (--clients any: any number)"));
        let names: Vec<String> = (1..=n).map(|i| format!("client_{i}")).collect();
        self.line(format!("    pthread_t {};", names.join(", ")));
        if forgives {
            self.line(format!("    client_n_busy = {n};"));
        }
        for name in &names {
            self.line(format!("    pthread_create(&{name}, 0, client_thread, 0);"));
        }
        if forgives {
            self.line("    pthread_mutex_lock(&client_mutex);");
            self.line("    while (client_n_waiting < client_n_busy) pthread_cond_wait(&client_quiet, &client_mutex);");
            self.line("    int some_wait = client_n_busy > 0;");
            self.line("    pthread_mutex_unlock(&client_mutex);");
            self.line("    if (some_wait) exit(0);");
        }
        for name in &names {
            self.line(format!("    pthread_join({name}, 0);"));
        }
        for kind in self.plan.kinds.iter().filter(|kind| kind.shared && !kind.destructors.is_empty()) {
            for n in 0..kind.n_objects {
                self.line(format!(
                    "    if (__VERIFIER_nondet_bool()) client_end_{0}(client_{0}[{n}]);",
                    kind.name
                ));
            }
        }
        self.line("    return 0;");
    }
}

/// The type of a value of SV-COMP by its short name.
fn spelt_value(name: &str) -> &'static str {
    match name {
        "bool" => "_Bool",
        "char" => "char",
        "uchar" => "unsigned char",
        "short" => "short",
        "ushort" => "unsigned short",
        "uint" => "unsigned",
        "long" => "long",
        "ulong" => "unsigned long",
        "longlong" => "long long",
        "ulonglong" => "unsigned long long",
        "float" => "float",
        "double" => "double",
        _ => "int",
    }
}
