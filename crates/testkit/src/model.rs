//! Random well-formed programs, the same for the same seed.
//!
//! They make no sense, but use everything that the model has: all actions, operations, operators and casts, odd widths,
//! odd names, shadowing, unreachable locations.

use base::convert::{count32, index, low8, low32, nearest32};
use base::{FileId, Idx, IdxVec, Random, Span};
use program::*;

const NAMES: [&str; 24] = [
    "x",
    "y",
    "i",
    "buf",
    "main",
    "worker",
    "if",
    "self",
    "true",
    "a b",
    "",
    "ä😀",
    "t.1",
    "$r",
    "_",
    "9lives",
    "`",
    "back\\slash",
    "line\nbreak",
    "L0",
    "zext64",
    "ite",
    "lp64",
    "file",
];

/// A name that is not among `taken`.
fn fresh(random: &mut Random, taken: &mut Vec<String>) -> String {
    let mut name = random.pick(&NAMES).to_string();
    while taken.contains(&name) {
        name = format!("{}{}", random.pick(&NAMES), random.index(1000));
    }
    taken.push(name.clone());
    name
}

const WIDTHS: [u8; 12] = [1, 8, 16, 32, 32, 32, 64, 64, 128, 5, 33, 127];
const ORDERS: [Order; 6] =
    [Order::Plain, Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst];
const STRINGS: [&str; 5] = ["", "it failed", "\"quoted\"\\\n\t\0", "ünïcödé", "a\u{7f}b\r"];

/// A program without flaws.
pub fn program(seed: u64) -> Program {
    let mut random = Random(seed);
    let r = &mut random;
    let data_model = if r.one_in(2) { DataModel::Ilp32 } else { DataModel::Lp64 };
    let files: IdxVec<FileId, String> = (0..r.index(3)).map(|_| r.pick(&STRINGS).to_string()).collect();
    let (n_objects, n_functions) = (r.index(4), 1 + r.index(3));
    let mut taken = Vec::new();
    let objects = (0..n_objects).map(|_| fresh(r, &mut taken)).collect::<Vec<_>>();
    taken.clear();
    let functions = (0..n_functions).map(|_| fresh(r, &mut taken)).collect::<Vec<_>>();
    let mut program = Program {
        data_model,
        memory_model: r.pick(&MemoryModel::ALL).0,
        strict_decisions: r.below(2) == 1,
        entry: FuncId::new(r.index(n_functions)),
        assumptions: Vec::new(),
        objects: IdxVec::new(),
        functions: IdxVec::new(),
        files,
    };
    for _ in 0..r.index(3) {
        let text = r.pick(&STRINGS).to_string();
        program.assumptions.push(Assumption { span: span(r, &program), text });
    }
    for name in objects {
        let object = object(r, &program, name, n_objects, n_functions);
        program.objects.push(object);
    }
    let headers: Vec<Function> = functions.into_iter().map(|name| header(r, &program, name)).collect();
    program.functions = headers.into_iter().collect();
    for func in program.functions.ids() {
        let locations = locations(r, &program, func);
        program.functions[func].entry = LocId::new(if r.one_in(3) { r.index(locations.len()) } else { 0 });
        program.functions[func].locations = locations;
    }
    program
}

fn span(r: &mut Random, program: &Program) -> Span {
    match r.index(4) {
        _ if program.files.is_empty() => Span::NOWHERE,
        0 => Span::NOWHERE,
        1 => Span { file: FileId(count32(r.index(9))), line: 0, col: count32(r.index(3)) },
        _ => Span {
            file: FileId::new(r.index(program.files.len())),
            line: 1 + count32(r.index(300)),
            col: count32(r.index(80)),
        },
    }
}

fn object(r: &mut Random, program: &Program, name: String, n_objects: usize, n_functions: usize) -> Object {
    let size = r.pick(&[0, 1, 2, 3, 4, 8, 12, 16, 24, 100]);
    let arbitrary = r.one_in(6);
    let n_bytes = match r.index(3) {
        _ if arbitrary => 0,
        0 => 0,
        1 => index(size),
        _ => r.index(index(size) + 1),
    };
    let text = r.one_in(2);
    let mut bytes: Vec<u8> =
        (0..n_bytes).map(|_| if text { b' ' + low8(r.below(95)) } else { low8(r.number()) }).collect();
    if let Some(last) = bytes.last_mut() {
        *last = if r.one_in(2) { 0 } else { *last };
    }
    let word = program.data_model.pointer().bytes();
    let mut relocs = Vec::new();
    let mut offset = r.index(3) as u64;
    while !arbitrary && offset + word <= size && !r.one_in(3) {
        let target = if n_objects > 0 && r.one_in(2) {
            RelocTarget::Object(ObjectId::new(r.index(n_objects)))
        } else {
            RelocTarget::Func(FuncId::new(r.index(n_functions)))
        };
        relocs.push(Reloc { offset, target, addend: r.pick(&[0, 0, 1, -1, 40, i64::MIN, i64::MAX]) });
        offset += word + r.index(3) as u64;
    }
    Object {
        name,
        size,
        align: r.pick(&[1, 2, 4, 8, 16]),
        thread_local: r.one_in(4),
        read_only: r.one_in(4),
        arbitrary,
        bytes,
        relocs,
        span: span(r, program),
    }
}

