//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Dispatch
import FrontCore
import GantryAuditRecord
import GantryModel
import GantryPlatform
import GantryZMQ
import Synchronization

/// Which processes of this machine have ended, as the kernel says. Used by the thread of the front's loop.
///
/// A process is distinguished from a later one with its number by its start time. Where the kernel or a filter of system calls does
/// not let the front look, no end is reported.
final class ProcessWatch {
    private let exits: ExitWatch?
    /// What numbers of processes count in here; empty: unknown.
    private let namespace: String
    private var tokens: [ProcessIdentity: UInt64] = [:]
    private var watched: [UInt64: ProcessIdentity] = [:]
    private var lastToken: UInt64 = 0
    /// Those that were gone when they were to be watched.
    private var gone: [ProcessIdentity] = []
    /// Processes that were looked up, by number: it is asked with each frame. One that is out of date proves nothing for who has its number now.
    private var known: [Int32: ProcessIdentity] = [:]
    private static let knownLimit = 4_096

    init() {
        exits = try? ExitWatch()
        namespace = (try? HostInformation.processNamespace()) ?? ""
    }

    /// For a poller: readable when a watched process has ended; nil: nothing can be watched.
    var fileDescriptor: Int32? { exits?.fileDescriptor }

    /// Whether something is to be said although the descriptor is not readable.
    var hasGone: Bool { !gone.isEmpty }

    /// The process that has a number now; nil: unknown.
    func identity(of number: Int32) -> ProcessIdentity? {
        if let process = known[number] { return process }
        guard !namespace.isEmpty, let process = ProcessID(rawValue: number), let start = try? HostInformation.processStart(of: process)
        else { return nil }
        let identity = ProcessIdentity(namespace: namespace, number: UInt32(number), start: start)
        if known.count >= Self.knownLimit { known.removeAll() }
        known[number] = identity
        return identity
    }

    /// Waits for the end of a process.
    func watch(_ process: ProcessIdentity) {
        guard let exits, !namespace.isEmpty, process.namespace == namespace, tokens[process] == nil,
            let id = ProcessID(rawValue: Int32(truncatingIfNeeded: process.number))
        else { return }
        lastToken += 1
        do throws(SystemError) {
            try exits.watch(id, as: lastToken)
        } catch {
            if error.code == .noSuchProcess { gone.append(process) }
            return
        }
        // Looked at after its descriptor is held: an end between the two is seen by that.
        if let start = try? HostInformation.processStart(of: id), start != process.start {
            exits.unwatch(lastToken)
            gone.append(process)
            return
        }
        tokens[process] = lastToken
        watched[lastToken] = process
    }

    /// Waits for its end no longer.
    func unwatch(_ process: ProcessIdentity) {
        known[Int32(truncatingIfNeeded: process.number)] = nil
        gone.removeAll { $0 == process }
        guard let token = tokens.removeValue(forKey: process) else { return }
        watched[token] = nil
        exits?.unwatch(token)
    }

    /// A watched process that has ended; nil: no other one.
    func takeEnded() -> ProcessIdentity? {
        if let process = gone.popLast() { return process }
        guard let token = exits?.takeEnded(), let process = watched.removeValue(forKey: token) else { return nil }
        tokens[process] = nil
        known[Int32(truncatingIfNeeded: process.number)] = nil
        return process
    }
}

/// Who may use the front over ipc: its own user and root. The kernel names the sender of each message, so a reused routing id gives no
/// rights.
struct PeerGate: Sendable {
    let ownUserID: UInt32

    /// The gate of this process's user.
    static var ownUser: Self { Self(ownUserID: ProcessControl.userID) }

    /// What a peer may do; nothing: what it sends is not looked at. Nil credentials: it did not come over ipc.
    func rights(of credentials: PeerCredentials?, at channel: FrontChannel) -> Rights {
        .of(channel, userID: credentials?.userID, owner: ownUserID)
    }

    /// Whether a request for a page is looked at: pages are asked for with the rights of requests, and who may observe may read them.
    func admits(_ credentials: PeerCredentials?) -> Bool { rights(of: credentials, at: .clients).contains(.observe) }
}

/// Who may read pages: over ipc the users of the front, over TCP clients with its token.
struct PageGate: Sendable {
    let peers: PeerGate
    /// The token that requests over TCP must carry; nil: none.
    let token: SharedToken?

    /// Why a request is not read; nil: it is.
    func refusal(of request: PageRequest) -> PageReply? {
        guard let token, !token.admits(request.token) else { return nil }
        let text = "the token is not that of this front: send the content of DATA/run/token with each request for a page"
        return PageReply(number: request.number, failure: Failure(code: .notAuthorized, text: text))
    }
}

/// Writes down when the front has seen that a worker's process had ended. From then on it may give the permits of that worker's runs to others, so
/// without this line those runs would count as running beside them.
///
/// The time is taken on the thread of the loop, the line is written on another one: a disk that hangs holds up no turn.
final class WorkerEnds: Sendable {
    /// Ends that may wait to be written: beyond it the runs of a worker count until its lease is over. More workers are not registered at once.
    private static let limit = 1_024

    private let recorder: EndRecorder
    private let queue = DispatchQueue(label: "gantry-ends")
    private let waiting = Mutex(0)

    init(folder: String) { recorder = EndRecorder(folder: folder + "/audit", role: .front) }

    /// A process has ended.
    func note(_ process: ProcessIdentity) {
        let (boot, wall) = (SystemClock.bootNanoseconds(), WallTime(milliseconds: SystemClock.wallMilliseconds()))
        let hasRoom = waiting.withLock { count in
            guard count < Self.limit else { return false }
            count += 1
            return true
        }
        guard hasRoom else { return }
        queue.async { [self] in
            recorder.note(process, how: "seen by the front", boot: boot, wall: wall)
            waiting.withLock { $0 -= 1 }
        }
    }
}
