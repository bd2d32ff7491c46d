//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryWorker
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import GantryFeedLoaders
@testable import Loaders

@Suite("Memory of loads and sorts", .timeLimit(.minutes(5)))
struct MemoryTests {
    @Test("who asks is served in the order of asking: the oldest first, and a small one behind a large one gets its turn")
    func order() {
        var line = MemoryLine(limit: 100)
        let numbers = (0..<4).map { _ in line.nextNumber() }
        #expect(line.ask(70, as: numbers[0]) == .granted)
        #expect(line.ask(80, as: numbers[1]) == .waits)
        #expect(line.ask(10, as: numbers[2]) == .waits)
        #expect(line.ask(101, as: numbers[3]) == .tooLarge)
        #expect(line.ask(0, as: numbers[3]) == .granted, "who needs nothing waits for nobody")
        #expect(line.giveBack(70) == [numbers[1], numbers[2]])
        #expect(line.taken == 90 && line.waitingCount == 0)
        #expect(line.giveBack(80) == [] && line.giveBack(10) == [])
        #expect(line.taken == 0)
    }

    @Test("who is in front and waits no longer lets those behind through")
    func withdrawn() {
        var line = MemoryLine(limit: 100)
        let numbers = (0..<3).map { _ in line.nextNumber() }
        #expect(line.ask(70, as: numbers[0]) == .granted)
        #expect(line.ask(80, as: numbers[1]) == .waits)
        #expect(line.ask(24, as: numbers[2]) == .waits)
        #expect(line.withdraw(numbers[1]) == [numbers[2]])
        #expect(line.withdraw(99) == [])
        #expect(line.taken == 94)
    }

