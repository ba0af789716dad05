#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| incident_like_fuzz::run("text", data));
