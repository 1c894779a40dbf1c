//! The parts of a program: objects, functions, locations, actions.

use crate::expr::{BinOp, Expr, Order, Width};
use crate::memory_model::{Barrier, MemoryModel};
use crate::property::{Property, names};
use crate::undefined::Undefined;
use base::{IdxVec, Span, id_type};
use std::collections::BTreeSet;

id_type!(
    /// An object in static storage.
    ObjectId,
    "o"
);
id_type!(
    /// A function.
    FuncId,
    "f"
);
id_type!(
    /// A variable of a function: a register or a memory variable.
    VarId,
    "v"
);
id_type!(
    /// A location of a function's automaton.
    LocId,
    "L"
);

/// The sizes of C's types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `long` and pointers have 64 bits.
    Lp64,
}

impl DataModel {
    /// The width of a pointer, a `long` and a thread's handle.
    pub fn pointer(self) -> Width {
        match self {
            DataModel::Ilp32 => Width(32),
            DataModel::Lp64 => Width(64),
        }
    }
}

/// A multi-threaded program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The sizes of C's types.
    pub data_model: DataModel,
    /// The machine it runs on. Only the interpreter knows of machines other than the sequentially consistent one.
    pub memory_model: MemoryModel,
    /// True if a decision that depends on bytes of memory which were never set is undefined; otherwise they have an arbitrary value.
    pub strict_decisions: bool,
    /// Names of the source files that spans refer to.
    pub files: IdxVec<base::FileId, String>,
    /// Objects in static storage.
    pub objects: IdxVec<ObjectId, Object>,
    /// All functions that can be reached.
    pub functions: IdxVec<FuncId, Function>,
    /// Where the first thread starts.
    pub entry: FuncId,
    /// What was assumed while lowering, for the user to read.
    pub assumptions: Vec<Assumption>,
}

/// How the names of registers end that hold the result of a function which is defined nowhere.
pub const UNDEFINED_RESULT: &str = ".undefined";

/// How the names of functions begin that stand for a function which is defined nowhere and gets a pointer; the function's name and a number follow.
pub const UNDEFINED_FUNCTION: &str = "undefined.";

/// How the names of objects begin in which a record is kept of what undefined functions know. The program does not have them.
pub const RECORD: &str = "__threadproof_undefined.";

/// How the names of variables end that hold results of library functions of which only a summary is known that allows more than happens.
pub const INEXACT_RESULT: &str = ".inexact";

/// What the types of a program's source say that the program does not, as far as undefined functions need it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct TypeFacts {
    /// The addresses where the program reads pointers, each with the function in which it is evaluated.
    pub pointer_reads: Vec<(FuncId, Expr)>,
    /// Objects that are constant, although writing to them may have a meaning.
    pub constants: BTreeSet<ObjectId>,
}

/// Something taken for granted about the program's surroundings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// Where it was first needed.
    pub span: Span,
    /// What is assumed.
    pub text: String,
}

/// An object in static storage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its name in the source; unique, also among static locals.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// True if each thread has its own copy.
    pub thread_local: bool,
    /// True if writing to it is undefined (string literals, constants).
    pub read_only: bool,
    /// True if its initial bytes are unknown (declared, but defined nowhere); `bytes` and `relocs` are empty then.
    pub arbitrary: bool,
    /// The initial bytes; all further ones are zero.
    pub bytes: Vec<u8>,
    /// Addresses to be added into the initial bytes.
    pub relocs: Vec<Reloc>,
    /// Where it was declared.
    pub span: Span,
}

impl Object {
    /// Returns true if it is no object of the program, but a record of what undefined functions know ([`RECORD`]).
    pub fn is_record(&self) -> bool {
        self.name.starts_with(RECORD)
    }
}

/// An address in an initialiser: the pointer-sized word at `offset` is `target + addend`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reloc {
    /// Offset of the word within the object.
    pub offset: u64,
    /// What it points to.
    pub target: RelocTarget,
    /// Bytes added to the target's address.
    pub addend: i64,
}

/// What an address in an initialiser points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RelocTarget {
    /// A static object.
    Object(ObjectId),
    /// A function.
    Func(FuncId),
}

