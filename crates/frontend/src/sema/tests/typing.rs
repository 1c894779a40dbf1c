//! What expressions and statements become.

use super::module;
use crate::hir::{Body, Expr, ExprKind, Module, Stmt};
use crate::types::{FloatKind, IntKind, Ty, Type};
use program::DataModel;

fn type_name(module: &Module, ty: Ty) -> String {
    match module.types.get(ty) {
        Type::Void => "void".to_owned(),
        Type::Bool => "bool".to_owned(),
        Type::Int(kind) => match kind {
            IntKind::Char => "char",
            IntKind::SChar => "schar",
            IntKind::UChar => "uchar",
            IntKind::Short => "short",
            IntKind::UShort => "ushort",
            IntKind::Int => "int",
            IntKind::UInt => "uint",
            IntKind::Long => "long",
            IntKind::ULong => "ulong",
            IntKind::LongLong => "llong",
            IntKind::ULongLong => "ullong",
            IntKind::Int128 => "int128",
            IntKind::UInt128 => "uint128",
            IntKind::Narrow { signed: true, .. } => "int of a bit-field",
            IntKind::Narrow { signed: false, .. } => "uint of a bit-field",
        }
        .to_owned(),
        Type::Float(FloatKind::Float) => "float".to_owned(),
        Type::Float(FloatKind::Double) => "double".to_owned(),
        Type::Float(FloatKind::LongDouble) => "ldouble".to_owned(),
        Type::Float(FloatKind::Quad) => "quad".to_owned(),
        Type::Pointer(to) => format!("{}*", type_name(module, *to)),
        Type::Array(of, Some(n)) => format!("{}[{n}]", type_name(module, *of)),
        Type::Array(of, None) => format!("{}[]", type_name(module, *of)),
        Type::Vla(of, _) => format!("{}[*]", type_name(module, *of)),
        Type::Function { .. } => "fn".to_owned(),
        Type::Record(id) => module.types.record(*id).tag.clone(),
        Type::Atomic(of) => format!("atomic {}", type_name(module, *of)),
        Type::Opaque { .. } => "opaque".to_owned(),
        Type::Qualified(..) => unreachable!("qualifiers should have been looked through"),
    }
}

/// An expression in a compact prefix form, with the target type of every conversion.
fn show(module: &Module, body: &Body, e: &Expr) -> String {
    let sub = |e: &Expr| show(module, body, e);
    match &e.kind {
        ExprKind::Int(v) => format!("{v}:{}", type_name(module, e.ty)),
        ExprKind::Float(bits) => {
            let Type::Float(kind) = module.types.get(e.ty) else { panic!("{:?} should be a float", e.ty) };
            let bits = program::float::convert(*bits, kind.width(), program::Width(64));
            format!("{:?}:{}", f64::from_bits(base::convert::low64(bits)), type_name(module, e.ty))
        }
        ExprKind::Var(crate::hir::VarRef::Local(l)) => body.locals[*l].name.clone(),
        ExprKind::Var(crate::hir::VarRef::Global(g)) => module.globals[*g].name.clone(),
        ExprKind::Str(s) => format!("{:?}", String::from_utf8_lossy(&module.strings[*s])),
        ExprKind::Function(f) => module.functions[*f].name.clone(),
        ExprKind::LabelAddr(l) => format!("&&{}", body.labels[*l]),
        ExprKind::Deref(p) => format!("(* {})", sub(p)),
        ExprKind::Member { base, offset, bits: None } => format!("(. {} {offset})", sub(base)),
        ExprKind::Member { base, offset, bits: Some(b) } => {
            format!("(. {} {offset}:{}+{})", sub(base), b.shift, b.width)
        }
        ExprKind::CompoundLiteral(_, init) => format!("(literal {})", init.items.len()),
        ExprKind::Load(l) => format!("[{}]", sub(l)),
        ExprKind::AddrOf(l) => format!("(& {})", sub(l)),
        ExprKind::Convert(x) => format!("({}<- {})", type_name(module, e.ty), sub(x)),
        ExprKind::Neg(x) => format!("(- {})", sub(x)),
        ExprKind::BitNot(x) => format!("(~ {})", sub(x)),
        ExprKind::Not(x) => format!("(! {})", sub(x)),
        ExprKind::Binary(op, a, b) => format!("({op:?} {} {})", sub(a), sub(b)),
        ExprKind::PtrAdd { ptr, index, scale, negative } => {
            format!("({}{scale} {} {})", if *negative { "ptr-" } else { "ptr+" }, sub(ptr), sub(index))
        }
        ExprKind::PtrDiff { left, right, scale } => format!("(diff{scale} {} {})", sub(left), sub(right)),
        ExprKind::LogAnd(a, b) => format!("(&& {} {})", sub(a), sub(b)),
        ExprKind::LogOr(a, b) => format!("(|| {} {})", sub(a), sub(b)),
        ExprKind::Cond(c, a, b) => format!("(? {} {} {})", sub(c), sub(a), sub(b)),
        ExprKind::Comma(a, b) => format!("(, {} {})", sub(a), sub(b)),
        ExprKind::Assign(a, b) => format!("(= {} {})", sub(a), sub(b)),
        ExprKind::AssignOp(c) => {
            let post = if c.post { " post" } else { "" };
            format!(
                "({:?} {} {} in {}{post})",
                c.op,
                sub(&c.lvalue),
                sub(&c.value),
                type_name(module, c.compute)
            )
        }
        ExprKind::StmtExpr(stmts, value) => {
            format!("(stmts {} {})", stmts.len(), value.as_ref().map_or("-".to_owned(), |v| sub(v)))
        }
        ExprKind::Call { callee, args } => {
            let args: Vec<String> = args.iter().map(sub).collect();
            format!("{}({})", sub(callee), args.join(", "))
        }
        ExprKind::VaArg(l) => format!("(va_arg {})", sub(l)),
        ExprKind::Unsupported(what) => format!("unsupported {what}"),
    }
}

