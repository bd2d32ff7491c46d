//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPackedColumns
import Testing

@testable import FrontCore

@Suite("Registrations")
struct RegistrationTests {
    private func refusal(in actions: [FrontAction]) -> Refused? {
        for case .sendToWorker(_, .refused(let refused)) in actions { return refused }
        return nil
    }

    @Test("a known id is taken only with the secret that came with it first, also after a restart")
    func secret() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        var thief = WorkerHarness(1)
        thief.secret = Array(repeating: 9, count: 32)
        #expect(refusal(in: thief.registration(with: &front))?.code == .notAuthorized)
        var next = front.restarted()
        #expect(refusal(in: thief.registration(with: &next))?.code == .notAuthorized)
        #expect(next.job(job)?.state == .running)
        worker.register(with: &next)
        #expect(worker.decisions.map(\.decision) == [.keep])
    }

    @Test("a registration without a whole secret is refused", arguments: [0, 31, 33])
    func noSecret(byteCount: Int) {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        worker.secret = Array(repeating: 1, count: byteCount)
        #expect(refusal(in: worker.registration(with: &front))?.code == .invalidData)
        #expect(front.worker(worker.id) == nil)
    }

    @Test("the id 0 stands for no worker and is refused")
    func noID() {
        var front = FrontHarness()
        var worker = WorkerHarness(0)
        let refused = refusal(in: worker.registration(with: &front))
        #expect(refused?.code == .invalidData && refused?.reason.contains("0 stands for none") == true)
        #expect(front.worker(worker.id) == nil)
    }

    @Test("a loader that is named twice, with the same properties or others, is refused by name")
    func twice() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        let loaders = [LoaderDeclaration(name: "a"), LoaderDeclaration(name: "b"), LoaderDeclaration(name: "a", isBulk: true)]
        let refused = refusal(in: worker.registration(with: &front, loaders: loaders))
        #expect(refused?.code == .invalidData && refused?.reason.contains("the loader a twice") == true)
        #expect(refusal(in: worker.registration(with: &front, loaders: Array(loaders.prefix(2)))) == nil)
    }

    @Test("a front with as many workers as it takes says when to try again")
    func full() {
        var front = FrontHarness { $0.bounds.workers = 1 }
        var (one, two) = (WorkerHarness(1), WorkerHarness(2))
        one.register(with: &front)
        let refused = refusal(in: two.registration(with: &front))
        #expect(refused?.code == .busy && refused?.retryAfter == .seconds(5) && front.busy == [.workers: 1])
    }

    @Test("a front with a token takes only workers that know it")
    func knowsToken() throws {
        let shared = try #require(SharedToken([1, 2, 3]))
        var front = FrontHarness { $0.token = shared }
        func register(_ token: [UInt8], as id: UInt64) -> Refused? {
            var registration = WorkerMessage.Registration(name: "w", processID: 1, slots: 1, prefetch: 0, loaders: WorkerHarness.loaders)
            (registration.secret, registration.token) = (Array(repeating: 1, count: 32), token)
            let envelope = WorkerEnvelope(worker: WorkerID(id), messages: [.register(registration)])
            return refusal(in: front.handle(.workerSent(PeerID(id), .everything, envelope)))
        }
        let wrong: [[UInt8]] = [[], [1, 2], [1, 2, 4]]
        for (id, token) in wrong.enumerated() { #expect(register(token, as: UInt64(id) + 1)?.code == .notAuthorized) }
        #expect(register([1, 2, 3], as: 9) == nil)
        #expect(front.worker(WorkerID(1)) == nil && front.worker(WorkerID(9))?.processID == 1)
    }

    @Test("who has not the right to work attaches no worker")
    func mayNotWork() {
        var front = FrontHarness()
        var registration = WorkerMessage.Registration(name: "w", processID: 1, slots: 1, prefetch: 0, loaders: WorkerHarness.loaders)
        registration.secret = Array(repeating: 1, count: 32)
        let envelope = WorkerEnvelope(worker: WorkerID(4), messages: [.register(registration)])
        let client = Principal(rights: [.observe, .request, .admin])
        #expect(refusal(in: front.handle(.workerSent(PeerID(9), client, envelope)))?.code == .notAuthorized)
        #expect(front.worker(WorkerID(4)) == nil)
        #expect(refusal(in: front.handle(.workerSent(PeerID(9), Principal(rights: .work), envelope))) == nil)
        #expect(front.worker(WorkerID(4)) != nil)
    }

    @Test("the token of a registration is not journaled")
    func token() {
        var front = FrontHarness()
        var registration = WorkerMessage.Registration(name: "w", processID: 1, slots: 1, prefetch: 0, loaders: WorkerHarness.loaders)
        registration.secret = Array(repeating: 1, count: 32)
        registration.token = [1, 2, 3]
        front.handle(.workerSent(PeerID(9), .everything, WorkerEnvelope(worker: WorkerID(4), messages: [.register(registration)])))
        var tokens: [[UInt8]] = []
        for case .workerRegistered(let registered) in front.entries { tokens.append(registered.registration.token) }
        #expect(tokens == [[]])
    }

    @Test("a worker that offers more than 64 loaders is refused by name, and leaves nothing behind")
    func manyLoaders() {
        var front = FrontHarness()
        var worker = WorkerHarness(1)
        func loaders(_ count: Int) -> [LoaderDeclaration] { (0..<count).map { LoaderDeclaration(name: "own-\($0)") } }
        let refused = refusal(in: worker.registration(with: &front, loaders: loaders(65)))
        #expect(refused?.code == .invalidData && refused?.retryAfter == .zero)
        #expect(front.machine.state.jobs.loaderNames.count == 0)
        #expect(refusal(in: worker.registration(with: &front, loaders: loaders(64))) == nil)
        #expect(front.machine.state.jobs.loaderNames.count == 64)
    }

    @Test("however many workers with loaders of their own came and lapsed, the next one is taken and gets jobs, also after a restart")
    func ownLoaders() {
        var front = FrontHarness { $0.bounds.workers = 20 }
        for round in 0..<20 {
            for place in 0..<20 {
                var worker = WorkerHarness(UInt64(100 + round * 20 + place))
                let loaders = (0..<64).map { LoaderDeclaration(name: "own-\(round)-\(place)-\($0)") }
                #expect(refusal(in: worker.registration(with: &front, loaders: loaders)) == nil)
            }
            front.pass(milliseconds: 6_000)
            front.settle()
        }
        #expect(front.machine.state.jobs.loaderNames.count == 0)
        #expect(front.machine.state.jobs.loaderNames.indices.count <= 20 * 64)
        var next = front.restarted()
        #expect(next.machine.state.jobs.loaderNames.count == 0)
        var worker = WorkerHarness(1)
        worker.register(with: &next)
        next.open()
        let job = next.submit(1)
        worker.take(next.settle())
        #expect(worker.held.map(\.job) == [job.rawValue])
    }

    @Test("a worker that reregisters with other loaders gives the old ones back and is granted only the new ones")
    func otherLoaders() {
        var (front, worker) = FrontHarness.serving(loaders: [LoaderDeclaration(name: "old"), LoaderDeclaration(name: "both")])
        _ = worker.renew(&front)
        worker.register(with: &front, loaders: [LoaderDeclaration(name: "both"), LoaderDeclaration(name: "new")])
        #expect(front.machine.state.jobs.loaderNames.count == 2)
        let (old, both, new) = (front.submit(1, loader: "old"), front.submit(1, loader: "both"), front.submit(1, loader: "new"))
        worker.take(front.settle())
        #expect(Set(worker.held.map(\.job)) == [both.rawValue, new.rawValue])
        #expect(front.job(old)?.waitReason == .noWorker(loader: "old"))
    }

    @Test("a worker's words count only on the connection that it registered on, whoever else knows its id and numbers")
    func otherConnection() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "slow", on: &worker)
        let stranger = PeerID(66)
        var forged = WorkerMessage.Ended(report: 1)
        (forged.jobs, forged.leases) = (worker.held.map(\.job), worker.held.map(\.lease))
        (forged.outcomes, forged.results) = ([.succeeded], [[1]])
        let words: [WorkerMessage] = [
            .renewal(RenewalNumber(.max), leases: []), .ended(forged), .overdue(jobs: [job.rawValue]),
            .draining, .close(),
        ]
        for word in words {
            let envelope = WorkerEnvelope(
                worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber, messages: [word])
            #expect(front.handle(.workerSent(stranger, .everything, envelope)) == [.sendToWorker(stranger, .reregister)])
            #expect(front.handle(.workerWaits(stranger, envelope)).isEmpty)
        }
        #expect(front.job(job)?.state == .running)
        #expect(front.worker(worker.id)?.state == .live)
        #expect(worker.renew(&front).contains(.answerRenewal(worker.peer, RenewalNumber(1))))
        let next = front.run(1, loader: "slow", on: &worker)
        #expect(worker.held.map(\.job) == [job, next].map(\.rawValue))
    }

    @Test("a worker whose connection was cut registers on the new one and goes on; on the old one nothing counts any more")
    func newConnection() {
        var (front, worker) = FrontHarness.serving()
        let job = front.run(1, loader: "once", on: &worker)
        let old = worker.peer
        worker.peer = PeerID(67)
        #expect(worker.renew(&front) == [.sendToWorker(worker.peer, .reregister)])
        worker.register(with: &front)
        #expect(worker.decisions.map(\.decision) == [.keep])
        let late = WorkerEnvelope(
            worker: worker.id, epoch: worker.epoch, registrationNumber: worker.registrationNumber, messages: [.close()])
        #expect(front.handle(.workerSent(old, .everything, late)) == [.sendToWorker(old, .reregister)])
        worker.end(job.rawValue, in: &front)
        #expect(front.job(job)?.state == .succeeded)
    }
}
