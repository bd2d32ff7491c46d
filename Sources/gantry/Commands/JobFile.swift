//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryClient
import GantryModel

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
    /// What lines without an option have.
    let usual: JobOptions

    /// Longest line in bytes: one with the largest argument, each byte of it escaped.
    static let lineByteLimit = 8 * JobBatch.argumentByteLimit
    private static let chunkByteCount = 1 << 16

    /// Whether it can be read a second time, so that it is looked at whole before the first job is submitted.
    var isRepeatable: Bool {
        guard name != "-", let type = try? FileManager.default.attributesOfItem(atPath: name)[.type] as? FileAttributeType else {
            return false
        }
        return type == .typeRegular
    }

    /// Gives each job, and holds no more than a line and what `take` does.
    /// - Throws: `CommandFailure` with 10 for a line that is none, naming it; what `take` throws.
    func read(_ take: (Line) async throws -> Void) async throws {
        let file = try open()
        var (reader, rest, number) = (JobLineReader(usual: usual), Data(), 0)
        while let chunk = try file.read(upToCount: Self.chunkByteCount), !chunk.isEmpty {
            rest.append(chunk)
            var start = rest.startIndex
            while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
                number += 1
                if let line = try line(rest[start..<end], number, &reader) { try await take(line) }
                start = end + 1
            }
            rest = Data(rest[start...])
            guard rest.count <= Self.lineByteLimit else { throw fault(number + 1, "it is over \(Self.lineByteLimit) bytes (limit)") }
            try Task.checkCancellation()
        }
        if let line = try line(rest, number + 1, &reader) { try await take(line) }
    }

    private func line(_ bytes: Data, _ number: Int, _ reader: inout JobLineReader) throws -> Line? {
        // An empty line, also one that another system has ended, is none.
        guard bytes.contains(where: { $0 != 0x20 && $0 != 0x0D && $0 != 0x09 }) else { return nil }
        do {
            return Line(number: number, job: try reader.job(Data(bytes)))
        } catch let fault as JobLineReader.Fault {
            throw self.fault(number, fault.text)
        }
    }

    private func open() throws -> FileHandle {
        if name == "-" { return .standardInput }
        guard let file = FileHandle(forReadingAtPath: name) else {
            throw CommandFailure(
                .notFound, code: .notFound, message: "no file of jobs can be read at \(name)", nextStep: "name one, or - for standard input"
            )
        }
        return file
    }

    private func fault(_ number: Int, _ text: String) -> CommandFailure {
        CommandFailure(
            .invalidData, code: .invalidData, message: "line \(number) of \(name == "-" ? "standard input" : name): \(text)",
            nextStep: "mend that line", context: ["line": String(number)])
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
