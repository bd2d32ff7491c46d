//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel

/// The feeds that remote feeds of one client are attached to. Several of them at one place are one attachment of the session, which ends
/// with the last of them.
@MainActor
final class FeedAttachments {
    /// A feed and a view of it.
    struct Place: Hashable, Sendable {
        let key: FeedKey
        let view: String
    }

    /// Attaches (true) or detaches (false).
    typealias Send = @Sendable (Bool) async throws(ClientError) -> Void

    private struct AttachmentCount {
        var count = 0
        /// What was last sent to the front.
        var isAttached = false
        /// The request that is under way.
        var notifying: Task<Result<Void, ClientError>, Never>?
        let send: Send
    }

    private var attachments: [Place: AttachmentCount] = [:]

    nonisolated init() {}

    /// How many are at a place.
    func count(at place: Place) -> Int { attachments[place]?.count ?? 0 }

    /// One more is there. Returns when the front knows of somebody there.
    func enter(_ place: Place, _ send: @escaping Send) async throws(ClientError) {
        attachments[place, default: AttachmentCount(send: send)].count += 1
        guard let notifying = notify(place) else { return }
        try await notifying.value.get()
    }

    /// One less is there.
    func leave(_ place: Place) {
        attachments[place]?.count -= 1
        _ = notify(place)
    }

    /// Sends requests until the front has the present state; one at a time, so that none overtakes another.
    private func notify(_ place: Place) -> Task<Result<Void, ClientError>, Never>? {
        guard let attachmentCount = attachments[place] else { return nil }
        if let notifying = attachmentCount.notifying { return notifying }
        guard (attachmentCount.count > 0) != attachmentCount.isAttached else { return nil }
        let notifying = Task { await self.notifyAll(place) }
        attachments[place]?.notifying = notifying
        return notifying
    }

    private func notifyAll(_ place: Place) async -> Result<Void, ClientError> {
        var result: Result<Void, ClientError> = .success(())
        while let attachmentCount = attachments[place], (attachmentCount.count > 0) != attachmentCount.isAttached {
            let isPresent = attachmentCount.count > 0
            do throws(ClientError) {
                try await attachmentCount.send(isPresent)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // A detach without an answer is over too: the session itself keeps no attachment any more.
            if case .failure = result, isPresent { break }
            attachments[place]?.isAttached = isPresent
        }
        attachments[place]?.notifying = nil
        if attachments[place]?.count == 0, attachments[place]?.isAttached == false { attachments[place] = nil }
        return result
    }
}