const DECLARATIONS: &str = "char c; unsigned char uc; short s; int i; unsigned u; long l; long long ll; unsigned long long ull;\n\
    float f; double d; int *p; char *q; void *v; int a[4]; struct B { unsigned x : 5; int y : 32; unsigned z : 32; long long w : 40; } b;\n\
    _Atomic int at; struct N { int h; struct { int k; int m[2]; } n; } n, *np; int fn(char, double); int old(); void (*fp)(int);\n\
    int va(const char *, ...); _Bool bo;";

/// The last expression statement of `main`, under some declarations.
fn check(expression: &str, expected: &str) {
    let text = format!("{DECLARATIONS}\nint main(int x, char **argv) {{ {expression}; }}");
    let module = module(&text, DataModel::Ilp32);
    let body = module.functions[module.entry].body.as_ref().unwrap();
    let Some(Stmt::Expr(e)) = body.stmts.last() else {
        panic!("{expression} should be an expression statement")
    };
    assert_eq!(show(&module, body, e), expected, "{expression}");
}

#[test]
fn conversions_are_explicit() {
    check("c + uc", "(Add (int<- [c]) (int<- [uc]))");
    check("i + u", "(Add (uint<- [i]) [u])");
    check("l + u", "(Add (ulong<- [l]) (ulong<- [u]))");
    check("ll + u", "(Add [ll] (llong<- [u]))");
    check("i < ull", "(Lt (ullong<- [i]) [ull])");
    check("f * i", "(Mul [f] (float<- [i]))");
    check("f + d", "(Add (double<- [f]) [d])");
    check("c << ll", "(Shl (int<- [c]) [ll])");
    check("-c", "(- (int<- [c]))");
    check("!p", "(! [p])");
    check("c = i", "(= c (char<- [i]))");
    check("bo = i", "(= bo (bool<- [i]))");
    check("c += d", "(Arith(Add) c [d] in double)");
    check("u <<= ll", "(Arith(Shl) u [ll] in uint)");
    check("c++", "(Arith(Add) c 1:int in int post)");
    check("--p", "(Pointer { scale: 4, negative: true } p 1:int in int*)");
    check("i ? c : d", "(? [i] (double<- [c]) [d])");
    check("i ? p : 0", "(? [i] [p] 0:int*)");
    check("i ? p : v", "(? [i] (void*<- [p]) [v])");
    check("(void)i", "(void<- [i])");
    check("at = at + 1", "(= at (Add [at] 1:int))");
}

