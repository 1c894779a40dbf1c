//! Blocks of memory that a library function reads, or writes with values that are not known.
//!
//! A write that others may see goes in chunks, as copies do: words, or larger chunks if there would be more than 64 of them, or
//! single bytes if the size is not constant (SOUNDNESS: A2).
//!
//! The values come from a block that is made indeterminate with [`Op::Forget`]: these are chosen when they are read, so that a buffer of
//! a thousand bytes is not a thousand inputs. Before that the block gets a word of an object of arbitrary contents, so
//! that analyses of addresses know: a pointer that is read from it may point anywhere.

use super::function::Builder;
use base::convert::low64;
use program::{BinOp, Expr, ObjectId, Op, Order, Width};

/// More chunks than this make the chunks larger.
const MAX_CHUNKS: u64 = 64;

impl Builder<'_, '_> {
    /// `len` bytes at `addr` get any values.
    pub(super) fn havoc_bytes(&mut self, addr: Expr, len: Expr) {
        let addr = self.repeatable(addr);
        let word = self.ctx.model.pointer().bytes();
        match len.as_const() {
            Some(0) => {}
            Some(n @ (1 | 2 | 4 | 8)) => {
                let width = Width::of_bytes(low64(n));
                let var = match self.inexact_name.clone() {
                    Some(name) => self.register(&name, width),
                    None => self.temporary(width),
                };
                self.push(Op::Havoc { var });
                self.push(Op::Store { addr, value: Expr::Reg(var, width), order: Order::Plain });
            }
            Some(n) => {
                let size = low64(n);
                let chunk = if self.is_private(&addr) { size } else { chunk_of(size, word) };
                let mut at = 0;
                while at < size {
                    let target = self.offset(addr.clone(), at);
                    self.write_any(target, chunk.min(size - at));
                    at += chunk;
                }
            }
            None => {
                let len = self.repeatable(len);
                self.each_index(&len, false, |builder, index| {
                    builder.write_any(Expr::binary(BinOp::Add, addr.clone(), index), 1);
                });
            }
        }
    }

    /// Writes arbitrary bytes in one step.
    fn write_any(&mut self, addr: Expr, size: u64) {
        let word = self.ctx.model.pointer();
        let source = Expr::ObjectAddr(self.ctx.anything(), word);
        let var = match self.inexact_name.clone() {
            Some(name) => self.named_memory(&name, size, word.bytes()),
            None => self.temporary_memory(size, word.bytes()),
        };
        let block = self.local_addr(var);
        let (some, all) = (self.word(size.min(word.bytes())), self.word(size));
        self.push_private(Op::Copy { dst: block.clone(), src: source, len: some });
        self.push_private(Op::Forget { var, alive: true });
        self.push(Op::Copy { dst: addr, src: block, len: all });
    }

    /// Returns true if it matters that the library reads here: because another thread may write there, or because there may be no object.
    pub(super) fn reads_matter(&self, addr: &Expr) -> bool {
        self.ctx.checks.validity || (self.ctx.checks.foreign_accesses && !self.is_private(addr))
    }

    /// Reads `len` bytes, where that matters.
    pub(super) fn read_bytes(&mut self, addr: Expr, len: Expr) {
        if !self.reads_matter(&addr) {
            return;
        }
        let addr = self.repeatable(addr);
        match len.as_const() {
            Some(0) => {}
            None if !self.ctx.checks.foreign_accesses => self.read_ends(addr, len),
            Some(n) => {
                let size = low64(n);
                let chunk = chunk_of(size, self.ctx.model.pointer().bytes());
                let mut at = 0;
                while at < size {
                    let source = self.offset(addr.clone(), at);
                    self.read_chunk(source, chunk.min(size - at));
                    at += chunk;
                }
            }
            None => {
                let len = self.repeatable(len);
                self.each_index(&len, false, |builder, index| {
                    builder.read_chunk(Expr::binary(BinOp::Add, addr.clone(), index), 1);
                });
            }
        }
    }

