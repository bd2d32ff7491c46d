"""Proxies between a front's Unix sockets and who uses them, which break links in the ways that networks do."""

import asyncio
import os
import random
import threading
import time

CHANNELS = ("requests", "changes", "pages", "workers")
KINDS = ("stall", "cut", "one-way", "half-open")
DIRECTIONS = ("to-front", "from-front")
# Bytes to the front after which a link has shaken hands and carries something: before that a cut is only a refused connection.
TALKING = 128
HALF_OPEN_LEAST = 2.0


def is_proxied(number):
    """Which of the numbered workers, clients and observers reach the front through a proxy, where there are any: every second one."""
    return number % 2 == 1


class FaultProxy:
    """Listens at `listening`, connects to `target`, and breaks what flows on request. Runs in a thread of its own.

    `rename` is a pair of equally long byte strings: the front names its other sockets in its welcome, and who came through here is to find
    those through a proxy too."""

    def __init__(self, listening, target, seed=1, rename=None):
        self.listening, self.target, self.rename = str(listening), str(target), rename
        self.generator = random.Random(seed)
        self.links, self.waiting = set(), []  # faults that wait for a link, or last
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.started = threading.Event()

    def start(self):
        self.thread.start()
        self.started.wait()
        return self

    def _run(self):
        asyncio.set_event_loop(self.loop)

        async def serve():
            self.server = await asyncio.start_unix_server(self._connected, self.listening, limit=1 << 20)
            os.chmod(self.listening, 0o600)
            self.started.set()

        self.loop.run_until_complete(serve())
        self.loop.run_forever()

    def stop(self):
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(5)

    async def _connected(self, reader, writer):
        link = Link(self.loop)
        try:
            link.upstream = await asyncio.open_unix_connection(self.target, limit=1 << 20)
        except OSError:
            writer.close()
            return
        link.downstream = (reader, writer)
        self.links.add(link)
        forward = asyncio.ensure_future(self._pump(link, reader, link.upstream[1], "to-front"))
        backward = asyncio.ensure_future(self._pump(link, link.upstream[0], writer, "from-front"))
        await asyncio.wait([forward, backward], return_when=asyncio.FIRST_COMPLETED)
        if link.half_open_seconds:
            await asyncio.sleep(link.half_open_seconds)
        for task in (forward, backward):
            task.cancel()
        for stream in (writer, link.upstream[1]):
            stream.close()
        self.links.discard(link)

    async def _pump(self, link, reader, writer, direction):
        try:
            while True:
                data = await reader.read(1 << 16)
                if not data:
                    return
                if direction == "to-front":
                    link.sent += len(data)
                    self._meet(link)
                elif self.rename:
                    data = data.replace(*self.rename)
                while link.blocked(direction):
                    await asyncio.sleep(0.02)
                writer.write(data)
                await writer.drain()
        except (OSError, asyncio.CancelledError):
            return

    def _meet(self, link):
        """Does to a link what waits for one."""
        if link.sent < TALKING:
            return
        now = self.loop.time()
        self.waiting = [fault for fault in self.waiting if fault["until"] > now]
        for fault in self.waiting:
            if link not in fault["hit"]:
                self._hit(link, fault)

    def _hit(self, link, fault):
        fault["hit"].add(link)
        fault["entry"]["links"] = len(fault["hit"])
        kind = fault["kind"]
        if kind == "stall":
            link.block(DIRECTIONS, fault["until"])
        elif kind == "one-way":
            link.block((fault["direction"],), fault["until"])
        elif kind == "cut":
            link.downstream[1].transport.abort()
            link.upstream[1].transport.abort()
        elif kind == "half-open":
            link.half_open_seconds = HALF_OPEN_LEAST + fault["seconds"]
            link.upstream[1].transport.abort()
        if kind in ("cut", "half-open") and fault in self.waiting:
            self.waiting.remove(fault)

    def fault(self, kind, seconds, entry):
        """Breaks every link that there is. What lasts meets those that come meanwhile too; a cut without a link waits that long for one.
        `entry["links"]` counts those that it met."""

        def act():
            fault = {
                "kind": kind, "seconds": seconds, "until": self.loop.time() + seconds, "entry": entry, "hit": set(),
                "direction": self.generator.choice(DIRECTIONS)}
            for link in [link for link in self.links if link.sent >= TALKING and not link.half_open_seconds]:
                self._hit(link, fault)
            if kind in ("stall", "one-way") or not fault["hit"]:
                self.waiting.append(fault)

        self.loop.call_soon_threadsafe(act)


class Link:
    """One connection through the proxy."""

    def __init__(self, clock):
        self.until, self.clock, self.sent, self.half_open_seconds = {}, clock, 0, 0

    def block(self, directions, until):
        for direction in directions:
            self.until[direction] = max(until, self.until.get(direction, 0))

    def blocked(self, direction):
        return self.clock.time() < self.until.get(direction, 0)


class Links:
    """A proxy for each socket of a front, and the order in which those of `channels` are broken: each kind on each before any a second time."""

    def __init__(self, run, proxied, seed, channels=CHANNELS):
        rename = (f"{run}/".encode(), f"{proxied}/".encode())
        if len(rename[0]) != len(rename[1]):
            raise ValueError(f"{run} and {proxied} are not equally long, and a welcome cannot be rewritten")
        proxied.mkdir(mode=0o700, parents=True)
        self.proxies = {
            channel: FaultProxy(proxied / channel, run / channel, seed + index, rename if channel == "requests" else None).start()
            for index, channel in enumerate(CHANNELS)}
        self.channels, self.generator, self.deck, self.tried = channels, random.Random(seed), [], []

    def broken(self, channel, kind, seconds, entry):
        """Breaks a socket's links in one way. Where no link was met, it is done again before long."""
        self.proxies[channel].fault(kind, seconds, entry)
        self.tried.append((channel, kind, entry, time.monotonic() + seconds))

    def draw(self):
        """The socket and the kind that are next."""
        now, tried = time.monotonic(), self.tried
        self.tried = [fault for fault in tried if fault[3] > now]
        self.deck += [(channel, kind) for channel, kind, entry, until in tried if until <= now and not entry["links"]]
        if not self.deck:
            self.deck = [(channel, kind) for channel in self.channels for kind in KINDS]
            self.generator.shuffle(self.deck)
        return self.deck.pop()

    def stop(self):
        for proxy in self.proxies.values():
            proxy.stop()
