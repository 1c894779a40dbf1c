//! From the typed tree to the concurrent program.
//!
//! Lowering makes three things explicit that C leaves implicit:
//!
//! * **Where a step ends.** A C statement is not atomic. Operations are collected in a transaction that holds at most one
//!   access to memory that other threads may see; a second one starts the next transaction ([`function::Builder`]).
//!   Only what the library promises to be atomic (a lock, an atomic read-modify-write) is put into one transaction on purpose.
//! * **Where values live.** A scalar local whose address is never taken is a register; everything else is memory.
//!   Records are passed and returned through pointers to memory of the caller; surplus arguments of a variadic
//!   function lie in one block of memory, a slot each.
//! * **What library functions do.** Thread functions, atomics and allocation are operations of the program
//!   ([`library`], [`sync`], [`builtins`], [`atomics`]); what can be said in C is said in C (`models/library.c`).
//!
//! Evaluation order is left to right, the right side of an assignment before the left (SOUNDNESS: A12).
//! What has no model becomes [`program::Action::Unsupported`] at the place where it would happen.
//!
//! | file | what it lowers |
//! |---|---|
//! | `mod` | objects, initialisers, functions |
//! | `function` | emitting transactions, places, loads and stores |
//! | `expr`, `arithmetic`, `stmt`, `call` | expressions, statements, calls |
//! | `parameters`, `arguments` | how arguments arrive; those of `main` |
//! | `thunks`, `captures` | library functions as values; nested functions that use outer variables |
//! | `cleanup` | (which calls of the attribute `cleanup` are due at a label) |
//! | `places` | reading and writing registers, memory, bit-fields |
//! | `copy` | records and blocks of memory |
//! | `escape` | which locals only their own function can reach |
//! | `library`, `threads`, `cancel`, `signals`, `sync`, `mutex`, `deadline`, `builtins`, `numeric`, `atomics`, `atomic_records`, `jumps` | functions that C, POSIX, GCC and SV-COMP define |
//! | `undefined`, `opaque` | undefined functions; what has no model, but goes on |
//! | `summary`, `values`, `format`, `bytes` | functions that the table of the library describes |
//! | `accesses` | what functions that format text access |
//!
//! What is here is lowered plainly; the program becomes simpler, and gets its checks for overflow, by [`program::passes`].

mod accesses;
mod arguments;
mod arithmetic;
mod atomic_records;
mod atomics;
mod builtins;
mod bytes;
mod call;
mod cancel;
mod captures;
mod cleanup;
mod constants;
mod copy;
mod deadline;
mod escape;
mod expr;
mod format;
mod fresh;
mod function;
mod jumps;
mod library;
mod literals;
mod misuse;
mod mutex;
mod numeric;
mod opaque;
mod order;
mod parameters;
mod places;
mod pointers;
mod representation;
mod scalar;
mod scan;
mod seeds;
mod sequence;
mod signals;
mod signatures;
mod stmt;
mod streams;
mod summary;
mod sync;
mod threads;
mod thunks;
mod undefined;
mod validity;
mod values;
mod variadic;

