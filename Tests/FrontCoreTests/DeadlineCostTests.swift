//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import Testing

@testable import FrontCore

/// What a turn costs is counted in steps, once with n sessions and workers and once with twice as many.
@Suite("What deadlines cost")
struct DeadlineCostTests {
    /// A front with sessions, each of a connection of its own, and workers.
    private struct Crowd {
        var front = FrontHarness { $0.bounds.sessions = 10_000 }
        var workers: [WorkerHarness] = []
        private var sessions = 0

        init() { front.open() }

        mutating func grow(sessions count: Int, workers: Int) {
            for _ in 0..<count {
                sessions += 1
                let hello = ClientEnvelope(messages: [.hello(ClientMessage.Hello(label: "x"))])
                front.handle(.clientSent(PeerID(10_000 + UInt64(sessions)), Principal.everything, hello))
            }
            for _ in 0..<workers {
                var worker = WorkerHarness(UInt64(self.workers.count) + 1)
                worker.register(with: &front)
                self.workers.append(worker)
            }
            front.settle()
        }

        /// Steps of some events.
        mutating func steps(_ body: (inout Crowd) -> Void) -> UInt64 {
            let before = front.machine.steps
            body(&self)
            return front.machine.steps - before
        }
    }

    /// The steps of something beside a small and a large crowd.
    private func costs(of body: (inout Crowd) -> UInt64) -> [UInt64] {
        [1, 2].map { factor in
            var crowd = Crowd()
            _ = crowd.front.ask(.listFeeds())
            crowd.grow(sessions: 1_000 * factor, workers: 40 * factor)
            return body(&crowd)
        }
    }

    @Test("a turn in which nothing is due costs the same beside any crowd")
    func idle() {
        let costs = costs { crowd in
            crowd.front.pass(milliseconds: 100)
            return crowd.steps { $0.front.settle() }
        }
        #expect(costs[0] == costs[1] && costs[0] < 10)
    }

    @Test("a pause of the loop costs the same beside any crowd")
    func away() {
        let costs = costs { crowd in
            crowd.front.pass(milliseconds: 4_000)
            return crowd.steps {
                $0.front.handle(.loopPaused(.seconds(4)))
                $0.front.settle()
            }
        }
        #expect(costs[0] == costs[1] && costs[0] < 10)
    }

    @Test("one session that ends costs the same beside any crowd")
    func session() {
        let costs = [1, 2].map { factor -> UInt64 in
            var crowd = Crowd()
            crowd.front.pass(milliseconds: 10_000)
            crowd.grow(sessions: 1_000 * factor, workers: 0)
            crowd.front.pass(milliseconds: 590_000)
            return crowd.steps { crowd in
                let ended = crowd.front.settle().filter { if case .record(.sessionEnded) = $0 { true } else { false } }
                #expect(ended == [.record(.sessionEnded(JournalEntry.SessionEnded(crowd.front.session)))])
            }
        }
        #expect(costs[0] == costs[1] && costs[0] < 20)
    }

    @Test("one worker that is lost, and one whose reports are settled, cost the same beside any crowd")
    func worker() {
        let costs = [1, 2].map { factor -> [UInt64] in
            var crowd = Crowd()
            crowd.grow(sessions: 0, workers: 1)
            crowd.front.pass(milliseconds: 1_000)
            crowd.grow(sessions: 1_000 * factor, workers: 40 * factor)
            let job = crowd.front.submit(1, loader: "slow")
            let granted = crowd.front.settle()
            for index in crowd.workers.indices { crowd.workers[index].take(granted) }
            guard let holder = crowd.workers.firstIndex(where: { !$0.held.isEmpty }) else { return [] }
            _ = crowd.workers[holder].end(job.rawValue, in: &crowd.front)
            crowd.front.pass(milliseconds: 20)
            let acknowledged = crowd.steps { $0.front.settle() }
            crowd.front.pass(milliseconds: 4_480)
            let lost = crowd.steps { crowd in
                #expect(crowd.front.settle().contains(.record(.workerLost(JournalEntry.WorkerLost(WorkerID(1))))))
            }
            return [acknowledged, lost]
        }
        // A step more or less: looks at lanes are counted in steps of 64, and the crowd has left a part of one.
        let differences = zip(costs[0], costs[1]).map { max($0, $1) - min($0, $1) }
        #expect(differences.allSatisfy { $0 <= 1 } && costs[0].count == 2 && costs[0].allSatisfy { $0 < 20 }, "\(costs)")
    }

    @Test("leases and sessions that are heard each second leave nothing behind, and cost no more each with twice as many")
    func received() {
        let costs = costs { crowd in
            let owners = crowd.workers.count + crowd.front.machine.state.sessions.count
            return crowd.steps { crowd in
                for _ in 0..<30 {
                    crowd.front.pass(milliseconds: 1_000)
                    for index in crowd.workers.indices { _ = crowd.workers[index].renew(&crowd.front) }
                    _ = crowd.front.ask(.listFeeds())
                    crowd.front.settle()
                    #expect(crowd.front.machine.turn.context.deadlines.count <= owners + 2)
                    #expect(crowd.front.machine.turn.context.deadlines.itemCount <= owners + 2)
                }
            }
        }
        #expect(Double(costs[1]) < 2.3 * Double(costs[0]), "\(costs)")
    }

    @Test("thousands of sessions that end at once cost as much each as a few, and no turn more than its share")
    func ends() {
        let costs = [1, 2].map { factor -> UInt64 in
            var crowd = Crowd()
            crowd.grow(sessions: 1_500 * factor, workers: 0)
            crowd.front.pass(milliseconds: 700_000)
            return crowd.steps { crowd in
                while crowd.front.machine.state.sessions.count > 0 {
                    let before = crowd.front.machine.steps
                    let left = crowd.front.machine.state.sessions.count
                    crowd.front.settle()
                    // The first turn also finds all that are due.
                    #expect(crowd.front.machine.steps - before <= 10 * 256 + 4_096)
                    #expect(crowd.front.machine.state.sessions.count == max(0, left - 256))
                }
                #expect(crowd.front.machine.turn.context.deadlines.count == 0)
            }
        }
        #expect(Double(costs[1]) < 2.3 * Double(costs[0]), "\(costs)")
    }

    @Test("sessions end in the order of their deadlines, whatever came between")
    func order() {
        var crowd = Crowd()
        for _ in 0..<5 {
            crowd.front.pass(milliseconds: 10)
            crowd.grow(sessions: 1, workers: 0)
        }
        crowd.front.pass(milliseconds: 10)
        _ = crowd.front.ask(.listFeeds())
        let opened = Array(crowd.front.machine.state.sessions.ids)
        crowd.front.pass(milliseconds: 599_940)
        #expect(crowd.front.settle().isEmpty, "the first one was heard since")
        crowd.front.pass(milliseconds: 100_000)
        let ended = crowd.front.settle().compactMap { if case .record(.sessionEnded(let ended)) = $0 { ended.session } else { nil } }
        #expect(ended == Array(opened.dropFirst()) + [crowd.front.session])
    }
}
