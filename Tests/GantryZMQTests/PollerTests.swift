//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import GantryZMQ
import Testing

@Suite("Poller")
struct PollerTests {
    @Test("only the slots with something to do are ready")
    func readiness() throws {
        let context = try Context()
        let quiet = try Socket<Router>(context)
        let busy = try Socket<Router>(context)
        try quiet.bind("inproc://quiet")
        try busy.bind("inproc://busy")
        let dealer = try Socket<Dealer>(context)
        try dealer.connect("inproc://busy")
        var poller = Poller()
        let quietSlot = try poller.add(quiet)
        let busySlot = try poller.add(busy)
        #expect(try poller.wait(upTo: .zero) == 0)
        #expect(try dealer.send([1]) == .sent)
        #expect(try poller.wait(upTo: gracePeriod) == 1)
        #expect(poller[busySlot] == .readable)
        #expect(poller[quietSlot].isEmpty)
        poller.watch(busySlot, for: [])
        #expect(try poller.wait(upTo: .zero) == 0)
    }

    @Test("an event signal of another thread wakes a poller that watches sockets too")
    func wakeUp() throws {
        let context = try Context()
        let socket = try Socket<Router>(context)
        try socket.bind("inproc://idle")
        let signal = try EventSignal()
        var poller = Poller()
        let socketSlot = try poller.add(socket)
        let signalSlot = poller.add(fileDescriptor: signal.fileDescriptor)
        #expect(try poller.wait(upTo: .zero) == 0)
        let thread = try startThread(name: "waker") { signal.signal() }
        #expect(try poller.wait(upTo: gracePeriod) == 1)
        #expect(poller[signalSlot] == .readable)
        #expect(poller[socketSlot].isEmpty)
        thread.join()
        #expect(signal.drain())
        #expect(try poller.wait(upTo: .zero) == 0)
    }

    @Test("a wait is never shorter than its limit")
    func timeout() throws {
        let context = try Context()
        let socket = try Socket<Router>(context)
        var poller = Poller()
        _ = try poller.add(socket)
        let start = ContinuousClock.now
        #expect(try poller.wait(upTo: .microseconds(2_300)) == 0)
        let elapsed = start.duration(to: .now)
        #expect(elapsed >= .microseconds(2_300))
    }
}