use crate::hir::{self, AddrBase, ConstValue, FunctionId, GlobalId, StaticInit, StrId};
use crate::library::{Library, Undefined};
use crate::types::{Ty, Type};
use base::convert::{index, low8};
use base::{FileId, IdxVec, Span};
use function::Builder;
use program::passes::RawProgram;
use program::{
    Assumption, DataModel, FuncId, Function, Location, MemoryModel, Object, ObjectId, Program, Reloc,
    RelocTarget, TypeFacts, Width,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Which checks, and which failures of resources, are built into the program.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Checks {
    /// It matters who accesses what, also inside the library (property `no-data-race`).
    pub foreign_accesses: bool,
    /// Undefined functions that get a pointer are calls of functions whose bodies are written later, also where it matters who accesses what.
    pub environment: bool,
    /// It matters whether calls return (properties `termination` and `no-deadlock`).
    pub waiting: bool,
    /// What happens for no reason (signals from outside, wake-ups, failures of weak operations) happens finitely often at most (property `termination`).
    pub termination: bool,
    /// It matters whether objects are alive and indices are inside of their arrays (properties about memory safety, and `undefined-behaviour`).
    pub validity: bool,
    /// It matters whether C or POSIX leave something undefined that has a meaning here (property `undefined-behaviour`).
    pub undefined: bool,
    /// `malloc` and its kin may return a null pointer.
    pub allocation_may_fail: bool,
    /// `pthread_create` and `thrd_create` may fail.
    pub creation_may_fail: bool,
    /// The program looks at `errno`: otherwise it does not matter what calls leave there.
    pub errno: bool,
    /// The address of a freed object may be handed out again.
    pub reuse_addresses: bool,
    /// The machine. Under a weak one, a try-lock may fail for no reason.
    pub memory_model: MemoryModel,
}

/// What is known of functions that the program does not define.
#[derive(Clone, Default, Debug)]
pub struct Surroundings {
    /// The tables.
    pub library: Library,
    /// What functions do that are in no table.
    pub undefined: Undefined,
}

/// A program, and what of it has no model.
#[derive(Debug)]
pub struct Lowered {
    /// The program, before all passes.
    pub program: RawProgram,
    /// Everything that has no model, whether or not something else without a model comes before it.
    pub gaps: Vec<Gap>,
    /// What the types say of what undefined functions write; nothing, if none gets a pointer.
    pub types: TypeFacts,
}

/// Something that has no model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gap {
    /// File and line.
    pub place: String,
    /// What it is.
    pub what: String,
}

/// Lowers a whole module.
pub fn lower(
    module: &hir::Module,
    files: IdxVec<FileId, String>,
    checks: Checks,
    surroundings: &Surroundings,
) -> Lowered {
    let mut thunks = thunks::thunks(module);
    thunks.extend(captures::closure_bodies(module));
    let first = lower_with(module, &thunks, checks, surroundings, FxHashSet::default());
    let may_unwind = first.unwinding_functions();
    let lowering = match may_unwind.is_empty() {
        true => first,
        false => lower_with(module, &thunks, checks, surroundings, may_unwind),
    };
    lowering.finish(files)
}

/// Lowers a module; which functions longjmp may leave has to be known before one is lowered, and is found by lowering them.
fn lower_with<'m>(
    module: &'m hir::Module,
    thunks: &'m FxHashMap<FunctionId, hir::Body>,
    checks: Checks,
    surroundings: &Surroundings,
    may_unwind: FxHashSet<FuncId>,
) -> Lowering<'m> {
    let mut lowering = Lowering::new(module, checks, surroundings);
    lowering.unwinding.may = may_unwind;
    for (id, function) in module.functions.iter_enumerated() {
        if let Some(body) = &function.body {
            let func = lowering.funcs[&id];
            let lowered = Builder::new(&mut lowering, id, function, body).run();
            lowering.functions[func] = lowered;
        }
    }
    while let Some(id) = lowering.missing.pop() {
        if let Some(body) = thunks.get(&id) {
            let (func, function) = (lowering.funcs[&id], &module.functions[id]);
            let lowered = Builder::new(&mut lowering, id, function, body).run();
            lowering.functions[func] = Function { library: true, ..lowered };
        }
    }
    while let Some(id) = lowering.closures.missing.pop() {
        if let Some(body) = thunks.get(&id) {
            let (func, function) = (lowering.closure(id), &module.functions[id]);
            let lowered = Builder::new(&mut lowering, id, function, body).run();
            let name = lowering.functions[func].name.clone();
            lowering.functions[func] = Function { name, ..lowered };
        }
    }
    lowering
}

