use incident_like::corpus::{Checks, Corpus, Origin};
fn main() -> std::process::ExitCode {
    let dirs: Vec<Origin> = std::env::args()
        .skip(2)
        .map(|dir| Origin::Folder(dir.into()))
        .collect();
    let loaded = Corpus::load(&dirs, Checks::All).expect("readable");
    for diagnostic in &loaded.diagnostics {
        println!("{}\n", diagnostic.render(false));
    }
    println!(
        "{} cases, {} problems",
        loaded.corpus.cases().len(),
        loaded.diagnostics.len()
    );
    std::process::ExitCode::from(u8::from(!loaded.diagnostics.is_empty()))
}
