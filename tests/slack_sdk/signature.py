"""Sends the built program requests that slack_sdk's own code signed, and checks what it makes of them."""

import json
import logging
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

from check import Complaints, check as check_block
from driven import cargo
from slack_sdk.signature import SignatureVerifier

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
SIX_MINUTES = 6 * 60
# Every command, in both languages, and texts that people paste.
COMMANDS = [
    "", "help", "도움말", "settings", "설정", "here", "IL-0493", "similar IL-0493", "IL-9999", "componant:etcd timeouts",
    "etcd timeouts component:etcd since:2023 lang:ko", "component:etcd", "since:2023 until:2024", "lang:ko etcd",
    "nodes fail the load balancer health check one by one, DNS is fine", "인증서가 만료돼서 로그인이 안 돼요",
    "<!channel> <@U0123> <https://evil.example|click> `x` *b* _i_ ~s~ &amp; &lt;b&gt;", "x" * 8000, "👩\u200d🚒" * 500,
]


def send(address, body, *, secret=SECRET, age=0):
    """Posts a signed body and returns status and text."""
    timestamp = str(int(time.time()) - age)
    signature = SignatureVerifier(secret).generate_signature(timestamp=timestamp, body=body)
    headers = {"X-Slack-Signature": signature, "X-Slack-Request-Timestamp": timestamp}
    request = urllib.request.Request(f"http://{address}/slack/events", body.encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as refusal:
        return refusal.code, refusal.read().decode()


def check(address):
    """Returns how many requests were sent; raises when one is answered otherwise than it should be."""
    english = urllib.parse.urlencode({"command": "/incident-like", "text": "etcd timeouts & 502 <#C1|inc-1>"})
    korean = urllib.parse.urlencode({"command": "/incident-like", "text": "노드가 하나씩 헬스체크에 실패해요 ö 🔥 日本"})
    for body in (english, korean):
        status, text = send(address, body)
        message = json.loads(text)
        assert status == 200 and message["response_type"] == "ephemeral" and message["blocks"], text
        assert send(address, body, secret="another") == (401, "")
        assert send(address, body, age=SIX_MINUTES) == (401, "")
        assert send(address, body, age=-SIX_MINUTES) == (401, "")
    complaints = Complaints()
    logging.getLogger().addHandler(complaints)
    for text in COMMANDS:
        body = urllib.parse.urlencode({"command": "/incident-like", "user_id": f"U{abs(hash(text))}", "text": text})
        status, answer = send(address, body)
        blocks = json.loads(answer)["blocks"]
        problems = [problem for block in blocks for problem in check_block(block, text[:40], complaints)]
        assert status == 200 and not problems, problems
    challenge = json.dumps({"type": "url_verification", "challenge": "ö 🔥 日本"}, ensure_ascii=False)
    assert send(address, challenge) == (200, "ö 🔥 日本")
    return 9 + len(COMMANDS)


def main():
    environment = {"PATH": os.environ["PATH"], "SLACK_SIGNING_SECRET": SECRET}
    command = [cargo("incident-like", "build", "--bin", "incident-like"), "serve", "--listen", "127.0.0.1:0"]
    service = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        started = (re.search(r"listening address=(\S+)", line) for line in service.stderr)
        address = next((found[1] for found in started if found), None)
        if address is None:
            sys.exit("the program does not start")
        print(f"signatures: {check(address)} requests signed by slack_sdk answered as they should be")
    finally:
        service.kill()
        service.wait()


main()
