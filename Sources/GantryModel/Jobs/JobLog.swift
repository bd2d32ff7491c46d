//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A line that a job's loader has written.
package struct LogLine: Hashable, Sendable {
    /// The attempt that wrote it, from 1.
    package let attempt: UInt32
    /// When, by its worker's clock.
    package let at: WallTime
    /// The line, at most `byteLimit` bytes, without control characters.
    package let text: String

    /// Most bytes of a line.
    package static let byteLimit = 1_024

    /// A line; control characters are replaced, and what is too much is cut off.
    package init(attempt: UInt32, at: WallTime, text: String) {
        // What no row may say is said otherwise: a front that wrote it could not start again.
        let most = Int64(JournalBounds.number)
        (self.attempt, self.at) = (attempt, WallTime(milliseconds: min(max(at.milliseconds, -most), most)))
        self.text = text.cut(to: Self.byteLimit).withoutControlCharacters.cut(to: Self.byteLimit)
    }

    /// Bytes that it takes in memory and in a message, roughly.
    package var roughByteCount: Int { RoughSize.message + text.utf8.count }
}

/// What a job leaves behind while it runs: the newest lines that it has written, and what it has saved for its next attempt.
package struct JobLog: Hashable, Sendable {
    /// Oldest first, at most `lineLimit` of them.
    package private(set) var lines: [LogLine]
    /// How many more there were, at most `JournalBounds.number`.
    package private(set) var omitted: UInt64

    /// What its loader saved last, at most `resumeByteCount` bytes; nil: nothing, or nothing new. Only workers get it, with the next attempt.
    package private(set) var resumeState: [UInt8]?

    /// Bytes of a state that was too large and is left out, as its report is read; 0: none was.
    package private(set) var oversizedByteCount = 0

    /// Most bytes that a loader may save.
    package static let resumeByteCount = 64 << 10
    /// Most lines that are kept: what a job did last is what people look for.
    package static let lineLimit = 50
    /// Most bytes of them, roughly.
    package static let byteLimit = 16 << 10

    /// Those lines; the bounds are kept.
    package init(_ lines: [LogLine] = [], omitted: UInt64 = 0) {
        (self.lines, self.omitted) = (lines, min(omitted, JournalBounds.number))
        keepBounds()
    }

    /// A state that was saved, and no line.
    package init(resumeState: [UInt8]?) {
        self.init()
        self.resumeState = resumeState
    }

    /// Whether nothing was ever written, or saved.
    package var isEmpty: Bool { lines.isEmpty && omitted == 0 && resumeState == nil }

    /// Bytes that it takes in memory and in a message, roughly.
    package var roughByteCount: Int { lineByteCount + (resumeState?.count ?? 0) }

    /// The same of its lines alone.
    package var lineByteCount: Int { lines.reduce(RoughSize.record) { $0 + $1.roughByteCount } }

    /// The same without a line, each counted.
    package var withoutLines: JobLog {
        var log = JobLog(omitted: omitted.addingSaturated(UInt64(lines.count)))
        log.resumeState = resumeState
        return log
    }

    /// The same without what was saved.
    package var withoutState: JobLog { JobLog(lines, omitted: omitted) }

    /// A line was written.
    package mutating func append(_ line: LogLine) {
        lines.append(line)
        keepBounds()
    }

    /// Lines were written.
    package mutating func append(_ log: JobLog) {
        omitted = omitted.addingSaturated(log.omitted)
        lines += log.lines
        if let state = log.resumeState { resumeState = state }
        keepBounds()
    }

    /// What was saved is over: it is another one, or, empty, none.
    package mutating func save(_ state: [UInt8]) { resumeState = state }

    /// What was saved is too much, and is left out.
    package mutating func leaveOut(_ byteCount: Int) { oversizedByteCount = byteCount }

    private mutating func keepBounds() {
        var byteCount = lineByteCount
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
        return isOver ? JournalBounds.number : Swift.min(sum, JournalBounds.number)
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
