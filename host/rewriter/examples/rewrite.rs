//! Rewrites an object file: `cargo run -p rewriter --example rewrite -- zba|top|mask [loads] [matching] IN.o OUT.o`.

use rewriter::{Form, Options, rewrite};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [forms @ .., from, to] = &arguments[..] else { panic!("zba|top|mask [loads] IN.o OUT.o") };
    let has = |word: &str| forms.iter().any(|form| form == word);
    let form = match () {
        () if has("zba") => Form::AddUnsignedWord,
        () if has("top") => Form::Or,
        () => Form::Masks,
    };
    let options = Options { form, loads: has("loads"), matching: has("matching") };
    let file = std::fs::read(from).unwrap_or_else(|error| panic!("{from}: {error}"));
    let (object, growth) = rewrite(&file, &options).unwrap_or_else(|error| panic!("{from}: {error}"));
    std::fs::write(to, object).unwrap_or_else(|error| panic!("{to}: {error}"));
    println!("{} instructions became {}", growth.instructions, growth.words);
}
