//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel
import GantryPackedColumns
import GantryPlatform

/// Lines of JSON with a job in each, from a file or from standard input.
struct JobFile {
    /// A line that holds a job.
    struct Line {
        /// From 1.
        let number: Int
        let job: JobLine
    }

    /// The file, or `-`.
    let name: String
    /// One for all times that the file is read: what the first of them has parsed is known to the next.
    private(set) var reader: JobLineReader

    /// Longest line in bytes: one with the largest argument, each byte of it escaped.
    static let lineByteLimit = 8 * JobBatch.argumentByteLimit
    private static let chunkByteCount = 1 << 16

    /// - Parameter usual: What lines without an option have.
    init(name: String, usual: JobOptions) { (self.name, reader) = (name, JobLineReader(usual: usual)) }

    /// Whether it can be read a second time, so that it is looked at whole before the first job is submitted.
    var isRepeatable: Bool {
        name != "-" && type == .typeRegular
    }

    private var type: FileAttributeType? {
        try? FileManager.default.attributesOfItem(atPath: name)[.type] as? FileAttributeType
    }

    /// Gives each job, and holds no more than a line and what `take` does.
    /// - Parameter pause: done when whoever writes has no further line yet.
    /// - Throws: `CommandFailure` with 10 for a line that is none, naming it; what `take` throws; `CancellationError`.
    mutating func read(_ take: (Line) async throws -> Void, pause: () async throws -> Void = {}) async throws {
        let file = try open()
        var (rest, number) = (Data(), 0)
        while true {
            if try !isReady(file, upTo: .zero) { try await pause() }
            while try !isReady(file, upTo: Self.inputPart) { try Task.checkCancellation() }
            let chunk = try chunk(of: file)
            guard !chunk.isEmpty else { break }
            rest.append(chunk)
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                if let line = try line(rest[start..<end], number) { try await take(line) }
                start = end + 1
            }
            rest = Data(rest[start...])
            guard rest.count <= Self.lineByteLimit else {
                throw failure(number + 1, JobLineReader.Fault("it is over \(Self.lineByteLimit) bytes (limit)"))
            }
            try Task.checkCancellation()
        }
        if let line = try line(rest, number + 1) { try await take(line) }
    }

    /// Whether there is something to read, or the end: a file always has either.
    private func isReady(_ file: FileHandle, upTo limit: Duration) throws -> Bool {
        guard name == "-" else { return true }
        return try NumberedDescriptor.waitReadable(file.fileDescriptor, upTo: limit)
    }

    /// The next bytes; none: there are no more. Of standard input as many as there are.
    private func chunk(of file: FileHandle) throws -> Data {
        guard name == "-" else { return try file.read(upToCount: Self.chunkByteCount) ?? Data() }
        return Data(try NumberedDescriptor.read(file.fileDescriptor, upTo: Self.chunkByteCount))
    }

    /// How long standard input is waited for at a time: nothing else ends the wait for somebody who types.
    private static let inputPart = Duration.milliseconds(100)

    private mutating func line(_ bytes: Data, _ number: Int) throws -> Line? {
        // An empty line, also one that another system has ended, is none.
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return nil }
        do {
            return Line(number: number, job: try reader.job(Data(bytes)))
        } catch let fault as JobLineReader.Fault {
            throw failure(number, fault)
        }
    }

    private func open() throws -> FileHandle {
        if name == "-" { return .standardInput }
        if type == .typeDirectory {
            throw CommandFailure(
                .usage, code: .usage, message: "\(name) is a folder", nextStep: "name a file of jobs, or - for standard input")
        }
        guard let file = FileHandle(forReadingAtPath: name) else {
            throw CommandFailure(
                .notFound, code: .notFound, message: "no file of jobs can be read at \(name)", nextStep: "name one, or - for standard input"
            )
        }
        return file
    }

    private func failure(_ number: Int, _ fault: JobLineReader.Fault) -> CommandFailure {
        CommandFailure(
            fault.code, message: "line \(number) of \(name == "-" ? "standard input" : name): \(fault.summary)", nextStep: fault.nextStep,
            context: ["line": String(number)])
    }
}

/// Jobs of lines, submitted some at a time: those of one message together, each with a unique key alone.
struct JobLineSubmitter {
    let client: GantryClient
    let loader: String
    private var arguments: [[UInt8]] = []
    private var options = JobOptionsColumn()
    private var byteCount = 0
    /// The line of the last job that is accepted.
    private(set) var lastLine = 0
    private var lastTaken = 0
    /// Jobs whose time was over when their line was read.
    private(set) var overCount = 0
    /// Limits in which one of the jobs has a weight.
    private(set) var weightedLimits: Set<String> = []

    private let takesAnyLoader: Bool

    init(client: GantryClient, loader: String, takesAnyLoader: Bool) {
        (self.client, self.loader, self.takesAnyLoader) = (client, loader, takesAnyLoader)
    }

    /// Takes a job; submits those before it where they fill a message.
    /// - Parameter accept: What is done with jobs that are durable.
    mutating func take(_ line: JobFile.Line, _ accept: (AcceptedPart) async throws -> Void) async throws {
        let own = JobOptionsColumn(line.job.options)
        let isApart = own.hasUniqueKeys
        let isFull =
            arguments.count == JobBatch.partCount || byteCount + line.job.argument.count + own.byteCount > JobBatch.partByteCount
            || !options.hasRoom(for: own)
        if !arguments.isEmpty, isFull || isApart { try await flush(accept) }
        options.append(own, count: 1, after: arguments.count)
        arguments.append(line.job.argument)
        byteCount += line.job.argument.count + own.byteCount
        lastTaken = line.number
        if line.job.options.start.isOver() { overCount += 1 }
        for key in line.job.options.limitKeys where key.weight > 1 { weightedLimits.insert(key.limit) }
        if isApart { try await flush(accept) }
    }

    /// Submits what was taken.
    mutating func flush(_ accept: (AcceptedPart) async throws -> Void) async throws {
        guard !arguments.isEmpty else { return }
        var batch = JobBatch(loader: loader, options: options, PackedBytes(arguments))
        batch.takesAnyLoader = takesAnyLoader
        let part: AcceptedPart = options.hasUniqueKeys ? .one(try await client.submit(batch)) : .many(try await client.submitPart(batch))
        (arguments, options, byteCount, lastLine) = ([], JobOptionsColumn(), 0, lastTaken)
        try await accept(part)
    }

    /// Jobs that are durable.
    enum AcceptedPart {
        case one(SubmittedJob)
        case many([JobID])
    }
}
