//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import DequeModule
import GantryFileCache
import GantryModel
import GantryPlatform
import Synchronization

/// Objects of which a page could not be read, until they are dropped or read well.
///
/// One failed read says little: a disk may answer the next time, a folder may be away for a moment, a file may just have been replaced. A
/// dropped object is replaced by an older version for good, so an object is first read again, whole and by a handle of its own, with a
/// pause before each read. Bytes that are wrong twice are damage, and so is a cached object that is not there twice: it can be loaded
/// again. A kept one that is not there is waited for. Times are those of one clock, given by the caller.
struct SuspectObjects {
    private struct Suspect {
        let object: ObjectDigest
        let isPersistent: Bool
        /// Reads that did not find it whole.
        var reads = 0
        /// What the last read of a folder that works found.
        var fault: Fault?
        /// Since when it is a kept one that is missing; a read that cannot tell ends that.
        var missingSince: MonotonicTime?
        var readAt: MonotonicTime

        mutating func isGivenUp(by fault: Fault, at now: MonotonicTime) -> Bool {
            defer { self.fault = fault }
            guard fault == .missing, isPersistent else {
                missingSince = nil
                // Looked at again soon, however long the object was waited for.
                reads = 0
                return self.fault == fault
            }
            let since = missingSince ?? now
            missingSince = since
            return now.duration(since: since) >= SuspectObjects.gracePeriod
        }
    }

    /// What is wrong with an object of a folder that is the right one and can be read.
    enum Fault: Hashable {
        /// Its bytes are not what its name says. A file that is written at another instant each time is one on its way.
        case wrong(writtenAt: WallTime?)
        /// It is not there, or the disk fails at it alone.
        case missing
    }

    /// What a read of the whole object said.
    enum Finding: Hashable {
        /// It is what its name says.
        case whole
        /// It is not.
        case failed(Fault)
        /// It cannot be read now: its folder is away, for example, or descriptors are wanting; that says nothing of it.
        case unread
    }

    /// Suspects at most, of kept and of other objects each; further ones come again with the next page that is asked for.
    static let limit = 256
    /// Before each read, the last one also before all further: a second for what passes by itself, three more for a folder that is put back.
    static let pauses: [Duration] = [.seconds(1), .seconds(3), .seconds(10), .seconds(30)]
    /// How long a kept object must be missing from a folder that is there and works, without a break, until it is dropped: a restore of its
    /// files may be under way.
    static let gracePeriod = Duration.seconds(600)

    private var suspects: Deque<Suspect> = []

    /// When the next read is due; nil: none is.
    var nextReadAt: MonotonicTime? { suspects.map(\.readAt).min() }

    /// Takes an object that a page failed at, `isPersistent` if nobody can load it again; one that is suspected already stays as it is.
    mutating func add(_ object: ObjectDigest, isPersistent: Bool, at now: MonotonicTime) {
        guard suspects.count(where: { $0.isPersistent == isPersistent }) < Self.limit, !suspects.contains(where: { $0.object == object })
        else {
            return
        }
        suspects.append(Suspect(object: object, isPersistent: isPersistent, readAt: now.advanced(by: Self.pauses[0])))
    }

    /// Whether a kept object is suspected: if it is not there, it may come back.
    func awaits(_ object: ObjectDigest) -> Bool { suspects.contains { $0.isPersistent && $0.object == object } }

    /// An object that is to be read now.
    func due(at now: MonotonicTime) -> ObjectDigest? { suspects.first { $0.readAt <= now }?.object }

    /// Notes what the read of a due object said; true: it is to be dropped, and suspected no longer.
    mutating func note(_ finding: Finding, of object: ObjectDigest, at now: MonotonicTime) -> Bool {
        guard let index = suspects.firstIndex(where: { $0.object == object }) else { return false }
        switch finding {
        case .whole:
            suspects.remove(at: index)
            return false
        case .unread:
            suspects[index].missingSince = nil
            readLater(index, after: now)
            return false
        case .failed(let fault):
            let isGivenUp = suspects[index].isGivenUp(by: fault, at: now)
            if isGivenUp { suspects.remove(at: index) } else { readLater(index, after: now) }
            return isGivenUp
        }
    }

    private mutating func readLater(_ index: Int, after now: MonotonicTime) {
        suspects[index].reads += 1
        suspects[index].readAt = now.advanced(by: Self.pauses[min(suspects[index].reads, Self.pauses.count - 1)])
    }
}

/// Names of objects on their way from another thread to the one that turns the loop. What finds no room comes again with the next page that is asked
/// for.
final class ObjectMailbox: Sendable {
    private static let limit = 64

    private let objects = Mutex<[ObjectDigest]>([])

    /// Puts a name in, once, and wakes the loop. Any thread may call it.
    func put(_ object: ObjectDigest, wake: EventSignal) {
        objects.withLock { if $0.count < Self.limit, !$0.contains(object) { $0.append(object) } }
        wake.signal()
    }

    /// Empties it.
    func take() -> [ObjectDigest] {
        objects.withLock { objects in
            defer { objects = [] }
            return objects
        }
    }
}

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
