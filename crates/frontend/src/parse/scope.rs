//! Which identifiers are type names here: the one thing about declarations that parsing C depends on.
//!
//! One map holds the innermost meaning of each name; a log of what was replaced lets a scope's end restore it, so
//! that a lookup costs one hash whatever the nesting.

use rustc_hash::FxHashMap;

/// What an identifier stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Meaning {
    /// A type.
    Type,
    /// An object, a function or an enumerator.
    Value,
}

/// Type names that programs use whose headers were stripped off: they are taken as types until declared otherwise.
const PREDECLARED: &[&str] = &[
    "__builtin_va_list",
    "va_list",
    "bool",
    "size_t",
    "ssize_t",
    "ptrdiff_t",
    "wchar_t",
    "FILE",
    "int8_t",
    "int16_t",
    "int32_t",
    "int64_t",
    "uint8_t",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "intptr_t",
    "uintptr_t",
    "pthread_t",
    "pthread_attr_t",
    "pthread_mutex_t",
    "pthread_mutexattr_t",
    "pthread_cond_t",
    "pthread_condattr_t",
    "pthread_key_t",
    "pthread_once_t",
    "pthread_rwlock_t",
    "pthread_rwlockattr_t",
    "pthread_barrier_t",
    "pthread_barrierattr_t",
    "pthread_spinlock_t",
    "sem_t",
];

/// The scopes that are open.
pub(super) struct Scopes<'a> {
    meanings: FxHashMap<&'a str, Meaning>,
    /// Names declared in open scopes with what they meant before.
    replaced: Vec<(&'a str, Option<Meaning>)>,
    /// The length of `replaced` at the beginning of each open scope but the outermost.
    starts: Vec<usize>,
}

impl<'a> Scopes<'a> {
    /// The file scope.
    pub(super) fn new() -> Self {
        let meanings = PREDECLARED.iter().map(|&name| (name, Meaning::Type)).collect();
        Self { meanings, replaced: Vec::new(), starts: Vec::new() }
    }

    pub(super) fn open(&mut self) {
        self.starts.push(self.replaced.len());
    }

    pub(super) fn close(&mut self) {
        let start = self.starts.pop().expect("a scope should be open");
        for (name, before) in self.replaced.drain(start..).rev() {
            match before {
                Some(meaning) => self.meanings.insert(name, meaning),
                None => self.meanings.remove(name),
            };
        }
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, name: &'a str, meaning: Meaning) {
        let before = self.meanings.insert(name, meaning);
        if !self.starts.is_empty() {
            self.replaced.push((name, before));
        }
    }

    /// What a name means here, if it is declared.
    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.meanings.get(name).copied()
    }

    pub(super) fn is_type(&self, name: &str) -> bool {
        self.meaning(name) == Some(Meaning::Type)
    }
}
