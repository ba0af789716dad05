"""Drives the tests' fake of Slack with slack_sdk: what it answers is what Slack answers, as far as Slack's own client goes.

Every method that the fake has is called, and every error that it gives is raised by the client as that error. A method
that is added to the fake without being driven here is a failure.
"""

import re
import sys
import threading
from pathlib import Path

from driven import Slack
from slack_sdk import WebClient
from slack_sdk.errors import SlackApiError
from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler
from slack_sdk.socket_mode import SocketModeClient
from slack_sdk.socket_mode.response import SocketModeResponse
from slack_sdk.webhook import WebhookClient

HARNESS = Path(__file__).parents[1] / "it" / "harness"
RICH = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "hello"}]}]}]
QUIET = {"unfurl_links": False, "unfurl_media": False}
POST = {"channel": "C0ONE", "text": "hello", "blocks": RICH, **QUIET}
VIEW = {"type": "modal", "title": {"type": "plain_text", "text": "A title"}, "blocks": RICH}
HOME = {"type": "home", "blocks": RICH}
METADATA = {"event_type": "precedent_suggestion", "event_payload": {"channel": "C0ONE"}}

checks = 0


def equal(found, expected, about):
    global checks
    checks += 1
    assert found == expected, f"{about}: {found!r} instead of {expected!r}"


def refused(error, call, *arguments, **fields):
    """Checks that the client raises an error of Slack's, and returns the answer that it read."""
    try:
        call(*arguments, **fields)
    except SlackApiError as raised:
        equal(raised.response["error"], error, call.__name__)
        return raised.response
    raise AssertionError(f"{call.__name__}: not refused with {error}")


def who(client, about):
    answer = client.auth_test()
    equal((answer["ok"], answer["bot_id"].startswith("B")), (True, True), "auth.test")
    equal(client.api_test()["ok"], True, "api.test")
    stranger = WebClient(base_url=about["api"], token="xoxb-somebody-else")
    refused("invalid_auth", stranger.auth_test)
    refused("not_authed", WebClient(base_url=about["api"]).auth_test)


