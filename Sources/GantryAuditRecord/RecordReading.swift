//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform

/// Checks the files of one writer, in their order, and hands what they state to `RecordedRuns`.
package struct RecordReading {
    private var chain = RecordChain()
    private var before: (number: Int, lines: Int)?
    private var lineCount = 0

    /// Nothing is read yet.
    package init() {}

    /// Reads a file.
    /// - Parameter isNewest: whether its writer has no later one: only there a line may be torn, by the end of the process or of the room.
    /// - Throws: where it is not what its writer wrote.
    package mutating func read(
        _ bytes: [UInt8], of name: RecordFileName, isNewest: Bool, into runs: inout RecordedRuns
    ) throws(RecordFault) {
        var (offset, number) = (0, 1)
        var writer: Int?
        while offset < bytes.count {
            let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n"))
            guard let end else {
                try readTail(bytes[offset...], of: name, line: number, isNewest: isNewest, writer, into: &runs)
                break
            }
            let line = bytes[offset..<end]
            if number == 1 { try begin(line, of: name) }
            guard let read = take(line) else {
                throw RecordFault(name.text, line: number, offset: offset, "its hash is not that of the line and the lines before it")
            }
            if case .head(let head) = read.event, number == 1 {
                writer = runs.add(head, at: read, file: name.text)
            } else if let writer {
                runs.take(read, of: writer)
            }
            (offset, number) = (end + 1, number + 1)
        }
        before = (name.number, lineCount)
        if let writer { runs.noteEnd(of: writer, lastHash: chain.lastText, lineCount: lineCount) }
    }

    /// What follows from the head of a file: where its chain begins.
    private mutating func begin(_ line: ArraySlice<UInt8>, of name: RecordFileName) throws(RecordFault) {
        guard line.count > RecordChain.digits, let first = RecordLine(json: line.dropFirst(RecordChain.digits + 1)),
            case .head(let head) = first.event, head.writer == name.writer, head.number == name.number
        else { throw RecordFault(name.text, line: 1, offset: 0, "it does not begin with the head of this file") }
        guard head.format <= RecordHead.format else {
            throw RecordFault(name.text, line: 1, offset: 0, "it has format \(head.format): a later version of gantry reads it")
        }
        if let before {
            guard head.number == before.number + 1 else {
                throw RecordFault(name.text, line: 1, offset: 0, "the file before it, number \(head.number - 1), is missing")
            }
            guard head.previous == chain.lastText, head.lines == before.lines else {
                throw RecordFault(name.text, line: 1, offset: 0, "it does not follow the file before it")
            }
        }
        (chain, lineCount) = (RecordChain(after: head.previous), head.lines)
    }

    private mutating func take(_ line: ArraySlice<UInt8>) -> RecordLine? {
        guard let json = chain.take(line), let read = RecordLine(json: json) else { return nil }
        lineCount += 1
        return read
    }

    /// A line without its end. What is torn off is left out; a whole line with something behind it was changed.
    private mutating func readTail(
        _ tail: ArraySlice<UInt8>, of name: RecordFileName, line: Int, isNewest: Bool, _ writer: Int?, into runs: inout RecordedRuns
    ) throws(RecordFault) {
        var (ahead, whole) = (chain, chain)
        if line > 1, let writer, ahead.take(tail) != nil, let read = take(tail) {
            runs.take(read, of: writer)
        } else if !isNewest || (line > 1 && whole.take(tail.dropLast()) != nil) {
            throw RecordFault(name.text, line: line, offset: tail.startIndex, "the line has no end")
        } else {
            runs.noteTorn(name.text, byteCount: tail.count)
        }
    }
}

/// A record that is not what its writer wrote, or cannot be read.
package struct RecordFault: PassingFault, CodedError {
    /// What kind of fault.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// Somebody else than its writer has changed it.
        case altered
        /// The system refused to read it.
        case unreadable

        package var description: String { rawValue }
    }

    /// What kind of fault.
    package let code: Code
    /// The file; empty: the folder.
    package let file: String
    /// The line, from 1, and where it begins in the file.
    package let line: Int
    package let offset: Int
    /// What is wrong.
    package let reason: String
    /// What the system refused.
    package let cause: ErrorCause?
    /// Whether the system may read it a moment later.
    package let mayPass: Bool

    init(_ file: String, line: Int, offset: Int, _ reason: String) {
        (code, self.file, self.line, self.offset, self.reason) = (.altered, file, line, offset, reason)
        (cause, mayPass) = (nil, false)
    }

    init(unreadable error: SystemError) {
        (code, file, line, offset, reason) = (.unreadable, "", 0, 0, "cannot be read")
        (cause, mayPass) = (ErrorCause(error, code: String(error.code.rawValue)), error.code.mayPass)
    }

    /// The place and what is wrong there.
    package var context: String { code == .altered ? "\(file), line \(line) at byte \(offset): \(reason)" : reason }
    /// What to do depends on whose records they are.
    package var nextStep: String { "" }
}

extension RecordFileName {
    func isOfSameWriter(as other: RecordFileName) -> Bool {
        writer == other.writer && process == other.process && processStart == other.processStart
    }
}
