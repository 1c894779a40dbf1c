//! Each rule of well-formedness fires, and on nothing else.

use base::{FileId, Span};
use program::well_formed::{Rule, check};
use program::{
    Action, BinOp, Callee, Cast, Expr, FuncId, LocId, ObjectId, Op, Order, Program, RelocTarget, Storage,
    Sync, SyncKind, UnOp, VarId, VarKind, Width,
};

const SOUND: &str = "
    file \"prog.c\"
    object x: 8 = 1 pointers {0: &y}
    object y: 4
    function main(a: 32, b: 64) -> 32 @0:1:1 {
        reg p: 1
        memory m: 8
      L0: a = a + 1; [&y]:32 = a; p = a == 0
      L1: if p then L2 else L3
      L2: a = call f(1)
      L3: return a
    }
    function f(c: 32) -> 32 { return c }";

const A: Expr = Expr::Reg(VarId(0), Width(32));
const B: Expr = Expr::Reg(VarId(1), Width(64));
const P: Expr = Expr::Reg(VarId(2), Width(1));
const M: VarId = VarId(3);

/// What `break_it` breaks in a sound program.
fn flaws(break_it: impl FnOnce(&mut Program)) -> Vec<Rule> {
    let mut program = program::text::parse(SOUND).expect("the program should parse");
    check(&program).unwrap_or_else(|flaws| panic!("{}", flaws[0]));
    break_it(&mut program);
    // Printing should cope with whatever is broken.
    let _ = (program.to_string(), program::dot::program(&program));
    check(&program).map_or_else(|flaws| flaws.into_iter().map(|flaw| flaw.rule).collect(), |()| Vec::new())
}

fn check_program(rule: Rule, break_it: impl FnOnce(&mut Program)) {
    assert_eq!(flaws(break_it), [rule]);
}

/// A flaw of one operation.
fn check_op(rule: Rule, op: Op) {
    check_action(rule, Action::Ops { ops: vec![op], sync: None, next: LocId(0) });
}

/// A flaw of one action.
fn check_action(rule: Rule, action: Action) {
    let text = format!("{action:?}");
    let found = flaws(|p| p.functions[FuncId(0)].locations[LocId(0)].action = action);
    assert_eq!(found, [rule], "{text}");
}

/// A flaw of one expression, of any width.
fn check_expr(rule: Rule, expr: Expr) {
    let ret = expr.width();
    let text = format!("{expr:?}");
    let found = flaws(|p| {
        p.functions[FuncId(1)].ret = Some(ret);
        p.functions[FuncId(1)].locations[LocId(0)].action = Action::Return(Some(expr));
        p.functions[FuncId(1)].vars = p.functions[FuncId(0)].vars.clone();
        p.functions[FuncId(0)].locations[LocId(2)].action = Action::Exit;
    });
    assert_eq!(found, [rule], "{text}");
}

fn boxed(expr: Expr) -> Box<Expr> {
    Box::new(expr)
}

#[test]
fn entry_exists() {
    check_program(Rule::EntryExists, |p| p.entry = FuncId(9));
    check_program(Rule::EntryExists, |p| p.functions[FuncId(1)].entry = LocId(1));
}

#[test]
fn unique_names() {
    check_program(Rule::UniqueNames, |p| p.objects[ObjectId(0)].name = "y".to_string());
    check_program(Rule::UniqueNames, |p| p.functions[FuncId(1)].name = "main".to_string());
    check_program(Rule::UniqueNames, |p| p.functions[FuncId(0)].vars[M].name = "p".to_string());
}

#[test]
fn span_file() {
    let bad = Span { file: FileId(1), line: 1, col: 1 };
    check_program(Rule::SpanFile, |p| p.objects[ObjectId(0)].span = bad);
    check_program(Rule::SpanFile, |p| p.functions[FuncId(1)].span = bad);
    check_program(Rule::SpanFile, |p| p.functions[FuncId(1)].locations[LocId(0)].span = bad);
    check_program(Rule::SpanFile, |p| {
        p.assumptions.push(program::Assumption { span: bad, text: String::new() })
    });
}