/// A function: a control-flow automaton with one action per location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name in the source.
    pub name: String,
    /// Registers that receive the arguments.
    pub params: Vec<VarId>,
    /// The width of its result.
    pub ret: Option<Width>,
    /// Registers and memory variables of a frame.
    pub vars: IdxVec<VarId, Var>,
    /// Its locations.
    pub locations: IdxVec<LocId, Location>,
    /// Where a call starts.
    pub entry: LocId,
    /// True if it models the C library: traces show the call, not what happens inside.
    pub library: bool,
    /// A function of the same type that accesses whatever this one may access, and is never executed: what an analysis that only wants to know
    /// who accesses what may look at instead.
    pub summary: Option<FuncId>,
    /// Where it was defined.
    pub span: Span,
}

/// Functions of the C library that compare, search and measure bytes: what they do depends on every byte that they read, as in a program that says the same.
const BYTEWISE: [&str; 18] = [
    "memchr",
    "memcmp",
    "stpcpy",
    "strcasecmp",
    "strcat",
    "strchr",
    "strcmp",
    "strcpy",
    "strcspn",
    "strlen",
    "strncasecmp",
    "strncmp",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "wcslen",
];

impl Function {
    /// Returns true if its decisions are those of the program, so that one on memory that was never set is undefined where [`Program::strict_decisions`] says so. Models of
    /// most library functions decide on more than the functions do.
    pub fn decides_on_bytes(&self) -> bool {
        !self.library || BYTEWISE.contains(&self.name.as_str())
    }
}

/// A variable of a frame.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// Its name in the source, or a made-up one for temporaries; unique within the function.
    pub name: String,
    /// Where its value lives.
    pub kind: VarKind,
    /// True if it is a temporary that the source does not have.
    pub temporary: bool,
}

/// Where a variable's value lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VarKind {
    /// In a register: a scalar whose address is never taken. Indeterminate until set.
    Register(Width),
    /// In an object that lives as long as the frame, or as [`Op::Forget`] says. Indeterminate until stored to.
    Memory {
        /// Its size in bytes.
        size: u64,
        /// Its alignment in bytes.
        align: u64,
        /// True for a constant: only stores [by its name](Expr::local_base), which initialise it, may write to it.
        read_only: bool,
    },
}

/// A location and what happens there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Location {
    /// The one action of this location.
    pub action: Action,
    /// The source it comes from.
    pub span: Span,
}

/// What a thread does at a location, in one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// A straight-line transaction: all operations in order, or (if one of them blocks) none.
    Ops {
        /// The operations.
        ops: Vec<Op>,
        /// What this is in terms of synchronisation, for reports and lock analyses; the operations say what it does.
        sync: Option<Sync>,
        /// Where it goes on.
        next: LocId,
    },
    /// Two-way choice by a truth value.
    Branch {
        /// The truth value.
        cond: Expr,
        /// Where it goes on if true.
        yes: LocId,
        /// Where it goes on if false.
        no: LocId,
    },
    /// A call; the callee's frame is pushed.
    Call {
        /// Whom.
        callee: Callee,
        /// The arguments; surplus ones are dropped, missing ones indeterminate, widths adapted by truncation or zeros.
        args: Vec<Expr>,
        /// The register that receives the result.
        ret: Option<VarId>,
        /// Where it goes on after the return.
        next: LocId,
    },
    /// The frame is popped; in a thread's first frame the thread ends with this result (in the main thread, the
    /// program ends).
    Return(Option<Expr>),
    /// The thread ends with this result; the program goes on.
    ThreadExit(Expr),
    /// The program ends: all threads stop.
    Exit,
    /// A property is violated.
    Error {
        /// Which.
        property: Property,
        /// What happened, for the user.
        message: String,
    },
    /// Something that has no model: reaching it makes the verdict unknown.
    Unsupported(String),
    /// Something that C gives no meaning.
    Undefined(Undefined),
}

/// Who is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A known function.
    Direct(FuncId),
    /// The function at an address.
    Indirect(Expr),
}