    @Test("a small one does not wait for large ones that hold all they can, nor behind them; one that needs all there is still gets it")
    func small() {
        var line = MemoryLine(limit: 6_400)
        let numbers = (0..<8).map { _ in line.nextNumber() }
        #expect(line.ask(3_000, as: numbers[0]) == .granted && line.ask(3_000, as: numbers[1]) == .granted)
        #expect(line.ask(300, as: numbers[2]) == .waits, "what is kept for small ones")
        for number in numbers[3...6] { #expect(line.ask(100, as: number) == .granted) }
        #expect(line.ask(100, as: numbers[7]) == .waits && line.taken == 6_400)
        #expect(line.giveBack(100) == [numbers[7]])
        #expect(line.giveBack(3_000) == [numbers[2]])
        // Nearly all: those who come later wait behind it, however small.
        let (all, late) = (line.nextNumber(), line.nextNumber())
        #expect(line.ask(6_400, as: all) == .waits && line.ask(1, as: late) == .waits)
        for size in [3_000, 300, 100, 100, 100] { #expect(line.giveBack(size) == []) }
        #expect(line.giveBack(100) == [all])
        #expect(line.giveBack(6_400) == [late])
    }

    @Test("a share is given back when nobody holds it; a cancelled asker leaves the line")
    func shares() async throws {
        let budget = MemoryBudget(byteCount: 100)
        var first: MemoryShare? = try await budget.reserve(100, for: "x") { _ in Issue.record("it had to wait") }
        #expect(first?.byteCount == 100)
        let (waits, input) = AsyncStream.makeStream(of: String.self)
        let cancelled = Task { try await budget.reserve(60, for: "y") { input.yield($0) } }
        let text = await waits.first { _ in true }
        #expect(text == "waiting for 60 bytes of memory: other jobs hold 100 bytes of 100 bytes")
        let granted = Task { try await budget.reserve(50, for: "z") { input.yield($0) }.byteCount }
        _ = await waits.first { _ in true }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { _ = try await cancelled.value }
        #expect(budget.counts.waiting == 1)
        first = nil
        #expect(try await granted.value == 50)
        #expect(budget.counts == (0, 0))
    }

    @Test("two large loads run one after the other, the second says why it waits, and a small one runs too")
    func loads() async throws {
        let body = "[" + String(repeating: " ", count: 600) + "]"
        let server = try await SocketServer([
            "/first": .hanging("HTTP/1.1 200 OK\r\nContent-Length: 602\r\n\r\n["), "/second": SocketServer.ok(body),
            "/small": SocketServer.ok("[]"),
        ])
        let bench = try LoaderBench()
        let resources = LoaderResources(memoryByteCount: 1_000)
        let loader = HTTPLoader(cache: bench.cache, policy: .local(server.port), resources: resources)
        let (reports, input) = AsyncStream.makeStream(of: String.self)
        func start(_ path: String) throws -> Task<FeedResult?, any Error> {
            let work = try bench.work(.load, .at(server.port, path))
            let job = JobContext(job: JobID(7), grantedAt: LoaderBench.acceptedAt, feedWork: work) { input.yield("\(path) \($0.message)") }
            return Task { try await loader.run(job).feed }
        }
        let first = try start("/first")
        // It has its memory when it reports its first part.
        _ = await reports.first { $0.hasPrefix("/first") }
        let second = try start("/second")
        let reason = await reports.first { $0.hasPrefix("/second") }
        #expect(reason == "/second waiting for 602 bytes of memory: other jobs hold 602 bytes of 1000 bytes")
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        #expect(try await second.value?.content?.itemCount == 0)
        #expect(try await start("/small").value?.content?.itemCount == 0)
        #expect(resources.memory.counts == (0, 0))
    }

    @Test("what needs more than there is in all is refused as too large before its first byte, with the option that helps")
    func tooLarge() async throws {
        let server = try await SocketServer(["/x": .hanging("HTTP/1.1 200 OK\r\nContent-Length: 2000\r\n\r\n")])
        let bench = try LoaderBench()
        let resources = LoaderResources(memoryByteCount: 1_000)
        let loader = HTTPLoader(cache: bench.cache, policy: .local(server.port), resources: resources)
        let failure = await bench.failure(loader, try bench.work(.load, .at(server.port, "/x")))
        #expect(failure?.code == .tooLarge && failure?.retryable == false)
        #expect(failure?.text.contains("needs up to 2000 bytes of memory") == true)
        #expect(failure?.text.contains("more memory (gantry worker --memory, LoaderResources)") == true)
        let content = try bench.list((0..<30).map { ListItem(id: "\($0)", title: "x") })
        let work = try bench.work(.sort, .manual) {
            $0.content = content
            $0.sort = SortOrder(field: "title")
        }
        let sort = await bench.failure(ListLoader(cache: bench.cache, resources: resources), work)
        #expect(sort?.code == .tooLarge)
    }

    @Test("a merge asks for both its lists, a sort for its keys up to the cache's bound; a filter, a create and a detail need nothing")
    func needs() throws {
        let bench = try LoaderBench()
        let content = ObjectReference(digest: try bench.list([]).digest, byteCount: 10_000, itemCount: 9)
        func need(_ operation: FeedOperation, sort: String? = nil, filter: String = "") throws -> Int {
            let work = try bench.work(operation, .manual) {
                $0.content = content
                if operation == .merge { $0.source = ObjectReference(digest: content.digest, byteCount: 100_000, itemCount: 90) }
                $0.sort = sort.map { SortOrder(field: $0) }
                $0.filter = filter
            }
            return LoadMemory(work).byteCount(CacheLimits(sortByteCount: 5_000))
        }
        #expect(try need(.create) == 0)
        #expect(try need(.create, sort: "title") == 5_000)
        #expect(try need(.merge) == 9 * 32 + 90 * 32)
        #expect(try need(.sort, filter: "x") == 0)
        #expect(try need(.sort, sort: "title") == 5_000)
        #expect(try need(.detail) == 0)
        #expect(try need(.detail, sort: "title") == 0)
    }

    @Test("a detail that holds all the memory there is ends while others wait for it, also in a sorted view")
    func detailInHand() async throws {
        let rest = MultiThreadedEventLoopGroup.singleton.any().makePromise(of: Void.self)
        let server = try await SocketServer([
            "/items/a": .held("HTTP/1.1 200 OK\r\n\r\n{", until: rest.futureResult, then: "}"), "/list": SocketServer.ok("[]"),
        ])
        let bench = try LoaderBench()
        let resources = LoaderResources(memoryByteCount: 1_000)
        let loader = HTTPLoader(cache: bench.cache, policy: .local(server.port), resources: resources)
        let settings = LoaderSettings.at(server.port, "/list") {
            $0.detail = URLTemplate("http://127.0.0.1:\(server.port)/items/{id}")
            $0.http.maxBodyBytes = 1_000
        }
        let content = try bench.list([ListItem(id: "a", title: "A")])
        let (reports, input) = AsyncStream.makeStream(of: String.self)
        func start(_ operation: FeedOperation) throws -> Task<FeedResult?, any Error> {
            let work = try bench.work(operation, settings) {
                $0.content = content
                $0.itemID = "a"
                $0.sort = SortOrder(field: "title")
            }
            let job = JobContext(job: JobID(7), grantedAt: LoaderBench.acceptedAt, feedWork: work) { report in
                input.yield("\(operation) \(report.message)")
            }
            return Task { try await loader.run(job).feed }
        }
        let detail = try start(.detail)
        // Its answer has no length: it has all the memory when it reports its first part.
        _ = await reports.first { $0.hasPrefix("detail") }
        let load = try start(.load)
        let reason = await reports.first { $0.hasPrefix("load") }
        #expect(reason == "load waiting for 2 bytes of memory: other jobs hold 1000 bytes of 1000 bytes")
        rest.succeed()
        #expect(try await detail.value?.detail == Array("{}".utf8))
        #expect(try await load.value?.content?.itemCount == 0)
        #expect(resources.memory.counts == (0, 0))
    }
}