#[test]
fn width_range() {
    for bits in [0, 129] {
        check_program(Rule::WidthRange, |p| {
            p.functions[FuncId(0)].vars.push(program::Var {
                name: "wide".to_string(),
                kind: VarKind::Register(Width(bits)),
                temporary: false,
            });
        });
    }
    check_expr(Rule::WidthRange, Expr::Cast(Cast::Trunc, Width(8), boxed(Expr::Const(0, Width(129)))));
    assert!(flaws(|p| p.functions[FuncId(1)].ret = Some(Width(0))).contains(&Rule::WidthRange));
}

#[test]
fn alignment() {
    check_program(Rule::Alignment, |p| p.objects[ObjectId(0)].align = 3);
    check_program(Rule::Alignment, |p| {
        p.functions[FuncId(0)].vars[M].kind = VarKind::Memory { size: 8, align: 0, read_only: false }
    });
}

#[test]
fn initial_bytes() {
    check_program(Rule::InitialBytes, |p| p.objects[ObjectId(1)].bytes = vec![0; 5]);
    check_program(Rule::InitialBytes, |p| {
        p.objects[ObjectId(1)].arbitrary = true;
        p.objects[ObjectId(1)].bytes = vec![0];
    });
}

#[test]
fn pointers() {
    check_program(Rule::Pointers, |p| p.objects[ObjectId(0)].relocs[0].offset = 1);
    check_program(Rule::Pointers, |p| p.objects[ObjectId(0)].relocs[0].offset = u64::MAX);
    check_program(Rule::Pointers, |p| {
        p.objects[ObjectId(0)].relocs[0].target = RelocTarget::Object(ObjectId(2))
    });
    check_program(Rule::Pointers, |p| p.objects[ObjectId(0)].relocs[0].target = RelocTarget::Func(FuncId(2)));
    check_program(Rule::Pointers, |p| {
        let object = &mut p.objects[ObjectId(0)];
        object.size = 12;
        object.relocs.push(program::Reloc { offset: 4, ..object.relocs[0].clone() });
    });
}

#[test]
fn parameters() {
    check_program(Rule::Parameters, |p| p.functions[FuncId(0)].params.push(VarId(9)));
    check_program(Rule::Parameters, |p| p.functions[FuncId(0)].params.push(M));
    check_program(Rule::Parameters, |p| p.functions[FuncId(0)].params.push(VarId(0)));
}

#[test]
fn successors() {
    check_action(Rule::Successors, Action::Ops { ops: Vec::new(), sync: None, next: LocId(4) });
    check_action(Rule::Successors, Action::Branch { cond: P, yes: LocId(0), no: LocId(4) });
    let callee = Callee::Direct(FuncId(1));
    check_action(Rule::Successors, Action::Call { callee, args: Vec::new(), ret: None, next: LocId(4) });
}

#[test]
fn ids() {
    check_op(Rule::Ids, Op::Set { var: VarId(9), value: A });
    check_op(Rule::Ids, Op::Havoc { var: VarId(9) });
    check_op(Rule::Ids, Op::Forget { var: VarId(9), alive: true });
    check_expr(Rule::Ids, Expr::Reg(VarId(9), Width(8)));
    check_expr(Rule::Ids, Expr::LocalAddr(VarId(9), Width(64)));
    check_expr(Rule::Ids, Expr::ObjectAddr(ObjectId(2), Width(64)));
    check_expr(Rule::Ids, Expr::FuncAddr(FuncId(2), Width(64)));
    let callee = Callee::Direct(FuncId(2));
    check_action(Rule::Ids, Action::Call { callee, args: Vec::new(), ret: None, next: LocId(0) });
}

#[test]
fn variable_kind() {
    check_op(Rule::VariableKind, Op::Havoc { var: M });
    check_op(Rule::VariableKind, Op::Set { var: M, value: A });
    check_expr(Rule::VariableKind, Expr::Reg(M, Width(64)));
    check_expr(Rule::VariableKind, Expr::Reg(VarId(0), Width(64)));
    check_expr(Rule::VariableKind, Expr::LocalAddr(VarId(0), Width(64)));
    let callee = Callee::Direct(FuncId(1));
    check_action(Rule::VariableKind, Action::Call { callee, args: Vec::new(), ret: Some(M), next: LocId(0) });
}

