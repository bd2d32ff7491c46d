"""The attacks of `Scripts/attack`: each is a function of an `Arena` and a size. All that they send is well formed or meant not to be."""

import os
import random
import threading
import time

from .conversation import Client, Peer

ATTACKS = []
# What a good client should wait at most beside any attack, in seconds.
AIM = 0.2


def attack(number, title, sizes, quick, silence=AIM, memory="most", brief=None):
    """Registers an attack; `sizes` are n and 2n, of which the ratio of processor time is told. `silence` is what the good client may wait where
    the attack is known to cost more than the aim. `memory` says which growth is bounded: the `most` that the front ever had, or what it has
    `after`, where what comes in has no bound and has to be given back. `brief` is the size that the test command has time for, 0 where there is
    none; else the first of `quick`."""

    def register(function):
        ATTACKS.append(
            {"number": number, "title": title, "sizes": sizes, "quick": quick, "run": function, "silence": silence, "memory": memory,
             "brief": quick[0] if brief is None else brief})
        return function

    return register


class Arena:
    """What an attack has: messages, a ZeroMQ context, the endpoints of a front of its own, a deadline."""

    def __init__(self, context, messages, run_folder, seconds):
        self.context, self.messages = context, messages
        self.requests = f"ipc://{run_folder}/requests"
        self.changes = f"ipc://{run_folder}/changes"
        self.workers = f"ipc://{run_folder}/workers"
        self.pages = f"ipc://{run_folder}/pages"
        self.seconds = seconds
        self.notes = []

    def client(self, **options):
        return Client(self.context, self.messages, self.requests, label="attacker", **options)

    def drain(self, peer, seconds, idle=1.0):
        """Reads until nothing comes for `idle` seconds; returns frames and bytes."""
        end, frames, count = time.monotonic() + seconds, 0, 0
        while time.monotonic() < end:
            frame = peer.receive(idle)
            if frame is None:
                break
            frames, count = frames + 1, count + len(frame)
        return frames, count


def envelopes(client, parts, limit=900_000):
    """Sends message parts in as few frames as fit."""
    batch, size = [], 0
    for part in parts:
        length = part.ByteSize() + 8
        if batch and (size + length > limit or len(batch) >= 60_000):
            client.send_messages(*batch)
            batch, size = [], 0
        batch.append(part)
        size += length
    if batch:
        client.send_messages(*batch)


def replies(messages, frame):
    """The replies of a frame; none of None."""
    return [message for message in messages.FrontEnvelope.FromString(frame or b"").messages if message.HasField("reply")]


@attack("3.1", "numbers at the end of 64 bits", (16, 32), (8, 16))
def greatest_numbers(arena, size):
    m = arena.messages
    client = arena.client()
    for step in range(size):
        number = 2**64 - 1 - step * 100
        client.send_messages(m.ClientMessage(request=m.Request(number=number, lowest_unanswered=number, list_feeds=m.FeedQuery())))
        client.send_messages(m.ClientMessage(submit=m.Submit(number=number, lowest_unanswered=number, loader="noop", any_loader=True, lengths=[0])))
        client.send_messages(m.ClientMessage(heartbeat=m.Heartbeat(lowest_unanswered=number)))
    arena.drain(client, 5)


@attack("3.2", "updates with an item id over the bound", (20, 40), (5, 10))
def long_item_ids(arena, size):
    m = arena.messages
    client = arena.client()
    client.send_messages(client.request(load=m.FeedTarget(feed="todos")))
    client.reply()
    refused = 0
    for step in range(size):
        client.send_messages(client.request(update=m.UpdateRequest(feed="todos", item_id="x" * (1_025 + step), item=b'{"title":"t"}')))
        reply = client.reply(5)
        refused += reply is not None and reply.HasField("refused")
    arena.notes.append(f"{refused} of {size} refused by their reply")
    if refused != size:
        arena.notes.append("FAILED: an id over the bound was accepted")


@attack("3.3", "subscriptions of different topics, then gone", (25_000, 50_000), (5_000, 10_000))
def subscriptions(arena, size):
    import zmq

    socket = arena.context.socket(zmq.SUB)
    socket.setsockopt(zmq.LINGER, 0)
    socket.connect(arena.changes)
    for number in range(size):
        socket.setsockopt(zmq.SUBSCRIBE, b"job/%d\0" % (number + 10))
    time.sleep(arena.seconds)
    socket.close(0)


