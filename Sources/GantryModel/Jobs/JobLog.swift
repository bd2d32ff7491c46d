//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A line that a job's loader has written.
public struct LogLine: Hashable, Sendable {
    /// The attempt that wrote it, from 1.
    public let attempt: UInt32
    /// When, by its worker's clock.
    public let at: WallTime
    /// The line, at most `byteLimit` bytes, without control characters.
    public let text: String

    /// Most bytes of a line.
    package static let byteLimit = 1_024

    /// A line; control characters are replaced, and what is too much is cut off.
    public init(attempt: UInt32, at: WallTime, text: String) {
        (self.attempt, self.at) = (attempt, at)
        self.text = text.cut(to: Self.byteLimit).withoutControlCharacters.cut(to: Self.byteLimit)
    }

    /// Bytes that it takes in memory and in a message, roughly.
    package var roughByteCount: Int { RoughSize.message + text.utf8.count }
}

/// The newest lines that a job has written.
public struct JobLog: Hashable, Sendable {
    /// Oldest first, at most `lineLimit` of them.
    public private(set) var lines: [LogLine]
    /// How many more there were.
    public private(set) var omitted: UInt64

    /// Most lines that are kept: what a job did last is what people look for.
    package static let lineLimit = 50
    /// Most bytes of them, roughly.
    package static let byteLimit = 16 << 10

    /// Those lines; the bounds are kept.
    public init(_ lines: [LogLine] = [], omitted: UInt64 = 0) {
        (self.lines, self.omitted) = (lines, omitted)
        keepBounds()
    }

    /// Whether nothing was ever written.
    package var isEmpty: Bool { lines.isEmpty && omitted == 0 }

    /// Bytes that it takes in memory and in a message, roughly.
    package var roughByteCount: Int { lines.reduce(RoughSize.record) { $0 + $1.roughByteCount } }

    /// The same without a line, each counted.
    package var withoutLines: JobLog { JobLog(omitted: omitted.addingSaturated(UInt64(lines.count))) }

    /// A line was written.
    package mutating func append(_ line: LogLine) {
        lines.append(line)
        keepBounds()
    }

    /// Lines were written.
    package mutating func append(_ log: JobLog) {
        omitted = omitted.addingSaturated(log.omitted)
        lines += log.lines
        keepBounds()
    }

    private mutating func keepBounds() {
        var byteCount = roughByteCount
        var excess = 0
        while lines.count - excess > Self.lineLimit || byteCount > Self.byteLimit {
            byteCount -= lines[excess].roughByteCount
            excess += 1
        }
        guard excess > 0 else { return }
        omitted = omitted.addingSaturated(UInt64(excess))
        lines.removeFirst(excess)
    }
}

extension UInt64 {
    fileprivate func addingSaturated(_ other: UInt64) -> UInt64 {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}

extension String {
    /// The text with a sign in place of each control character, so that it moves no terminal.
    fileprivate var withoutControlCharacters: String {
        guard hasControlCharacters else { return self }
        let shown: [Unicode.Scalar] = unicodeScalars.map { scalar in
            guard String(scalar).hasControlCharacters else { return scalar }
            return scalar == "\t" ? " " : "\u{FFFD}"
        }
        return String(String.UnicodeScalarView(shown))
    }
}
