//! From tokens to programs.
//!
//! Names can be used before they are declared, so there are two passes: the first reads objects and the headers and
//! variables of functions and remembers where bodies start, the second ([`super::parse_body`]) reads the bodies.

use super::lex::{Lexeme, Token, lex};
use super::{TextError, default_align};
use crate::{
    Assumption, DataModel, FuncId, Function, LocId, MemoryModel, Object, ObjectId, Program, Reloc,
    RelocTarget, Var, VarId, VarKind, Width,
};
use base::convert::index;
use base::{Idx, IdxVec};
use rustc_hash::FxHashMap;

/// A result, or where and why there is none.
pub(super) type Parsed<T> = Result<T, TextError>;

/// What has been read, and what is to be read.
pub(super) struct Parser {
    pub(super) lexemes: Vec<Lexeme>,
    pub(super) at: usize,
    pub(super) program: Program,
    objects: FxHashMap<String, ObjectId>,
    functions: FxHashMap<String, FuncId>,
    /// Pointers in initialisers whose targets are not resolved yet.
    pointers: Vec<(ObjectId, Pointer)>,
    /// Where the locations of each function start, and the label of its entry.
    bodies: Vec<(usize, Option<String>)>,
    /// Functions with summaries, by name, and where that stands.
    summaries: Vec<(FuncId, String, usize)>,
    /// The function whose body is being read.
    pub(super) current: FuncId,
    /// The variables of that function.
    pub(super) vars: FxHashMap<String, VarId>,
}

/// A pointer in an initialiser.
struct Pointer {
    offset: u64,
    target: Address,
    addend: i64,
}

/// A name behind `&`.
pub(super) struct Address {
    name: String,
    only: Option<AddressKind>,
    lexeme: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum AddressKind {
    Object,
    Function,
}

impl Parser {
    pub fn new(text: &str) -> Parsed<Parser> {
        let program = Program {
            data_model: DataModel::Lp64,
            memory_model: MemoryModel::Sc,
            strict_decisions: false,
            files: IdxVec::new(),
            objects: IdxVec::new(),
            functions: IdxVec::new(),
            entry: FuncId(0),
            assumptions: Vec::new(),
        };
        Ok(Parser {
            lexemes: lex(text)?,
            at: 0,
            program,
            objects: FxHashMap::default(),
            functions: FxHashMap::default(),
            pointers: Vec::new(),
            bodies: Vec::new(),
            summaries: Vec::new(),
            current: FuncId(0),
            vars: FxHashMap::default(),
        })
    }

    /// The whole program.
    pub fn program(mut self) -> Parsed<Program> {
        if self.eat_word("program") {
            self.program.data_model = match self.word()?.as_str() {
                "lp64" => DataModel::Lp64,
                "ilp32" => DataModel::Ilp32,
                _ => return Err(self.error_before("the data model should be lp64 or ilp32")),
            };
        }
        self.program.strict_decisions = self.eat_word("strict_decisions");
        if self.eat_word("memory_model") {
            let name = self.word()?;
            let model = MemoryModel::ALL.iter().find(|(_, n)| *n == name).map(|(model, _)| *model);
            self.program.memory_model =
                model.ok_or_else(|| self.error_before("the memory model should have a known name"))?;
        }
        let mut entry = None;
        while *self.peek() != Token::End {
            self.item(&mut entry)?;
        }
        for (object, pointer) in std::mem::take(&mut self.pointers) {
            let target = self.resolve_static(&pointer.target)?;
            let reloc = Reloc { offset: pointer.offset, target, addend: pointer.addend };
            self.program.objects[object].relocs.push(reloc);
        }
        for (func, name, lexeme) in std::mem::take(&mut self.summaries) {
            let missing = || self.error_at(lexeme, format!("there is no function {name}"));
            let summary = self.functions.get(&name).copied().ok_or_else(missing)?;
            self.program.functions[func].summary = Some(summary);
        }
        for (n, (start, label)) in std::mem::take(&mut self.bodies).into_iter().enumerate() {
            self.at = start;
            self.body(FuncId::new(n), label)?;
        }
        self.program.entry = match entry {
            Some((name, lexeme)) => {
                let missing = || self.error_at(lexeme, format!("there is no function {name}"));
                self.functions.get(&name).copied().ok_or_else(missing)?
            }
            None => self.functions.get("main").copied().unwrap_or(FuncId(0)),
        };
        if self.program.functions.is_empty() {
            return Err(self.error("a program should have a function"));
        }
        Ok(self.program)
    }