/// What is known while a module is lowered.
struct Lowering<'m> {
    module: &'m hir::Module,
    checks: Checks,
    library: Library,
    undefined: Undefined,
    model: DataModel,
    objects: IdxVec<ObjectId, Object>,
    functions: IdxVec<FuncId, Function>,
    funcs: FxHashMap<FunctionId, FuncId>,
    globals: FxHashMap<GlobalId, ObjectId>,
    strings: FxHashMap<StrId, ObjectId>,
    /// Functions without a definition whose address is used, and that are still to be made.
    missing: Vec<FunctionId>,
    /// Start routines wrapped so that destructors run when the thread returns.
    thread_starts: FxHashMap<Option<FuncId>, FuncId>,
    epilogues: threads::Epilogues,
    /// Nested functions that use variables of those around them.
    closures: captures::Closures,
    /// Objects of the library that the program has no names for.
    hidden: FxHashMap<String, ObjectId>,
    /// The function that gives the address of `errno`, if the program looks at that.
    errno_location: Option<FuncId>,
    /// True if a mutex can be anything but a normal one; if not, locking is simpler.
    mutex_kinds: bool,
    /// What cancellation needs, if a thread can be cancelled.
    cancellation: Option<cancel::Cancellation>,
    /// Who calls whom, for what is to be said about signal handlers.
    calls: signals::Calls,
    /// What is known of jumps out of functions.
    unwinding: jumps::Unwinding,
    /// What delivering signals needs, if a handler can be installed.
    signals: Option<signals::Signals>,
    /// The set of threads that have ended, if a mutex can be robust.
    robust: Option<ObjectId>,
    assumptions: Vec<Assumption>,
    assumed: FxHashSet<String>,
    /// True if memory that was never stored to may have contents that the library gave it.
    arbitrary_memory: bool,
    /// What has no model, also where something else without a model comes first.
    gaps: Vec<(Span, String)>,
    /// Defined functions whose addresses are used, once they have been looked for.
    used_functions: Option<Vec<FunctionId>>,
    /// Whether a `_Bool` in memory may have any bits, once that has been looked for.
    any_bool: Option<bool>,
    /// The constant members of static variables whose addresses lose their `const`.
    stripped_members: Option<Vec<constants::Member>>,
    /// Whether each lock in a frame is set when its declaration is reached.
    sets_locks: Option<bool>,
    /// Whether surplus arguments carry tags.
    tags_arguments: Option<bool>,
    /// Which texts the parameters can be.
    parameter_texts: Option<Rc<literals::ParameterTexts>>,
    /// What the types say of what undefined functions write.
    type_facts: TypeFacts,
    /// Functions that have no model, by what they are, what they get and where.
    opaque: FxHashMap<(String, Vec<Option<Width>>, Span), FuncId>,
    /// The functions that call models and have a summary.
    summarised: FxHashMap<accesses::AccessKey, FuncId>,
}

impl<'m> Lowering<'m> {
    fn new(module: &'m hir::Module, checks: Checks, surroundings: &Surroundings) -> Self {
        let mut lowering = Lowering {
            module,
            checks,
            library: surroundings.library.clone(),
            undefined: surroundings.undefined,
            model: module.types.data_model,
            objects: IdxVec::new(),
            functions: IdxVec::new(),
            funcs: FxHashMap::default(),
            globals: FxHashMap::default(),
            strings: FxHashMap::default(),
            missing: Vec::new(),
            thread_starts: FxHashMap::default(),
            epilogues: threads::Epilogues::default(),
            closures: captures::Closures::find(module),
            hidden: FxHashMap::default(),
            errno_location: None,
            mutex_kinds: mutex::uses_mutex_kinds(module),
            cancellation: None,
            calls: signals::Calls::default(),
            unwinding: jumps::Unwinding::default(),
            signals: None,
            robust: None,
            assumptions: Vec::new(),
            assumed: FxHashSet::default(),
            arbitrary_memory: false,
            gaps: Vec::new(),
            used_functions: None,
            any_bool: None,
            stripped_members: None,
            sets_locks: None,
            tags_arguments: None,
            parameter_texts: None,
            type_facts: TypeFacts::default(),
            opaque: FxHashMap::default(),
            summarised: FxHashMap::default(),
        };
        lowering.declare_functions();
        lowering.declare_objects();
        lowering.cancellation = cancel::Cancellation::find(&lowering);
        lowering.signals = signals::Signals::find(&lowering);
        lowering.robust =
            mutex::uses_robust(module).then(|| lowering.model_object("__threadproof_ended")).flatten();
        lowering
    }

    /// Names are unique in a program: a second static `f` of another file becomes `f.1`.
    fn declare_functions(&mut self) {
        let mut names = UniqueNames::default();
        for (id, function) in self.module.functions.iter_enumerated() {
            if function.body.is_none() {
                continue;
            }
            let func = self.functions.push(empty_function(names.unique(&function.name), function.span));
            self.funcs.insert(id, func);
            self.epilogues.declare(&function.name, func);
            if function.name == "__errno_location" {
                self.errno_location = Some(func);
            }
        }
        if let Some(finish) = self.module.finish {
            self.epilogues.finish = Some(self.funcs[&finish]);
        }
    }

