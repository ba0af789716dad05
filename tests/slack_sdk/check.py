"""Parses every message and view with slack_sdk's block models and compares what they serialise with what we wrote.

slack_sdk validates lengths and counts while it serialises. It skips what it does not know, so a block that comes back
changed, or not at all, is a failure too.
"""

import json
import logging
import sys
from pathlib import Path

from slack_sdk.models.blocks import Block
from slack_sdk.models.views import View


class Complaints(logging.Handler):
    """Collects the warnings by which slack_sdk says that it skipped something."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.seen = []

    def emit(self, record):
        self.seen.append(record.getMessage())


def differences(ours, theirs, pointer):
    """Lists where two JSON values differ."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        found = []
        for name in sorted(ours.keys() | theirs.keys()):
            if name not in theirs:
                found.append(f"{pointer}/{name}: lost")
            elif name not in ours:
                found.append(f"{pointer}/{name}: added")
            else:
                found += differences(ours[name], theirs[name], f"{pointer}/{name}")
        return found
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [
            difference
            for at, pair in enumerate(zip(ours, theirs))
            for difference in differences(*pair, f"{pointer}/{at}")
        ]
    return [] if ours == theirs else [f"{pointer}: changed"]


def check(block, pointer, complaints):
    complaints.seen.clear()
    try:
        parsed = Block.parse(block)
        if parsed is None:
            return [f"{pointer}: `{block.get('type')}` is unknown to slack_sdk"]
        theirs = parsed.to_dict()
    except Exception as error:  # any refusal is the finding
        return [f"{pointer}: {error}"]
    skipped = [f"{pointer}: {complaint}" for complaint in complaints.seen]
    return skipped + differences(block, theirs, pointer)


def check_view(view, name, complaints):
    """Checks a view's own fields, which slack_sdk validates as it serialises, and its blocks one by one."""
    problems = []
    for at, block in enumerate(view["blocks"]):
        problems += check(block, f"{name}/blocks/{at}", complaints)
    try:
        theirs = View(**view).to_dict()
        own = {key: value for key, value in view.items() if key != "blocks"}
        problems += differences(own, {key: theirs.get(key) for key in own}, name)
    except Exception as error:  # any refusal is the finding
        problems.append(f"{name}: {error}")
    return problems


def main(folder):
    """Checks a folder of messages, and of views in `views` below it."""
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    files = sorted(Path(folder).glob("*.json"))
    if not files:
        print(f"slack_sdk: no messages in {folder}")
        return 1
    blocks, problems = 0, []
    for file in files:
        message = json.loads(file.read_text(encoding="utf-8"))
        if not message.get("text"):
            problems.append(f"{file.name}: no fallback text")
        for at, block in enumerate(message["blocks"]):
            blocks += 1
            problems += check(block, f"{file.name}/blocks/{at}", complaints)
    views = sorted((Path(folder) / "views").glob("*.json"))
    for file in views:
        problems += check_view(json.loads(file.read_text(encoding="utf-8")), f"views/{file.name}", complaints)
    for problem in problems:
        print(f"slack_sdk: {problem}")
    print(f"slack_sdk: {len(files)} messages, {len(views)} views, {blocks} blocks, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(max(main(folder) for folder in sys.argv[1:]))