    /// Reads the first and the last of `len` bytes: both have to be in an object.
    fn read_ends(&mut self, addr: Expr, len: Expr) {
        let len = self.repeatable(len);
        let (some, done) = (self.new_location(), self.new_location());
        self.branch(Expr::binary(BinOp::Ne, len.clone(), self.word(0)), some, done);
        self.open(some);
        self.read_chunk(addr.clone(), 1);
        let last = Expr::binary(BinOp::Sub, Expr::binary(BinOp::Add, addr, len), self.word(1));
        self.read_chunk(last, 1);
        self.goto(done);
        self.open(done);
    }

    fn read_chunk(&mut self, src: Expr, size: u64) {
        let block = self.temporary_memory(size, 1);
        let (dst, len) = (self.local_addr(block), self.word(size));
        self.push(Op::Copy { dst, src, len });
    }

    /// Reads a string, of at most `limit` characters, where that matters.
    pub(super) fn read_text(&mut self, addr: Expr, width: Width, limit: Option<Expr>) {
        if self.reads_matter(&addr) {
            self.text_length(addr, width, limit);
        }
    }

    /// The number of characters before the terminating zero, at most `limit`.
    pub(super) fn text_length(&mut self, addr: Expr, width: Width, limit: Option<Expr>) -> Expr {
        let word = self.ctx.model.pointer();
        let (addr, limit) = (self.repeatable(addr), limit.map(|limit| self.repeatable(limit)));
        let index = self.temporary(word);
        let n = Expr::Reg(index, word);
        let (head, inside, next, done) =
            (self.new_location(), self.new_location(), self.new_location(), self.new_location());
        self.push(Op::Set { var: index, value: self.word(0) });
        self.join(head);
        match limit {
            Some(limit) => self.branch(Expr::binary(BinOp::ULt, n.clone(), limit), inside, done),
            None => self.goto(inside),
        }
        self.open(inside);
        let offset = match width.bytes() {
            1 => n.clone(),
            bytes => Expr::binary(BinOp::Mul, n.clone(), self.word(bytes)),
        };
        let character = self.load_memory(Expr::binary(BinOp::Add, addr, offset), width, Order::Plain);
        let zero = Expr::constant(0, width);
        self.branch(Expr::binary(BinOp::Ne, character, zero), next, done);
        self.open(next);
        self.push(Op::Set { var: index, value: Expr::binary(BinOp::Add, n.clone(), self.word(1)) });
        self.goto(head);
        self.open(done);
        n
    }
}

/// How much of `size` bytes is accessed at once.
fn chunk_of(size: u64, word: u64) -> u64 {
    size.div_ceil(MAX_CHUNKS).next_multiple_of(word)
}

impl super::Lowering<'_> {
    /// An object of unknown contents that is never written. It is larger than a word: what is copied from it may be a pointer anywhere in the copy.
    fn anything(&mut self) -> ObjectId {
        let size = 2 * self.model.pointer().bytes();
        let object = self.hidden_object("anything", size, false);
        self.objects[object].read_only = true;
        self.objects[object].arbitrary = true;
        object
    }

    /// An object of the library that the program has no name for; it starts with zeros.
    pub(super) fn hidden_object(&mut self, name: &str, size: u64, thread_local: bool) -> ObjectId {
        if let Some(&object) = self.hidden.get(name) {
            self.objects[object].size = self.objects[object].size.max(size);
            return object;
        }
        let object = self.objects.push(program::Object {
            name: format!("library.{name}"),
            size: size.max(1),
            align: 16,
            thread_local,
            read_only: false,
            arbitrary: false,
            bytes: Vec::new(),
            relocs: Vec::new(),
            span: base::Span::NOWHERE,
        });
        self.hidden.insert(name.to_owned(), object);
        object
    }
}
