//! The kinds of tokens, as one table from which the enum, the spellings and the keyword list are made.
//!
//! All spellings of a keyword share one kind (`const`, `__const`, `__const__`), so that the parser never sees GNU's
//! variants. Words that are keywords only in later C (`bool`, `static_assert`, `alignas`, …) are identifiers here:
//! in C11 they are macros, and real programs declare some of them themselves.

use rustc_hash::FxHashMap;

macro_rules! kinds {
    (
        classes { $($class:ident $class_name:literal)* }
        punctuators { $($punctuator:ident $spelling:literal)* }
        keywords { $($keyword:ident $first:literal $(| $more:literal)*)* }
    ) => {
        /// What a token is.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[allow(missing_docs)]
        pub enum Kind { $($class,)* $($punctuator,)* $($keyword,)* }

        impl Kind {
            /// What messages call it: its (first) spelling, or the name of its class.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$class => $class_name,)*
                    $(Kind::$punctuator => $spelling,)*
                    $(Kind::$keyword => $first,)*
                }
            }
        }

        const KEYWORDS: &[(&str, Kind)] =
            &[$(($first, Kind::$keyword), $(($more, Kind::$keyword),)*)*];
    };
}

kinds! {
    classes {
        Eof "end of file"
        Ident "identifier"
        Number "number"
        Char "character constant"
        Str "string literal"
    }
    punctuators {
        Semi ";"
        Comma ","
        LParen "("
        RParen ")"
        LBrace "{"
        RBrace "}"
        LBracket "["
        RBracket "]"
        Dot "."
        Arrow "->"
        Ellipsis "..."
        Question "?"
        Colon ":"
        Tilde "~"
        Bang "!"
        BangEq "!="
        Plus "+"
        PlusPlus "++"
        PlusEq "+="
        Minus "-"
        MinusMinus "--"
        MinusEq "-="
        Star "*"
        StarEq "*="
        Slash "/"
        SlashEq "/="
        Percent "%"
        PercentEq "%="
        Lt "<"
        LtEq "<="
        Shl "<<"
        ShlEq "<<="
        Gt ">"
        GtEq ">="
        Shr ">>"
        ShrEq ">>="
        Eq "="
        EqEq "=="
        Amp "&"
        AmpAmp "&&"
        AmpEq "&="
        Pipe "|"
        PipePipe "||"
        PipeEq "|="
        Caret "^"
        CaretEq "^="
    }
    keywords {
        Auto "auto"
        Break "break"
        Case "case"
        Char_ "char"
        Const "const" | "__const" | "__const__"
        Continue "continue"
        Default "default"
        Do "do"
        Double "double"
        Else "else"
        Enum "enum"
        Extern "extern"
        Float "float"
        For "for"
        Goto "goto"
        If "if"
        Inline "inline" | "__inline" | "__inline__"
        Int "int"
        Long "long"
        Register "register"
        Restrict "restrict" | "__restrict" | "__restrict__"
        Return "return"
        Short "short"
        Signed "signed" | "__signed" | "__signed__"
        Sizeof "sizeof"
        Static "static"
        Struct "struct"
        Switch "switch"
        Typedef "typedef"
        Union "union"
        Unsigned "unsigned"
        Void "void"
        Volatile "volatile" | "__volatile" | "__volatile__"
        While "while"
        Alignas "_Alignas" | "alignas"
        Alignof "_Alignof" | "alignof" | "__alignof" | "__alignof__"
        Atomic "_Atomic"
        Bool "_Bool"
        Complex "_Complex" | "__complex" | "__complex__"
        Generic "_Generic"
        Imaginary "_Imaginary"
        Noreturn "_Noreturn"
        StaticAssert "_Static_assert" | "static_assert"
        ThreadLocal "_Thread_local" | "thread_local" | "__thread" | "__CPROVER_thread_local"
        Asm "asm" | "__asm" | "__asm__"
        Attribute "__attribute__" | "__attribute"
        AutoType "__auto_type"
        Declspec "__declspec"
        Extension "__extension__"
        Imag "__imag__" | "__imag"
        Label "__label__"
        Real "__real__" | "__real"
        Segment "__seg_gs" | "__seg_fs"
        Typeof "typeof" | "__typeof" | "__typeof__" | "typeof_unqual" | "__typeof_unqual" | "__typeof_unqual__"
        Int128 "__int128" | "__int128_t"
        Uint128 "__uint128_t"
        Float80 "__float80"
        Float16 "_Float16"
        Float32 "_Float32"
        Float32x "_Float32x"
        Float64 "_Float64"
        Float64x "_Float64x"
        Float128 "_Float128" | "__float128"
        Float128x "_Float128x"
        Decimal32 "_Decimal32"
        Decimal64 "_Decimal64"
        Decimal128 "_Decimal128"
        BuiltinChooseExpr "__builtin_choose_expr"
        BuiltinOffsetof "__builtin_offsetof"
        BuiltinTypesCompatible "__builtin_types_compatible_p"
        BuiltinVaArg "__builtin_va_arg"
    }
}

impl Kind {
    /// The words by which [`crate::ast::TypeSpec::Basic`] knows this keyword, if it names a basic type.
    pub fn basic_words(self) -> Option<&'static [&'static str]> {
        Some(match self {
            Kind::Char_ => &["char"],
            Kind::Double => &["double"],
            Kind::Float => &["float"],
            Kind::Int => &["int"],
            Kind::Long => &["long"],
            Kind::Short => &["short"],
            Kind::Signed => &["signed"],
            Kind::Unsigned => &["unsigned"],
            Kind::Void => &["void"],
            Kind::Bool => &["_Bool"],
            Kind::Complex => &["_Complex"],
            Kind::Imaginary => &["_Imaginary"],
            Kind::Int128 => &["__int128"],
            Kind::Uint128 => &["unsigned", "__int128"],
            Kind::Float80 => &["__float80"],
            Kind::Float16 => &["_Float16"],
            Kind::Float32 => &["_Float32"],
            Kind::Float32x => &["_Float32x"],
            Kind::Float64 => &["_Float64"],
            Kind::Float64x => &["_Float64x"],
            Kind::Float128 => &["_Float128"],
            Kind::Float128x => &["_Float128x"],
            Kind::Decimal32 => &["_Decimal32"],
            Kind::Decimal64 => &["_Decimal64"],
            Kind::Decimal128 => &["_Decimal128"],
            _ => return None,
        })
    }

    /// Returns true if a declaration (or a type name) begins with this keyword. `__extension__` is not among them: it may
    /// begin an expression too.
    pub fn starts_declaration(self) -> bool {
        self.basic_words().is_some()
            || self.is_qualifier()
            || matches!(
                self,
                Kind::Auto
                    | Kind::Extern
                    | Kind::Register
                    | Kind::Static
                    | Kind::Typedef
                    | Kind::Inline
                    | Kind::Noreturn
                    | Kind::ThreadLocal
                    | Kind::Struct
                    | Kind::Union
                    | Kind::Enum
                    | Kind::Typeof
                    | Kind::AutoType
                    | Kind::Alignas
                    | Kind::Attribute
                    | Kind::Declspec
                    | Kind::Segment
            )
    }

    /// Returns true if it qualifies a type (`_Atomic` may instead begin a type specifier).
    pub fn is_qualifier(self) -> bool {
        matches!(self, Kind::Const | Kind::Volatile | Kind::Restrict | Kind::Atomic)
    }
}

/// The keywords by spelling.
pub(super) fn keywords() -> FxHashMap<&'static str, Kind> {
    KEYWORDS.iter().copied().collect()
}
