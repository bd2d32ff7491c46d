"""A proxy between two Unix sockets that breaks links in the ways that networks do."""

import asyncio
import os
import random
import threading


class FaultProxy:
    """Listens at `listening`, connects to `target`, and breaks what flows on request. Runs in a thread of its own."""

    KINDS = ("stall", "cut", "one-way", "half-open")

    def __init__(self, listening, target, seed=1):
        self.listening, self.target = str(listening), str(target)
        self.generator = random.Random(seed)
        self.links = set()
        self.faults = {kind: 0 for kind in self.KINDS}
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
        link = Link()
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
        if link.is_half_open:
            await asyncio.sleep(self.generator.uniform(2, 10))
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
                while link.blocked(direction):
                    await asyncio.sleep(0.02)
                writer.write(data)
                await writer.drain()
        except (OSError, asyncio.CancelledError):
            return

    def fault(self, kind, seconds):
        """Breaks every link that there is now."""
        self.faults[kind] += 1

        def act():
            for link in list(self.links):
                if kind == "stall":
                    link.block(("to-front", "from-front"), self.loop.time() + seconds, self.loop)
                elif kind == "one-way":
                    link.block((self.generator.choice(("to-front", "from-front")),), self.loop.time() + seconds, self.loop)
                elif kind == "cut":
                    link.downstream[1].transport.abort()
                    link.upstream[1].transport.abort()
                elif kind == "half-open":
                    link.is_half_open = True
                    link.upstream[1].transport.abort()

        self.loop.call_soon_threadsafe(act)


class Link:
    """One connection through the proxy."""

    def __init__(self):
        self.until, self.clock, self.is_half_open = {}, None, False

    def block(self, directions, until, loop):
        self.clock = loop
        for direction in directions:
            self.until[direction] = until

    def blocked(self, direction):
        return self.clock is not None and self.clock.time() < self.until.get(direction, 0)
