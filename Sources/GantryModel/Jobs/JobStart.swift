//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

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
