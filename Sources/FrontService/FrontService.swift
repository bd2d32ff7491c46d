//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import FrontCore
import GantryFileCache
package import GantryModel
import GantryPlatform
import GantryZMQ
import Synchronization

/// The front as a process: lock, journal, sockets, the thread that turns the loop, and the page service.
///
/// `run` takes a thread over; `stop` ends it from any other.
package final class FrontService<Codec: EnvelopeCodec, Opener: JournalOpener>: Sendable {
    private let settings: FrontServiceSettings
    private let codec: Codec
    private let opener: Opener
    private let wake: EventSignal
    private let isStopping = Mutex(false)
    /// Objects that a page could not be read of, by names that clients may have made up, for the thread of the loop.
    private let suspected = ObjectMailbox()
    /// Objects that stay unreadable, for the thread of the loop.
    private let damaged = ObjectMailbox()
    /// Requests for pages whose number could not be read, for the thread of the loop to count.
    private let malformedPages = Mutex<UInt64>(0)
    /// Why the page service has ended although nobody asked it to; nil: it serves.
    private let pagesEnding = Mutex<ZMQError?>(nil)
    /// How long the end of the front waits for what it has under way: a thread in the middle of a read or a removal, whose folder may be away for
    /// hours, or replies that nobody takes.
    private static var gracePeriod: Duration { .seconds(2) }
    /// What was being done when anything fails that every start needs.
    private static var cannotBegin: String { "the front cannot begin" }
    /// Held for as long as the front works on its data.
    private let lock = Mutex<LockFile?>(nil)

    /// A front that is not started yet.
    ///
    /// - Throws: `unavailable` if the process has no descriptor left.
    package init(settings: FrontServiceSettings, codec: Codec, journal opener: Opener) throws(FrontServiceError) {
        self.settings = settings
        self.codec = codec
        self.opener = opener
        do { wake = try EventSignal() } catch { throw FrontServiceError(Self.cannotBegin, because: error) }
    }

    /// Asks the front to end after the turn that is under way. Any thread may call it.
    package func stop() {
        isStopping.withLock { $0 = true }
        wake.signal()
    }

    /// Runs the front on the calling thread until `stop`, calling `ready` once it serves.
    ///
    /// - Throws: why it could not start or had to end.
    package func run(ready: (FrontReady) -> Void) throws(FrontServiceError) {
        try checkEndpoints()
        // Before the folder is locked: whatever fails then lets go of it, though the front may be there for longer.
        defer { lock.withLock { $0.take() }?.unlock() }
        try lockFolder()
        try FrontFolder.checkJournal(settings.folder)
        let cache = try openCache()
        guard let journal = try openJournal() else { return }
        noteStart()
        let context = try makeContext()
        let pages = try startPages(context, cache)
        var random = SystemRandomNumberGenerator()
        let sessionKey = SessionKey(random.next(), random.next())
        var front = FrontSettings(front: journal.frontID, epoch: journal.epoch, sessionKey: sessionKey)
        front.token = settings.token
        front.durability = settings.durability
        front.boot = Self.bootInstant()
        front.feeds = settings.feeds
        front.flow = settings.flow
        front.version = settings.version
        front.bounds = settings.bounds
        front.bounds.retention = settings.retention
        front.fullDiskText =
            "\(WaitReason.storageFull.line), less than \(opener.ballastByteCount >> 20) MiB at \(opener.place)"
        front.changesEndpoint = settings.endpoints.changes
        front.pagesEndpoint = pages.endpoint
        defer {
            pages.service.stop(atMost: Self.gracePeriod)
            _ = context.terminate(within: Self.gracePeriod)
        }
        try serve(front, journal, context, cache, pages.service, ready)
    }

    private func serve(
        _ front: FrontSettings, _ journal: Opener.Journal, _ context: Context, _ cache: FileCache, _ pages: PageService,
        _ ready: (FrontReady) -> Void
    ) throws(FrontServiceError) {
        let transport: ZeroMQFrontTransport
        let ends = WorkerEnds(folder: settings.folder)
        do {
            transport = try ZeroMQFrontTransport(
                context: context, endpoints: settings.endpoints, wake: wake, onProcessEnd: { ends.note($0) })
        } catch {
            throw FrontServiceError(cannotListen: error)
        }
        var announced = front
        announced.changesEndpoint = transport.boundEndpoints.changes
        var loop = FrontLoop(
            front: announced, loop: settings.loop, transport: transport, journal: journal, clock: SystemFrontClock(), codec: codec)
        loop.onNote = settings.onLoopNote
        do throws(LoopEnding) { try loop.restore() } catch { throw ending(error) }
        establish(cache, keepsLists: loop.keepsLists)
        for group in loop.lostGroups {
            settings.onNotice("the pause of the group \(group) has ended: no loader and no feed of the configuration is in it any more")
        }
        do { try journal.start(onEvent: { [wake] in wake.signal() }) } catch {
            throw FrontServiceError(.storage, journal: error)
        }
        let bound = transport.boundEndpoints
        ready(
            FrontReady(
                front: front.front, epoch: front.epoch,
                endpoints: FrontEndpoints(
                    requests: bound.requests, changes: bound.changes, workers: bound.workers, pages: announced.pagesEndpoint)))
        let collector = ObjectCollector(cache: cache, every: settings.collectPause)
        let meter = makeMeter(cache)
        var crowd = CrowdWatch()
        var reportedFullDisk = false
        while !isStopping.withLock({ $0 }) {
            do throws(LoopEnding) { try loop.turn() } catch { throw ending(error) }
            if let error = pagesEnding.withLock({ $0 }) { throw FrontServiceError(pagesEnded: error) }
            // A name that no feed has was invented, or is dropped already; a flood of such names does not delay the others.
            for object in suspected.take() where loop.names(object) {
                pages.inspect(object, isPersistent: loop.keeps(object))
            }
            for object in damaged.take() { loop.noteDamage(of: object) }
            loop.noteMalformedPages(malformedPages.withLock { exchange(&$0, with: 0) })
            collector.collectIfDue(&loop)
            meter.attend(&loop)
            if loop.storageIsFull != reportedFullDisk {
                reportedFullDisk.toggle()
                settings.onNotice(
                    reportedFullDisk
                        ? "\(front.fullDiskText): no new jobs until there is room; nothing accepted is lost"
                        : "there is room again at \(opener.place)")
                if !reportedFullDisk { noteStart() }
            }
            let now = MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds())
            if let text = crowd.notice(turnedAway: ResourceLimits.connectionsTurnedAway, at: now) { settings.onNotice(text) }
        }
        _ = collector.waitUntilIdle(atMost: Self.gracePeriod)
        do { try journal.close() } catch {
            throw FrontServiceError(.storage, journal: error)
        }
    }

    /// Looks at what is stored where it lies.
    private func makeMeter(_ cache: FileCache) -> StorageMeter {
        StorageMeter(wake: { [wake] in wake.signal() }, onNotice: settings.onNotice) { [opener] in
            let counts = opener.byteCounts()
            return StoredSizes(journal: counts?.journal, ballast: counts?.ballast, cache: try? cache.byteCount())
        }
    }

    /// What the end of the loop means for the program that started the front.
    private func ending(_ error: LoopEnding) -> FrontServiceError {
        switch error {
        case .fenced: FrontServiceError(.conflict, "another front has taken over \(settings.folder): stop one of the two")
        case .journalFailed(let cause): FrontServiceError(.journalFailed, "the journal cannot be written", cause: cause)
        case .journalUnreadable(let cause): FrontServiceError(.journalFailed, "the journal cannot be read", cause: cause)
        case .damaged(let cause): FrontServiceError(.storage, "the journal cannot be read", cause: cause)
        case .damagedRow(let turn, let cause): FrontServiceError(.storage, journal: opener.damage(of: turn, cause))
        case .holdsDurableJobs(let count):
            FrontServiceError(
                .durability,
                """
                \(settings.folder) holds \(count) \(count == 1 ? "job" : "jobs") accepted with durability full that \
                \(count == 1 ? "has" : "have") not ended; a front with durability memory would not keep their ends, and they would run again
                """)
        }
    }

    private var lockPath: String { FrontFolder.lock(in: settings.folder) }

    private func checkEndpoints() throws(FrontServiceError) {
        let endpoints = settings.endpoints
        for address in [endpoints.requests, endpoints.changes, endpoints.workers, endpoints.pages] {
            if let reason = LocalAddress.refusal(of: address) { throw FrontServiceError(.address, reason) }
            guard settings.token != nil || SocketAddress(address)?.isTCP != true else {
                throw FrontServiceError(.token, "a front at \(address) needs a token: over TCP everybody on this machine could use it")
            }
        }
    }

    /// Without pages nobody can read lists: the front ends with the reason, and its supervisor starts it again.
    private func notePagesEnded(_ error: ZMQError) {
        pagesEnding.withLock { $0 = error }
        wake.signal()
    }

    /// Counts a request for a page; the first of many wakes the loop, which takes them all.
    private func noteMalformedPage() {
        let isFirst = malformedPages.withLock { count in
            count += 1
            return count == 1
        }
        if isFirst { wake.signal() }
    }

    private func lockFolder() throws(FrontServiceError) {
        try FrontFolder.prepare(settings.folder)
        try FrontFolder.checkLock(settings.folder)
        do throws(SystemError) {
            try lock.withLock { slot throws(SystemError) in slot = try LockFile(path: lockPath) }
            try RunFolder(FrontFolder.run(in: settings.folder)).prepare(settings.endpoints)
        } catch {
            if error.code == .inUse { throw FrontFolder.conflict(on: settings.folder, with: FolderHolder(lock: lockPath)) }
            throw FrontFolder.unusable(error)
        }
    }

    /// The machine's boot and its clock, read while the lock is held; unknown where the kernel does not give it: leases then count anew.
    private static func bootInstant() -> BootInstant {
        guard let id = try? HostInformation.bootID() else { return .unknown }
        return BootInstant(id: id, uptime: .milliseconds(SystemClock.bootNanoseconds() / 1_000_000))
    }

    private func openCache() throws(FrontServiceError) -> FileCache {
        do {
            return try FileCache(ofFront: settings.folder)
        } catch {
            throw FrontServiceError(FrontFolder.objectsUnusable, because: error)
        }
    }

    /// Finds out which objects folder is the right one. While another has its path, jobs and observers still have their front.
    private func establish(_ cache: FileCache, keepsLists: Bool) {
        do throws(FileCacheError) {
            if let text = try cache.establish(keepsLists: keepsLists) { settings.onNotice(text) }
        } catch { settings.onNotice(error.sentence) }
    }

    /// Notes where a front on TCP is found and what it was started with, unless that stands there: once the journal is open, for a full disk
    /// leaves no room before.
    private func noteStart() {
        let run = RunFolder(FrontFolder.run(in: settings.folder))
        do throws(SystemError) { try run.note(settings.endpoints) } catch {
            let address = settings.endpoints.requests
            settings.onNotice("name the front to commands with --connect \(address), for that could not be noted: \(error)")
        }
        do throws(SystemError) { try settings.startedWith.map { text throws(SystemError) in try run.note(startedWith: text) } } catch {
            settings.onNotice("gantry doctor takes the configuration of this front from the file, for it could not be noted: \(error)")
        }
    }

    /// Opens the journal, once nobody else reads it: a copy or a look at it ends by itself.
    /// - Returns: nil: the front was asked to end meanwhile.
    private func openJournal() throws(FrontServiceError) -> Opener.Journal? {
        var wait = JournalWait(upTo: settings.journalWait)
        if let notice = opener.notice() { settings.onNotice(notice) }
        while true {
            do {
                let journal = try opener.open(
                    wallSeconds: UInt64(max(1, SystemClock.wallMilliseconds() / 1_000)), newFrontID: FrontID(SystemRandom.next() | 1))
                if let notice = journal.upgradeNotice { settings.onNotice(notice) }
                return journal
            } catch {
                switch wait.next(after: error, at: MonotonicTime(nanoseconds: SystemClock.monotonicNanoseconds())) {
                case .end(let error): throw error
                case .again(let notice):
                    if let notice { settings.onNotice(notice) }
                    _ = try? NumberedDescriptor.waitReadable(wake.fileDescriptor, upTo: JournalWait.pause)
                    guard !isStopping.withLock({ $0 }) else { return nil }
                }
            }
        }
    }

    private func makeContext() throws(FrontServiceError) -> Context {
        do {
            _ = try ResourceLimits.raiseOpenFiles()
            return try Context()
        } catch {
            // Descriptors, threads or memory that others give back.
            throw FrontServiceError(.unavailable, Self.cannotBegin, cause: ErrorCause(error))
        }
    }

    private func startPages(_ context: Context, _ cache: FileCache) throws(FrontServiceError) -> (service: PageService, endpoint: String) {
        let service: PageService
        let bound: Result<String, ZMQError>
        do throws(SystemError) {
            service = try PageService(
                token: settings.token,
                onSuspect: { [suspected, wake] in suspected.put($0, wake: wake) },
                onDamage: { [damaged, wake] in damaged.put($0, wake: wake) }, onMalformed: { [weak self] in self?.noteMalformedPage() },
                onFailure: { [weak self] in self?.notePagesEnded($0) })
            bound = try service.start(context: context, endpoint: settings.endpoints.pages, cache: cache, codec: codec)
        } catch {
            throw FrontServiceError(Self.cannotBegin, because: error)
        }
        switch bound {
        case .success(let endpoint): return (service, endpoint)
        case .failure(let error):
            service.stop(atMost: Self.gracePeriod)
            throw FrontServiceError(cannotListen: error)
        }
    }
}

