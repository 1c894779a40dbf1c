//! State variables: which register, cell or array of which frame, thread or object each one is.

use logic::{Sort, Symbol, Terms};
use program::interp::{Identity, ThreadId};
use program::{FuncId, Program, VarId, Width};
use rustc_hash::FxHashMap;

/// What a state variable stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Name {
    /// A register of a frame.
    Register {
        /// Whose frame.
        thread: ThreadId,
        /// How many frames are below it.
        depth: u32,
        /// The frame's function.
        func: FuncId,
        /// The register.
        var: VarId,
    },
    /// Some bytes of an object, always accessed together.
    Cell {
        /// The object.
        object: Identity,
        /// Where the bytes begin.
        offset: u64,
        /// How many bits they are.
        width: Width,
    },
    /// The elements of an object that lie `stride` bytes apart.
    Elements {
        /// The object.
        object: Identity,
        /// Where the first element begins.
        start: u64,
        /// How many bits an element has.
        width: Width,
    },
    /// How many bytes an object has, where that is not known beforehand. Set when the object is made, and never again.
    Size(Identity),
    /// Whether an object is alive, where that is followed.
    Alive(Identity),
    /// Whether something has set the bytes of a [`Name::Cell`], where that is followed.
    IsSet {
        /// The object.
        object: Identity,
        /// Where the bytes begin.
        offset: u64,
        /// How many bits they are.
        width: Width,
    },
    /// The same for [`Name::Elements`]: at the index of each element 1 if it is set, 0 if not.
    AreSet {
        /// The object.
        object: Identity,
        /// Where the first element begins.
        start: u64,
        /// How many bits an element has.
        width: Width,
    },
    /// What a thread ended with.
    Result(ThreadId),
    /// The condition variable that a thread waits on: its address, 1 once the thread was signalled, 0 if it does not wait.
    /// Only where waits are followed.
    Waiting(ThreadId),
    /// A word on its way from one object to another.
    Scratch {
        /// Who moves it.
        thread: ThreadId,
        /// Which of the words that are moved in one step.
        n: u32,
        /// How many bits it has.
        width: Width,
    },
    /// Whether such a word is set.
    ScratchIsSet {
        /// Who moves it.
        thread: ThreadId,
        /// Which of the words that are moved in one step.
        n: u32,
    },
}

/// All state variables met so far.
#[derive(Default)]
pub struct Names {
    symbols: FxHashMap<Name, Symbol>,
    names: FxHashMap<Symbol, Name>,
}

impl Names {
    /// What a symbol stands for, if it is a state variable.
    pub fn name(&self, symbol: Symbol) -> Option<Name> {
        self.names.get(&symbol).copied()
    }

    /// The symbol of a state variable, if it was met.
    pub fn known(&self, name: Name) -> Option<Symbol> {
        self.symbols.get(&name).copied()
    }

    /// The symbol of a state variable.
    pub(crate) fn symbol(&mut self, terms: &mut Terms, program: &Program, name: Name) -> Symbol {
        if let Some(&symbol) = self.symbols.get(&name) {
            return symbol;
        }
        let pointer = program.data_model.pointer();
        let sort = match name {
            Name::Register { func, var, .. } => match program.functions[func].vars[var].kind {
                program::VarKind::Register(Width::BOOL) => Sort::Bool,
                program::VarKind::Register(width) => Sort::Bits(width.0),
                program::VarKind::Memory { .. } => unreachable!("a memory variable should be an object"),
            },
            Name::Cell { width, .. } | Name::Scratch { width, .. } => Sort::Bits(width.0),
            Name::Elements { width, .. } => Sort::Array { index: pointer.0, element: width.0 },
            Name::Result(_) | Name::Size(_) | Name::Waiting(_) => Sort::Bits(pointer.0),
            Name::Alive(_) | Name::IsSet { .. } | Name::ScratchIsSet { .. } => Sort::Bool,
            Name::AreSet { .. } => Sort::Array { index: pointer.0, element: Width::BYTE.0 },
        };
        let variable = terms.var(&text(program, name), sort);
        let symbol = terms.as_var(variable).expect("a variable should have a symbol");
        self.symbols.insert(name, symbol);
        self.names.insert(symbol, name);
        symbol
    }
}

/// A name for people, and unique.
fn text(program: &Program, name: Name) -> String {
    match name {
        Name::Register { thread, depth, func, var } => {
            let function = &program.functions[func];
            format!("{}@{thread}.{depth}.{}", function.vars[var].name, function.name)
        }
        Name::Cell { object, offset, width } => match offset {
            0 => format!("{}:{width}", object_text(program, object)),
            _ => format!("{}+{offset}:{width}", object_text(program, object)),
        },
        Name::Elements { object, start, width } => {
            format!("{}+{start}[]:{width}", object_text(program, object))
        }
        Name::Size(object) => format!("size of {}", object_text(program, object)),
        Name::Alive(object) => format!("alive {}", object_text(program, object)),
        Name::IsSet { object, offset, width } => {
            format!("set {}+{offset}:{width}", object_text(program, object))
        }
        Name::AreSet { object, start, width } => {
            format!("set {}+{start}[]:{width}", object_text(program, object))
        }
        Name::ScratchIsSet { thread, n } => format!("set scratch{n}@{thread}"),
        Name::Result(thread) => format!("result@{thread}"),
        Name::Waiting(thread) => format!("waiting@{thread}"),
        Name::Scratch { thread, n, width } => format!("scratch{n}:{width}@{thread}"),
    }
}

fn object_text(program: &Program, object: Identity) -> String {
    match object {
        Identity::Static(id) => program.objects[id].name.clone(),
        Identity::ThreadLocal(id, thread) => format!("{}@{thread}", program.objects[id].name),
        Identity::Local { thread, depth, func, var } => {
            let function = &program.functions[func];
            format!("&{}@{thread}.{depth}.{}", function.vars[var].name, function.name)
        }
        Identity::Heap { thread, site, count, room } => {
            format!("heap{}.{}.{}.{count}.{room}@{thread}", site.func, site.loc, site.op)
        }
        Identity::Alloca { thread, depth, site, count, room } => {
            format!("alloca{}.{}.{}.{count}.{room}@{thread}.{depth}", site.func, site.loc, site.op)
        }
    }
}
