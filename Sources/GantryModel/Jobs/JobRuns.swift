//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// One run of a job at a worker that has ended.
package struct JobRun: Hashable, Sendable {
    /// Which attempt it was, from 1; a run that counts as none has the number of the one that follows it.
    package var attempt: UInt32
    /// The name of its worker.
    package var worker: String
    /// When the front granted it.
    package var startedAt: WallTime
    /// When the front took its end.
    package var endedAt: WallTime
    /// How it ended.
    package var end: RunEnd
    /// The code of what it failed with, or of why it was given back; nil: none.
    package var code: FailureCode?
    /// The sentence to that, its first 256 bytes; empty: none.
    package var text: String

    /// Bytes of the sentence that are kept.
    package static let textByteCount = 256

    /// A run of which no failure is known.
    package init(attempt: UInt32, worker: String, startedAt: WallTime, endedAt: WallTime, end: RunEnd) {
        (self.attempt, self.worker, self.startedAt, self.endedAt, self.end) = (attempt, worker, startedAt, endedAt, end)
        text = ""
    }

    /// The same run, with what it failed with.
    package func failed(with failure: Failure?) -> JobRun {
        guard let failure else { return self }
        var run = self
        (run.code, run.text) = (failure.code, failure.text.cut(to: Self.textByteCount))
        return run
    }

    /// Bytes of its texts, with its place in memory, roughly.
    package var roughByteCount: Int { RoughSize.job + worker.utf8.count + (code?.rawValue.utf8.count ?? 0) + text.utf8.count }

    /// From its grant to its end by the front's clock, which may have been set back meanwhile: never less than none.
    package var length: Duration { max(.zero, endedAt.duration(since: startedAt)) }

    /// The run as a sentence for people.
    package var line: String {
        let place = worker.isEmpty ? "" : " at \(worker)"
        // What ended in quarantine says that of the job, not of this run.
        let why = code == .quarantined ? "" : [code?.rawValue, text.isEmpty ? nil : text].compactMap { $0 }.joined(separator: ": ")
        let time = "from \(startedAt.rfc3339) to \(endedAt.rfc3339) (\(length.line))"
        return "run \(attempt)\(place) \(time): \(end.words)\(why.isEmpty ? "" : ", \(why)")"
    }
}

/// The newest runs of a job that have ended.
package struct JobRuns: Hashable, Sendable {
    /// Oldest first, at most `limit` of them.
    package private(set) var newest: [JobRun]
    /// How many more there were.
    package private(set) var omitted: UInt32

    /// Most runs of a job that are kept: the first attempts of one that is tried for days are no help any more.
    package static let limit = 20
    /// Most bytes of them, roughly; the last one is always kept.
    package static let byteLimit = 4 << 10

    /// Those runs; the bounds are kept.
    package init(_ newest: [JobRun] = [], omitted: UInt32 = 0) {
        (self.newest, self.omitted) = (newest, omitted)
        keepBounds()
    }

    /// Whether there never was one.
    package var isEmpty: Bool { newest.isEmpty && omitted == 0 }

    /// Bytes that they take in memory, roughly.
    package var roughByteCount: Int { newest.reduce(RoughSize.record) { $0 + $1.roughByteCount } }

    /// Them as sentences for people.
    package var lines: [String] {
        let more = omitted == 0 ? [] : [omitted == 1 ? "1 more run ended before" : "\(omitted) more runs ended before"]
        return more + newest.map(\.line)
    }

    /// A run has ended. One that was given back as the one before it takes its place: a worker without room may do that each second.
    package mutating func append(_ run: JobRun) {
        if let last = newest.last, last.isRepeated(by: run) {
            newest.removeLast()
            noteOmitted()
        }
        newest.append(run)
        keepBounds()
    }

    /// A run has ended of which nothing is kept.
    package mutating func noteOmitted() { omitted = max(omitted, omitted &+ 1) }

    private mutating func keepBounds() {
        var byteCount = roughByteCount
        var excess = 0
        while excess < newest.count - 1, newest.count - excess > Self.limit || byteCount > Self.byteLimit {
            byteCount -= newest[excess].roughByteCount
            excess += 1
            noteOmitted()
        }
        newest.removeFirst(excess)
    }
}

extension JobRun {
    /// Whether a run says no more than this one, but for its times.
    fileprivate func isRepeated(by run: JobRun) -> Bool {
        end == .returned && run.end == .returned && attempt == run.attempt && worker == run.worker && code == run.code
    }
}

extension RunEnd {
    /// For people.
    package var words: String {
        switch self {
        case .succeeded: "succeeded"
        case .failed: "failed"
        case .timedOut: "timed out"
        case .cancelled: "cancelled"
        case .crashed: "crashed, which counts against the job"
        case .lost: "lost with its worker"
        case .returned: "given back unstarted"
        case .snoozed: "snoozed by its loader"
        case .stopped: "given back: its worker stopped it"
        }
    }
}

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
