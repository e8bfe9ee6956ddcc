//! `#[pebble::module(path::to::STATE)]` on a module of functions: what others call a protected module by. Each public function whose first
//! parameter is the client's number becomes a procedure; see the book, "Domains of protection".

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::spanned::Spanned;
use syn::{Error, FnArg, Ident, Item, ItemFn, ItemMod, Pat, Path, Result, ReturnType, Type, Visibility};

/// Writes the entry point `enter`, the number of `PROCEDURES`, and a `Client` with a method for each, into the module.
#[proc_macro_attribute]
pub fn module(state: proc_macro::TokenStream, item: proc_macro::TokenStream) -> proc_macro::TokenStream {
    let parsed = syn::parse::<Path>(state).and_then(|state| Ok((state, syn::parse::<ItemMod>(item)?)));
    parsed.and_then(|(state, module)| expand(&state, module)).unwrap_or_else(Error::into_compile_error).into()
}

/// A procedure: its function without the client's number.
struct Procedure {
    function: ItemFn,
    names: Vec<Ident>,
    types: Vec<Type>,
}
/// What a public function is called with. Errors: it can not be called through a frame.
fn procedure(function: &ItemFn) -> Result<Procedure> {
    let signature = &function.sig;
    let refuse = |what: &dyn Spanned, why| Err(Error::new(what.span(), why));
    if let Some(word) = signature.asyncness.as_ref() {
        return refuse(word, "a procedure is called, and returns");
    }
    if !signature.generics.params.is_empty() {
        return refuse(&signature.generics, "a procedure has a frame of its own, so its types are known");
    }
    let mut parameters = signature.inputs.iter();
    if parameters.next().is_none() {
        return refuse(&signature.ident, "its first parameter is the client's number: `client: usize`");
    }
    let (mut names, mut types) = (Vec::new(), Vec::new());
    for (n, parameter) in parameters.enumerate() {
        let FnArg::Typed(typed) = parameter else { return refuse(parameter, "a procedure has no `self`") };
        names.push(match &*typed.pat {
            Pat::Ident(pattern) => pattern.ident.clone(),
            _ => format_ident!("argument_{n}"),
        });
        types.push((*typed.ty).clone());
    }
    Ok(Procedure { function: function.clone(), names, types })
}
/// The module with what it is called by.
fn expand(state: &Path, mut module: ItemMod) -> Result<TokenStream> {
    let span = module.span();
    let Some((_, items)) = module.content.as_mut() else {
        return Err(Error::new(span, "the functions of a protected module stand in it: `mod name { … }`"));
    };
    let public = |item: &Item| match item {
        Item::Fn(function) if matches!(function.vis, Visibility::Public(_)) => Some(procedure(function)),
        _ => None,
    };
    let procedures: Vec<Procedure> = items.iter().filter_map(public).collect::<Result<_>>()?;
    if procedures.is_empty() {
        return Err(Error::new(span, "it has no public function"));
    }
    let count = procedures.len();
    let frames = procedures.iter().map(frame);
    let enters = procedures.iter().map(|procedure| enter(state, procedure));
    let callers = procedures.iter().enumerate().map(|(number, procedure)| caller(number, procedure));
    let generated = quote! {
        #(#frames)*
        /// How many procedures it has.
        pub const PROCEDURES: usize = #count;
        /// The header: looks the procedure up in the jump table, which goes on.
        pub extern "C" fn enter(procedure: usize, _: usize, frame: usize, first: usize, second: usize, _: usize) -> isize {
            static TABLE: [fn(usize, usize) -> isize; PROCEDURES] = [#(#enters),*];
            let password = ::pebble::protected::Password::of([first as u64, second as u64]);
            match (TABLE.get(procedure), #state.enter(password)) {
                (None, _) => ::pebble::Error::ENOENT.code(),
                (_, Err(error)) => error.code(),
                (Some(procedure), Ok(entered)) => procedure(entered.client(), frame),
            }
        }
        /// A client's side: a method for each procedure.
        pub struct Client(pub ::pebble::protected::Client);
        impl Client { #(#callers)* }
    };
    items.push(Item::Verbatim(generated));
    Ok(quote!(#module))
}
/// The type of what a procedure returns, in a frame: nothing is a word of zeros.
fn result(procedure: &Procedure) -> TokenStream {
    match &procedure.function.sig.output {
        ReturnType::Default => quote!(u64),
        ReturnType::Type(_, result) => quote!(#result),
    }
}
fn frame_name(procedure: &Procedure) -> Ident {
    format_ident!("{}_frame", procedure.function.sig.ident)
}
fn frame(procedure: &Procedure) -> TokenStream {
    let (name, result, names, types) = (frame_name(procedure), result(procedure), &procedure.names, &procedure.types);
    quote! {
        #[repr(C, align(16))]
        #[derive(Clone, Copy)]
        #[allow(non_camel_case_types, dead_code)]
        struct #name { result_: #result, #(#names: #types),* }
        const _: () = {
            const fn is_plain<T: ::pebble::abi::window::Plain>() {}
            is_plain::<#result>();
            #(is_plain::<#types>();)*
        };
        // SAFETY: all bytes are a value of each of its fields.
        unsafe impl ::pebble::protected::Frame for #name {}
    }
}
/// A line of the jump table.
fn enter(state: &Path, procedure: &Procedure) -> TokenStream {
    let (frame, names, function) = (frame_name(procedure), &procedure.names, &procedure.function.sig.ident);
    let returned = match &procedure.function.sig.output {
        ReturnType::Default => quote!({ #function(client, #(copy.#names),*); 0u64 }),
        ReturnType::Type(..) => quote!(#function(client, #(copy.#names),*)),
    };
    quote! {
        |client, at| match #state.receive::<#frame>(client, at) {
            Ok(copy) => {
                let result = #returned;
                // SAFETY: `receive` has found that the frame lies where the client's may, which nobody has references to.
                unsafe { (&raw mut (*(at as *mut #frame)).result_).write_volatile(result) };
                0
            }
            Err(error) => error.code(),
        }
    }
}
/// A client's method.
fn caller(number: usize, procedure: &Procedure) -> TokenStream {
    let (frame, names, types, result) = (frame_name(procedure), &procedure.names, &procedure.types, result(procedure));
    let (name, function) = (&procedure.function.sig.ident, &procedure.function);
    let documentation = function.attrs.iter().filter(|attribute| attribute.path().is_ident("doc"));
    quote! {
        #(#documentation)*
        pub fn #name(&self, #(#names: #types),*) -> ::pebble::Result<#result> {
            let empty = || ::pebble::protected::zeros::<#result>();
            let frame = #frame { result_: empty(), #(#names),* };
            Ok(self.0.call(#number, frame)?.result_)
        }
    }
}