fn header(r: &mut Random, program: &Program, name: String) -> Function {
    let mut taken = Vec::new();
    let mut vars: IdxVec<VarId, Var> = IdxVec::new();
    for _ in 0..r.index(10) {
        let kind = match r.index(3) {
            0 => VarKind::Memory {
                size: r.index(20) as u64,
                align: r.pick(&[1, 2, 4, 8]),
                read_only: r.one_in(4),
            },
            _ => VarKind::Register(Width(r.pick(&WIDTHS))),
        };
        vars.push(Var { name: fresh(r, &mut taken), kind, temporary: r.one_in(3) });
    }
    let mut params = Vec::new();
    let in_order = r.one_in(2);
    for (id, var) in vars.iter_enumerated() {
        let register = matches!(var.kind, VarKind::Register(_));
        if in_order && !(register && params.len() == id.index()) {
            break;
        }
        if register && r.one_in(2) {
            let at = if in_order { params.len() } else { r.index(params.len() + 1) };
            params.insert(at, id);
        }
    }
    Function {
        name,
        params,
        ret: (!r.one_in(3)).then(|| Width(r.pick(&WIDTHS))),
        vars,
        locations: IdxVec::new(),
        entry: LocId(0),
        library: r.one_in(3),
        summary: None,
        span: span(r, program),
    }
}

fn locations(r: &mut Random, program: &Program, func: FuncId) -> IdxVec<LocId, Location> {
    let n_locations = 1 + r.index(14);
    let mut body = Body { r, program, function: &program.functions[func], n_locations };
    (0..n_locations)
        .map(|_| {
            let action = body.action();
            Location { action, span: span(body.r, program) }
        })
        .collect()
}

/// The function whose locations are being made up.
struct Body<'a> {
    r: &'a mut Random,
    program: &'a Program,
    function: &'a Function,
    n_locations: usize,
}

