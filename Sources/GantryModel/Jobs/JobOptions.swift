//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How a job is to be run, as its submitter chooses. It is passed on as one value, from the command line to the journal and to observers of
/// the job, and compared, counted and written as one.
///
/// A new option is a field here, with its rule in `fault`, its share of `byteCount`, of `line`, of `differences` and of the fingerprint, and its
/// field of `JobOptions` in `gantry.proto`.
public struct JobOptions: Hashable, Sendable {
    /// 0 to 9, 9 most urgent: a level is worth a minute of waiting.
    public var priority: UInt8
    /// Whether nobody is shown what it works on, but its loader.
    public var hasSecretArgument = false
    /// `attemptTimeout` in milliseconds, 0: none; beside the priority, where it takes no room of its own.
    private var attemptMilliseconds: UInt32 = 0
    /// Labels to find the job by, in the order given, each once: at most `tagLimit` of 1 to `tagByteCount` bytes, without commas and control
    /// characters. They change nothing of how it is run.
    public var tags: [String]
    /// From when on it may be granted. A job that is known has none: it is scheduled, or its time has come.
    public var start: JobStart
    /// How often it is tried where its loader fails. Jobs of feeds have one attempt. Once it is accepted, with what the rule of its loader adds.
    public var retry: RetryRule
    /// The limits that it counts in, each once: at most `limitKeyLimit`. It runs only while each of them has room for it.
    public var limitKeys: [LimitKey]
    /// The ended job that this one repeats; nil: none. It changes nothing of how it is run. Where loader and argument are the same, whoever repeats all
    /// jobs that have failed passes over that one.
    public var retryOf: JobID?
    /// At most one: hardly any job has a key, and options that a job has for itself are kept as often as there are such jobs.
    private var uniqueKeys: [UniqueKey]
    /// At most one, likewise: when it ends if it has not by then.
    private var endings: [JobEnding] = []

    /// Most tags of a job.
    package static let tagLimit = 8
    /// Longest tag, in bytes.
    package static let tagByteCount = 64
    /// Most limits of a job.
    package static let limitKeyLimit = 4
    /// The most that an attempt's time can be.
    package static let longestAttempt = JobTime.longest

    /// Options; those that are not named are the usual ones.
    public init(
        priority: UInt8 = JobPriority.usual, tags: [String] = [], start: JobStart = .now, retry: RetryRule = RetryRule(),
        attemptTimeout: Duration? = nil, limitKeys: [LimitKey] = [], retryOf: JobID? = nil, uniqueKey: UniqueKey? = nil,
        expiresAt: WallTime? = nil, totalTimeout: Duration? = nil, hasSecretArgument: Bool = false
    ) {
        self.priority = priority
        self.tags = tags
        self.start = start
        self.retry = retry
        self.limitKeys = limitKeys
        self.retryOf = retryOf
        self.hasSecretArgument = hasSecretArgument
        uniqueKeys = uniqueKey.map { [$0] } ?? []
        self.attemptTimeout = attemptTimeout
        ending = JobEnding(expiresAt: expiresAt, totalTimeout: totalTimeout)
    }

    /// When it ends as `expired` if it has never started by then, be it that it is scheduled, paused or waits for a limit: a point of the wall clock, as it
    /// is set at that time, at most a year ahead; nil: it does not expire. A job that has started once does not expire any more.
    public var expiresAt: WallTime? {
        get { ending.expiresAt }
        set { ending.expiresAt = newValue }
    }

    /// How long it may take in all, from its acceptance, or from when its time comes first, to its end: waiting and the pauses between attempts
    /// included, in whole milliseconds up to 30 days; nil: as long as it does. Then it fails with `timedOut` for good, a running one once it was stopped.
    public var totalTimeout: Duration? {
        get { ending.totalTimeout }
        set { ending.totalTimeout = newValue }
    }

    /// Both together.
    package var ending: JobEnding {
        get { endings.first ?? JobEnding() }
        set { endings = newValue == JobEnding() ? [] : [newValue] }
    }