/// One operation of a transaction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// A register gets a value.
    Set {
        /// The register.
        var: VarId,
        /// Its new value.
        value: Expr,
    },
    /// Memory gets a value.
    Store {
        /// Where; as many bytes as `value` is wide.
        addr: Expr,
        /// What; its width is a multiple of 8.
        value: Expr,
        /// How ordered.
        order: Order,
    },
    /// A register gets an arbitrary value: an input.
    Havoc {
        /// The register.
        var: VarId,
    },
    /// A variable becomes indeterminate: its declaration or its block is entered (again), or its block is left.
    Forget {
        /// The register or memory variable.
        var: VarId,
        /// Whether it lives afterwards; a register always does. Pointers to what it was before become invalid when it begins to live again.
        alive: bool,
    },
    /// Blocks the thread until true.
    Guard(Expr),
    /// Ends the whole run, silently, if false.
    Assume(Expr),
    /// Copies `len` bytes; the ranges may overlap. Indeterminate bytes stay so.
    Copy {
        /// To here.
        dst: Expr,
        /// From here.
        src: Expr,
        /// How many, of pointer width.
        len: Expr,
    },
    /// Sets `len` bytes to `byte`.
    Fill {
        /// To here.
        dst: Expr,
        /// The value, 8 bits.
        byte: Expr,
        /// How many, of pointer width.
        len: Expr,
    },
    /// Makes a fresh object of indeterminate bytes.
    Alloc {
        /// The register that receives its address.
        var: VarId,
        /// Its size in bytes, of pointer width.
        size: Expr,
        /// The alignment of its address, a power of two; 1 if any that suits all types will do.
        align: u64,
        /// How long it lives.
        storage: Storage,
    },
    /// Makes a fresh heap object that starts with the bytes of an old one, as far as they fit, and ends the old
    /// one's life; a null pointer has no bytes. Or it changes the size of the old one, if that stays where it is.
    Realloc {
        /// The register that receives the new address.
        var: VarId,
        /// The old object.
        ptr: Expr,
        /// The new size in bytes, of pointer width.
        size: Expr,
        /// Whether it stays where it is, of one bit; only a hint: an object that has no room to grow is moved.
        stays: Expr,
    },
    /// Ends the life of a heap object; nothing for a null pointer.
    Free(Expr),
    /// Enters an atomic section: no other thread runs until it is left.
    AtomicBegin,
    /// Leaves an atomic section; when they are nested, the others run again after the outermost one's end.
    AtomicEnd,
    /// Orders accesses around it; nothing under sequential consistency. No access to memory comes before it in its transaction.
    Fence(Barrier),
    /// Starts a thread.
    Create {
        /// The register that receives its handle, of pointer width.
        handle: VarId,
        /// The address of its start routine.
        func: Expr,
        /// The routine's argument, of pointer width.
        arg: Expr,
    },
    /// Blocks until a thread has ended, and forgets it. Misuse does not block but gives an error number.
    Join {
        /// Whom.
        handle: Expr,
        /// The register that receives the thread's result, of pointer width.
        result: VarId,
        /// The 32-bit register that receives 0, or why this handle cannot be joined: 3 `ESRCH` (no such thread, or
        /// joined before), 22 `EINVAL` (detached), 35 `EDEADLK` (itself).
        error: VarId,
    },
    /// Makes a thread one that cannot be joined.
    Detach {
        /// Whom.
        handle: Expr,
        /// The 32-bit register that receives 0, 3 `ESRCH` or 22 `EINVAL`.
        error: VarId,
    },
    /// Starts to wait on a condition variable.
    WaitBegin(Expr),
    /// Blocks until woken by [`Op::Signal`], or (spuriously) for no reason at all; spurious wake-ups do not count
    /// against a deadlock, time-outs do.
    WaitEnd {
        /// True if the wait can time out.
        timed: bool,
        /// The register of one bit that receives whether a signal ended the wait.
        woken: Option<VarId>,
    },
    /// Wakes one of the threads waiting on a condition variable, if any, or all of them.
    Signal {
        /// The condition variable's address.
        cond: Expr,
        /// True if all are woken.
        all: bool,
    },
    /// A marker, without effect: here C computes on signed integers, and an overflow would be undefined. The operation itself is part of an
    /// expression, where it wraps around. [`passes::overflow`](mod@crate::passes::overflow) makes a check of it, or drops it.
    Signed {
        /// The operation.
        op: SignedOp,
        /// Its left operand.
        left: Expr,
        /// Its right operand, as wide as the left one.
        right: Expr,
        /// The source it comes from.
        span: Span,
    },
}

