//! Rebuilds the crate when a corpus file is added or removed: `include_dir!` alone only tracks files that it already saw.
fn main() {
    println!("cargo:rerun-if-changed=corpus");
    println!("cargo:rerun-if-changed=build.rs");
}