#[test]
fn constant_bits() {
    check_expr(Rule::ConstantBits, Expr::Const(256, Width(8)));
}

#[test]
fn pointer_width() {
    let load = |addr| Expr::Load { addr: boxed(addr), width: Width(32), order: Order::Plain };
    check_expr(Rule::PointerWidth, load(A));
    check_expr(Rule::PointerWidth, Expr::SelfHandle(Width(32)));
    check_expr(Rule::PointerWidth, Expr::LocalAddr(M, Width(32)));
    check_expr(Rule::PointerWidth, Expr::ObjectAddr(ObjectId(0), Width(32)));
    check_expr(Rule::PointerWidth, Expr::FuncAddr(FuncId(0), Width(32)));
    check_op(Rule::PointerWidth, Op::Store { addr: A, value: A, order: Order::Plain });
    check_op(Rule::PointerWidth, Op::Copy { dst: A, src: B, len: B });
    check_op(Rule::PointerWidth, Op::Copy { dst: B, src: A, len: B });
    check_op(Rule::PointerWidth, Op::Copy { dst: B, src: B, len: A });
    check_op(Rule::PointerWidth, Op::Fill { dst: A, byte: Expr::Const(0, Width(8)), len: B });
    check_op(Rule::PointerWidth, Op::Fill { dst: B, byte: Expr::Const(0, Width(8)), len: A });
    check_op(Rule::PointerWidth, Op::Alloc { var: VarId(1), size: A, align: 1, storage: Storage::Heap });
    check_op(
        Rule::PointerWidth,
        Op::Realloc { var: VarId(1), ptr: A, size: B, stays: Expr::constant(0, Width::BOOL) },
    );
    check_op(
        Rule::PointerWidth,
        Op::Realloc { var: VarId(1), ptr: B, size: A, stays: Expr::constant(0, Width::BOOL) },
    );
    check_op(Rule::PointerWidth, Op::Free(A));
    check_op(Rule::PointerWidth, Op::Create { handle: VarId(1), func: A, arg: B });
    check_op(Rule::PointerWidth, Op::Create { handle: VarId(1), func: B, arg: A });
    check_op(Rule::PointerWidth, Op::Join { handle: A, result: VarId(1), error: VarId(0) });
    check_op(Rule::PointerWidth, Op::Detach { handle: A, error: VarId(0) });
    check_op(Rule::PointerWidth, Op::WaitBegin(A));
    check_op(Rule::PointerWidth, Op::Signal { cond: A, all: true });
    let sync = Some(Sync { kind: SyncKind::Lock, object: A });
    check_action(Rule::PointerWidth, Action::Ops { ops: Vec::new(), sync, next: LocId(0) });
    let callee = Callee::Indirect(A);
    check_action(Rule::PointerWidth, Action::Call { callee, args: Vec::new(), ret: None, next: LocId(0) });
}

#[test]
fn whole_bytes() {
    check_expr(Rule::WholeBytes, Expr::Load { addr: boxed(B), width: Width(12), order: Order::Plain });
    check_op(Rule::WholeBytes, Op::Store { addr: B, value: P, order: Order::Plain });
}

#[test]
fn same_width() {
    check_expr(Rule::SameWidth, Expr::Binary(BinOp::Add, boxed(A), boxed(B)));
    check_expr(Rule::SameWidth, Expr::Binary(BinOp::Shl, boxed(A), boxed(P)));
    check_expr(Rule::SameWidth, Expr::Ite(boxed(P), boxed(A), boxed(B)));
}

#[test]
fn condition() {
    check_expr(Rule::Condition, Expr::Ite(boxed(A), boxed(A), boxed(A)));
    check_op(Rule::Condition, Op::Guard(A));
    check_op(Rule::Condition, Op::Assume(A));
    check_action(Rule::Condition, Action::Branch { cond: A, yes: LocId(0), no: LocId(0) });
}