/// Says that connections were turned away because the process is near its limit of open files: once when it begins, then at most each ten
/// seconds.
private struct CrowdWatch {
    private static let pause = Duration.seconds(10)

    private var reported: UInt64 = 0
    private var nextAt = MonotonicTime(nanoseconds: .min)

    /// A line for people, if it is time for one; `turnedAway` is the number so far, `now` the time of a clock that never goes back.
    mutating func notice(turnedAway: UInt64, at now: MonotonicTime) -> String? {
        guard turnedAway > reported, now >= nextAt else { return nil }
        let count = turnedAway - reported
        reported = turnedAway
        nextAt = now.advanced(by: Self.pause)
        return "\(count) connections turned away: the front is near its limit of open files; close clients, or raise the limit (ulimit -Hn)"
    }
}

/// The machine's clocks: boot time for leases, wall time for people.
private final class SystemFrontClock: FrontClock {
    /// Both clocks, read now.
    func now() -> FrontTime {
        FrontTime(
            monotonic: MonotonicTime(nanoseconds: SystemClock.bootNanoseconds()),
            wall: WallTime(milliseconds: SystemClock.wallMilliseconds()))
    }
}

extension FrontService where Opener == SQLiteJournalOpener {
    /// A front that is not started yet, with a journal in its data folder.
    ///
    /// - Throws: `unavailable` if the process has no descriptor left.
    package convenience init(settings: FrontServiceSettings, codec: Codec) throws(FrontServiceError) {
        try self.init(settings: settings, codec: codec, journal: SQLiteJournalOpener(dataFolder: settings.folder))
    }
}
