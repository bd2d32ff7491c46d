//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform
import Synchronization

/// Reads pages, each on a thread on which nothing else waits: a read of a disk that does not answer holds up only itself. How many are read at a
/// time is for the caller to say.
final class PageThreads: Sendable {
    /// A page that was read, or why it was not.
    struct Answer: Sendable {
        let client: PageClient
        let reply: PageReply
    }

    private struct State {
        var answers: [Answer] = []
        var idle: [CallThread] = []
        var readingCount = 0
        var hasEnded = false
    }

    /// Threads that stay when there is nothing to read.
    private let idleLimit: Int
    private let wake: EventSignal
    private let read: @Sendable (PageRequest) -> PageReply
    private let state = Mutex(State())
    /// Signaled for each read that ends after `end` was called.
    private let hasRead = MonotonicSemaphore()

    /// - Parameters:
    ///   - wake: is signaled after each answer.
    ///   - read: reads a page; may block for as long as it likes.
    init(idleLimit: Int, wake: EventSignal, read: @escaping @Sendable (PageRequest) -> PageReply) {
        (self.idleLimit, self.wake, self.read) = (idleLimit, wake, read)
    }

    /// Reads a page; its answer is among those that are taken later.
    /// - Throws: the system's error when it has no thread left.
    func begin(_ request: PageRequest, for client: PageClient) throws(SystemError) {
        let idle = state.withLock { $0.idle.popLast() }
        let thread = if let idle { idle } else { try CallThread.start(name: "page") }
        state.withLock { $0.readingCount += 1 }
        thread.make { [self] in
            let reply = read(request)
            let (stays, isAwaited) = state.withLock { state in
                state.answers.append(Answer(client: client, reply: reply))
                state.readingCount -= 1
                let stays = !state.hasEnded && state.idle.count < idleLimit
                if stays { state.idle.append(thread) }
                return (stays, state.hasEnded)
            }
            if !stays { thread.end() }
            wake.signal()
            if isAwaited { hasRead.signal() }
        }
    }

    /// Gives the answers that have come since they were last taken.
    func takeAnswers() -> [Answer] {
        state.withLock { state in
            defer { state.answers.removeAll() }
            return state.answers
        }
    }

    /// Ends the threads and waits for the reads, at most so long: those that hang are left behind.
    func end(atMost limit: Duration) {
        let idle = state.withLock { state in
            state.hasEnded = true
            defer { state.idle.removeAll() }
            return state.idle
        }
        for thread in idle { thread.end() }
        _ = hasRead.wait(upTo: limit) { state.withLock { $0.readingCount == 0 } }
    }
}