impl Body<'_> {
    fn pointer(&self) -> Width {
        self.program.data_model.pointer()
    }

    fn location(&mut self) -> LocId {
        LocId::new(self.r.index(self.n_locations))
    }

    /// A register of the width (any one, if not given).
    fn register(&mut self, width: Option<Width>) -> Option<VarId> {
        let fits = |kind| matches!(kind, VarKind::Register(w) if width.is_none_or(|width| width == w));
        let vars: Vec<VarId> =
            self.function.vars.iter_enumerated().filter(|(_, v)| fits(v.kind)).map(|(id, _)| id).collect();
        (!vars.is_empty()).then(|| self.r.pick(&vars))
    }

    fn width_of(&self, var: VarId) -> Width {
        match self.function.vars[var].kind {
            VarKind::Register(width) => width,
            VarKind::Memory { .. } => self.pointer(),
        }
    }

    fn action(&mut self) -> Action {
        let pointer = self.pointer();
        match self.r.index(12) {
            0 => {
                Action::Branch { cond: self.expr(Width::BOOL, 4), yes: self.location(), no: self.location() }
            }
            1 | 2 => self.call(),
            3 => Action::Return(self.function.ret.map(|width| self.expr(width, 3))),
            4 => match self.r.index(6) {
                0 => Action::ThreadExit(self.expr(pointer, 2)),
                1 => Action::Exit,
                2 => Action::Unsupported(self.r.pick(&STRINGS).to_string()),
                3 => Action::Return(None),
                4 => Action::Undefined(Undefined::new(
                    self.r.pick(&UndefinedKind::ALL).0,
                    self.r.pick(&STRINGS).to_string(),
                )),
                _ => Action::Error {
                    property: self.r.pick(&Property::ALL).0,
                    message: self.r.pick(&STRINGS).to_string(),
                },
            },
            _ => {
                let ops = (0..self.r.index(4)).map(|_| self.op()).collect();
                let sync = self
                    .r
                    .one_in(4)
                    .then(|| Sync { kind: self.r.pick(&SyncKind::ALL).0, object: self.expr(pointer, 2) });
                Action::Ops { ops, sync, next: self.location() }
            }
        }
    }

    fn call(&mut self) -> Action {
        let args = (0..self.r.index(4)).map(|_| Width(self.r.pick(&WIDTHS))).collect::<Vec<_>>();
        let args = args.into_iter().map(|width| self.expr(width, 2)).collect();
        let func = FuncId::new(self.r.index(self.program.functions.len()));
        let direct = self.r.one_in(2);
        let result = self.program.functions[func].ret.filter(|_| direct);
        let callee =
            if direct { Callee::Direct(func) } else { Callee::Indirect(self.expr(self.pointer(), 2)) };
        let ret = if self.r.one_in(2) { self.register(result) } else { None };
        Action::Call { callee, args, ret, next: self.location() }
    }

    fn signed(&mut self) -> Op {
        let width = Width(self.r.pick(&WIDTHS));
        let op = self.r.pick(&SignedOp::ALL).0;
        let (left, right) = (self.expr(width, 2), self.expr(width, 2));
        Op::Signed { op, left, right, span: span(self.r, self.program) }
    }

    fn realloc(&mut self, var: VarId) -> Op {
        let pointer = self.pointer();
        let (ptr, size) = (self.expr(pointer, 1), self.expr(pointer, 2));
        Op::Realloc { var, ptr, size, stays: self.expr(Width::BOOL, 1) }
    }

    fn op(&mut self) -> Op {
        let pointer = self.pointer();
        let order = self.r.pick(&ORDERS);
        let kind = self.r.index(20);
        let word = self.register(Some(pointer));
        let int = self.register(Some(Width::INT));
        let any = self.register(None);
        match (kind, any, word, int) {
            (0, Some(var), ..) => Op::Havoc { var },
            (1..=5, Some(var), ..) => Op::Set { var, value: self.expr(self.width_of(var), 5) },
            (6, _, Some(var), _) => {
                let storage = if self.r.one_in(2) { Storage::Heap } else { Storage::Frame };
                Op::Alloc { var, size: self.expr(pointer, 2), align: 1 << self.r.below(8), storage }
            }
            (7, _, Some(var), _) if self.r.one_in(2) => self.realloc(var),
            (7, _, Some(handle), _) => {
                Op::Create { handle, func: self.expr(pointer, 1), arg: self.expr(pointer, 2) }
            }
            (8, _, Some(result), Some(error)) => Op::Join { handle: self.expr(pointer, 2), result, error },
            (9, _, _, Some(error)) => Op::Detach { handle: self.expr(pointer, 2), error },
            (10, ..) if !self.function.vars.is_empty() => {
                let var = VarId::new(self.r.index(self.function.vars.len()));
                let in_memory = matches!(self.function.vars[var].kind, VarKind::Memory { .. });
                Op::Forget { var, alive: !in_memory || self.r.one_in(2) }
            }
            (11, ..) => Op::Guard(self.expr(Width::BOOL, 3)),
            (12, ..) => Op::Assume(self.expr(Width::BOOL, 3)),
            (13, ..) => Op::Copy {
                dst: self.expr(pointer, 2),
                src: self.expr(pointer, 2),
                len: self.expr(pointer, 2),
            },
            (14, ..) => Op::Fill {
                dst: self.expr(pointer, 2),
                byte: self.expr(Width::BYTE, 2),
                len: self.expr(pointer, 2),
            },
            (15, ..) => Op::Free(self.expr(pointer, 2)),
            (16, ..) => {
                if self.r.one_in(2) {
                    Op::AtomicBegin
                } else {
                    Op::AtomicEnd
                }
            }
            (17, ..) if self.r.one_in(2) => Op::Fence(self.r.pick(&Barrier::ALL).0),
            (17, ..) => self.signed(),
            (18, ..) => match self.r.index(3) {
                0 => Op::WaitBegin(self.expr(pointer, 2)),
                1 => Op::WaitEnd { timed: self.r.one_in(2), woken: self.register(Some(Width::BOOL)) },
                _ => Op::Signal { cond: self.expr(pointer, 2), all: self.r.one_in(2) },
            },
            _ => {
                let width = Width(self.r.pick(&[8, 16, 32, 64, 24, 128]));
                Op::Store { addr: self.expr(pointer, 3), value: self.expr(width, 3), order }
            }
        }
    }

    /// An expression of the given width, about as deep as given.
    fn expr(&mut self, width: Width, depth: usize) -> Expr {
        if depth == 0 || self.r.one_in(5) {
            return self.leaf(width);
        }
        let depth = depth - 1;
        let mut part = |width| Box::new(self.expr(width, depth));
        let float = matches!(width.bits(), 32 | 64);
        let (a, b, c) = (part(width), part(width), part(Width::BOOL));
        match self.r.index(10) {
            0 => Expr::Ite(c, a, b),
            1 => Expr::Unary(if self.r.one_in(2) { UnOp::Not } else { UnOp::Neg }, a),
            2 if float => Expr::Unary(UnOp::FNeg, a),
            3 | 4 => self.cast(width, depth),
            2 if width == Width::BOOL => {
                let pointer = self.pointer();
                let mut part = || Box::new(self.expr(pointer, depth));
                Expr::SameObject(part(), part())
            }
            5 if width == Width::BOOL => {
                let width = Width(self.r.pick(&[32, 64]));
                self.binary(&[BinOp::FEq, BinOp::FNe, BinOp::FLt, BinOp::FLe], width, depth)
            }
            5 | 6 if width == Width::BOOL => {
                let width = Width(self.r.pick(&WIDTHS));
                use BinOp::*;
                self.binary(&[Eq, Ne, ULt, ULe, SLt, SLe], width, depth)
            }
            5 if float => self.binary(&[BinOp::FAdd, BinOp::FSub, BinOp::FMul, BinOp::FDiv], width, depth),
            7 if width.bits().is_multiple_of(8) => {
                let order = self.r.pick(&ORDERS);
                Expr::Load { addr: Box::new(self.expr(self.pointer(), depth)), width, order }
            }
            _ => {
                use BinOp::*;
                let ops = [Add, Sub, Mul, UDiv, SDiv, URem, SRem, And, Or, Xor, Shl, LShr, AShr];
                Expr::Binary(self.r.pick(&ops), a, b)
            }
        }
    }

    fn binary(&mut self, ops: &[BinOp], width: Width, depth: usize) -> Expr {
        let op = self.r.pick(ops);
        Expr::Binary(op, Box::new(self.expr(width, depth)), Box::new(self.expr(width, depth)))
    }

    fn cast(&mut self, to: Width, depth: usize) -> Expr {
        let float = |width: Width| matches!(width.bits(), 32 | 64);
        let from = Width(self.r.pick(&WIDTHS));
        let mut kinds = Vec::new();
        kinds.extend((from <= to).then_some(Cast::Zext));
        kinds.extend((from <= to).then_some(Cast::Sext));
        kinds.extend((from >= to).then_some(Cast::Trunc));
        kinds.extend(float(to).then_some(Cast::SToF));
        kinds.extend(float(to).then_some(Cast::UToF));
        kinds.extend(float(from).then_some(Cast::FToS));
        kinds.extend(float(from).then_some(Cast::FToU));
        kinds.extend((float(to) && float(from)).then_some(Cast::FToF));
        let kind = self.r.pick(&kinds);
        Expr::Cast(kind, to, Box::new(self.expr(from, depth)))
    }

    fn leaf(&mut self, width: Width) -> Expr {
        if width == self.pointer() && self.r.one_in(2) {
            return self.address(width);
        }
        match self.register(Some(width)) {
            Some(var) if self.r.one_in(2) => Expr::Reg(var, width),
            _ => {
                let (high, low) = (u128::from(self.r.number()), u128::from(self.r.number()));
                let small = low % 7;
                let float = f64::from(low32(low)) / 8.0;
                let value = self.r.pick(&[
                    small,
                    small,
                    small.wrapping_neg(),
                    width.mask() >> 1,
                    (width.mask() >> 1) + 1,
                    (high << 64) | low,
                    if width.bits() == 32 {
                        u128::from(nearest32(float).to_bits())
                    } else {
                        u128::from(float.to_bits())
                    },
                    0x8000_0000,
                ]);
                Expr::constant(value, width)
            }
        }
    }

    fn address(&mut self, width: Width) -> Expr {
        let memory = |kind| matches!(kind, VarKind::Memory { .. });
        let locals: Vec<VarId> =
            self.function.vars.iter_enumerated().filter(|(_, v)| memory(v.kind)).map(|(id, _)| id).collect();
        match self.r.index(4) {
            0 if !locals.is_empty() => Expr::LocalAddr(self.r.pick(&locals), width),
            1 if !self.program.objects.is_empty() => {
                Expr::ObjectAddr(ObjectId::new(self.r.index(self.program.objects.len())), width)
            }
            2 => Expr::SelfHandle(width),
            _ => Expr::FuncAddr(FuncId::new(self.r.index(self.program.functions.len())), width),
        }
    }
}
