//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryPlatform

/// CPU time of user and system that the processes of a measurement have used, microseconds at a resolution of 10,000.
struct CPUUse {
    /// The kinds of processes that each job goes through.
    enum Stage: String, CaseIterable {
        case front, workers, client
    }

    private(set) var front: Double
    private(set) var workers: Double
    /// This process: the client, and the observers beside it.
    private(set) var client: Double
    /// Of each thread by its number; of this process the client's alone.
    private var threads: [Stage: [Int32: Double]]

    /// What they have used so far.
    init(_ front: MeasuredProcess, _ workers: [MeasuredProcess]) {
        self.front = front.cpuMicroseconds
        self.workers = workers.reduce(0) { $0 + $1.cpuMicroseconds }
        client = MeasuredProcess.cpuMicroseconds(ofProcess: ProcessControl.currentID)
        threads = [.front: Self.threads(of: [front]), .workers: Self.threads(of: workers)]
        threads[.client] = MeasuredProcess.threadMicroseconds(ofProcess: ProcessControl.currentID, besides: JobsObservers.threadName)
    }

    /// All of them together.
    var all: Double { front + workers + client }

    /// The most that one thread of a stage has used: what a stage can do at most is what its busiest thread can.
    func busiestThread(of stage: Stage) -> Double { threads[stage]?.values.max() ?? 0 }

    /// The stage with the busiest thread of all: the one that bounds a measurement, if any does.
    var slowest: Stage { Stage.allCases.reduce(.front) { busiestThread(of: $1) > busiestThread(of: $0) ? $1 : $0 } }

    func since(_ earlier: CPUUse) -> CPUUse {
        var rest = self
        (rest.front, rest.workers, rest.client) = (front - earlier.front, workers - earlier.workers, client - earlier.client)
        for (stage, used) in threads {
            let before = earlier.threads[stage] ?? [:]
            rest.threads[stage] = Dictionary(uniqueKeysWithValues: used.map { ($0.key, $0.value - (before[$0.key] ?? 0)) })
        }
        return rest
    }

    func perJob(_ jobs: Int) -> CPUUse {
        var share = self
        let count = Double(max(jobs, 1))
        (share.front, share.workers, share.client) = (front / count, workers / count, client / count)
        share.threads = threads.mapValues { $0.mapValues { $0 / count } }
        return share
    }

    private static func threads(of children: [MeasuredProcess]) -> [Int32: Double] {
        children.compactMap(\.processNumber).map { MeasuredProcess.threadMicroseconds(ofProcess: $0) }
            .reduce(into: [:]) { all, one in all.merge(one) { first, _ in first } }
    }
}

extension MeasuredProcess {
    /// What the process has in memory now and had at most, in bytes; 0 when it has ended.
    var memory: (resident: Int, peak: Int) {
        guard let number = processNumber, let text = try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8) else {
            return (0, 0)
        }
        func bytes(_ name: String) -> Int {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1_024 } ?? 0
        }
        return (bytes("VmRSS:"), bytes("VmHWM:"))
    }

    /// Time that the process has spent on processors, in microseconds at a resolution of 10,000; 0 when it has ended.
    var cpuMicroseconds: Double { processNumber.map { Self.cpuMicroseconds(ofProcess: $0) } ?? 0 }

    /// The same for any process of this machine.
    static func cpuMicroseconds(ofProcess number: Int32) -> Double { statistics("/proc/\(number)/stat")?.microseconds ?? 0 }

    /// The same for each thread of a process, by its number.
    /// - Parameter name: of threads that are left out.
    static func threadMicroseconds(ofProcess number: Int32, besides name: String? = nil) -> [Int32: Double] {
        let folder = "/proc/\(number)/task"
        var threads: [Int32: Double] = [:]
        // A thread may end while the folder is read: it is missing then.
        for thread in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let id = Int32(thread), let found = statistics("\(folder)/\(thread)/stat"), found.name != name else { continue }
            threads[id] = found.microseconds
        }
        return threads
    }

    /// Name and time of a process or thread, as proc(5) has them: the name stands in brackets and may have some itself.
    private static func statistics(_ path: String) -> (name: String, microseconds: Double)? {
        guard let text = try? String(contentsOfFile: path, encoding: .utf8), let start = text.firstIndex(of: "("),
            let end = text.lastIndex(of: ")")
        else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
        return (String(text[text.index(after: start)..<end]), (user + system) * 10_000)
    }
}
