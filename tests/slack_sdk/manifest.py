"""Checks the Slack app manifest.

1. Structure: the rules of Slack's manifest schema 2.0 (github.com/slackapi/manifest-schema) for all parts that the
   manifest uses. A part without a rule here is a failure, so that nothing goes unchecked. The schema itself is no
   package, and it does not know the names of events and scopes; rules 3 and 4 do.
2. The YAML form says the same as the JSON form.
3. Every event has the scope without which Slack does not deliver it.
4. Every scope is needed by an event or by something that the service does, and its reason is in README.md.
5. What the service answers to (command, callback id, path) is what the manifest names.
"""

import json
import re
import sys
from pathlib import Path

import yaml

URL = {"type": str, "pattern": r"https?://", "max": 3500}
NAMES = {"type": list, "max": 255, "item": {"type": str, "min": 1, "max": 50}, "unique": True}
EVENTS = {**NAMES, "max": 100}
BOOL = {"type": bool}


def text(least, most, pattern=None):
    return {"type": str, "min": least, "max": most, "pattern": pattern}


def table(required, **fields):
    return {"type": dict, "required": required, "fields": fields}


MANIFEST = table(
    ["display_information", "features", "oauth_config", "settings"],
    _metadata=table([], major_version={"type": int}, minor_version={"type": int}),
    display_information=table(
        ["name"],
        name=text(1, 35),
        description=text(1, 140),
        long_description=text(175, 4000),
        background_color=text(4, 7, r"#[0-9a-fA-F]{3}([0-9a-fA-F]{3})?$"),
    ),
    features=table(
        [],
        app_home=table(
            [],
            home_tab_enabled=BOOL,
            messages_tab_enabled=BOOL,
            messages_tab_read_only_enabled=BOOL,
        ),
        bot_user=table(["display_name"], display_name=text(1, 80), always_online=BOOL),
        shortcuts={
            "type": list,
            "min": 1,
            "max": 10,
            "item": table(
                ["name", "type", "callback_id", "description"],
                name=text(1, 24),
                type=text(1, 7, r"(message|global)$"),
                callback_id=text(1, 255),
                description=text(1, 150),
            ),
        },
        slash_commands={
            "type": list,
            "min": 1,
            "max": 50,
            "item": table(
                ["command", "description"],
                command=text(2, 32, r"/"),
                url={**URL, "max": 3000},
                description=text(1, 2000),
                usage_hint=text(1, 1000),
                should_escape=BOOL,
            ),
        },
    ),
    oauth_config=table([], scopes=table([], bot=NAMES, bot_optional=NAMES)),
    settings=table(
        [],
        event_subscriptions=table([], request_url=URL, bot_events=EVENTS),
        interactivity=table(["is_enabled"], is_enabled=BOOL, request_url=URL),
        org_deploy_enabled=BOOL,
        socket_mode_enabled=BOOL,
        token_rotation_enabled=BOOL,
    ),
)

# From the reference page of each event (docs.slack.dev/reference/events): one of these is enough.
EVENT_SCOPES = {
    "app_home_opened": [],
    "app_mention": ["app_mentions:read"],
    "channel_archive": ["channels:read"],
    "channel_created": ["channels:read"],
    "channel_deleted": ["channels:read"],
    "channel_id_changed": ["channels:read"],
    "channel_left": ["channels:read"],
    "channel_rename": ["channels:read"],
    "group_archive": ["groups:read"],
    "group_deleted": ["groups:read"],
    "group_left": ["groups:read"],
    "group_rename": ["groups:read"],
    "member_joined_channel": ["channels:read", "groups:read"],
    "message.channels": ["channels:history"],
    "message.groups": ["groups:history"],
    "message.im": ["im:history"],
}

# From the reference page of each method or feature: all of these are needed.
USE_SCOPES = {
    "slash command and shortcuts": ["commands"],
    "chat.postMessage, chat.postEphemeral": ["chat:write"],
    "conversations.join": ["channels:join"],
    "conversations.info": ["channels:read", "groups:read"],
    "conversations.history, conversations.replies": ["channels:history", "groups:history"],
    "users.info": ["users:read"],
    "views.open, views.push, views.update, views.publish": [],
}


