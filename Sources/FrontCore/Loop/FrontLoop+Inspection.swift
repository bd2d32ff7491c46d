//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import Model

/// For whoever checks the loop from outside: nothing here is used while serving.
extension FrontLoop {
    /// What an item of a topic is now; nil: there is none.
    package func item(_ key: String, of topic: Topic) -> ItemValue? { machine.item(key, of: topic) }

    /// The keys of a topic's items as they are now.
    package func itemKeys(of topic: Topic) -> [String] { machine.itemKeys(of: topic) }

    /// The machine as it is now.
    package var present: FrontMachine { machine }

    /// Whether some of these entries are in no row yet.
    package var hasUnwrittenFacts: Bool { !gathered.facts.isEmpty }

    /// Bytes of frames that were read from workers and are not opened, and the same of clients.
    package var inboxByteCounts: [Int] {
        [workerInbox.unopenedByteCount, clientInbox.unopenedByteCount]
    }

    /// Bytes that wait for all slow peers.
    package var outboxByteCount: Int { outboxesByteCount }

    /// Bytes that wait for the slowest peer.
    package var largestOutboxByteCount: Int { outboxes.values.map(\.byteCount).max() ?? 0 }
}