@attack("3.4", "lists of 1,000 jobs, never read", (500, 1_000), (100, 200))
def unread_lists(arena, size):
    m = arena.messages
    client = arena.client()
    parts = []
    for _ in range(size):
        parts.append(client.request(list_jobs=m.JobQuery(limit=1_000)))
        client.lowest = client.number
    envelopes(client, parts)
    time.sleep(arena.seconds)
    client.close()


@attack("3.4b", "lists of 1,000 jobs inside the window, read", (500, 1_000), (100, 200), brief=80)
def read_lists(arena, size):
    m = arena.messages
    client = arena.client()
    envelopes(client, [client.request(list_jobs=m.JobQuery(limit=1_000)) for _ in range(size)])
    answered, busy, count = 0, 0, 0
    end = time.monotonic() + arena.seconds + 20
    while answered < size and time.monotonic() < end:
        frame = client.receive(1)
        for message in replies(m, frame):
            answered += 1
            busy += message.reply.HasField("refused")
        count += len(frame or b"")
    arena.notes.append(f"{answered} answered ({busy} busy), {count / 1e6:.1f} MB")
    if answered < size:
        arena.notes.append("FAILED: some requests have no reply")
    client.close()


@attack("3.5", "snapshots of different topics", (25_000, 50_000), (5_000, 10_000))
def snapshots(arena, size):
    m = arena.messages
    client = arena.client()
    envelopes(client, (m.ClientMessage(snapshot=m.TopicName(topic=f"job/{number + 10}")) for number in range(size)), 90_000)
    time.sleep(arena.seconds)
    client.close()


@attack("3.6", "hellos in one envelope; newcomers must be welcome", (15_000, 30_000), (2_000, 4_000))
def hellos(arena, size):
    m = arena.messages
    client = arena.client()
    envelopes(
        client, (m.ClientMessage(hello=m.Hello(minimum_version=1, maximum_version=1, largest_frame=1 << 20, label="x"))
                 for _ in range(size)))
    time.sleep(min(arena.seconds, 3))
    asked = time.monotonic()
    try:
        arena.client().close()
        arena.notes.append(f"a newcomer was welcomed after {time.monotonic() - asked:.2f} s")
    except RuntimeError as error:
        arena.notes.append(f"FAILED: a newcomer was not welcome: {error}")
    client.close()


@attack("3.7", "loads of different feeds", (5_000, 10_000), (500, 1_000), silence=0.5)
def loads(arena, size):
    m = arena.messages
    client = arena.client()
    parts = []
    for number in range(size):
        parts.append(client.request(load=m.FeedTarget(feed=f"items?count=1&parameter=p{number}")))
        client.lowest = client.number
    envelopes(client, parts)
    time.sleep(arena.seconds)
    client.close()


@attack("3.7b", "attachments of different views, 1,000 a client", (5_000, 10_000), (500, 1_000), silence=0.5)
def attachments(arena, size):
    m = arena.messages
    clients = [arena.client() for _ in range(0, size, 1_000)]
    for first, client in zip(range(0, size, 1_000), clients):
        parts = []
        for number in range(first, min(first + 1_000, size)):
            parts.append(client.request(attach=m.ViewTarget(feed=f"items?count=1&parameter=p{number % 9_000}", view=f"v{number}")))
            client.lowest = client.number
        envelopes(client, parts)
    time.sleep(arena.seconds)
    for client in clients:
        client.close()


@attack("3.8", "ten clients by the book, each many lists of 1,000 jobs at once", (30, 60), (10, 20), silence=1.0, brief=2)
def many_lists(arena, size):
    m = arena.messages
    clients = [arena.client() for _ in range(10)]
    for client in clients:
        envelopes(client, [client.request(list_jobs=m.JobQuery(limit=1_000)) for _ in range(size)])
    begun, answered, busy = time.monotonic(), 0, 0
    open_numbers = {id(client): size for client in clients}
    while any(open_numbers.values()) and time.monotonic() - begun < 60:
        for client in clients:
            frame = client.receive(0.01)
            if frame is None:
                continue
            for message in replies(m, frame):
                open_numbers[id(client)] -= 1
                answered += 1
                busy += message.reply.HasField("refused")
    arena.notes.append(f"{answered} of {10 * size} answered ({busy} busy) after {time.monotonic() - begun:.1f} s")
    if any(open_numbers.values()):
        arena.notes.append("FAILED: some requests have no reply")
    for client in clients:
        client.close()


