//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryFeedLoaders
import GantryFeedSettings
import GantryFileCache
import GantryModel
import GantryWorker
import Synchronization
import Testing

@testable import Loaders

@Suite("Loading over HTTP", .timeLimit(.minutes(5)))
struct HTTPLoaderTests {
    @Test("a document like iso-codes becomes a list by pointers alone, with progress in bytes")
    func isoCodes() async throws {
        let body = #"{"639-3":[{"alpha_3":"deu","name":"German","scope":"I"},{"alpha_3":"aaa","name":"Ghotuo","scope":"I"}]}"#
        let server = try await SocketServer(["/iso_639-3.json": SocketServer.ok(body)])
        let bench = try LoaderBench()
        let settings = LoaderSettings.at(server.port, "/iso_639-3.json", items: "/639-3") { settings in
            settings.item = ItemMapping(id: .at("/alpha_3"))
            settings.item.title = .at("/name")
            settings.item.fields = [.init(name: "scope", path: .at("/scope"))]
        }
        let work = try bench.work(.load, settings) {
            $0.sort = SortOrder(field: "title")
            $0.itemID = "deu"
            $0.filter = "g"
        }
        let result = try await bench.run(bench.http(server.port), work)
        let items = try bench.items(result.content)
        #expect(items.map(\.id) == ["deu", "aaa"])
        #expect(items.map(\.title) == ["German", "Ghotuo"])
        #expect(items.first?["scope"] == .text("I"))
        #expect(items.first?.createdAt == LoaderBench.acceptedAt)
        #expect(result.selectionFound)
        #expect(result.source == .network)
        let order = try #require(result.order)
        #expect(try bench.cache.openOrder(order.digest).positions(offset: 0, limit: 9) == [0, 1])
        let size = UInt64(body.utf8.count)
        let isLast = bench.reports.withLock { reports in
            reports.contains(JobProgress(percent: 100, completed: size, total: size, unit: "bytes"))
        }
        #expect(isLast)
        let request = await server.nextRequest()
        #expect(request?.lowercased().contains("accept-encoding: identity") == true)
    }

    @Test("nested ids that are numbers become decimal text, and known items keep the date they were first seen")
    func nestedIDs() async throws {
        let body = #"{"data":{"rows":[{"key":{"n":12},"name":"A"},{"key":{"n":1.0},"name":"B","at":"2026-11-21T10:00:00+01:00"}]}}"#
        let server = try await SocketServer(["/x?category=a%20b": SocketServer.ok(body)])
        let bench = try LoaderBench()
        let settings = LoaderSettings.at(server.port, "/x?category={category}", items: "/data/rows") {
            $0.item.id = .at("/key/n")
            $0.item.createdAt = .at("/at")
        }
        let old = try bench.list([ListItem(id: "12", title: "old", createdAt: WallTime(milliseconds: 5))])
        let work = try bench.work(.load, settings, key: "things?category=a%20b") {
            $0.content = old
            $0.itemID = "gone"
        }
        let result = try await bench.run(bench.http(server.port), work)
        let items = try bench.items(result.content)
        #expect(items.map(\.id) == ["12", "1"])
        #expect(items.map(\.createdAt?.rfc3339) == ["1970-01-01T00:00:00.005Z", "2026-11-21T09:00:00.000Z"])
        #expect(!result.selectionFound)
        #expect(result.order == nil)
    }