#[test]
fn bit_fields_promote_by_their_width() {
    check("b.x + 1", "(Add (int<- [(. b 0:0+5)]) 1:int)");
    check("b.z + 1", "(Add [(. b 8:0+32)] 1:uint)");
    check("b.w + 1", "(Add (int of a bit-field<- [(. b 12:0+40)]) 1:int of a bit-field)");
    check("b.w + ll", "(Add [(. b 12:0+40)] [ll])");
    check("b.x++", "(Arith(Add) (. b 0:0+5) 1:int in int post)");
    check("(unsigned)b.x + 1", "(Add (uint<- [(. b 0:0+5)]) 1:uint)");
    check("(i, b.x) + 1", "(Add (int<- (, [i] [(. b 0:0+5)])) 1:int)");
    check("(b.x = 1) + 1", "(Add (int<- (= (. b 0:0+5) 1:uint)) 1:int)");
    check("-b.x++", "(- (int<- (Arith(Add) (. b 0:0+5) 1:int in int post)))");
}

#[test]
fn pointers_decay_and_scale() {
    check("a[i]", "[(* (ptr+4 (& a) [i]))]");
    check("2[a]", "[(* (ptr+4 (& a) 2:int))]");
    check("*a", "[(* (& a))]");
    check("p + c", "(ptr+4 [p] (int<- [c]))");
    check("v - 1", "(ptr-1 [v] 1:int)");
    check("p - a", "(diff4 [p] (& a))");
    check("p == 0", "(Eq [p] 0:int*)");
    check("&*p", "[p]");
    check("&a[1]", "(ptr+4 (& a) 1:int)");
    check("np->n.m[1]", "[(* (ptr+4 (& (. (* [np]) 8)) 1:int))]");
    check("n.n.k", "[(. n 4)]");
    check("&n.n", "(& (. n 4))");
    check("\"ab\"[1]", "[(* (ptr+1 (& \"ab\\0\") 1:int))]");
    check("argv[x]", "[(* (ptr+4 [argv] [x]))]");
}

#[test]
fn calls_convert_arguments() {
    check("fn(i, f)", "fn((char<- [i]), (double<- [f]))");
    check("old(c, f, p)", "old((int<- [c]), (double<- [f]), [p])");
    check("va(\"x\", c, f)", "va((& \"x\\0\"), (int<- [c]), (double<- [f]))");
    check("fp(c)", "[fp]((int<- [c]))");
    check("(*fp)(1)", "[fp](1:int)");
    check("(&fn)(1, 2)", "fn(1:char, 2.0:double)");
    check("v = fn", "(= v (void*<- (& fn)))");
    check("__atomic_fetch_add(&ll, i, 5)", "__atomic_fetch_add((& ll), (llong<- [i]), 5:int)");
    check("__atomic_load_n(&at, 5)", "__atomic_load_n((& at), 5:int)");
    check(
        "__sync_bool_compare_and_swap(&p, 0, q)",
        "__sync_bool_compare_and_swap((& p), 0:int*, (int*<- [q]))",
    );
    check("__builtin_memcpy(p, q, i)", "memcpy((void*<- [p]), (void*<- [q]), (uint<- [i]))");
    check("__builtin_expect(i, 1)", "(long<- [i])");
    check("alloca(i)", "__builtin_alloca((uint<- [i]))");
}

#[test]
fn constants_fold_but_not_effects_and_overflows() {
    check("1 + 2 * 3", "7:int");
    check("2147483647 + 1", "(Add 2147483647:int 1:int)");
    check("1 / 0", "(Div 1:int 0:int)");
    check("4294967295u + 1", "0:uint");
    check("0 && fn(1, 2)", "0:int");
    check("fn(1, 2) && 0", "(&& fn(1:char, 2.0:double) 0:int)");
    check("fn(1, 2) * 0", "(Mul fn(1:char, 2.0:double) 0:int)");
    check("(i++, 3)", "(, (Arith(Add) i 1:int in int post) 3:int)");
    check("sizeof(i++)", "4:uint");
    check("1 ? i : fn(1, 2)", "[i]");
    check("(int)&((struct N *)0)->n.m[1]", "12:int");
    check("__builtin_constant_p(i)", "0:int");
    check("__builtin_inf()", "inf:double");
    check("({ int t = i; t + 1; })", "(stmts 1 (Add [t] 1:int))");
    check("i ?: 2", "(stmts 1 (? [] [] 2:int))");
    check("(struct N){ 1, { 2, { 3 } } }.h", "[(. (literal 3) 0)]");
}

