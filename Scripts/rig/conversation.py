"""A client of a front, as far as the attacks need one: written from Protocol/PROTOCOL.md over messages that protoc makes."""

import importlib
import os
import random
import subprocess
import sys
import tempfile
import time

from .processes import ROOT, Missing, install_hint


def load_messages():
    """The messages of gantry.proto as a Python module, made in a temporary folder."""
    try:
        import zmq  # noqa: F401
        import google.protobuf  # noqa: F401
    except ImportError as error:
        raise Missing(f"{error.name} is missing: {install_hint('python3-zmq', 'python3-protobuf', 'protobuf-compiler')}")
    folder = tempfile.mkdtemp(prefix="gantry-messages-")
    try:
        subprocess.run(
            ["protoc", f"--proto_path={ROOT}/Protocol", f"--python_out={folder}", "gantry.proto"], check=True)
    except FileNotFoundError:
        raise Missing(f"protoc is missing: {install_hint('protobuf-compiler')}")
    sys.path.insert(0, folder)
    module = importlib.import_module("gantry_pb2")
    sys.path.remove(folder)
    return module


class Peer:
    """One DEALER connection."""

    def __init__(self, context, address, receive_high_water=100_000, send_high_water=100_000):
        import zmq

        self.zmq = zmq
        self.socket = context.socket(zmq.DEALER)
        self.socket.setsockopt(zmq.LINGER, 0)
        self.socket.setsockopt(zmq.SNDHWM, send_high_water)
        self.socket.setsockopt(zmq.RCVHWM, receive_high_water)
        self.socket.connect(address)

    def send(self, data):
        self.socket.send(data)

    def receive(self, seconds):
        """The next frame, or None after so many seconds."""
        if self.socket.poll(int(seconds * 1000)) == 0:
            return None
        return self.socket.recv()

    def close(self):
        self.socket.close(0)


class Client(Peer):
    """A session: hello, numbered requests, heartbeats."""

    def __init__(self, context, messages, address, label="rig"):
        super().__init__(context, address)
        self.messages = messages
        self.session = 0
        self.number = 0
        self.answered = set()
        self.lowest = 1
        hello = messages.ClientMessage(
            hello=messages.Hello(
                minimum_version=1, maximum_version=1, largest_frame=1 << 20, label=label,
                nonce=random.getrandbits(63) | 1))
        end = time.monotonic() + 20
        while self.session == 0:
            self.send_messages(hello)
            frame = self.receive(1)
            if frame is not None:
                for message in messages.FrontEnvelope.FromString(frame).messages:
                    if message.HasField("welcome"):
                        self.welcome = message.welcome
                        self.session = message.welcome.session
                    if message.HasField("refused"):
                        raise RuntimeError("refused: " + message.refused.reason)
            if time.monotonic() > end:
                raise RuntimeError("no front answered within 20 s")

    def send_messages(self, *parts):
        self.send(self.messages.ClientEnvelope(session=self.session, messages=parts).SerializeToString())

    def heartbeat(self):
        self.send_messages(self.messages.ClientMessage(heartbeat=self.messages.Heartbeat(lowest_unanswered=self.lowest)))

    def request(self, **body):
        """A request message with the next number."""
        self.number += 1
        return self.messages.ClientMessage(
            request=self.messages.Request(number=self.number, lowest_unanswered=self.lowest, **body))

    def submit(self, loader, arguments=(b"",), priority=5, reports=False):
        self.number += 1
        return self.messages.ClientMessage(
            submit=self.messages.Submit(
                number=self.number, lowest_unanswered=self.lowest, loader=loader, any_loader=True,
                options=[self.messages.JobOptions(priority=priority)], reports_outcomes=reports,
                lengths=[len(argument) for argument in arguments], arguments=b"".join(arguments)))

    def note(self, number):
        """Notes that a request is answered."""
        self.answered.add(number)
        while self.lowest in self.answered:
            self.answered.discard(self.lowest)
            self.lowest += 1

    def reply(self, seconds=20):
        """The next reply; other messages are passed over."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            frame = self.receive(max(0, end - time.monotonic()))
            if frame is None:
                return None
            for message in self.messages.FrontEnvelope.FromString(frame).messages:
                if message.HasField("reply"):
                    self.note(message.reply.number)
                    return message.reply
        return None


# How long a good client waits for one reply before it is counted as never answered, in seconds.
PATIENCE = 30.0


def good_client(address, seconds, stop, report):
    """A client by the book, in a process of its own: ten no-op jobs each 50 ms. Reports when it asked and how long it waited for the reply,
    each time, in seconds."""
    import zmq

    messages = load_messages()
    context = zmq.Context()
    client = Client(context, messages, address, label="good client")
    begun, waits = time.monotonic(), []
    while time.monotonic() - begun < seconds and not stop.is_set():
        asked = time.monotonic()
        client.send_messages(client.submit("noop", [b""] * 10))
        if client.reply(seconds=PATIENCE) is None:
            waits.append((asked, PATIENCE))
            break
        waits.append((asked, time.monotonic() - asked))
        time.sleep(0.05)
    report.send(waits)
    client.close()
    os._exit(0)