#[test]
fn cast_width() {
    check_expr(Rule::CastWidth, Expr::Cast(Cast::Zext, Width(16), boxed(A)));
    check_expr(Rule::CastWidth, Expr::Cast(Cast::Sext, Width(16), boxed(A)));
    check_expr(Rule::CastWidth, Expr::Cast(Cast::Trunc, Width(64), boxed(A)));
    for kind in [Cast::Zext, Cast::Sext, Cast::Trunc] {
        assert_eq!(
            flaws(|p| {
                let value = Expr::Cast(kind, Width(32), boxed(Expr::Reg(VarId(0), Width(32))));
                p.functions[FuncId(1)].locations[LocId(0)].action = Action::Return(Some(value));
            }),
            []
        );
    }
}

#[test]
fn float_width() {
    let narrow = || boxed(Expr::Const(0, Width(16)));
    for kind in [Cast::FToS, Cast::FToU, Cast::FToF] {
        check_expr(Rule::FloatWidth, Expr::Cast(kind, Width(32), narrow()));
    }
    for kind in [Cast::SToF, Cast::UToF, Cast::FToF] {
        check_expr(Rule::FloatWidth, Expr::Cast(kind, Width(16), boxed(A)));
    }
    check_expr(Rule::FloatWidth, Expr::Unary(UnOp::FNeg, narrow()));
    check_expr(Rule::FloatWidth, Expr::Binary(BinOp::FAdd, narrow(), narrow()));
    check_expr(Rule::FloatWidth, Expr::Binary(BinOp::FLt, narrow(), narrow()));
}

#[test]
fn value_width() {
    check_op(Rule::ValueWidth, Op::Set { var: VarId(0), value: B });
    check_op(Rule::ValueWidth, Op::Fill { dst: B, byte: A, len: B });
    check_op(Rule::ValueWidth, Op::Alloc { var: VarId(0), size: B, align: 1, storage: Storage::Frame });
    check_op(
        Rule::ValueWidth,
        Op::Realloc { var: VarId(0), ptr: B, size: B, stays: Expr::constant(0, Width::BOOL) },
    );
    check_op(Rule::ValueWidth, Op::Create { handle: VarId(0), func: B, arg: B });
    check_op(Rule::ValueWidth, Op::Join { handle: B, result: VarId(0), error: VarId(0) });
    check_op(Rule::ValueWidth, Op::Join { handle: B, result: VarId(1), error: VarId(1) });
    check_op(Rule::ValueWidth, Op::Detach { handle: B, error: VarId(1) });
    check_action(Rule::ValueWidth, Action::ThreadExit(A));
    check_action(Rule::ValueWidth, Action::Return(Some(B)));
    let (callee, ret) = (Callee::Direct(FuncId(1)), Some(VarId(1)));
    check_action(Rule::ValueWidth, Action::Call { callee, args: Vec::new(), ret, next: LocId(0) });
    assert_eq!(flaws(|p| p.functions[FuncId(0)].locations[LocId(3)].action = Action::Return(None)), []);
}

#[test]
fn surplus_and_missing_arguments_are_fine() {
    for args in [vec![], vec![A, B, P], vec![B]] {
        let action = Action::Call { callee: Callee::Direct(FuncId(1)), args, ret: None, next: LocId(0) };
        assert_eq!(flaws(|p| p.functions[FuncId(0)].locations[LocId(0)].action = action), []);
    }
}

#[test]
fn height() {
    let mut deep = A;
    for _ in 0..program::well_formed::MAX_HEIGHT {
        deep = Expr::Unary(UnOp::Neg, boxed(deep));
    }
    check_expr(Rule::Height, deep);
}

#[test]
fn a_flaw_says_where_it_is() {
    let mut program = program::text::parse(SOUND).unwrap();
    program.functions[FuncId(0)].locations[LocId(1)].action = Action::ThreadExit(A);
    let flaws = check(&program).unwrap_err();
    assert_eq!((flaws[0].function, flaws[0].location), (Some(FuncId(0)), Some(LocId(1))));
    assert_eq!(
        flaws[0].to_string(),
        "ValueWidth: in main at L1 (thread_exit a): a value of 32 bits stands where 64 are asked for"
    );
}
