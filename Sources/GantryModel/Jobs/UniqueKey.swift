//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A key that one job of a loader at a time has: who submits the same work once more gets the job that is there, and no second one.
///
/// It is taken from acceptance on, whether the job waits, is scheduled, runs or is tried again, until its run has really ended: a cancelled job keeps
/// it until its worker has stopped. A quarantined job keeps it until somebody repeats the job, or it is forgotten. A submit with the key, the same
/// argument and the same options joins the job that has it; one with others is refused with `conflict`, unless its mode is `replace`, `debounce` or
/// `buffer`. What a job repeats (`retryOf`) is none of its options in that.
///
/// With `buffer` one more job waits behind the one that was granted, and has the key once that has ended, however: also where it is quarantined. Each
/// submit until then says what that one works on.
public struct UniqueKey: Hashable, Sendable {
    /// 1 to `textByteCount` bytes without control characters, no blank at its ends. Keys of different loaders are different keys; texts that
    /// Unicode calls equal are one key.
    public var text: String
    /// Until when it is taken.
    public var mode: UniqueMode
    /// How much longer it stays taken after the job's end, in whole milliseconds up to `longestAfterEnd`. No step of the wall clock moves that.
    public var afterEnd: Duration
    /// Those of `debounce` in milliseconds, 0: none; as numbers, for a front keeps many keys.
    private var (quiet, longest): (UInt32, UInt32) = (0, 0)

    /// Longest text, in bytes.
    package static let textByteCount = 128
    /// The longest that a key stays taken after the end of its job.
    package static let longestAfterEnd = JobTime.longest

    /// A key; by default it is free as soon as the job has ended.
    public init(_ text: String, mode: UniqueMode = .untilEnded, afterEnd: Duration = .zero) {
        (self.text, self.mode, self.afterEnd) = (text, mode, afterEnd)
    }

    /// A key whose job starts once nobody has submitted with it for a while.
    public init(_ text: String, debounce: Debounce) {
        self.init(text, mode: .debounce)
        self.debounce = debounce
    }

    /// When the job of a debounced key may start; nil for any other mode.
    public var debounce: Debounce? {
        get { quiet == 0 && longest == 0 ? nil : Debounce(quiet: .milliseconds(Int64(quiet)), longest: .milliseconds(Int64(longest))) }
        set {
            quiet = newValue.map { UInt32(clamping: $0.quiet.millisecondsRoundedUp) } ?? 0
            longest = newValue.map { UInt32(clamping: $0.longest.millisecondsRoundedUp) } ?? 0
        }
    }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        guard (1...Self.textByteCount).contains(text.utf8.count) else {
            return "a unique key has 1 to \(Self.textByteCount) bytes, not \(text.utf8.count)"
        }
        // What cannot be shown is not repeated here either.
        guard !text.hasControlCharacters else {
            return "a unique key has no control characters"
        }
        guard text.first?.isWhitespace != true, text.last?.isWhitespace != true else {
            return "a unique key has no blank at its ends, unlike \"\(text)\""
        }
        guard afterEnd >= .zero, afterEnd <= Self.longestAfterEnd else {
            return "a unique key stays taken for at most \(JobTime.longestText) after the end of its job"
        }
        guard !mode.isFreeAtStart || afterEnd == .zero else {
            return "a unique key that is free once its job has started does not stay taken after the end"
        }
        guard mode != .buffer || afterEnd == .zero else {
            return "a unique key with mode buffer passes on at the end of its job, and does not stay taken after that"
        }
        guard (mode == .debounce) == (debounce != nil) else {
            return "a debounced key says how long it is to be quiet, and no other key does"
        }
        return debounce?.fault
    }

    /// As words for people.
    package var line: String {
        let more = afterEnd == .zero ? "" : " and \(afterEnd.line) more"
        return switch mode {
        case .untilEnded: "unique key \"\(text)\" until it has ended\(more)"
        case .untilStarted: "unique key \"\(text)\" until it has started"
        case .replace: "unique key \"\(text)\" until it has ended\(more), replaced before its first start"
        case .debounce: "unique key \"\(text)\" until it has started" + (debounce.map { ", \($0.line)" } ?? "")
        case .buffer: "unique key \"\(text)\" until it has ended, with one more job behind it"
        }
    }

    /// Its share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(4)
        print.add(text)
        print.add(UInt64(mode.rawValue))
        print.add(UInt64(bitPattern: afterEnd.wholeMilliseconds))
        if debounce != nil { print.add(UInt64(quiet) << 32 | UInt64(longest)) }
    }

    /// What tells the work of a job apart from other work under the same key: its argument and its options, but for what it repeats and
    /// when it expires.
    ///
    /// An option that was not given adds nothing that a later version might add otherwise: a key that was taken before an update is joined after it.
    package static func fingerprint(of argument: [UInt8], _ options: JobOptions) -> UInt64 {
        var plain = options
        plain.retryOf = nil
        // "In ten minutes" is another time whenever it is said, and the same work all the same.
        plain.expiresAt = nil
        // The front's configuration gives such to loaders, another one from one day to the next; the work is the same.
        plain.limitKeys.removeAll { $0 == LimitKey($0.limit) }
        // The key is the same, however its characters are composed.
        plain.uniqueKey?.text = ""
        var print = Fingerprint(kind: 0)
        plain.add(to: &print)
        print.add(argument)
        return print.value
    }
}

