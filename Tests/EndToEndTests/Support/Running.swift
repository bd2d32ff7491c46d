//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform
import Synchronization

/// A process with its lines as they come. It is killed when nobody holds it any more.
final class Running: Sendable {
    let process: ProcessID
    /// What it writes on standard output; ends when every holder of its standard output has gone.
    let lines: AsyncStream<String>
    private let exits: AsyncStream<ProcessExit>
    private let errorPath: String
    private let hasEnded: Ended

    /// Shared with the threads that follow the process: a reaped number may name another process.
    private final class Ended: Sendable {
        let value = Mutex(false)
    }

    /// Starts a process from a thread that lives as long as it does, since the kernel ties a child to the thread that started it.
    static func start(_ request: SpawnRequest, errorPath: String) async throws -> Running {
        let (lines, lineFeed) = AsyncStream.makeStream(of: String.self)
        let (exits, exitFeed) = AsyncStream.makeStream(of: ProcessExit.self)
        let ended = Ended()
        let process = try await withCheckedThrowingContinuation { (started: CheckedContinuation<ProcessID, any Error>) in
            do {
                _ = try startThread(name: "show") {
                    spawn(request, errorPath, lineFeed, started) { process in
                        let exit = waitForEnd(of: process, ended)
                        if let exit { exitFeed.yield(exit) }
                        exitFeed.finish()
                    }
                }
            } catch {
                started.resume(throwing: error)
            }
        }
        return Running(process: process, lines: lines, exits: exits, errorPath: errorPath, ended: ended)
    }

    private init(
        process: ProcessID, lines: AsyncStream<String>, exits: AsyncStream<ProcessExit>, errorPath: String, ended: Ended
    ) {
        (self.process, self.lines, self.exits, self.errorPath, hasEnded) = (process, lines, exits, errorPath, ended)
    }

    deinit { send(.kill) }

    /// What it has written on standard error so far.
    var errors: String { FileManager.default.contents(atPath: errorPath).map { String(decoding: $0, as: UTF8.self) } ?? "" }

    /// Sends a signal, unless the process has ended.
    func send(_ signal: Signal) {
        // A process that ends just now needs no signal.
        hasEnded.value.withLock { if !$0 { try? ProcessControl.send(signal, to: process) } }
    }

    /// The next line for which `isWanted` says so.
    func line(_ what: String, where isWanted: (String) -> Bool = { _ in true }) async throws -> String {
        for await line in lines where isWanted(line) { return line }
        throw EndToEndError("no line with \(what) came; standard error: \(errors.suffix(2_000))")
    }

    /// How it ended; ask once.
    func exit() async throws -> ProcessExit {
        for await exit in exits { return exit }
        throw EndToEndError("the process did not end in time; standard error: \(errors.suffix(2_000))")
    }

    private static func spawn(
        _ request: SpawnRequest, _ errorPath: String, _ feed: AsyncStream<String>.Continuation,
        _ started: CheckedContinuation<ProcessID, any Error>, _ follow: @escaping @Sendable (ProcessID) -> Void
    ) {
        defer { feed.finish() }
        do {
            var pipe = try PipePair()
            let reader = pipe.takeReader()
            let writer = pipe.takeWriter()
            let errors = try OwnedDescriptor(path: errorPath, options: [.write, .create], mode: 0o600)
            var request = request
            request.standardOutput = .descriptor(writer.rawValue)
            request.standardError = .descriptor(errors.rawValue)
            let process: ProcessID
            do {
                process = try request.spawn()
                try writer.close()
                try errors.close()
            } catch {
                return started.resume(throwing: error)
            }
            let follower = try startThread(name: "show end") { follow(process) }
            started.resume(returning: process)
            read(reader, into: feed)
            follower.join()
        } catch {
            started.resume(throwing: error)
        }
    }

    private static func read(_ reader: borrowing OwnedDescriptor, into feed: AsyncStream<String>.Continuation) {
        var chunk: [UInt8] = []
        var rest: [UInt8] = []
        while let count = try? reader.read(into: &chunk, count: 65_536), count > 0 {
            rest += chunk
            while let end = rest.firstIndex(of: 10) {
                feed.yield(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        if !rest.isEmpty { feed.yield(String(decoding: rest, as: UTF8.self)) }
    }

    private static func waitForEnd(of process: ProcessID, _ ended: Ended) -> ProcessExit? {
        guard let descriptor = try? ProcessControl.exitDescriptor(of: process) else { return nil }
        while (try? descriptor.waitReadable(upTo: .seconds(3_600))) == false {}
        return ended.value.withLock { ended in
            ended = true
            return (try? ProcessControl.reap(process)) ?? nil
        }
    }
}