    fn declare_objects(&mut self) {
        let mut names = UniqueNames::default();
        for (id, global) in self.module.globals.iter_enumerated() {
            let (size, align) = self.module.types.size_align(global.ty).unwrap_or((0, 1));
            let object = self.objects.push(Object {
                name: names.unique(&global.name),
                size,
                align: align.max(global.align).max(1),
                thread_local: global.thread_local,
                read_only: self.checks.validity && self.is_constant(global),
                arbitrary: !global.defined,
                bytes: Vec::new(),
                relocs: Vec::new(),
                span: global.span,
            });
            if self.is_constant(global) {
                self.type_facts.constants.insert(object);
            }
            self.globals.insert(id, object);
        }
        for (id, global) in self.module.globals.iter_enumerated() {
            let object = self.globals[&id];
            for item in &global.init {
                self.static_init(object, item);
            }
        }
    }

    /// Whether writing to an object is undefined because of its type.
    fn is_constant(&self, global: &hir::Global) -> bool {
        let qualifiers = self.module.types.qualifiers(global.ty);
        global.defined && qualifiers.is_const && !qualifiers.is_volatile
    }

    fn static_init(&mut self, object: ObjectId, item: &StaticInit) {
        let word = self.model.pointer().bytes();
        let (bytes, reloc) = match &item.value {
            ConstValue::Int { value, size } => (value.to_le_bytes()[..index(*size)].to_vec(), None),
            ConstValue::Bytes(bytes) => (bytes.clone(), None),
            ConstValue::Addr(target, addend) => {
                let target = match target {
                    AddrBase::Global(global) => RelocTarget::Object(self.globals[global]),
                    AddrBase::Str(id) => RelocTarget::Object(self.string(*id)),
                    AddrBase::Function(function) => match self.funcs.get(function) {
                        Some(&func) => RelocTarget::Func(func),
                        None => RelocTarget::Func(self.missing_function(*function)),
                    },
                };
                (vec![0; index(word)], Some(Reloc { offset: item.offset, target, addend: *addend }))
            }
        };
        let data = &mut self.objects[object];
        let end = index(item.offset) + bytes.len();
        let end = end.max(item.bits.map_or(0, |b| index(item.offset + b.unit)));
        data.size = data.size.max(end as u64); // a flexible array member of a static object
        if data.bytes.len() < end {
            data.bytes.resize(end, 0);
        }
        data.relocs
            .retain(|r| r.offset + word <= item.offset || item.offset + bytes.len() as u64 <= r.offset);
        match item.bits {
            None => data.bytes[index(item.offset)..][..bytes.len()].copy_from_slice(&bytes),
            Some(field) => insert_bits(&mut data.bytes[index(item.offset)..], field, &bytes),
        }
        data.relocs.extend(reloc);
    }

    /// The read-only object of a string literal.
    fn string(&mut self, id: StrId) -> ObjectId {
        let (module, objects) = (self.module, &mut self.objects);
        *self.strings.entry(id).or_insert_with(|| {
            let bytes = module.strings[id].clone();
            objects.push(Object {
                name: format!("str.{}", id.0),
                size: bytes.len() as u64,
                align: 1,
                thread_local: false,
                read_only: true,
                arbitrary: false,
                bytes,
                relocs: Vec::new(),
                span: Span::NOWHERE,
            })
        })
    }

    /// A function that is declared only, but whose address is needed. Calling it has no model, unless [`thunks`] makes one.
    fn missing_function(&mut self, id: FunctionId) -> FuncId {
        if let Some(&func) = self.funcs.get(&id) {
            return func;
        }
        let declared = &self.module.functions[id];
        // Two files may each declare a static function of this name.
        let mut name = format!("{}.extern", declared.name);
        while self.functions.iter().any(|function| function.name == name) {
            name.push_str(".1");
        }
        let mut function = empty_function(name, declared.span);
        let what = format!("call of `{}`, which is defined nowhere, through a pointer", declared.name);
        self.gaps.push((declared.span, what.clone()));
        function.locations[function.entry].action = program::Action::Unsupported(what);
        let func = self.functions.push(function);
        self.funcs.insert(id, func);
        self.missing.push(id);
        func
    }