extension UniqueMode {
    /// Whether a key is free for good once its job was granted first.
    package var isFreeAtStart: Bool {
        switch self {
        case .untilStarted, .debounce: true
        case .untilEnded, .replace, .buffer: false
        }
    }
}

/// When a job may start whose key is debounced: once nobody has submitted with that key for a while, and after some time in any case.
///
/// The last submit says what the job works on, and how. A job whose time has come takes the argument and the options of later submits until it is
/// granted, and is not delayed again. Of a submit and a delay of the job by command the later one says when its time comes. No step of the wall
/// clock moves any of that.
public struct Debounce: Hashable, Sendable {
    /// How long nobody may have submitted with the key, in whole milliseconds from 1 up to `longestWait`.
    public var quiet: Duration
    /// How far from the acceptance of the job later submits move its time, in whole milliseconds: at least `quiet`, at most `longestWait`.
    public var longest: Duration

    /// The most that both can be.
    package static let longestWait = JobTime.longest
    /// The longest wait is so many quiet times where it is not given: work that is asked for all the time is done now and then all the same.
    private static let usualQuietTimes = 10

    /// By default the longest wait is ten times the quiet time, and no more than it can be.
    public init(quiet: Duration, longest: Duration? = nil) {
        self.quiet = quiet
        // What is far too long is a fault, and no overflow.
        self.longest = longest ?? (quiet > Self.longestWait ? quiet : min(quiet * Self.usualQuietTimes, Self.longestWait))
    }

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        guard quiet >= .milliseconds(1), quiet <= Self.longestWait else {
            return "a debounced key is to be quiet for 1 ms to \(JobTime.longestText)"
        }
        guard longest >= quiet, longest <= Self.longestWait else {
            return
                "the longest wait of a debounced job is at least the quiet time of its key (\(quiet.line)) and at most \(JobTime.longestText)"
        }
        return nil
    }

    /// As words for people.
    package var line: String { "debounced: at most \(longest.line), once nobody has submitted for \(quiet.line)" }

    /// When the time of a job comes that was accepted at `since` and is submitted again now, by the clock of lengths in milliseconds.
    package func time(since: Int64, at now: Int64) -> Int64 {
        min(now.addingClamped(quiet.millisecondsRoundedUp), since.addingClamped(longest.millisecondsRoundedUp))
    }
}

/// What became of a job that was submitted.
public enum JobAcceptance: Hashable, Sendable {
    /// It is a new job.
    case new
    /// Its unique key is that of a job with the same argument and options, which stands for it.
    case joined
    /// Its unique key is that of a job that was never granted, which has its argument and options from now on, and a later time where it is debounced.
    case replaced
}
