"""The fake of Slack that the tests use, started by itself, and told what is to go wrong."""

import json
import os
import subprocess


def cargo(target, *arguments):
    """Builds and returns where the program of that target is."""
    command = ["cargo", *arguments, "--locked", "--quiet", "--message-format=json"]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    messages = (json.loads(line) for line in built.stdout.splitlines())
    made = (message for message in messages if message.get("executable"))
    return next(message["executable"] for message in made if message["target"]["name"] == target)


class Slack:
    """The running fake."""

    def __init__(self, program):
        test = ["--exact", "sdk::a_slack_to_be_driven", "--nocapture"]
        environment = {**os.environ, "INCIDENT_LIKE_SDK": "1"}
        self.process = subprocess.Popen(
            [program, *test], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.about = self.read()

    def read(self):
        for line in self.process.stdout:
            # Before the first line the test's name may stand.
            if "{" in line:
                return json.loads(line[line.index("{") :])
        raise AssertionError("the fake has ended")

    def tell(self, **told):
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        return self.read()

    def end(self):
        """Stops it; it fails when anything was called that it does not know, or something expected was not."""
        self.process.stdin.close()
        rest = self.process.stdout.read()
        assert self.process.wait(timeout=30) == 0, rest