def messages(client):
    posted = client.chat_postMessage(**POST, metadata=METADATA)
    equal(posted["message"]["text"], "hello", "chat.postMessage")
    equal(posted["message"]["metadata"], METADATA, "chat.postMessage")
    reply = client.chat_postMessage(**POST, thread_ts=posted["ts"])
    equal(reply["message"]["thread_ts"], posted["ts"], "a reply")
    change = {"channel": "C0ONE", "text": "changed", "blocks": RICH, "metadata": METADATA, "parse": "none"}
    equal(client.chat_update(ts=posted["ts"], **change)["text"], "changed", "chat.update")
    own = client.chat_postEphemeral(channel="C0ONE", user="U0ONE", text="only you", blocks=RICH)
    equal(bool(own["message_ts"]), True, "chat.postEphemeral")
    unfurls = {"https://a.example/cases/IL-1": {"blocks": RICH}}
    equal(client.chat_unfurl(channel="C0ONE", ts=posted["ts"], unfurls=unfurls)["ok"], True, "chat.unfurl")
    link = client.chat_getPermalink(channel="C0ONE", message_ts=posted["ts"])["permalink"]
    equal(link.endswith("/archives/C0ONE/p" + posted["ts"].replace(".", "")), True, "chat.getPermalink")
    refused("message_not_found", client.chat_getPermalink, channel="C0ONE", message_ts="1.2")
    mark = client.bookmarks_add(channel_id="C0ONE", title="Precedents", type="link", link=link, emoji=":compass:")
    equal(mark["ok"], True, "bookmarks.add")

    refused("channel_not_found", client.chat_postMessage, **{**POST, "channel": "C0NONE"})
    refused("not_in_channel", client.chat_postMessage, **{**POST, "channel": "C0TWO"})
    refused("is_archived", client.chat_postMessage, **{**POST, "channel": "C0OLD"})
    refused("message_not_found", client.chat_update, ts="1.2", **change)
    refused("channel_not_found", client.chat_update, ts="1.2", **{**change, "channel": "C0NONE"})
    refused("is_archived", client.chat_update, ts="1.2", **{**change, "channel": "C0OLD"})
    for call, more in [(client.chat_postMessage, {}), (client.chat_postEphemeral, {"user": "U0ONE"})]:
        refused("msg_too_long", call, channel="C0ONE", text="x" * 40_001, **more)
        refused("no_text", call, channel="C0ONE", text="", **more)
        answer = refused("invalid_blocks", call, channel="C0ONE", text="x", blocks=RICH * 51, **more)
        pointer = answer["response_metadata"]["messages"][0]
        equal("[json-pointer:/blocks]" in pointer, True, "where the blocks are wrong")
    empty = [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": ""}]}]}]
    refused("invalid_blocks", client.chat_postMessage, channel="C0ONE", text="x", blocks=empty)


def channels(client):
    pages = [page["channels"] for page in client.conversations_list(limit=1000, types="public_channel,private_channel", exclude_archived=True)]
    names = [channel["id"] for page in pages for channel in page]
    equal((len(pages), names), (3, sorted(["C0FIVE", "C0FOUR", "C0ONE", "C0THREE", "C0TWO"])), "conversations.list")
    equal(client.conversations_info(channel="C0ONE")["channel"]["is_member"], True, "conversations.info")
    refused("channel_not_found", client.conversations_info, channel="C0NONE")
    equal(client.conversations_join(channel="C0TWO")["channel"]["id"], "C0TWO", "conversations.join")
    refused("channel_not_found", client.conversations_join, channel="C0NONE")

    history = [page["messages"] for page in client.conversations_history(channel="C0ONE", limit=2, include_all_metadata=True)]
    texts = [message["text"] for page in history for message in page]
    equal(texts[-5:], [f"message {at}" for at in (4, 3, 2, 1, 0)], "conversations.history, newest first")
    equal([len(page) for page in history[:-1]], [2] * (len(history) - 1), "pages of two")
    replies = client.conversations_replies(channel="C0ONE", ts="1700000000.000000", limit=2, include_all_metadata=True)
    found = [message["ts"] for page in replies for message in page["messages"]]
    equal(found, [f"1700000000.00000{at}" for at in (0, 5, 6, 7)], "conversations.replies, the parent first")
    for call, more in [(client.conversations_history, {}), (client.conversations_replies, {"ts": "1.2"})]:
        refused("channel_not_found", call, channel="C0NONE", limit=2, include_all_metadata=True, **more)
        refused("not_in_channel", call, channel="C0THREE", limit=2, include_all_metadata=True, **more)

    equal(client.users_info(user="U0KOREAN", include_locale=True)["user"]["locale"], "ko-KR", "users.info")
    answer = refused("missing_scope", client.users_info, user="U0OTHER", include_locale=True)
    equal((answer["needed"], bool(answer["provided"])), ("users:read", True), "which scope is missing")
    refused("missing_scope", client.users_list, limit=200, include_locale=True)


def views(client):
    opened = client.views_open(trigger_id="1.2.abc", view=VIEW)["view"]
    equal(client.views_push(trigger_id="1.2.abc", view=VIEW)["view"]["id"] != opened["id"], True, "views.push")
    updated = client.views_update(view_id=opened["id"], hash=opened["hash"], view=VIEW)["view"]
    equal((updated["id"], updated["hash"] != opened["hash"]), (opened["id"], True), "views.update")
    equal(client.views_publish(user_id="U0ONE", view=HOME)["ok"], True, "views.publish")
    broken = {**VIEW, "title": {"type": "plain_text", "text": "x" * 25}}
    answer = refused("invalid_arguments", client.views_open, trigger_id="1.2.abc", view=broken)
    equal(bool(answer["response_metadata"]["messages"]), True, "what is wrong with the view")
    refused("invalid_arguments", client.views_publish, user_id="U0ONE", view={**HOME, "blocks": RICH * 101})
    prompts = [{"title": "etcd", "message": "etcd timeouts"}]
    answer = client.assistant_threads_setSuggestedPrompts(channel_id="D0ONE", thread_ts="1.2", title="Ask", prompts=prompts)
    equal(answer["ok"], True, "assistant.threads.setSuggestedPrompts")


def steps(about):
    client = WebClient(base_url=about["api"], token=about["step_token"])
    done = client.functions_completeSuccess(function_execution_id="Fx1", outputs={"found": "IL-1"})
    failed = client.functions_completeError(function_execution_id="Fx2", error="no text")
    equal((done["ok"], failed["ok"]), (True, True), "a workflow's step")


def faults(slack, client):
    def fails(method="auth.test", **how):
        slack.tell(fail=method, **how)

    fails(rate_limited=True)
    answer = refused("ratelimited", client.auth_test)
    # urllib's headers keep their case; the client looks for either.
    headers = {name.lower(): value for name, value in answer.headers.items()}
    equal((answer.status_code, headers["retry-after"]), (429, "1"), "a rate limit")
    patient = WebClient(base_url=client.base_url, token=client.token)
    patient.retry_handlers.append(RateLimitErrorRetryHandler(max_retry_count=1))
    fails(rate_limited=True)
    equal(patient.auth_test()["ok"], True, "a client that waits as it is told")
    for error in ["expired_trigger_id", "msg_blocks_too_long", "token_revoked", "account_inactive", "internal_error"]:
        fails(refused={"ok": False, "error": error})
        refused(error, client.auth_test)
    for how in [{"status": 503}, {}]:
        fails(**how)
        try:
            client.auth_test()
            raise AssertionError(f"{how}: no error")
        except SlackApiError as raised:
            equal(raised.response.status_code, how.get("status", 200), "an answer that is no JSON")
    refused("unknown_method", client.api_call, "no.such")


def webhooks(about):
    hook = WebhookClient(about["response_url"])
    for more in [{"response_type": "ephemeral", "replace_original": False}, {"response_type": "in_channel", "replace_original": True}]:
        answer = hook.send_dict({"text": "hello", "blocks": RICH, **QUIET, **more})
        equal((answer.status_code, answer.body), (200, "ok"), "response_url")
    late = WebhookClient(about["expired_url"]).send_dict({"text": "too late"})
    equal((late.status_code, late.body), (404, "expired_url"), "an old response_url")


def socket(slack, about):
    """Socket Mode: what is sent arrives, what is acknowledged is taken, and the client comes back when Slack hangs up."""
    web = WebClient(base_url=about["api"])
    client = SocketModeClient(app_token=about["app_token"], web_client=web, auto_reconnect_enabled=True, ping_interval=1)
    came = []
    arrived = threading.Event()

    def listen(own, request):
        came.append((request.type, request.payload, request.accepts_response_payload))
        payload = {"text": "an answer"} if request.accepts_response_payload else None
        own.send_socket_mode_response(SocketModeResponse(envelope_id=request.envelope_id, payload=payload))
        arrived.set()

    client.socket_mode_request_listeners.append(listen)
    client.connect()
    equal(slack.tell(do="connect")["connections"], 1, "Socket Mode")
    answer = slack.tell(send="slash_commands", payload={"command": "/incident-like", "text": "etcd"})
    equal(answer["acknowledged"], {"text": "an answer"}, "an acknowledgement with an answer")
    answer = slack.tell(send="events_api", payload={"type": "event_callback", "event": {"type": "app_mention"}})
    equal(answer["acknowledged"], None, "an acknowledgement")
    equal([kind for kind, *_ in came], ["slash_commands", "events_api"], "what came")
    equal(slack.tell(do="reconnect")["connections"], 1, "a connection that was announced to close")
    answer = slack.tell(send="interactive", payload={"type": "block_actions"})
    equal(answer["acknowledged"], {"text": "an answer"}, "an answer over the new connection")
    client.auto_reconnect_enabled = False
    client.close()


def installs(about):
    """Tokens for a code, and for another token. From here on the fake knows whose each token is."""
    client = WebClient(base_url=about["api"])
    app = {"client_id": about["client_id"], "client_secret": about["client_secret"]}
    back = {"redirect_uri": about["redirect_uri"]}
    refused("bad_client_secret", client.oauth_v2_access, **{**app, "client_secret": "another"}, code=about["code"], **back)
    refused("invalid_code", client.oauth_v2_access, **app, code="another", **back)
    first = client.oauth_v2_access(**app, code=about["code"], **back)
    equal((first["team"]["id"], first["enterprise"], first["expires_in"]), ("T0OTHER", None, 43200), "an install")
    refused("invalid_code", client.oauth_v2_access, **app, code=about["code"], **back)
    again = client.oauth_v2_access(**app, grant_type="refresh_token", refresh_token=first["refresh_token"])
    equal(again["access_token"] != first["access_token"], True, "a renewed token")
    equal(WebClient(base_url=about["api"], token=again["access_token"]).auth_test()["team_id"], "T0OTHER", "whose it is")
    refused("invalid_auth", WebClient(base_url=about["api"], token="xoxb-somebody-else").auth_test)


def undriven(methods):
    """Lists the methods that the fake's source names and nobody called."""
    source = "".join(path.read_text(encoding="utf-8") for path in HARNESS.glob("fake_*.rs"))
    known = set(re.findall(r'"((?:[a-zA-Z0-9]+\.)+[a-zA-Z]+)"', source))
    families = {"api", "apps", "assistant", "auth", "bookmarks", "chat", "conversations", "functions", "oauth", "pins", "team", "users", "views"}
    return sorted(name for name in known - set(methods) if name.split(".")[0] in families)


def main(program):
    slack = Slack(program)
    about = slack.about
    client = WebClient(base_url=about["api"], token=about["token"])
    who(client, about)
    messages(client)
    channels(client)
    views(client)
    steps(about)
    faults(slack, client)
    webhooks(about)
    socket(slack, about)
    installs(about)
    seen = slack.tell(do="seen")
    missing = undriven(seen["methods"])
    assert not missing, f"the fake has methods that are not driven here: {missing}"
    slack.end()
    print(f"fake: {len(seen['methods'])} methods, {checks} checks by slack_sdk's clients")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
