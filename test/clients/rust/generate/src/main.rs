//! Writes the client that progenitor makes of a document: `generate DOCUMENT FILE`.
#![deny(warnings)]

use progenitor::{GenerationSettings, Generator, InterfaceStyle};
use std::{env, error::Error, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let [document, file] = [1, 2].map(|index| env::args().nth(index).expect("generate DOCUMENT FILE"));
    let document = serde_json::from_str(&fs::read_to_string(document)?)?;
    let mut generator = Generator::new(GenerationSettings::new().with_interface(InterfaceStyle::Builder));
    let tokens = generator.generate_tokens(&document)?;
    fs::write(file, prettyplease::unparse(&syn::parse2(tokens)?))?;
    Ok(())
}