@attack("3.9", "requests and goodbyes in another client's session", (200, 400), (50, 100))
def foreign_session(arena, size):
    m = arena.messages
    victim, attacker = arena.client(), arena.client()
    own = attacker.session
    attacker.session = victim.session
    for _ in range(size):
        attacker.send_messages(attacker.submit("noop", [b"stolen"]))
        attacker.send_messages(m.ClientMessage(close=m.Nothing()))
    arena.drain(attacker, 5)
    victim.send_messages(victim.request(list_feeds=m.FeedQuery()))
    reply = victim.reply(5)
    if reply is None or not reply.HasField("feeds"):
        arena.notes.append("FAILED: the victim's own request was answered by something else")
    near = {(own - victim.session) % 2**64, (victim.session - own) % 2**64}
    if min(near) < 1_000:
        arena.notes.append("FAILED: sessions are counted up")
    victim.close()
    attacker.close()


@attack("3.10", "one message of many parts of 1 MB", (150, 300), (150, 300), silence=0.5, memory="after")
def many_parts(arena, size):
    peer = Peer(arena.context, arena.requests)
    part = bytes(1 << 20)
    peer.socket.send_multipart([part] * size, copy=False)
    time.sleep(arena.seconds)
    peer.close()


@attack("3.11", "submits of almost 1 MB for a loader that nobody offers", (100, 200), (20, 40), silence=0.5, brief=10)
def large_submits(arena, size):
    client = arena.client()
    argument = bytes(65_000)
    answers = {"accepted": 0, "refused": 0}
    for _ in range(size):
        client.send_messages(client.submit("nobody-offers-this", [argument] * 15))
        reply = client.reply(30)
        if reply is not None:
            answers["refused" if reply.HasField("refused") else "accepted"] += 1
    arena.notes.append(f"{answers['accepted']} accepted, {answers['refused']} refused")
    if sum(answers.values()) < size:
        arena.notes.append("FAILED: some submits have no reply")
    client.close()


@attack("3.12", "observers that never read, while jobs run", (100, 200), (50, 100), silence=0.5)
def deaf_observers(arena, size):
    import zmq

    sockets = []
    for _ in range(size):
        socket = arena.context.socket(zmq.SUB)
        socket.setsockopt(zmq.LINGER, 0)
        socket.setsockopt(zmq.RCVHWM, 1)
        socket.setsockopt(zmq.RCVBUF, 4_096)
        socket.connect(arena.changes)
        for topic in (b"jobs\0", b"front\0", b"workers\0"):
            socket.setsockopt(zmq.SUBSCRIBE, topic)
        sockets.append(socket)
    client = arena.client()
    end, ended = time.monotonic() + arena.seconds, 0
    while time.monotonic() < end:
        client.send_messages(client.submit("noop", [b""] * 100))
        if client.reply(10) is None:
            arena.notes.append("FAILED: a submit had no reply within 10 s")
            break
        ended += 100
    arena.notes.append(f"{ended} jobs submitted meanwhile")
    for socket in sockets:
        socket.close(0)


@attack("3.13", "clients and subscribers at once", (500, 1_000), (100, 200), silence=0.5, brief=0)
def many_clients(arena, size):
    begun = time.monotonic()
    clients = [arena.client() for _ in range(size)]
    arena.notes.append(f"{size} welcomed in {time.monotonic() - begun:.1f} s")
    for client in clients:
        client.heartbeat()
    time.sleep(min(arena.seconds, 5))
    for client in clients:
        client.close()


@attack("3.14", "workers that register and fall silent; a true one must find a place", (300, 600), (260, 300), silence=0.5, brief=0)
def silent_workers(arena, size):
    m = arena.messages
    peers = []
    for number in range(size):
        peer = Peer(arena.context, arena.workers)
        peer.send(registration(m, random.getrandbits(63), f"silent-{number}").SerializeToString())
        peers.append(peer)
    begun = time.monotonic()
    worker, identity = Peer(arena.context, arena.workers), random.getrandbits(63)
    while time.monotonic() - begun < 30:
        worker.send(registration(m, identity, "true").SerializeToString())
        frame = worker.receive(1)
        if frame and any(part.HasField("registered") for part in m.WorkerBoundEnvelope.FromString(frame).messages):
            arena.notes.append(f"a worker found a place after {time.monotonic() - begun:.1f} s")
            break
    else:
        arena.notes.append("FAILED: silent workers keep all places")
    for peer in peers + [worker]:
        peer.close()