def broken(rule, value, at):
    """Lists how a value breaks its rule."""
    wanted = rule["type"]
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        return [f"{at}: must be a {wanted.__name__}"]
    found = []
    if wanted in (str, list):
        size = len(value)
        if not rule.get("min", 0) <= size <= rule.get("max", size):
            found.append(f"{at}: length {size} is not within {rule.get('min', 0)} to {rule['max']}")
    if wanted is str and rule.get("pattern") and not re.match(rule["pattern"], value):
        found.append(f"{at}: does not begin like {rule['pattern']}")
    if wanted is list:
        if rule.get("unique") and len(set(value)) != len(value):
            found.append(f"{at}: has repeats")
        for number, item in enumerate(value):
            found += broken(rule["item"], item, f"{at}/{number}")
    if wanted is dict:
        found += [f"{at}/{name}: missing" for name in rule["required"] if name not in value]
        for name, part in value.items():
            if name not in rule["fields"]:
                found.append(f"{at}/{name}: no rule for this")
            else:
                found += broken(rule["fields"][name], part, f"{at}/{name}")
    return found


def check_scopes(manifest, readme):
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    scopes = manifest["oauth_config"]["scopes"]
    asked = set(scopes["bot"])
    found = []
    needed = {scope for scopes in USE_SCOPES.values() for scope in scopes}
    for event in events:
        if event not in EVENT_SCOPES:
            found.append(f"event {event}: its scope is not in this script's table")
            continue
        needed |= set(EVENT_SCOPES[event])
        if EVENT_SCOPES[event] and not asked & set(EVENT_SCOPES[event]):
            found.append(f"event {event}: needs {' or '.join(EVENT_SCOPES[event])}")
    for use, wanted in USE_SCOPES.items():
        found += [f"{use}: needs {scope}" for scope in wanted if scope not in asked]
    found += [f"scope {scope}: nothing needs it" for scope in sorted(asked - needed)]
    found += [
        f"scope {scope}: no reason in README.md" for scope in sorted(asked) if f"| `{scope}` |" not in readme
    ]
    optional = set(scopes.get("bot_optional", []))
    found += [f"scope {scope}: optional, so it must stand in `bot` too" for scope in optional - asked]
    return found


def check_contract(manifest):
    features, settings = manifest["features"], manifest["settings"]
    command = features["slash_commands"][0]
    shortcut, search = features["shortcuts"]
    urls = [
        command["url"],
        settings["event_subscriptions"]["request_url"],
        settings["interactivity"]["request_url"],
    ]
    expected = [
        (command["command"] == "/incident-like", "the command is /incident-like"),
        (command["should_escape"] is True, "names and links in a command arrive as tokens"),
        (shortcut["type"] == "message", "the shortcut is on messages"),
        (shortcut["callback_id"] == "find_similar", "the shortcut's callback id is find_similar"),
        (search["type"] == "global", "the search is from anywhere"),
        (search["callback_id"] == "search_incidents", "the search's callback id is search_incidents"),
        (features["app_home"]["home_tab_enabled"] is True, "there is a home"),
        (features["app_home"]["messages_tab_enabled"] is True, "the bot can be written to"),
        (features["app_home"]["messages_tab_read_only_enabled"] is False, "by anybody"),
        (settings["socket_mode_enabled"] is False, "Socket Mode is off"),
        (set(urls) == {"https://YOUR-HOST/slack/events"}, "all addresses are the placeholder"),
    ]
    return [f"not so: {claim}" for holds, claim in expected if not holds]


def main(folder):
    folder = Path(folder)
    manifest = json.loads((folder / "slack-manifest.json").read_text(encoding="utf-8"))
    found = broken(MANIFEST, manifest, "")
    if yaml.safe_load((folder / "slack-manifest.yaml").read_text(encoding="utf-8")) != manifest:
        found.append("slack-manifest.yaml: differs from slack-manifest.json")
    if not found:
        found += check_scopes(manifest, (folder / "README.md").read_text(encoding="utf-8"))
        found += check_contract(manifest)
    for problem in found:
        print(f"manifest: {problem}")
    events = manifest["settings"]["event_subscriptions"]["bot_events"]
    scopes = manifest["oauth_config"]["scopes"]["bot"]
    print(f"manifest: {len(events)} events, {len(scopes)} scopes, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