    fn item(&mut self, entry: &mut Option<(String, usize)>) -> Parsed<()> {
        if self.eat_word("file") {
            let name = self.string()?;
            self.program.files.push(name);
        } else if self.eat_word("assumption") {
            let text = self.string()?;
            let span = self.span()?;
            self.program.assumptions.push(Assumption { span, text });
        } else if self.eat_word("entry") {
            *entry = Some((self.name()?, self.at - 1));
        } else if self.eat_word("object") {
            self.object()?;
        } else if self.eat_word("library") {
            self.expect_word("function")?;
            self.function(true)?;
        } else if self.eat_word("function") {
            self.function(false)?;
        } else {
            return Err(self.expected("file, assumption, entry, object, library or function"));
        }
        Ok(())
    }

    fn object(&mut self) -> Parsed<()> {
        let mut flags = [false; 3];
        while let Some(n) =
            ["thread_local", "read_only", "arbitrary"].iter().position(|flag| self.peek_word() == Some(flag))
        {
            flags[n] = true;
            self.at += 1;
        }
        let name = self.name()?;
        if self.objects.insert(name.clone(), self.program.objects.next_id()).is_some() {
            return Err(self.error_before(format!("there are two objects {name}")));
        }
        self.expect(":")?;
        let (size, align) = self.size_and_align()?;
        let bytes = if self.eat("=") { self.initialiser(size)? } else { Vec::new() };
        if self.eat_word("pointers") {
            self.pointers()?;
        }
        let [thread_local, read_only, arbitrary] = flags;
        let span = self.span()?;
        let relocs = Vec::new();
        self.program.objects.push(Object {
            name,
            size,
            align,
            thread_local,
            read_only,
            arbitrary,
            bytes,
            relocs,
            span,
        });
        Ok(())
    }

    fn size_and_align(&mut self) -> Parsed<(u64, u64)> {
        let size = self.number()?;
        let align = if self.eat_word("align") { self.number()? } else { default_align(size) };
        Ok((size, align))
    }

    fn initialiser(&mut self, size: u64) -> Parsed<Vec<u8>> {
        if let Token::Text(bytes) = self.peek() {
            let bytes = bytes.clone();
            self.at += 1;
            return Ok(bytes);
        }
        if !self.eat("{") {
            if !(1..=16).contains(&size) {
                return Err(self.expected("a string or {words} (as the object does not have 1 to 16 bytes)"));
            }
            return self.little_endian(Width::of_bytes(size));
        }
        let start = self.at;
        let mut words = Vec::new();
        while !self.eat("}") {
            words.push(self.at);
            self.eat("-");
            self.at += 1;
            if !self.eat(",") && !self.at_sign("}") {
                return Err(self.expected(", or }"));
            }
        }
        self.expect(":")?;
        let width = self.width()?;
        let end = self.at;
        if width.bits() % 8 != 0 {
            return Err(self.error_at(start, "a word should have whole bytes"));
        }
        let mut bytes = Vec::new();
        for word in words {
            self.at = word;
            bytes.extend(self.little_endian(width)?);
        }
        self.at = end;
        Ok(bytes)
    }

    /// A number of `width`, as bytes.
    fn little_endian(&mut self, width: Width) -> Parsed<Vec<u8>> {
        let negative = self.eat("-");
        let Token::Int(magnitude) = *self.peek() else { return Err(self.expected("a number")) };
        let value = constant(negative, magnitude, width);
        let value = value.ok_or_else(|| self.error(format!("this number does not fit {width} bits")))?;
        self.at += 1;
        Ok(value.to_le_bytes()[..index(width.bytes())].to_vec())
    }

    fn pointers(&mut self) -> Parsed<()> {
        self.expect("{")?;
        while !self.eat("}") {
            let offset = self.number()?;
            self.expect(":")?;
            self.expect("&")?;
            let target = self.address()?;
            let negative = self.at_sign("-");
            let addend = if self.eat("-") || self.eat("+") {
                let Token::Int(magnitude) = *self.peek() else { return Err(self.expected("a number")) };
                let value =
                    if negative { 0i128.checked_sub_unsigned(magnitude) } else { magnitude.try_into().ok() };
                let value = value.and_then(|v| i64::try_from(v).ok());
                let value = value.ok_or_else(|| self.error("this number does not fit 64 bits"))?;
                self.at += 1;
                value
            } else {
                0
            };
            self.pointers.push((self.program.objects.next_id(), Pointer { offset, target, addend }));
            if !self.eat(",") && !self.at_sign("}") {
                return Err(self.expected(", or }"));
            }
        }
        Ok(())
    }

    /// What follows `&`.
    pub(super) fn address(&mut self) -> Parsed<Address> {
        let only = if self.eat_word("object") {
            Some(AddressKind::Object)
        } else if self.eat_word("fn") {
            Some(AddressKind::Function)
        } else {
            None
        };
        Ok(Address { name: self.name()?, only, lexeme: self.at - 1 })
    }