def registration(m, identity, name):
    return m.WorkerEnvelope(
        worker=identity,
        messages=[m.WorkerMessage(register=m.Registration(
            minimum_version=1, maximum_version=1, name=name, process_id=os.getpid(), slots=1,
            loaders=[m.LoaderDeclaration(name=f"nothing-{name}")], secret=identity.to_bytes(8, "big") * 4))])


@attack("3.15", "snapshots of one topic, replays of a number, renewals in one frame", (25_000, 50_000), (5_000, 10_000))
def repeats(arena, size):
    m = arena.messages
    client = arena.client()
    envelopes(client, (m.ClientMessage(snapshot=m.TopicName(topic="jobs")) for _ in range(size)))
    again = client.request(list_feeds=m.FeedQuery())
    envelopes(client, (again for _ in range(size // 5)))
    peer = Peer(arena.context, arena.workers)
    peer.send(m.WorkerEnvelope(
        worker=7, messages=[m.WorkerMessage(renewal=m.Renewal(number=number + 1)) for number in range(min(size, 50_000))]
    ).SerializeToString())
    time.sleep(arena.seconds)
    client.close()
    peer.close()


@attack("3.16", "forty connections that send large frames of tiny messages at once", (32, 64), (16, 32), silence=0.5, brief=0)
def large_frames(arena, size):
    frame = b"\x12\x00" * 65_000  # Messages of no known kind: in memory they take a hundred times as much, and each is answered.
    peers = [Peer(arena.context, arena.requests) for _ in range(40)]
    for _ in range(size):
        for peer in peers:
            peer.send(frame)
    time.sleep(arena.seconds)
    for peer in peers:
        peer.close()


@attack("3.17", "one connection that sends frames of 1 MB to the workers' socket for as long as it may", (3_000, 6_000), (2_000, 4_000))
def large_worker_frames(arena, size):
    import zmq

    peer = Peer(arena.context, arena.workers, send_high_water=10)
    frame, sent, end = bytes(1_000_000), 0, time.monotonic() + arena.seconds
    while sent < size and time.monotonic() < end:
        # What the front does not take stays here: it is the sender who is slowed down.
        if peer.socket.poll(100, zmq.POLLOUT):
            peer.socket.send(frame, zmq.DONTWAIT, copy=False)
            sent += 1
    arena.notes.append(f"{sent} frames taken")
    peer.close()


@attack("rubbish", "bytes that mean nothing, on every socket", (2_000, 4_000), (500, 1_000))
def rubbish(arena, size):
    generator = random.Random(7)
    for address in (arena.requests, arena.workers, arena.pages):
        peer = Peer(arena.context, address)
        for _ in range(size):
            peer.send(generator.randbytes(generator.randrange(0, 300)))
        peer.send(b"")
        peer.send(bytes(1 << 20))
        peer.socket.send_multipart([b"x"] * 100)
        time.sleep(0.2)
        peer.close()


@attack("mutants", "real requests with flipped, cut and doubled bytes", (5_000, 10_000), (1_000, 2_000))
def mutants(arena, size):
    m = arena.messages
    client = arena.client()
    generator = random.Random(11)
    samples = [
        client.submit("noop", [b"a", b"bc"]), client.request(load=m.FeedTarget(feed="todos")),
        client.request(select=m.SelectRequest(feed="todos", view="shared", item_id="1")), client.request(list_jobs=m.JobQuery(limit=5)),
        m.ClientMessage(snapshot=m.TopicName(topic="jobs")),
    ]
    for _ in range(size):
        data = bytearray(m.ClientEnvelope(session=client.session, messages=[generator.choice(samples)]).SerializeToString())
        for _ in range(generator.randrange(1, 4)):
            place = generator.randrange(len(data))
            kind = generator.randrange(3)
            if kind == 0:
                data[place] ^= 1 << generator.randrange(8)
            elif kind == 1:
                del data[place:]
            else:
                data[place:place] = data[: generator.randrange(1, len(data) + 1)]
            if not data:
                data = bytearray(b"\0")
        client.send(bytes(data))
    arena.drain(client, 5)
    client.close()
