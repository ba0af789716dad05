"""Checks that every dependency has a licence that lets a company install us. Reads `cargo metadata` from stdin."""

import json
import re
import sys

# Permissive licences, and the one for Unicode's data.
ALLOWED = {
    "0BSD", "Apache-2.0", "Apache-2.0 WITH LLVM-exception", "BSD-2-Clause", "BSD-3-Clause", "BSL-1.0",
    "CC0-1.0", "CDLA-Permissive-2.0", "ISC", "MIT", "MIT-0", "Unicode-3.0", "Unlicense", "Zlib",
}


def allowed(expression: str) -> bool:
    """Judges an SPDX expression: of alternatives one must be allowed, of joined ones all."""
    expression = re.sub(r"\s*/\s*", " OR ", expression).strip()
    while expression.startswith("(") and closes_at_end(expression):
        expression = expression[1:-1].strip()
    for joint, judge in ((" AND ", all), (" OR ", any)):
        parts = split(expression, joint)
        if len(parts) > 1:
            return judge(allowed(part) for part in parts)
    return expression in ALLOWED


def closes_at_end(text: str) -> bool:
    depth = 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return at == len(text) - 1
    return False


def split(text: str, joint: str) -> list[str]:
    parts, depth, start, at = [], 0, 0, 0
    while at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0 and text.startswith(joint, at):
            parts.append(text[start:at])
            at += len(joint)
            start = at
        else:
            at += 1
    return [*parts, text[start:]]


packages = json.load(sys.stdin)["packages"]
bad = [
    f"{package['name']} {package['version']}: {package['license'] or 'no licence named'}"
    for package in packages
    if not allowed(package["license"] or "")
]
print(f"{len(packages)} packages, {len(bad)} with a licence that is not allowed")
for line in bad:
    print(" ", line)
sys.exit(1 if bad else 0)
