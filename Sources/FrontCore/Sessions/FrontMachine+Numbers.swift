//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model

extension FrontMachine {
    /// Whether a request's number is new; otherwise it has been answered here, by the reply that it had or by why it cannot have one.
    mutating func admitsNumber(of asked: NumberedRequest) -> Bool {
        let (number, lowest, session, peer) = (asked.number, asked.lowestUnanswered, asked.session, asked.peer)
        let window = turn.settings.bounds.requestWindow
        let admission = state.changeReplies(of: session) {
            $0.admit(number, lowest: lowest, fingerprint: asked.fingerprint, window: window)
        }
        switch admission {
        case .run: return true
        case .repeated(let kept): turn.emit(.tell(peer, session, .reply(number: number, kept.reply, feed: kept.feed)))
        case .refused(let fault):
            let reply = self.reply(to: fault, number, lowest)
            turn.emit(.tell(peer, session, .reply(number: number, reply)))
        case nil: break
        }
        return false
    }

    /// Takes what a heartbeat says of replies; one that cannot be is refused, because replies that are still wanted would be forgotten.
    mutating func takeMark(_ lowest: RequestNumber, _ session: SessionID, _ peer: PeerID) {
        guard let fault = state.changeReplies(of: session, { $0.takeMark(lowest) }) ?? nil else { return }
        let refused = Refused(reason: text(of: fault, .none, lowest), code: code(of: fault))
        turn.emit(.tell(peer, session, .refused(refused)))
    }

    private mutating func reply(to fault: AdmissionFault, _ number: RequestNumber, _ lowest: RequestNumber) -> Reply {
        let text = text(of: fault, number, lowest)
        return fault == .outsideWindow ? turn.busy(.requestWindow, text, retryAfter: RetryPause.short) : Reply.refusal(code(of: fault), text)
    }

    private func code(of fault: AdmissionFault) -> FailureCode {
        switch fault {
        case .noNumber, .markAboveNumber, .markAboveSeen, .belowMark: .invalidData
        case .outsideWindow: .busy
        case .otherBody: .conflict
        }
    }

    private func text(of fault: AdmissionFault, _ number: RequestNumber, _ lowest: RequestNumber) -> String {
        switch fault {
        case .noNumber: "a request's number is at least 1"
        case .markAboveNumber: "lowest_unanswered is \(lowest), which is above the request's own number \(number)"
        case .markAboveSeen(let highest): "lowest_unanswered is \(lowest), but no request above \(highest) has come"
        case .belowMark(let mark): "request \(number) is below \(mark), up to which the client said that it has all replies"
        case .outsideWindow:
            "more than \(turn.settings.bounds.requestWindow) requests are unanswered (limit): wait for replies first"
        case .otherBody: "number \(number) of this session was another request: give each request a number of its own"
        }
    }

    /// Why a change may not be made: its client has not said of too many replies that it has them, or was told before that the number did
    /// nothing. Such a refusal is not kept itself.
    mutating func refusalOfKeeping(_ asked: NumberedRequest) -> Reply? {
        let bounds = turn.settings.bounds
        guard let session = state.sessions[asked.session.rawValue] else { return nil }
        guard asked.number.rawValue > session.refusedThrough else {
            let text = "there was no room when request \(asked.number) came, and it did nothing: ask again under a new number"
            return .refusal(.busy, text, retryAfter: RetryPause.short)
        }
        let count = session.keptByteCount
        let limit = state.keptByteCount < bounds.allKeptByteCount ? bounds.keptByteCount : min(bounds.sparedByteCount, bounds.keptByteCount)
        guard count >= limit else { return nil }
        noteRefusal(of: asked)
        let text = "replies of \(count) bytes are kept for this session (limit \(limit)): say in lowest_unanswered which have come"
        return turn.busy(.keptByteCount, text, retryAfter: RetryPause.short)
    }

    /// Why a request that only reads cannot be run now: too many replies are under way, or wait for a client that does not read. A reply that
    /// costs as much as the state is large is held for repeats, so few of those may be under way.
    mutating func refusalOfReading(_ body: RequestBody, _ session: SessionID, _ peer: PeerID) -> Reply? {
        if !body.changesState, fullPeers.contains(peer) {
            return turn.busy(
                .unreadReplies, "replies wait for this client that it has not read (limit): read them first", retryAfter: RetryPause.usual)
        }
        let bounds = turn.settings.bounds
        guard body.effect == .list, let record = state.sessions[session.rawValue] else { return nil }
        guard record.readings < bounds.readingRequests, record.readingByteCount < bounds.readingByteCount else {
            let text =
                "\(record.readings) replies with \(record.readingByteCount) bytes are under way (limit \(bounds.readingRequests) and "
                + "\(bounds.readingByteCount)): say in lowest_unanswered which have come"
            return turn.busy(.readingRequests, text, retryAfter: RetryPause.short)
        }
        return nil
    }
}
