//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What is granted no more while it is paused.
package enum PauseTarget: Hashable, Sendable, CustomStringConvertible {
    /// Jobs of every loader.
    case everything
    /// Those of one loader.
    case loader(String)
    /// Those that a limit of that group would count: of its loaders, and of its feeds those that ask their source.
    case group(String)
    /// Jobs to the workers of that name.
    case worker(String)

    /// As people read it: the loader's name, `all loaders`, or `group` or `worker` and the name.
    package var description: String {
        switch self {
        case .everything: "all loaders"
        case .loader(let name): name
        case .group(let name): "group \(name)"
        case .worker(let name): "worker \(name)"
        }
    }

    /// The loader's name; empty: it is every loader, a group or a worker.
    package var loader: String { if case .loader(let name) = self { name } else { "" } }

    /// The group's name; empty: it is none.
    package var group: String { if case .group(let name) = self { name } else { "" } }

    /// The worker's name; empty: it is none.
    package var worker: String { if case .worker(let name) = self { name } else { "" } }

    /// A worker's or a group's, if there is a name of one, otherwise that of a loader's name; all empty: every loader.
    package init(loader: String, group: String, worker: String) {
        if !worker.isEmpty {
            self = .worker(worker)
        } else if !group.isEmpty {
            self = .group(group)
        } else {
            self = loader.isEmpty ? .everything : .loader(loader)
        }
    }

    /// What tells it from all others, and puts them in order: every loader first. The name of a loader has no slash.
    package var key: String {
        switch self {
        case .everything: ""
        case .loader(let name): name
        case .group(let name): Self.groups + name
        case .worker(let name): Self.workers + name
        }
    }

    /// The target with a key.
    package init(key: String) {
        if key.hasPrefix(Self.workers) {
            self = .worker(String(key.dropFirst(Self.workers.count)))
        } else if key.hasPrefix(Self.groups) {
            self = .group(String(key.dropFirst(Self.groups.count)))
        } else {
            self = key.isEmpty ? .everything : .loader(key)
        }
    }

    private static let (groups, workers) = ("group/", "worker/")

    /// What is wrong with its name, as a sentence; nil: nothing.
    package var fault: String? {
        switch self {
        case .everything: return nil
        case .loader(let name), .group(let name):
            let quoted = name.cut(to: MessageBounds.labelByteCount)
            let what = group.isEmpty ? "loader" : "group"
            return PlainName.isName(name) ? nil : "\"\(quoted)\" cannot name a \(what): \(PlainName.rule)"
        case .worker(let name):
            guard !name.isEmpty else { return "a pause of a worker has its name" }
            guard !name.hasControlCharacters else { return "a worker's name has no control characters" }
            let limit = MessageBounds.labelByteCount
            return name.utf8.count <= limit ? nil : "a worker's name has at most \(limit) bytes, not \(name.utf8.count)"
        }
    }
}

/// The loaders and feeds of a group, by name. Its jobs are those of its loaders, and those that ask the source of one of its feeds.
package struct GroupMembers: Hashable, Sendable {
    /// Its loaders.
    package var loaders: Set<String>
    /// Its feeds.
    package var feeds: Set<String>

    /// A group of these.
    package init(loaders: Set<String> = [], feeds: Set<String> = []) { (self.loaders, self.feeds) = (loaders, feeds) }

    /// How many there are.
    package var count: Int { loaders.count + feeds.count }

    /// Bytes of the names, with a place for each.
    package var byteCount: Int {
        [loaders, feeds].reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8.count + RoughSize.number } }
    }
}

/// A pause, as observers see it: from then on no job of its target is granted. Those that workers hold go on.
public struct Pause: Hashable, Sendable {
    /// Whose jobs wait, or who gets none.
    package var target: PauseTarget
    /// The label of the client that asked for it.
    package var by: String
    /// Why, in the words of who asked; empty: they gave no reason.
    package var reason: String
    /// Since when.
    package var since: WallTime
    /// When it ends by itself; nil: when somebody ends it.
    package var until: WallTime?
    /// Of a group: its loaders, by name. Where it is the reason of a wait they are left out.
    package var loaders: [String]
    /// Of a group: its feeds, by name. Where it is the reason of a wait they are left out.
    package var feeds: [String]

    /// Longest reason, in bytes.
    package static let reasonByteCount = 256
    /// Longest length.
    package static let longest = Duration.seconds(365 * 86_400)

    /// A pause of that target.
    package init(
        _ target: PauseTarget, by label: String, reason: String, since: WallTime, until: WallTime? = nil,
        members: GroupMembers = GroupMembers()
    ) {
        (self.target, by, self.reason, self.since, self.until) = (target, label, reason, since, until)
        (loaders, feeds) = (members.loaders.sorted(), members.feeds.sorted())
    }
}

extension Pause {
    /// One phrase for people.
    package var line: String {
        let who = by.isEmpty ? "" : " by \(by)"
        let end = until.map { " until \($0.rfc3339)" } ?? ""
        let what =
            switch target {
            case .everything: "all loaders are paused"
            case .loader(let name): "the loader \(name) is paused"
            case .group(let name): "the group \(name) is paused"
            case .worker(let name): "the worker \(name) is paused"
            }
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
        if let fault = target.fault { return fault }
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
        case .begin(let target, let reason, _): target.key.utf8.count + reason.utf8.count
        case .end(let target): target.key.utf8.count
        }
    }

    /// Adds what is asked.
    func add(to print: inout Fingerprint) {
        print.add(target.key)
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