    /// The key that it has alone among the jobs of its loader; nil: none. Such a job is submitted alone.
    public var uniqueKey: UniqueKey? {
        get { uniqueKeys.first }
        set { uniqueKeys = newValue.map { [$0] } ?? [] }
    }

    /// How long one attempt may run before its loader is asked to stop, in whole milliseconds, at most `longestAttempt`; nil: as long as it does. Then
    /// the attempt has failed with `timedOut`. It counts from the start at the worker; jobs of bulk loaders are short, and have none.
    public var attemptTimeout: Duration? {
        get { attemptMilliseconds == 0 ? nil : .milliseconds(Int64(attemptMilliseconds)) }
        // No time at all is none that an attempt can have, as one that is too long.
        set { attemptMilliseconds = newValue.map { $0 > .zero ? UInt32(clamping: $0.millisecondsRoundedUp) : .max } ?? 0 }
    }

    /// What is wrong with them, as a sentence; nil: nothing. Check this for all options that come from outside.
    package var fault: String? {
        guard priority <= JobPriority.highest else { return "a priority is 0 to \(JobPriority.highest), not \(priority)" }
        guard textByteCount <= MessageBounds.optionsByteCount else {
            return "the options of a job have at most \(MessageBounds.optionsByteCount.grouped) bytes, not \(textByteCount)"
        }
        // Two answers to when it starts.
        if start != .now, uniqueKey?.mode == .debounce {
            return "a debounced job starts once its key was quiet: leave its delay or its time out, or the debounce"
        }
        if start != .now, uniqueKey?.mode == .buffer {
            return "a job with a key of the mode buffer starts behind the one before it: leave its delay or its time out, or the mode"
        }
        return start.fault(at: nil) ?? retry.fault ?? faultOfTimeout ?? endings.first?.fault(of: start, at: nil) ?? faultOfLimits
            ?? uniqueKeys.first?.fault ?? faultOfTags
    }

    private var faultOfTimeout: String? {
        guard let attemptTimeout, attemptTimeout > Self.longestAttempt else { return nil }
        return "an attempt may take 1 ms to \(JobTime.longestText)"
    }

    private var faultOfLimits: String? {
        guard limitKeys.count <= Self.limitKeyLimit else {
            return "a job counts in at most \(Self.limitKeyLimit) limits, not \(limitKeys.count)"
        }
        for (index, key) in limitKeys.enumerated() {
            if let fault = key.fault { return fault }
            guard !limitKeys[..<index].contains(where: { $0.limit == key.limit }) else {
                return "a job names each limit once, not \"\(key.limit)\" twice"
            }
        }
        return nil
    }

    private var faultOfTags: String? {
        guard tags.count <= Self.tagLimit else { return "a job has at most \(Self.tagLimit) tags, not \(tags.count)" }
        for (index, tag) in tags.enumerated() {
            guard (1...Self.tagByteCount).contains(tag.utf8.count) else {
                return "a tag has 1 to \(Self.tagByteCount) bytes, not \(tag.utf8.count)"
            }
            // What cannot be shown is not repeated here either.
            guard !tag.hasControlCharacters else {
                return "a tag has no control characters"
            }
            guard !tag.utf8.contains(UInt8(ascii: ",")) else { return "a tag has no comma, unlike \"\(tag)\"" }
            guard !tags[..<index].contains(tag) else { return "a job has each tag once, not \"\(tag)\" twice" }
        }
        return nil
    }

    /// Bytes of the texts in them, and of the rules by code.
    package var byteCount: Int { textByteCount + retry.codes.reduce(0) { $0 + $1.byteCount } }

    /// Bytes of the texts that are free. There are only so many failure codes, and the loader's rule may add some.
    private var textByteCount: Int {
        let names = limitKeys.reduce(tags.reduce(0) { $0 + $1.utf8.count }) { $0 + $1.limit.utf8.count + $1.value.utf8.count }
        return names + (uniqueKeys.first?.text.utf8.count ?? 0)
    }

