//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Whose jobs are granted no more while they are paused.
public enum PauseTarget: Hashable, Sendable, CustomStringConvertible {
    /// Those of every loader.
    case everything
    /// Those of one loader.
    case loader(String)

    /// As people read it: the loader's name, or `all loaders`.
    public var description: String {
        switch self {
        case .everything: "all loaders"
        case .loader(let name): name
        }
    }

    /// The loader's name; empty: every loader.
    package var loader: String {
        switch self {
        case .everything: ""
        case .loader(let name): name
        }
    }

    /// The target of a name; empty: every loader.
    package init(_ loader: String) { self = loader.isEmpty ? .everything : .loader(loader) }
}

/// A pause, as observers see it: from then on no job of its target is granted. Those that workers hold go on.
public struct Pause: Hashable, Sendable {
    /// Whose jobs wait.
    public var target: PauseTarget
    /// The label of the client that asked for it.
    public var by: String
    /// Why, in the words of who asked; empty: they gave no reason.
    public var reason: String
    /// Since when.
    public var since: WallTime
    /// When it ends by itself; nil: when somebody ends it.
    public var until: WallTime?

    /// Longest reason, in bytes.
    public static let reasonByteCount = 256
    /// Longest length.
    public static let longest = Duration.seconds(365 * 86_400)

    /// A pause of that target.
    package init(_ target: PauseTarget, by label: String, reason: String, since: WallTime, until: WallTime? = nil) {
        (self.target, by, self.reason, self.since, self.until) = (target, label, reason, since, until)
    }
}

extension Pause {
    /// One phrase for people.
    package var line: String {
        let who = by.isEmpty ? "" : " by \(by)"
        let end = until.map { " until \($0.rfc3339)" } ?? ""
        let what = target == .everything ? "all loaders are paused" : "the loader \(target) is paused"
        return what + who + end + (reason.isEmpty ? "" : ": \(reason)")
    }
}

/// What a request asks of the pauses.
///
/// All that is known of a kind of such request without looking at the front stands in this file, so that a new one is described only here.
package enum PauseRequest: Hashable, Sendable {
    /// No job of the target is granted from now on, for that length; nil: until somebody ends it. It takes the place of an earlier pause.
    case begin(PauseTarget, reason: String, length: Duration?)
    /// Jobs of the target are granted again.
    case end(PauseTarget)

    /// What is wrong with it, as a sentence; nil: nothing.
    package var fault: String? {
        if case .loader(let name) = target, !PlainName.isName(name) {
            return "\"\(name.cut(to: MessageBounds.labelByteCount))\" cannot name a loader: \(PlainName.rule)"
        }
        guard case .begin(_, let reason, let length) = self else { return nil }
        guard reason.utf8.count <= Pause.reasonByteCount else {
            return "the reason of a pause has at most \(Pause.reasonByteCount) bytes, not \(reason.utf8.count)"
        }
        guard !reason.hasControlCharacters else {
            return "the reason of a pause has no control characters"
        }
        guard let length else { return nil }
        return length > .zero && length <= Pause.longest ? nil : "a pause lasts 1 ms to 365 days, not \(length)"
    }

    /// Whose jobs are meant.
    package var target: PauseTarget {
        switch self {
        case .begin(let target, _, _), .end(let target): target
        }
    }

    /// Bytes of what it carries: what bounds of memory count beside its place.
    var byteCount: Int {
        switch self {
        case .begin(let target, let reason, _): target.loader.utf8.count + reason.utf8.count
        case .end(let target): target.loader.utf8.count
        }
    }

    /// Adds what is asked.
    func add(to print: inout Fingerprint) {
        print.add(target.loader)
        guard case .begin(_, let reason, let length) = self else { return }
        print.add(reason)
        print.add(length.map { UInt64(bitPattern: $0.millisecondsRoundedUp) })
    }

    /// The number of the request's field in `gantry.proto`.
    var kindNumber: UInt8 {
        switch self {
        case .begin: 32
        case .end: 33
        }
    }
}
