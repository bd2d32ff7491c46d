//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryWorker
import GantryZMQ
import Synchronization
import TestSupport
import Testing

@Suite("Why a job is cancelled", .timeLimit(.minutes(20)))
struct CancelReasonTests {
    /// Waits for its cancellation and says what it reads there: in the handler, and after it.
    private struct Waiting: Loader {
        let name = "wait"
        let stopTime = WorkerConnection.beyondAllTests
        let reasons: AsyncStream<[CancelReason?]>.Continuation

        func run(_ job: JobContext) async throws -> LoaderResult {
            let read = Mutex([job.cancelReason])
            job.report(JobProgress(percent: 1))
            await withTaskCancellationHandler {
                for await _ in AsyncStream<Void>.makeStream().stream {}
            } onCancel: {
                read.withLock { $0.append(job.cancelReason) }
            }
            reasons.yield(read.withLock { $0 } + [job.cancelReason])
            throw CancellationError()
        }
    }

    /// Runs a job until something happens to it, and gives what its loader read.
    private func reasons(
        after happening: @escaping @Sendable (WorkerConnection, Task<Void, any Error>) throws -> Void
    ) async throws -> [CancelReason?]? {
        let endpoint = "ipc:///tmp/gantry-worker-\(try SystemRandom.next())"
        let (reasons, input) = AsyncStream.makeStream(of: [CancelReason?].self)
        let worker = try Worker(WorkerConfiguration(endpoint: endpoint, name: "w"), loaders: [Waiting(reasons: input)])
        let running = Task { try await worker.run() }
        try await onOwnThread {
            let front = try WorkerConnection(Context(), at: endpoint)
            _ = try front.attach()
            try front.grant("wait", [""])
            _ = try front.nextProgress()
            try happening(front, running)
            running.cancel()
            while try !front.next().isClose {}
        }
        try await running.value
        return await reasons.first { _ in true }
    }

    @Test("one that somebody cancelled reads so, also in the handler of its cancellation; before that it reads nothing")
    func requested() async throws {
        let read = try await reasons { front, _ in
            try front.send(.cancel(leases: [LeaseID(1).rawValue]))
            _ = try front.nextEnded()
        }
        #expect(read == [nil, .requested, .requested])
    }

    @Test("one whose lease is lost because the front has dropped it reads so")
    func leaseLost() async throws {
        let read = try await reasons { front, _ in
            try front.send(.reregister)
            while true { if case .register = try front.next() { break } }
            try front.send(
                .registered(
                    WorkerBoundMessage.Registered(
                        registrationNumber: RegistrationNumber(2), lease: WorkerConnection.beyondAllTests, renewal: .milliseconds(50),
                        decisions: [WorkerBoundMessage.LeaseDecision(lease: LeaseID(1), decision: .drop, renewed: .none)])))
            while try front.next() != .overdue(jobs: []) {}
        }
        #expect(read == [nil, .leaseLost, .leaseLost])
    }

    @Test("one whose worker stops reads so")
    func workerStops() async throws {
        let read = try await reasons { _, running in running.cancel() }
        #expect(read == [nil, .workerStops, .workerStops])
    }

    @Test("the first reason stays")
    func first() {
        let cancellation = Cancellation()
        #expect(cancellation.reason == nil)
        cancellation.note(.leaseLost)
        cancellation.note(.requested)
        #expect(cancellation.reason == .leaseLost)
    }
}