    /// The options as a line for people.
    package var line: String {
        let timeout = attemptTimeout.map { "each attempt at most \($0.line)" }
        let repeats = retryOf.map { "as a retry of job \($0)" }
        let secret = hasSecretArgument ? "a secret argument" : nil
        let parts = [tagLine, start.line, retry.line, timeout] + ending.lines + [limitLine, uniqueKey?.line, secret, repeats]
        return (["priority \(priority)"] + parts.compactMap { $0 }).joined(separator: ", ")
    }

    /// What lasts of them with the job: all but its start, for each job has a time of its own.
    package var lasting: JobOptions {
        var lasting = self
        lasting.start = .now
        return lasting
    }

    /// When its time comes first: one with a debounced key waits for that to be quiet.
    package var firstStart: JobStart { uniqueKey?.debounce.map { .after($0.quiet) } ?? start }

    /// Those of a new job that repeats one with these. Its time to expire is over, or nearly so.
    package func repeating(_ job: JobID) -> JobOptions {
        var options = self
        (options.retryOf, options.expiresAt) = (job, nil)
        return options
    }

    /// What many jobs may have in common of what lasts: a unique key is one job's own.
    package var shared: JobOptions {
        var shared = lasting
        if !uniqueKeys.isEmpty { shared.uniqueKeys = [] }
        return shared
    }

    /// The tags for people; nil: there are none.
    package var tagLine: String? { tags.isEmpty ? nil : (tags.count == 1 ? "tag " : "tags ") + tags.joined(separator: ", ") }

    /// The limits for people; nil: there are none.
    package var limitLine: String? {
        limitKeys.isEmpty ? nil : (limitKeys.count == 1 ? "limit " : "limits ") + limitKeys.map(\.text).joined(separator: ", ")
    }

    /// What of them makes a job other work than one with those, under the same unique key, as phrases: see `UniqueKey.fingerprint`. A job that is
    /// known has no start any more, so that is not compared.
    package func differences(from other: JobOptions) -> [String] {
        func limits(_ options: JobOptions) -> [LimitKey] { options.limitKeys.filter { $0 != LimitKey($0.limit) } }
        func rule(_ options: JobOptions) -> UniqueKey? {
            var key = options.uniqueKey
            key?.text = ""
            return key
        }
        return [
            priority == other.priority ? nil : "priority \(priority) instead of \(other.priority)", tags == other.tags ? nil : "other tags",
            retry == other.retry ? nil : "other attempts or pauses between them",
            attemptTimeout == other.attemptTimeout ? nil : "another time for an attempt",
            totalTimeout == other.totalTimeout ? nil : "another time in all", limits(self) == limits(other) ? nil : "other limits",
            rule(self) == rule(other) ? nil : "another rule of its key",
            hasSecretArgument == other.hasSecretArgument ? nil : hasSecretArgument ? "a secret argument" : "no secret argument",
        ].compactMap { $0 }
    }

    /// Their share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        print.add(UInt64(priority))
        print.add(UInt64(tags.count))
        for tag in tags { print.add(tag) }
        start.add(to: &print)
        retry.add(to: &print)
        print.add(attemptTimeout.map { UInt64(bitPattern: $0.wholeMilliseconds) })
        print.add(UInt64(limitKeys.count))
        for key in limitKeys { key.add(to: &print) }
        print.add(retryOf?.rawValue)
        uniqueKeys.first?.add(to: &print)
        endings.first?.add(to: &print)
        if hasSecretArgument { print.add("secret argument") }
    }
}

/// The priorities that have a name; any number from 0 to `highest` is valid.
public enum JobPriority {
    /// The most urgent one; the least urgent one is 0.
    package static let highest: UInt8 = 9
    /// That of a job for which none is asked.
    public static let usual: UInt8 = 5
    /// That of what a person looks at a view for: it goes before the usual, and leaves room for what is more urgent still.
    package static let ofViews: UInt8 = 7
}

