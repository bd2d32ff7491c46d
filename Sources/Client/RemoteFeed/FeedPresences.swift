//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

/// The feeds that remote feeds of one client wish to be kept. Several of them at one place are one attachment of the session, which ends
/// with the last of them.
@MainActor
final class FeedPresences {
    /// A feed and a view of it.
    struct Place: Hashable, Sendable {
        let key: FeedKey
        let view: String
    }

    /// Attaches (true) or detaches (false).
    typealias Send = @Sendable (Bool) async throws(ClientError) -> Void

    private struct Presence {
        var count = 0
        /// What the front was told last.
        var isAttached = false
        /// The telling that is under way.
        var telling: Task<Result<Void, ClientError>, Never>?
        let send: Send
    }

    private var presences: [Place: Presence] = [:]

    nonisolated init() {}

    /// How many are at a place.
    func count(at place: Place) -> Int { presences[place]?.count ?? 0 }

    /// One more is there. Returns when the front knows of somebody there.
    func enter(_ place: Place, _ send: @escaping Send) async throws(ClientError) {
        presences[place, default: Presence(send: send)].count += 1
        guard let telling = tell(place) else { return }
        try await telling.value.get()
    }

    /// One less is there.
    func leave(_ place: Place) {
        presences[place]?.count -= 1
        _ = tell(place)
    }

    /// Tells the front until it knows what is the case; one telling at a time, so that none overtakes another.
    private func tell(_ place: Place) -> Task<Result<Void, ClientError>, Never>? {
        guard let presence = presences[place] else { return nil }
        if let telling = presence.telling { return telling }
        guard (presence.count > 0) != presence.isAttached else { return nil }
        let telling = Task { await self.tellAll(place) }
        presences[place]?.telling = telling
        return telling
    }

    private func tellAll(_ place: Place) async -> Result<Void, ClientError> {
        var result: Result<Void, ClientError> = .success(())
        while let presence = presences[place], (presence.count > 0) != presence.isAttached {
            let isPresent = presence.count > 0
            do throws(ClientError) {
                try await presence.send(isPresent)
                result = .success(())
            } catch {
                result = .failure(error)
            }
            // A detaching that got no answer is over too: the session itself keeps no wish any more.
            if case .failure = result, isPresent { break }
            presences[place]?.isAttached = isPresent
        }
        presences[place]?.telling = nil
        if presences[place]?.count == 0, presences[place]?.isAttached == false { presences[place] = nil }
        return result
    }
}
