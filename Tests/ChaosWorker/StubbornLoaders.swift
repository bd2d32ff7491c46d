//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import GantryWorker
import Synchronization

/// Takes a number of milliseconds and never gives its thread back meanwhile, whatever is asked of it.
struct SpinLoader: Loader {
    let name = "spin"
    let stopTime = Duration.milliseconds(300)
    let ledger: RunLedger

    func run(_ job: JobContext) async throws -> LoaderResult {
        try ledger.note("start", job)
        let end = SystemClock.bootNanoseconds() + (Int64(String(decoding: job.argument, as: UTF8.self)) ?? 0) * 1_000_000
        while SystemClock.bootNanoseconds() < end {}
        try ledger.note("end", job)
        return LoaderResult()
    }
}

/// Waits a number of seconds for a process of its own, and does not heed that its job is cancelled.
struct ChildLoader: Loader {
    let name = "child"
    let stopTime = Duration.milliseconds(300)
    let ledger: RunLedger

    func run(_ job: JobContext) async throws -> LoaderResult {
        try ledger.note("start", job)
        var request = SpawnRequest(executable: "/bin/sleep", arguments: [String(decoding: job.argument, as: UTF8.self)])
        request.leadsOwnGroup = true
        let child = try request.spawn()
        job.hasProcess(child.rawValue, leadsGroup: true)
        await withCheckedContinuation { continuation in
            let waits = try? startThread(name: "child") {
                if let ended = try? ProcessControl.exitDescriptor(of: child) { _ = try? ended.waitReadable(upTo: .seconds(600)) }
                continuation.resume()
            }
            if waits == nil { continuation.resume() }
        }
        job.hasNoProcess()
        _ = try ProcessControl.reap(child)
        try ledger.note("end", job)
        try Task.checkCancellation()
        return LoaderResult()
    }
}

/// Saves its argument and waits until it is cancelled; where an earlier attempt has saved something, it returns that.
struct ResumingLoader: Loader {
    let name = "resume"
    let ledger: RunLedger

    func run(_ job: JobContext) async throws -> LoaderResult {
        try ledger.note("start", job)
        if job.resumeState.isEmpty {
            try job.save(resumeState: job.argument)
            for await _ in AsyncStream<Void>.makeStream().stream {}
            try Task.checkCancellation()
        }
        try ledger.note("end", job)
        return LoaderResult(bytes: job.resumeState)
    }
}

/// Asks so many times to be run again in a twentieth of a second; `never` asks for nothing.
final class LaterLoader: Loader {
    let name = "later"
    private let snoozes = Mutex<[JobID: Int]>([:])

    func run(_ job: JobContext) async throws -> LoaderResult {
        let text = String(decoding: job.argument, as: UTF8.self)
        if text == "never" { throw LoaderFailure.discard("nothing is there, and never will be", nextStep: "ask for something else") }
        let before = snoozes.withLock { snoozes in
            defer { snoozes[job.job, default: 0] += 1 }
            return snoozes[job.job] ?? 0
        }
        guard before >= Int(text) ?? 0 else { throw JobSnooze(for: .milliseconds(50)) }
        return LoaderResult(text: "attempt \(job.attempt) after \(before) snoozes")
    }
}