    @Test(
        "data that is not as configured is invalid, naming place and position",
        arguments: [
            (#"[{"id":1,"name":"A"},{"id":2}]"#, "item 2 (id 2): nothing at /name"),
            (#"[{"name":"A"}]"#, "item 1: nothing at /id"),
            (#"[{"id":"","name":"A"}]"#, "item 1: /id is empty: an id is a text or a whole number in digits; correct id"),
            (#"[{"id":true,"name":"A"}]"#, "item 1: /id is no id: an id is a text or a whole number in digits; correct id"),
            (#"[{"id":1,"name":"A"},{"id":"1","name":"B"}]"#, "items 1 and 2 have the same id: make ids unique at the source"),
            (#"[{"id":1,"name":"A"}] x"#, "byte 22"),
            (#"[{"id":1,"name":"A"}"#, "ends too early"),
            (#"[{"id":1,"name":tru}]"#, "byte 19"),
            (#"{"id":1}"#, "expected a JSON array of objects with unique ids at the top level, found an object; set `items:` to the"),
            (#"{"id":1}"# + "\n" + #"{"id":2}"#, "one object a line (JSON Lines) and objects by name are no array: let"),
            ("3", "expected a JSON array of objects with unique ids at the top level, found a number; set `items:` to the pointer of one"),
            ("null", "unique ids at the top level, found null; let the origin send [] where it has no items"),
            ("", "the JSON text is empty"),
            ("\n<!DOCTYPE html><html></html>", "expected JSON, found HTML or XML"),
            ("[1,2]", "item 1 is a number where an object is expected; set `items:` to the pointer of a JSON array of objects"),
            (#"["a","b"]"#, "item 1 is a text where an object is expected; set `items:` to the pointer of a JSON array of objects with"),
            (#"[{"id":1,"name":"A","price":"cheap"}]"#, "item 1 (id 1): /price is not a number"),
            (
                #"[{"id":1,"name":"A","price":9007199254740992},{"id":2,"name":"B","price":9007199254740993}]"#,
                "item 2 (id 2): /price is a whole number that would change, for it is beyond 9007199254740992: make the field's type string"
            ),
            (#"[{"id":1,"name":"A","price":-1234567890123456789012345678901234567890123}]"#, "item 1 (id 1): /price is a whole number"),
            (#"[{"id":1,"name":"A","n\u0061me":"B"}]"#, "item 1 (id 1): /name is there twice"),
            (
                #"[{"id":1,"name":"A","icon":null},{"id":2,"name":"B","icon":"not a url"}]"#,
                "item 2 (id 2): /icon is not the address of an image (an http:// or https:// URL, or a relative path); correct icon in the configuration"
            ),
            (#"[{"id":1,"name":"A","icon":{}}]"#, "item 1 (id 1): /icon is not a text"),
        ])
    func invalidData(body: String, says: String) async throws {
        let server = try await SocketServer(["/x": SocketServer.ok(body)])
        let bench = try LoaderBench()
        let failure = await bench.failure(bench.http(server.port), try bench.work(.load, .at(server.port, "/x")))
        #expect(failure?.code == .invalidData)
        #expect(failure?.retryable == false)
        #expect(failure?.text.contains(says) == true, "\(failure?.text ?? "no failure")")
        #expect(failure?.text.contains("http://127.0.0.1:\(server.port)/x") == true)
    }

    @Test("a date of another form is told with its item, its place and an example")
    func dates() async throws {
        let server = try await SocketServer(["/x": SocketServer.ok(#"[{"id":1,"name":"A","Year":"Jun 12 1998"}]"#)])
        let bench = try LoaderBench()
        let settings = LoaderSettings.at(server.port, "/x") { $0.item.createdAt = .at("/Year") }
        let failure = await bench.failure(bench.http(server.port), try bench.work(.load, settings))
        #expect(
            failure?.text.contains("item 1 (id 1): /Year is not an RFC 3339 date (for example 2026-11-21T09:30:00Z)") == true,
            "\(failure?.text ?? "no failure")")
    }

    @Test("only status 200 is success, and messages show neither user nor query")
    func status() async throws {
        let server = try await SocketServer(["/busy": .whole("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")])
        let bench = try LoaderBench()
        let missing = await bench.failure(bench.http(server.port), try bench.work(.load, .at(server.port, "/none?token=secret")))
        #expect(missing?.code == .httpStatus)
        #expect(missing?.arguments == ["status", "404"])
        #expect(missing?.retryable == false)
        #expect(missing?.text.contains("secret") == false)
        // The names help to find what is wrong; a value, or a query that is none, may be a secret.
        #expect(try HTTPTarget("http://a@h/x?category=b&token=secret&key#f").shown == "http://h/x?category=…&token=…&…")
        #expect(try HTTPTarget("http://h/x?").shown == "http://h/x?")
        let busy = await bench.failure(bench.http(server.port), try bench.work(.load, .at(server.port, "/busy")))
        #expect(busy?.code == .httpStatus)
        #expect(busy?.retryable == true)
    }

    @Test(
        "a status that asks for credentials says so instead of blaming the address",
        arguments: [("401 Unauthorized", "asks for credentials"), ("403 Forbidden", "refuses this worker")])
    func credentials(status: String, says: String) async throws {
        let server = try await SocketServer(["/x": .whole("HTTP/1.1 \(status)\r\nContent-Length: 0\r\n\r\n")])
        let bench = try LoaderBench()
        let failure = await bench.failure(bench.http(server.port), try bench.work(.load, .at(server.port, "/x")))
        #expect(failure?.code == .httpStatus && failure?.retryable == false)
        #expect(failure?.text.contains(says) == true, "\(failure?.text ?? "no failure")")
    }

    @Test("a byte order mark in front of the JSON is read over, whole only")
    func byteOrderMark() async throws {
        let mark = "\u{FEFF}"
        let server = try await SocketServer([
            "/x": SocketServer.ok(mark + "[]"), "/items/a": SocketServer.ok(mark + "{}"),
        ])
        let bench = try LoaderBench()
        #expect(try await bench.run(bench.http(server.port), bench.work(.load, .at(server.port, "/x"))).content?.itemCount == 0)
        let settings = LoaderSettings.at(server.port, "/") { $0.detail = URLTemplate("http://127.0.0.1:\(server.port)/items/{id}") }
        let content = try bench.list([ListItem(id: "a", title: "a")])
        let work = try bench.work(.detail, settings) {
            $0.content = content
            $0.itemID = "a"
        }
        #expect(try await bench.run(bench.http(server.port), work).detail == Array("{}".utf8))
        var scanner = JSONScanner(items: nil)
        #expect(throws: JSONFault.self) { try scanner.push([0xEF, 0xBB, 0x5B]) { _ in } }
    }

    @Test("a compressed body is refused by its name")
    func compressed() async throws {
        let server = try await SocketServer(["/x": SocketServer.ok("[]", headers: "Content-Encoding: gzip\r\n")])
        let bench = try LoaderBench()
        let failure = await bench.failure(bench.http(server.port), try bench.work(.load, .at(server.port, "/x")))
        #expect(failure?.code == .invalidData)
        #expect(failure?.text.contains("sent a compressed body although none was requested: turn compression off for this URL") == true)
    }

    @Test("a body is refused at its bound, announced or endless, and its connection closed")
    func tooLarge() async throws {
        let server = try await SocketServer([
            "/long": .hanging("HTTP/1.1 200 OK\r\nContent-Length: 999999999\r\n\r\n"),
            "/endless": .endless(head: "HTTP/1.1 200 OK\r\n\r\n[", part: String(repeating: #"{"id":"1","name":"A"},"#, count: 100)),
        ])
        let bench = try LoaderBench()
        for path in ["/long", "/endless"] {
            let settings = LoaderSettings.at(server.port, path) { $0.http.maxBodyBytes = 1 << 20 }
            let failure = await bench.failure(bench.http(server.port), try bench.work(.load, settings))
            #expect(failure?.code == .tooLarge)
            #expect(await server.nextClose() == path)
        }
    }

    @Test("redirects are followed, five at most")
    func redirects() async throws {
        let server = try await SocketServer([
            "/loop": SocketServer.redirect("/loop"), "/a": SocketServer.redirect("b"), "/b": SocketServer.ok(#"[{"id":1,"name":"A"}]"#),
        ])
        let bench = try LoaderBench()
        let loop = await bench.failure(bench.http(server.port), try bench.work(.load, .at(server.port, "/loop")))
        #expect(loop?.code == .tooManyRedirects)
        let result = try await bench.run(bench.http(server.port), try bench.work(.load, .at(server.port, "/a")))
        #expect(result.content?.itemCount == 1)
    }

    @Test("an origin that is silent, cut off or not there fails with its own code, and a retry may help")
    func unreachable() async throws {
        let server = try await SocketServer([
            "/silent": .hanging(""), "/slow": .hanging("HTTP/1.1 200 OK\r\n\r\n["),
            "/cut": .whole("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n[{"),
        ])
        let bench = try LoaderBench()
        let silent = LoaderSettings.at(server.port, "/silent") {
            // The first answer may come until a second after the time for connecting.
            ($0.http.connectTimeout, $0.http.idleTimeout) = (.seconds(5), .milliseconds(100))
        }
        let slow = LoaderSettings.at(server.port, "/slow") { $0.http.totalTimeout = .milliseconds(100) }
        for (settings, code) in [(silent, FailureCode.timedOut), (slow, .timedOut), (.at(server.port, "/cut"), .unreachable)] {
            let failure = await bench.failure(bench.http(server.port), try bench.work(.load, settings))
            #expect(failure?.code == code)
            #expect(failure?.retryable == true)
        }
        let gone = server.port
        try await server.stop()
        let failure = await bench.failure(bench.http(gone), try bench.work(.load, .at(gone, "/x")))
        #expect(failure?.code == .unreachable)
        #expect(failure?.retryable == true)
    }

    @Test("cancelling the task closes the connection")
    func cancelled() async throws {
        let server = try await SocketServer(["/slow": .hanging("HTTP/1.1 200 OK\r\n\r\n[")])
        let bench = try LoaderBench()
        let work = try bench.work(.load, .at(server.port, "/slow"))
        let task = Task { try await bench.run(bench.http(server.port), work) }
        #expect(await server.nextRequest() != nil)
        let clock = ContinuousClock()
        let start = clock.now
        task.cancel()
        #expect(await server.nextClose() == "/slow")
        // The promise is one second on an idle machine; here all tests share the processors, and the transfer itself would last for ever.
        #expect(clock.now - start < .seconds(20))
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("a detail comes from an address of its own, as it is; a large one becomes an object")
    func detail() async throws {
        let large = "[\"" + String(repeating: "x", count: 70_000) + "\"]"
        let server = try await SocketServer([
            "/items/a%2Fb": SocketServer.ok(#"{"more":true}"#), "/items/c": SocketServer.ok(large), "/items/d": SocketServer.ok("{"),
        ])
        let bench = try LoaderBench()
        let settings = LoaderSettings.at(server.port, "/") { $0.detail = URLTemplate("http://127.0.0.1:\(server.port)/items/{id}") }
        let content = try bench.list(["a/b", "c", "d"].map { ListItem(id: $0, title: $0) })
        func work(_ id: String) throws -> FeedWork {
            try bench.work(.detail, settings) {
                $0.content = content
                $0.itemID = id
            }
        }
        let loader = bench.http(server.port)
        #expect(try await bench.run(loader, work("a/b")).detail == Array(#"{"more":true}"#.utf8))
        let object = try #require(try await bench.run(loader, work("c")).detailObject)
        #expect(try bench.cache.readBytes(object.digest, limit: 1 << 20) == Array(large.utf8))
        #expect(await bench.failure(loader, try work("d"))?.code == .invalidData)
        #expect(await bench.failure(loader, try work("e"))?.code == .unknownItem)
    }

    @Test("a detail that no client could hold is refused before its first byte, however much a list may have")
    func largestDetail() async throws {
        let tooMany = MessageBounds.storedDetailByteCount + 1
        let server = try await SocketServer(["/items/a": .hanging("HTTP/1.1 200 OK\r\nContent-Length: \(tooMany)\r\n\r\n")])
        let bench = try LoaderBench()
        var policy = HTTPPolicy.local(server.port)
        policy.limits.maxBodyBytes = 1 << 30
        let settings = LoaderSettings.at(server.port, "/") {
            $0.detail = URLTemplate("http://127.0.0.1:\(server.port)/items/{id}")
            $0.http.maxBodyBytes = 1 << 30
        }
        let work = try bench.work(.detail, settings) {
            $0.content = try? bench.list([ListItem(id: "a", title: "A")])
            $0.itemID = "a"
        }
        let failure = await bench.failure(HTTPLoader(cache: bench.cache, policy: policy), work)
        #expect(failure?.code == .tooLarge && failure?.retryable == false)
        #expect(failure?.text.contains("more than 67108864 bytes: no detail is larger") == true, "\(failure?.text ?? "none")")
        #expect(BodyBound(list: policy.limits).byteCount == 1 << 30)
        #expect(
            BodyBound(detail: HTTPLimits(maxBodyBytes: 1_000)).nextStep.contains("http.max-body"),
            "the configuration's bound is the smaller one")
    }

    @Test("a detail is looked at where it lies: text with a mark, text that is no UTF-8, and a small one keeps no room of a large one")
    func ingest() async throws {
        let budget = MemoryBudget(byteCount: 1 << 20)
        let ingest = JSONIngest()
        ingest.hold(try await budget.reserve(1 << 20, for: "x") { _ in })
        try ingest.append(JSONScanner.byteOrderMark + Array(#"{"a":"#.utf8))
        try ingest.append(Array("\"ä\"}".utf8))
        let text = try ingest.finish()
        #expect(text == Array(#"{"a":"ä"}"#.utf8))
        #expect(text.capacity < 1 << 16)
        let broken = JSONIngest()
        try broken.append([0x22, 0xC3, 0x22])
        #expect(throws: JSONFault("the JSON is not in UTF-8")) { try broken.finish() }
    }
}