/// Operations on signed integers that can overflow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum SignedOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Shl,
}

names! {
    /// All operations, with their names in the textual form.
    /// The name in the textual form.
    SignedOp: 6
    Add => "add",
    Sub => "sub",
    Mul => "mul",
    Div => "div",
    Rem => "rem",
    Shl => "shl",
}

impl SignedOp {
    /// The operation that wraps around.
    pub fn wrapping(self) -> BinOp {
        match self {
            SignedOp::Add => BinOp::Add,
            SignedOp::Sub => BinOp::Sub,
            SignedOp::Mul => BinOp::Mul,
            SignedOp::Div => BinOp::SDiv,
            SignedOp::Rem => BinOp::SRem,
            SignedOp::Shl => BinOp::Shl,
        }
    }
    /// What overflows if this operation on signed integers does.
    pub fn of(op: BinOp) -> Option<SignedOp> {
        Self::ALL.iter().map(|(signed, _)| *signed).find(|signed| signed.wrapping() == op)
    }
}

/// How long an allocated object lives.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Storage {
    /// Until freed.
    Heap,
    /// Until the frame is popped (`alloca`, arrays of variable length).
    Frame,
    /// As long as the program runs: memory of the C library (a stream, a value of the environment). The program cannot free it, and it is no leak.
    Library,
}

/// What a transaction is in terms of synchronisation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sync {
    /// What it does.
    pub kind: SyncKind,
    /// The address of the object it does it to (for joins: the handle).
    pub object: Expr,
}

/// Kinds of synchronisation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SyncKind {
    /// Takes a mutex (or spinlock), blocking.
    Lock,
    /// Takes a mutex (or spinlock) if it is free.
    TryLock,
    /// Gives a mutex (or spinlock) back.
    Unlock,
    /// Takes a readers–writer lock for reading.
    ReadLock,
    /// Takes a readers–writer lock for writing.
    WriteLock,
    /// Gives a readers–writer lock back.
    RwUnlock,
    /// Decrements a semaphore, blocking.
    SemWait,
    /// Increments a semaphore.
    SemPost,
    /// Waits at a barrier.
    Barrier,
    /// Waits on a condition variable.
    CondWait,
    /// Wakes waiters of a condition variable.
    CondSignal,
    /// Waits for a `once` routine that another thread runs.
    Once,
    /// Starts a thread.
    Create,
    /// Waits for a thread's end.
    Join,
}

names! {
    /// All kinds, with their names in the textual form.
    /// The name in the textual form.
    SyncKind: 14
    Lock => "lock",
    TryLock => "trylock",
    Unlock => "unlock",
    ReadLock => "readlock",
    WriteLock => "writelock",
    RwUnlock => "rwunlock",
    SemWait => "semwait",
    SemPost => "sempost",
    Barrier => "barrier",
    CondWait => "condwait",
    CondSignal => "condsignal",
    Once => "once",
    Create => "create",
    Join => "join",
}

impl Action {
    /// The locations of the same function where it can go on.
    pub fn successors(&self) -> impl Iterator<Item = LocId> {
        let (first, second) = match self {
            Action::Ops { next, .. } | Action::Call { next, .. } => (Some(*next), None),
            Action::Branch { yes, no, .. } => (Some(*yes), Some(*no)),
            Action::Return(_)
            | Action::ThreadExit(_)
            | Action::Exit
            | Action::Error { .. }
            | Action::Unsupported(_)
            | Action::Undefined(_) => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The same, to be changed.
    pub fn successors_mut(&mut self) -> impl Iterator<Item = &mut LocId> {
        let (first, second) = match self {
            Action::Ops { next, .. } | Action::Call { next, .. } => (Some(next), None),
            Action::Branch { yes, no, .. } => (Some(yes), Some(no)),
            Action::Return(_)
            | Action::ThreadExit(_)
            | Action::Exit
            | Action::Error { .. }
            | Action::Unsupported(_)
            | Action::Undefined(_) => (None, None),
        };
        first.into_iter().chain(second)
    }
}
