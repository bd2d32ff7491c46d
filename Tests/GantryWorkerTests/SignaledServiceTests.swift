//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import ServiceLifecycle
import Synchronization
import Testing

@testable import GantryWorker

@Suite("Signals to a service", .timeLimit(.minutes(5)))
struct SignaledServiceTests {
    /// Says what it is asked for, and goes on all the same until it is let go.
    final class Stubborn: Service {
        private let waiter = Mutex<CheckedContinuation<Void, Never>?>(nil)
        private let answered: AsyncStream<String>.Continuation

        init(_ answered: AsyncStream<String>.Continuation) { self.answered = answered }

        func run() async throws {
            await withTaskCancellationHandler {
                await withGracefulShutdownHandler {
                    await withCheckedContinuation { continuation in
                        self.waiter.withLock { $0 = continuation }
                        self.answered.yield("runs")
                    }
                } onGracefulShutdown: {
                    self.answered.yield("asked to finish")
                }
            } onCancel: {
                self.answered.yield("cancelled")
            }
        }

        func letGo() { waiter.withLock { $0 }?.resume() }
    }

    /// Runs a service that goes on until the end of the test, and sends it signals.
    ///
    /// - Parameters:
    ///   - notices: Whether what it says to people is noted too.
    ///   - answer: The signal to send after each thing that is noted; nil: none.
    /// - Returns: What was noted, up to the exit.
    private func run(
        cancelNotice: String? = nil, gracePeriod: Duration = SignaledService.gracePeriod, notices: Bool = false,
        _ answer: (String) -> Signal?
    ) async throws -> [String] {
        let (answered, input) = AsyncStream.makeStream(of: String.self)
        let (signals, signal) = AsyncStream.makeStream(of: Signal.self)
        let stubborn = Stubborn(input)
        let service = SignaledService(
            service: stubborn, name: "test", cancelNotice: cancelNotice, gracePeriod: gracePeriod, stopNotice: "finishing",
            notice: { if notices { input.yield("notice: \($0)") } })
        async let running: Void = service.run(by: signals) { input.yield("exit \($0)") }
        var received: [String] = []
        for await text in answered {
            received.append(text)
            if text.hasPrefix("exit") { break }
            if let next = answer(text) { signal.yield(next) }
        }
        stubborn.letGo()
        try await running
        return received
    }

    @Test("the first lets work finish, the second stops it, and one more does not wait for that: the process ends with 128 and that signal")
    func three() async throws {
        let received = try await run(cancelNotice: "cancelling", notices: true) { text in
            switch text {
            case "runs", "asked to finish": .interrupt
            case "cancelled": .terminate
            default: nil
            }
        }
        #expect(
            received == [
                "runs", "notice: test: finishing", "asked to finish", "notice: test: cancelling", "cancelled", "exit 143",
            ])
    }

    @Test("the second signal ends the process also when the work that it stops goes on: after its grace period, with 128 and that signal")
    func stubborn() async throws {
        let received = try await run(cancelNotice: "cancelling", gracePeriod: .milliseconds(1)) { $0 == "cancelled" ? nil : .interrupt }
        #expect(received == ["runs", "asked to finish", "cancelled", "exit 130"])
    }

    @Test("a service without work to stop is ended by the second signal without any grace period")
    func two() async throws {
        #expect(try await run { _ in .interrupt } == ["runs", "asked to finish", "exit 130"])
    }

    @Test("who cancels the task of the service cancels the service, which is no failure")
    func cancelled() async throws {
        let (answered, input) = AsyncStream.makeStream(of: String.self)
        let (signals, _) = AsyncStream.makeStream(of: Signal.self)
        let stubborn = Stubborn(input)
        let service = SignaledService(service: stubborn, name: "test", stopNotice: "finishing", notice: { _ in })
        let running = Task { try await service.run(by: signals) { input.yield("exit \($0)") } }
        for await text in answered {
            if text == "runs" { running.cancel() }
            if text == "cancelled" { break }
        }
        stubborn.letGo()
        try await running.value
    }

    @Test("signals ask for more one after another: finish, stop the work where there is some, end at once")
    func stages() {
        var worker = StopStages(canCancel: true)
        #expect((0..<4).map { _ in worker.next() } == [.gracefully, .cancelling, .atOnce, .atOnce])
        var front = StopStages(canCancel: false)
        #expect((0..<3).map { _ in front.next() } == [.gracefully, .atOnce, .atOnce])
    }
}