    /// Notes, once, that something is taken for granted.
    fn assume(&mut self, span: Span, text: String) {
        if self.assumed.insert(text.clone()) {
            self.assumptions.push(Assumption { span, text });
        }
    }

    /// An object of the library models.
    fn model_object(&self, name: &str) -> Option<ObjectId> {
        let mut globals = self.module.globals.iter_enumerated();
        globals.find(|(_, global)| global.name == name).map(|(id, _)| self.globals[&id])
    }

    /// A function of the library models, if something refers to it.
    fn model_function(&self, name: &str) -> Option<FuncId> {
        let mut functions = self.module.functions.iter_enumerated();
        functions.find(|(_, f)| f.library && f.name == name).map(|(id, _)| self.funcs[&id])
    }

    /// The width of a scalar type that has a model.
    fn width(&self, ty: Ty) -> Option<Width> {
        scalar::width(&self.module.types, ty)
    }

    fn is_record(&self, ty: Ty) -> bool {
        matches!(
            self.module.types.unatomic(ty),
            Type::Record(_) | Type::Array(..) | Type::Vla(..) | Type::Opaque { .. }
        )
    }

    /// Returns true if a decision that depends on memory which was never set is to be noticed. Where the library leaves contents open, they cannot be told from bytes that nothing
    /// ever set.
    fn has_strict_decisions(&mut self) -> bool {
        if !self.checks.undefined {
            return false;
        }
        let open = self.arbitrary_memory || self.objects.iter().any(|object| object.arbitrary);
        if open {
            let text = "no decision depends on memory that was never set, which is not told from what the library or another file may have set";
            self.assume(Span::NOWHERE, text.to_owned());
        }
        !open
    }

    fn finish(mut self, files: IdxVec<FileId, String>) -> Lowered {
        self.finish_thread_starts();
        self.warn_of_unsafe_handlers();
        let strict_decisions = self.has_strict_decisions();
        let place = |span: Span| match span.is_somewhere() {
            true => format!("{}:{}", files[span.file], span.line),
            false => "somewhere".to_owned(),
        };
        let gaps =
            self.gaps.iter().map(|(span, what)| Gap { place: place(*span), what: what.clone() }).collect();
        let is_undefined = |function: &Function| function.name.starts_with(program::UNDEFINED_FUNCTION);
        if !self.functions.iter().any(is_undefined) {
            self.type_facts = TypeFacts::default();
        }
        let program = Program {
            data_model: self.model,
            memory_model: self.checks.memory_model,
            strict_decisions,
            files,
            objects: self.objects,
            functions: self.functions,
            entry: self.funcs[&self.module.start.unwrap_or(self.module.entry)],
            assumptions: self.assumptions,
        };
        Lowered { program: RawProgram::new(program), gaps, types: self.type_facts }
    }
}

fn empty_function(name: String, span: Span) -> Function {
    let mut locations = IdxVec::new();
    let entry = locations.push(Location { action: program::Action::Return(None), span });
    Function {
        name,
        params: Vec::new(),
        ret: None,
        vars: IdxVec::new(),
        locations,
        entry,
        library: false,
        summary: None,
        span,
    }
}

/// Sets a bit-field of the unit at the start of `bytes` to the low bits of `value`.
fn insert_bits(bytes: &mut [u8], field: hir::BitField, value: &[u8]) {
    let unit = index(field.unit);
    let read = |from: &[u8]| from.iter().rev().fold(0u128, |acc, &b| acc << 8 | u128::from(b));
    let mask = Width(low8(field.width)).mask() << field.shift;
    let old = read(&bytes[..unit]);
    let new = (old & !mask) | ((read(value) << field.shift) & mask);
    bytes[..unit].copy_from_slice(&new.to_le_bytes()[..unit]);
}

/// Makes names unique by numbering the later ones.
#[derive(Default)]
struct UniqueNames {
    seen: FxHashMap<String, u32>,
}

impl UniqueNames {
    fn unique(&mut self, name: &str) -> String {
        let name = if name.is_empty() { "anonymous" } else { name };
        match self.seen.get_mut(name) {
            None => {
                self.seen.insert(name.to_owned(), 0);
                name.to_owned()
            }
            Some(count) => {
                *count += 1;
                let numbered = format!("{name}.{count}");
                self.unique(&numbered)
            }
        }
    }
}
