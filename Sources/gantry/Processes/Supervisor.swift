//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryPlatform
import GantrySettings
import StateFormatting

/// Keeps the parts of `up` running, each watched by a thread of its own, until the process is told to end or a part can never run.
/// What is done when is decided by `UpMachine`.
struct Supervisor {
    private enum Event: Sendable {
        case part(Int, SupervisedChild.Event)
        case signaled
        case timeOver(Int)
    }

    let parts: [ChildPlan]
    let sampleOriginPort: SampleOriginPort
    let report: @Sendable (String) -> Void

    /// Runs the parts; calls `ready` once all of them are, and returns when all have ended.
    /// - Throws: `ExitCode` of a part that would end the same way again; its own message says why.
    func run(ready: () -> Void) async throws {
        let (events, feed) = AsyncStream.makeStream(of: Event.self)
        let children = try parts.enumerated().map { number, plan in
            try SupervisedChild(plan, sampleOriginPort: sampleOriginPort, report: report) { feed.yield(.part(number, $0)) }
        }
        let signals = try SignalTaker { _ in feed.yield(.signaled) }
        defer { signals.leave() }
        var machine = UpMachine(parts.map { ($0.name, $0.stage) })
        var actions = machine.begin()
        var timer: Task<Void, any Error>?
        defer { timer?.cancel() }
        var waiting = events.makeAsyncIterator()
        while true {
            for action in actions {
                switch action {
                case .start(let part): try children[part].start()
                case .announce: ready()
                case .send(.terminate, let part): children[part].stop(with: .terminate)
                case .send(.kill, let part): children[part].stop(with: .kill)
                case .report(let text): report(text)
                case .finish(0): return
                case .finish(let code): throw ExitCode(code)
                case .arm(let number, let duration):
                    timer?.cancel()
                    timer = Task {
                        try await Task.sleep(for: duration)
                        feed.yield(.timeOver(number))
                    }
                }
            }
            guard let event = await waiting.next() else { return }
            actions =
                switch event {
                case .part(let part, .ready): machine.ready(part: part)
                case .part(let part, .ended(let final)): machine.ended(part: part, final: final)
                case .signaled: machine.signaled()
                case .timeOver(let number): machine.timeOver(timer: number)
                }
        }
    }
}

/// What `up` has read, for all its parts: one that is started again has the configuration of the others, whatever became of the file.
final class SharedConfiguration: Sendable {
    /// The number of the descriptor in a part, behind `ReadyProcess.readyNumber`.
    private static let childNumber: Int32 = 4

    private let file: OwnedDescriptor

    /// - Throws: `SystemError` when the system has no memory or descriptor for it.
    init(_ source: ConfigurationText) throws {
        file = try .inMemory(Array(source.json.text.utf8), name: "gantry configuration")
    }

    /// Has a part inherit it.
    func pass(to request: inout SpawnRequest) {
        request.inherited.append(InheritedDescriptor(parentNumber: file.rawValue, childNumber: Self.childNumber))
        request.arguments += ["--configuration-fd", String(Self.childNumber)]
    }

    /// What another process has passed as a descriptor.
    ///
    /// - Throws: `ValidationError` when it is no such text.
    static func read(_ number: Int32) throws -> ConfigurationText {
        guard let content = FileManager.default.contents(atPath: "/proc/self/fd/\(number)"),
            let text = try? JSONDecoder().decode(ConfigurationText.self, from: content)
        else { throw ValidationError("--configuration-fd \(number) holds no configuration: leave the option out") }
        return text
    }
}

extension ConfigurationText {
    /// What `JSONDecoder` reads again.
    var json: JSONValue { .object(("file", file.map { .string($0) }), ("text", .string(text))) }
}
