//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import ArgumentParser
import Foundation
import GantryAuditRecord
import GantryClient
import GantryModel
import GantryPlatform
import GantrySettings
import StateFormatting

/// `gantry limit audit`: what really ran of each limit, by the records that workers write.
struct LimitAuditCommand: FrontCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Check by the workers' records that no more ran than limits allow.",
        discussion: """
            Each worker writes down when a job with limits begins and when it has ended, and with each start what its limits allowed at its grant. \
            The lines are chained by their hashes. This reads the files in the data folder, whether a front runs or not, and compares what \
            really ran at once with what was allowed.

            A run counts from the moment before its loader begins until that has returned, or its process was seen to be gone: a cancel, a time-out \
            or a lost connection ends none. One that nobody saw end counts until 500 ms after its lease.

            Ends with 0 when all limits held, with 3 when one was passed, with 10 when that cannot be known, and with 9 when a record was changed, \
            with the file and the place.

            Example: gantry limit audit --since 1h
            """)

    @Argument(help: "The limit; default: all of them.")
    var name: String?
    @Option(
        name: .long, parsing: .unconditional, help: "How far back it looks, for example 1h; default: as far as there are records.",
        transform: { try TimeLimit(argument: $0) })
    var since: TimeLimit?
    @Option(name: .long, help: "Draw how many ran over time, into this file.")
    var svg: String?
    @OptionGroup var options: FrontOptions

    func run() async throws {
        let folder = try options.connection.place().folder
        // Before the files are read, one after another: what begins meanwhile may be in one, and the end that made room for it not in another.
        let now = SystemClock.wallMilliseconds() * 1_000_000
        let here = (try? HostInformation.bootID()).map { ($0, SystemClock.bootNanoseconds()) }
        guard FileManager.default.fileExists(atPath: folder.path) else {
            throw CommandFailure(
                .notFound, code: .notFound, message: "there is no folder \(folder.path): nothing there says what really ran",
                nextStep: "name the data folder of the front with --data")
        }
        let runs: RecordedRuns
        do throws(RecordFault) { runs = try RecordFolder.read(folder.audit) } catch { throw CommandFailure(error, in: folder.audit) }
        let all = runs.audited(at: now, here: here, isRunning: Self.isRunning)
        let first = all.first?.start ?? now
        let from = since.map { max(first, now - $0.duration.wholeNanoseconds) } ?? first
        let audit = LimitAudit(all, of: name, from: from, to: now)
        if let name, audit.values.isEmpty { try checkName(name, all) }
        let shown = ShownAudit(audit: audit, runs: runs, unrecorded: await unrecordedWorkers(folder, runs))
        if let svg { try Self.write(AuditPicture(audit).svg, to: svg) }
        try show(shown)
        if let failure = shown.failure { throw failure }
    }

    /// Whether a process of this machine runs.
    private static func isRunning(_ process: ProcessIdentity) -> Bool {
        guard (try? HostInformation.processNamespace()) == process.namespace,
            let id = ProcessID(rawValue: Int32(truncatingIfNeeded: process.number))
        else { return false }
        return (try? HostInformation.processStart(of: id)) == process.start
    }

    /// - Throws: `CommandFailure` with 6 for a limit of which no record speaks.
    private func checkName(_ name: String, _ all: [AuditedRun]) throws {
        let known = Set(all.flatMap { $0.starts.flatMap { $0.limited.limits.map(\.key.limit) } }).sorted()
        guard !known.contains(name) else { return }
        let nearest = SpellingDistance.nearest(to: name, in: known).map { "gantry limit audit \($0)" }
        throw CommandFailure(
            .notFound, code: .notFound, message: "no record names a limit \"\(name)\": no job that counts in it has begun",
            nextStep: nearest ?? "gantry limit list")
    }

    /// Labels of the workers that are registered at a front that runs here and have no record in its folder.
    private func unrecordedWorkers(_ folder: DataFolder, _ runs: RecordedRuns) async -> [String] {
        guard RunningFront(folder) != nil, let place = try? options.connection.place() else { return [] }
        var client = ClientOptions(command: "limit audit")
        (client.connectTimeout, client.requestTimeout) = (.seconds(3), .seconds(3))
        client.token = place.readToken()
        guard let front = try? await GantryClient(connect: Endpoint(address: place.endpoints.requests), options: client) else { return [] }
        let workers = (try? await front.current(.workers).workers) ?? []
        await front.close()
        let known = Set(runs.writers.filter { $0.head.writer.role == .worker }.map(\.head.writer.id))
        return workers.filter { !known.contains($0.id.rawValue) }.map(\.name).sorted()
    }

    private func show(_ shown: ShownAudit) throws {
        guard options.printing.output == .table else { return try options.printing.line(ShownAudit.shape.json(shown).text) }
        for line in shown.lines(columns: options.printing.columns) { try options.printing.line(line) }
    }

    private static func write(_ text: String, to path: String) throws {
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) } catch {
            throw CommandFailure(
                .cannotWrite, code: .cannotWrite, message: "the picture cannot be written to \(path)",
                nextStep: "give a file in a folder that can be written")
        }
    }
}

extension CommandFailure {
    /// A record that was changed, or cannot be read.
    fileprivate init(_ fault: RecordFault, in folder: String) {
        switch fault.code {
        case .unreadable:
            self.init(
                .cannotWrite, code: .cannotWrite, message: "the records in \(folder) \(fault.summary)", thenDoctor: true,
                isRetryable: fault.mayPass)
        case .altered:
            self.init(
                .conflict, code: .recordBroken, message: "\(folder)/\(fault.summary)",
                nextStep: "whatever it says of limits cannot be trusted: keep the folder as it is, and look who has changed that file",
                context: ["file": fault.file, "line": String(fault.line), "offset": String(fault.offset)])
        }
    }
}