/// What many jobs have in common: the client that submitted them, and how they are to be run. The front keeps each once, however many
/// jobs have it.
package struct JobTerms: Hashable, Sendable {
    /// The client that asked.
    package var asker: Asker
    /// How the jobs are to be run.
    package var options: JobOptions

    /// A client by its two names.
    package struct Asker: Hashable, Sendable {
        /// For people; empty: the front itself, or a client without a label.
        package var label: String
        /// Under which its jobs share the workers with those of others; empty: as all without a name do.
        package var client: String

        /// A client, or the front.
        package init(label: String = "", client: String = "") { (self.label, self.client) = (label, client) }

        /// Bytes of both.
        package var byteCount: Int { label.utf8.count + client.utf8.count }
    }

    /// Those of a client, or of nobody with the usual options.
    package init(_ asker: Asker = Asker(), options: JobOptions = JobOptions()) {
        self.asker = asker
        self.options = options
    }

    /// Bytes of the texts in them.
    package var byteCount: Int { asker.byteCount + options.byteCount }
}

/// On whose behalf jobs are accepted.
package enum Submitter: Hashable, Sendable {
    /// A client, in that session. The session may be over by now.
    case session(SessionID)
    /// A schedule, by its name: one of its occurrences was due.
    case schedule(String)
    /// Another job, while it ran.
    case parent(JobID)
    /// The front, by itself: nobody asked.
    case front

    /// The client of a session; `none`: no client, so it is the front.
    package init(_ session: SessionID) { self = session == .none ? .front : .session(session) }

    /// The session that outcomes may be sent to; `none`: there is none.
    package var session: SessionID {
        switch self {
        case .session(let session): session
        case .schedule, .parent, .front: .none
        }
    }

    /// Bytes of the texts in it.
    package var byteCount: Int {
        switch self {
        case .schedule(let name): name.utf8.count
        case .session, .parent, .front: 0
        }
    }
}

/// From when on a job may be granted. Until then it is scheduled, and stands in no line; its place in line counts from then.
public enum JobStart: Hashable, Sendable {
    /// As soon as it is accepted.
    case now
    /// So long after its acceptance, in whole milliseconds, up to a year. No step of the wall clock moves it, and neither does a restart.
    case after(Duration)
    /// When the wall clock shows that, at most a year ahead; a time that is over is now.
    case at(WallTime)

    /// How far ahead a job may be scheduled.
    package static let furthest = Duration.seconds(365 * 86_400)

    /// What is wrong with it, as a sentence; nil: nothing.
    /// - Parameter now: What the wall clock shows; nil: it is not known here, so that a time is taken as it is.
    package func fault(at now: WallTime?) -> String? {
        switch self {
        case .now: nil
        case .after(let delay) where delay < .zero: "a delay is not negative"
        case .after(let delay) where delay > Self.furthest: "a delay is at most 365 days"
        case .after: nil
        case .at(let time):
            now.map { time.duration(since: $0) > Self.furthest } ?? false
                ? "\(time.rfc3339) is more than 365 days ahead: choose an earlier time" : nil
        }
    }

    /// As words for people; nil: it starts at once.
    package var line: String? {
        switch self {
        case .now: nil
        case .after(let delay): "after \(delay.line)"
        case .at(let time): "at \(time.rfc3339)"
        }
    }

    /// Its share of a request's fingerprint.
    func add(to print: inout Fingerprint) {
        switch self {
        case .now: break
        case .after(let delay):
            print.add(1)
            print.add(UInt64(bitPattern: delay.wholeMilliseconds))
        case .at(let time):
            print.add(2)
            print.add(UInt64(bitPattern: time.milliseconds))
        }
    }
}

/// When the time of a scheduled job comes, as the front keeps it.
package enum JobDue: Hashable, Sendable {
    /// When the clock of lengths shows that, in milliseconds: the end of a delay.
    case length(Int64)
    /// When the wall clock shows that.
    case point(WallTime)
}
