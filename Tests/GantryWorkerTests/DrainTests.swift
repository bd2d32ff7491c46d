//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import GantryWorker

@Suite("Draining and stopping")
struct DrainTests {
    @Test("a draining worker gives new jobs back, ends its own, waits until they are durable, and sends close")
    func drains() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.turnEnds, at: 1)
        #expect(bench.on(.reported(.drain), at: 2) == [.send(.draining)])
        #expect(bench.on(.reported(.drain), at: 3) == [])
        #expect(bench.receive(.grant(Bench.grant("sleep", 6)), at: 4) == [])
        #expect(bench.on(.turnEnds, at: 4) == [.send(Bench.ended(1, .returned, 6))])
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 5)
        #expect(bench.on(.turnEnds, at: 5) == [.send(Bench.ended(2, .succeeded, 5)), .disarmKillTimer])
        #expect(bench.on(.tick, at: 1_000) == [.send(.renewal(RenewalNumber(2), leases: [6, 5])), .send(.draining)])
        _ = bench.receive(.acknowledged(reports: [1, 2]), at: 1_001)
        #expect(bench.on(.turnEnds, at: 1_001) == [.send(.close(takenBelow: LeaseID(7))), .finish])
        #expect(bench.on(.tick, at: 2_000) == [])
    }

    @Test("an idle worker ends in that turn")
    func idle() {
        var bench = Bench.registered()
        #expect(bench.on(.reported(.drain), at: 1) == [.send(.draining)])
        #expect(bench.on(.turnEnds, at: 1) == [.send(.close(takenBelow: LeaseID(1))), .finish])
    }

    @Test("a grant that was read but waits for the first answer under the registration was not taken, nor was one that found no room")
    func untaken() {
        var bench = Bench()
        _ = bench.on(.tick, at: 0)
        _ = bench.receive(.registered(Bench.registration(1)), at: 0)
        _ = bench.receive(.grant(Bench.grant("post", 5)), at: 1)
        _ = bench.on(.reported(.drain), at: 2)
        #expect(bench.on(.turnEnds, at: 2).suffix(2) == [.send(.close(takenBelow: LeaseID(1))), .finish])

        var full = Bench.registered { $0.retainedJobs = 0 }
        #expect(full.receive(.grant(Bench.grant("post", 7)), at: 1).first == .ignored(.overBound))
        _ = full.on(.reported(.drain), at: 2)
        #expect(full.on(.turnEnds, at: 2).suffix(2) == [.send(.close(takenBelow: LeaseID(1))), .finish])
    }

    @Test("what was begun counts as taken though no frame with it said how far the grants go, also under a new lease")
    func taken() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("post", 5), at: 1)
        _ = bench.receive(.reregister, at: 2)
        _ = bench.on(.tick, at: 2)
        _ = bench.receive(.registered(Bench.registration(2, [Bench.decision(5, .keep, 25)])), at: 3)
        _ = bench.on(.reported(.drain), at: 4)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 5)
        _ = bench.on(.turnEnds, at: 5)
        _ = bench.receive(.acknowledged(reports: [1]), at: 6)
        #expect(bench.on(.turnEnds, at: 6).suffix(2) == [.send(.close(takenBelow: LeaseID(26))), .finish])
    }

    @Test("a front that says so drains it; said again, or by another life of the front, that is nothing new")
    func asked() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        #expect(bench.receive(.drain, at: 2) == [.send(.draining)])
        #expect(bench.receive(.drain, at: 3) == [])
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 5)
        _ = bench.on(.turnEnds, at: 5)
        _ = bench.receive(.acknowledged(reports: [1]), at: 6)
        #expect(bench.on(.turnEnds, at: 6) == [.send(.close(takenBelow: LeaseID(6))), .finish])
        var stranger = Bench()
        _ = stranger.on(.tick, at: 0)
        #expect(stranger.receive(.drain, at: 1) == [.ignored(.notRegistered)])
    }

    @Test("a worker that never found its front ends at once")
    func neverAttached() {
        var bench = Bench()
        _ = bench.on(.tick, at: 0)
        #expect(bench.on(.reported(.drain), at: 1) == [])
        #expect(bench.on(.turnEnds, at: 1) == [.finish])
    }

    @Test("a draining worker does not wait longer than a lease for a silent front")
    func silentFront() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.on(.reported(.ended(WorkToken(1), .succeeded([], nil))), at: 2)
        _ = bench.on(.reported(.drain), at: 3)
        _ = bench.on(.turnEnds, at: 3)
        for second in 1...4 { _ = bench.on(.tick, at: Int64(second) * 1_000) }
        #expect(bench.on(.turnEnds, at: 4_000) == [])
        _ = bench.on(.tick, at: 5_000)
        #expect(bench.on(.turnEnds, at: 5_000) == [.finish])
    }

    @Test("a stopping worker tells its work to stop, gives the line back and ends with the last of it")
    func stops() {
        var bench = Bench.registered()
        _ = bench.take(Bench.grant("sleep", 5), at: 1)
        _ = bench.take(Bench.grant("noop", 6), at: 1)
        _ = bench.on(.turnEnds, at: 1)
        #expect(bench.on(.reported(.stop), at: 2) == [.send(.draining), .cancelWork(WorkToken(1), .workerStops)])
        #expect(bench.on(.turnEnds, at: 2) == [.send(Bench.ended(1, .returned, 6))])
        _ = bench.on(.reported(.ended(WorkToken(1), .cancelled)), at: 3)
        let last = bench.on(.turnEnds, at: 3)
        #expect(last == [.send(Bench.ended(2, .cancelled, 5)), .disarmKillTimer, .send(.close(takenBelow: LeaseID(7))), .finish])
    }
}