/// The names of locals that must be in memory.
fn check_addressed(body: &str, expected: &str) {
    let module = module(&format!("void g(int *); int main(int x) {{ {body} return 0; }}"), DataModel::Lp64);
    let body_ = module.functions[module.entry].body.as_ref().unwrap();
    let taken: Vec<&str> = body_.locals.iter().filter(|l| l.address_taken).map(|l| l.name.as_str()).collect();
    assert_eq!(taken.join(" "), expected, "{body}");
}

#[test]
fn addresses_are_noticed() {
    check_addressed("int a, b; a = b; b = x;", "");
    check_addressed("int a, b; g(&a);", "a");
    check_addressed("int a[2]; struct { int m; } s; s.m = 1;", "a s");
    check_addressed("int a; int n = sizeof(&a); n = __builtin_constant_p(&a);", "");
    check_addressed("int *p = &x; *p = 1;", "x");
}

/// The fence or other effect of an `asm` statement.
fn check_asm(asm: &str, expected: &str) {
    let module = module(&format!("int main(int x) {{ asm volatile({asm}); }}"), DataModel::Lp64);
    let body = module.functions[module.entry].body.as_ref().unwrap();
    let stmts = match &body.stmts[..] {
        [Stmt::Block(stmts)] => stmts,
        other => other,
    };
    let shown: Vec<String> = stmts
        .iter()
        .map(|stmt| match stmt {
            Stmt::Fence(Some(barrier), _) => barrier.name().to_owned(),
            Stmt::Fence(None, _) => "other".to_owned(),
            Stmt::Decl { .. } => "set".to_owned(),
            Stmt::Label(_) => "label".to_owned(),
            Stmt::If { .. } => "if".to_owned(),
            Stmt::Expr(_) => "expr".to_owned(),
            Stmt::Unsupported(..) => "unsupported".to_owned(),
            other => format!("{other:?}"),
        })
        .collect();
    assert_eq!(shown.join(" "), expected, "{asm}");
}

#[test]
fn assembly_is_classified() {
    check_asm("\"mfence\" : : : \"memory\"", "sc");
    check_asm("\"sync\"", "sc");
    check_asm("\"lwsync\" ::: \"memory\"", "acq_rel");
    check_asm("\"lock; addl $0,0(%%esp)\" ::: \"memory\"", "sc");
    check_asm("\"\" ::: \"memory\"", "");
    check_asm("\"lfence\" ::: \"memory\"", "acq");
    check_asm("\"sfence\"", "store");
    check_asm("\"eieio\"", "store");
    check_asm("\"isync\"", "instruction");
    check_asm("\"isb\"", "instruction");
    check_asm("\"dmb ishst\"", "store");
    check_asm("\"dmb ishld\"", "acq");
    check_asm("\"dmb\"", "sc");
    check_asm("\"dsb sy; isb\"", "sc instruction");
    check_asm("\"fence rw,rw\"", "sc");
    check_asm("\"fence r, rw\"", "acq");
    check_asm("\"fence rw,w\"", "rel");
    check_asm("\"fence w,w\"", "store");
    check_asm("\"fence w,r\"", "other");
    check_asm("\"fence.tso\"", "acq_rel");
    check_asm("\"\"", "");
    check_asm("\"rep; nop\"", "");
    check_asm("\"dmb ish\"", "sc");
    check_asm("\"\" : \"=r\"(x) : \"0\"(x)", "set expr expr");
    check_asm("\"\" : \"+r\"(x)", "set expr");
    check_asm("\"xchg %0, %1\" : \"+r\"(x) : \"r\"(x)", "set set set expr expr expr");
    check_asm("\"1: lock; decl %0; jnz 1b\" : \"+m\"(x)", "set label set set set set set set if");
    check_asm("\"xchg %0, %1\" : \"+r\"(x)", "unsupported");
    check_asm("\"imul %0, %1\" : \"+r\"(x) : \"r\"(x)", "unsupported");
    check_asm("\"jz 1b\"", "unsupported");
    check_asm("\"sete %0\" : \"=q\"(x)", "unsupported");
}

#[test]
fn deep_chains_take_linear_time() {
    let sum = vec!["x"; 9_000].join(" + ");
    let worker = std::thread::Builder::new().stack_size(1 << 30);
    let worker =
        worker.spawn(move || drop(module(&format!("int main(int x) {{ return {sum}; }}"), DataModel::Lp64)));
    worker.unwrap().join().unwrap();
}
