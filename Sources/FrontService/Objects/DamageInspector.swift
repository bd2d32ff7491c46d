//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFileCache
import GantryModel
import GantryPlatform
import Synchronization

/// Reads suspected objects again, whole, on a thread of its own: an object may have gigabytes, and pages are not to wait for it.
final class DamageInspector: Sendable {
    private struct State {
        var suspects = SuspectObjects()
        var isStopping = false
    }

    /// How long it waits at most where nothing is suspected: whoever names an object wakes it, so this is for a signal that was lost.
    private static let longestWait = Duration.seconds(60)

    private let cache: FileCache
    private let state = Mutex(State())
    private let wake: EventSignal
    private let thread = Mutex<JoinableThread?>(nil)
    private let inspecting = ThreadRun()
    private let onDamage: @Sendable (ObjectDigest) -> Void

    /// An inspector that is not started yet; `onDamage` is called on its thread for each object that stays unreadable.
    init(cache: FileCache, onDamage: @escaping @Sendable (ObjectDigest) -> Void) throws(SystemError) {
        self.cache = cache
        self.onDamage = onDamage
        wake = try EventSignal()
    }

    /// Starts the thread.
    func start() throws(SystemError) {
        try thread.withLock { slot throws(SystemError) in
            _ = inspecting.begin()
            slot = try startThread(name: "damage") { [self] in
                run()
                inspecting.end()
            }
        }
    }

    /// Takes an object that a page failed at; `isPersistent`: nobody can load it again. Any thread may call it.
    func suspect(_ object: ObjectDigest, isPersistent: Bool) {
        state.withLock { $0.suspects.add(object, isPersistent: isPersistent, at: Self.now) }
        wake.signal()
    }

    /// Whether a kept object is looked for that may come back.
    func awaits(_ object: ObjectDigest) -> Bool { state.withLock { $0.suspects.awaits(object) } }

    /// Ends the thread, in the middle of an object if need be, and waits for it, at most so long: a read may hang.
    func stop(atMost limit: Duration) {
        state.withLock { $0.isStopping = true }
        wake.signal()
        if inspecting.wait(atMost: limit) { thread.withLock { $0.take() }?.join() }
    }

    private static var now: MonotonicTime { MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds()) }

    private var isStopping: Bool { state.withLock { $0.isStopping } }

    private func run() {
        while !isStopping {
            if let object = state.withLock({ $0.suspects.due(at: Self.now) }) {
                inspect(object)
            } else {
                let until = state.withLock { $0.suspects.nextReadAt }
                let limit = until.map { max(.zero, $0.duration(since: Self.now)) } ?? Self.longestWait
                _ = try? NumberedDescriptor.waitReadable(wake.fileDescriptor, upTo: limit)
                wake.drain()
            }
        }
    }

    /// What one read of a whole object says of it; nil: the read was ended.
    static func finding(of object: ObjectDigest, in cache: FileCache, goesOn: @escaping () -> Bool = { true }) -> SuspectObjects.Finding? {
        do throws(FileCacheError) {
            try cache.verify(object) { _ in goesOn() }
            return .whole
        } catch {
            return error.code == .cancelled ? nil : finding(after: error, of: object, in: cache)
        }
    }

    /// What a read that failed says of an object: nothing while its folder is away, or while the disk fails at the folder too.
    static func finding(after error: FileCacheError, of object: ObjectDigest, in cache: FileCache) -> SuspectObjects.Finding {
        if [.damaged, .folderInPlace].contains(error.code) { return .failed(.wrong(writtenAt: cache.writtenAt(object))) }
        guard error.reportsDamage, (try? cache.checkFolder()) != nil else { return .unread }
        return .failed(.missing)
    }

    private func inspect(_ object: ObjectDigest) {
        guard let finding = Self.finding(of: object, in: cache, goesOn: { [self] in !isStopping }) else { return }
        let isDamaged = state.withLock { $0.suspects.note(finding, of: object, at: Self.now) }
        if isDamaged { onDamage(object) }
    }
}