    /// The object or function that `address` names.
    pub(super) fn resolve_static(&self, address: &Address) -> Parsed<RelocTarget> {
        let object = self.objects.get(&address.name).filter(|_| address.only != Some(AddressKind::Function));
        let func = self.functions.get(&address.name).filter(|_| address.only != Some(AddressKind::Object));
        let target = object.map(|&o| RelocTarget::Object(o)).or(func.map(|&f| RelocTarget::Func(f)));
        target.ok_or_else(|| {
            self.error_at(address.lexeme, format!("nothing called {} has an address", address.name))
        })
    }

    /// The memory variable that `address` names, if it names one.
    pub(super) fn resolve_local(&self, address: &Address) -> Option<VarId> {
        let var = *self.vars.get(&address.name).filter(|_| address.only.is_none())?;
        matches!(self.program.functions[self.current].vars[var].kind, VarKind::Memory { .. }).then_some(var)
    }

    /// The function called `name`, which has just been read.
    pub(super) fn resolve_function(&self, name: &str) -> Parsed<FuncId> {
        let func = self.functions.get(name).copied();
        func.ok_or_else(|| self.error_before(format!("there is no function {name}")))
    }

    /// A header and variables; the locations are passed over for now.
    fn function(&mut self, library: bool) -> Parsed<()> {
        let name = self.name()?;
        if self.functions.insert(name.clone(), self.program.functions.next_id()).is_some() {
            return Err(self.error_before(format!("there are two functions {name}")));
        }
        let mut vars = Variables::default();
        let params = self.parameters(&mut vars)?;
        let ret = if self.eat("->") { Some(self.width()?) } else { None };
        let label = if self.eat_word("entry") { Some(self.name()?) } else { None };
        if self.eat_word("summary") {
            let summary = self.name()?;
            self.summaries.push((self.program.functions.next_id(), summary, self.at - 1));
        }
        let span = self.span()?;
        self.expect("{")?;
        while matches!(self.peek_word(), Some("temp" | "reg" | "read_only" | "memory")) {
            self.variables(&mut vars)?;
        }
        let mut resolved = Vec::new();
        for (name, lexeme) in params {
            let missing = || self.error_at(lexeme, format!("there is no variable {name}"));
            resolved.push(*vars.by_name.get(&name).ok_or_else(missing)?);
        }
        self.bodies.push((self.at, label));
        while !self.eat("}") {
            if *self.peek() == Token::End {
                return Err(self.expected("}"));
            }
            self.at += 1;
        }
        self.program.functions.push(Function {
            name,
            params: resolved,
            ret,
            vars: vars.vars,
            locations: IdxVec::new(),
            entry: LocId(0),
            library,
            summary: None,
            span,
        });
        Ok(())
    }

    /// The names of the parameters, and where they stand.
    fn parameters(&mut self, vars: &mut Variables) -> Parsed<Vec<(String, usize)>> {
        let mut params = Vec::new();
        self.expect("(")?;
        while !self.eat(")") {
            let temporary = self.eat_word("temp");
            let name = self.name()?;
            params.push((name.clone(), self.at - 1));
            if self.eat(":") {
                let kind = VarKind::Register(self.width()?);
                self.declare(vars, Var { name, kind, temporary })?;
            } else if temporary {
                return Err(self.expected(": and a width"));
            }
            if !self.eat(",") && !self.at_sign(")") {
                return Err(self.expected(", or )"));
            }
        }
        Ok(params)
    }

    /// One line of declarations.
    fn variables(&mut self, vars: &mut Variables) -> Parsed<()> {
        let temporary = self.eat_word("temp");
        let read_only = self.eat_word("read_only");
        let memory = self.eat_word("memory");
        if read_only && !memory {
            return Err(self.expected("memory"));
        }
        if !memory {
            self.expect_word("reg")?;
        }
        let mut names = vec![self.name()?];
        while self.eat(",") {
            names.push(self.name()?);
        }
        self.expect(":")?;
        let kind = if memory {
            let (size, align) = self.size_and_align()?;
            VarKind::Memory { size, align, read_only }
        } else {
            VarKind::Register(self.width()?)
        };
        names.into_iter().try_for_each(|name| self.declare(vars, Var { name, kind, temporary }))
    }

    fn declare(&self, vars: &mut Variables, var: Var) -> Parsed<()> {
        if vars.by_name.insert(var.name.clone(), vars.vars.next_id()).is_some() {
            return Err(self.error_before(format!("there are two variables {}", var.name)));
        }
        vars.vars.push(var);
        Ok(())
    }
}

/// The variables of a function.
#[derive(Default)]
struct Variables {
    vars: IdxVec<VarId, Var>,
    by_name: FxHashMap<String, VarId>,
}

/// The bits of a number that is written with or without a minus, if `width` can hold it as a signed or unsigned one.
pub(super) fn constant(negative: bool, magnitude: u128, width: Width) -> Option<u128> {
    let largest = if negative { 1 << (width.bits() - 1) } else { width.mask() };
    let bits = if negative { magnitude.wrapping_neg() } else { magnitude };
    (magnitude <= largest).then_some(width.truncate(bits))
}
