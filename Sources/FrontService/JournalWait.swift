//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Journal
import Model

/// How long a front that starts waits for a journal that somebody else has open: no front, for the data folder is locked, but somebody who
/// copies it or looks at it, and that ends by itself.
struct JournalWait {
    /// What follows a journal that could not be opened.
    enum Next: Equatable {
        /// It is tried again after a pause; people are told once.
        case again(notice: String?)
        /// The front ends.
        case end(FrontServiceError)
    }

    /// Longer than a copy of a usual journal takes. A reader that holds it for longer is no reason to end for good either: whoever watches
    /// over the front starts it again.
    static let limit = Duration.seconds(10)
    /// Between two tries, each of which reads the `-wal` file; nobody is served meanwhile.
    static let pause = Duration.milliseconds(200)

    private let path: String
    private var since: MonotonicTime?

    init(folder: String) { path = folder + "/journal.sqlite" }

    /// - Parameter now: what the monotonic clock shows.
    mutating func next(after error: any Error, at now: MonotonicTime) -> Next {
        guard (error as? JournalError)?.code == .inUse else {
            // Another start finds room once there is some, and a disk that works; damage and another format it would find again.
            let mayPass = (error as? any PassingFault)?.mayPass == true
            return .end(FrontServiceError(mayPass ? .journalFailed : .storage, journal: error))
        }
        guard let since else {
            self.since = now
            return .again(
                notice: """
                    the front waits, up to \(Self.limit.components.seconds) s, for whoever reads or copies \(path), such as sqlite3 or a backup; \
                    who it is says: fuser \(path)
                    """)
        }
        guard now.duration(since: since) < Self.limit else { return .end(FrontServiceError(.journalFailed, journal: error)) }
        return .again(notice: nil)
    }
}
