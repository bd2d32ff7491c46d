//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationCompat
import NIOHTTP1
import Testing

@testable import SampleOrigin

@Suite("The origin doing wrong on purpose", .timeLimit(.minutes(5)))
struct OriginFaultTests {
    @Test("a fault for one request gives its status once")
    func statusOnce() async throws {
        try await RunningOrigin.with { origin in
            let put = try await origin.send("PUT", "/faults", body: #"{"path":"/items","status":503,"times":1}"#)
            let first = try await origin.send("GET", "/items")
            let second = try await origin.send("GET", "/items")
            #expect([put.status, first.status, second.status] == [.ok, .serviceUnavailable, .ok])
        }
    }

    @Test(
        "what is no fault is refused with a reason",
        arguments: [
            (#"{"path":"/items","delay":1}"#, "delay is unknown: a fault has path, delaySeconds, bytesPerSecond, status, body"),
            (#"{"path":"/items","status":null}"#, "status is null: leave it out, or give 200 to 599"),
            (#"{"path":"/items","status":"x"}"#, "status takes 200 to 599"),
            (#"{"path":"/items","times":1.5}"#, "times takes a whole number from 1"),
            (#"{"path":"/items","body":"huge"}"#, "body takes \\\"invalidJSON\\\" or \\\"endless\\\""),
            (#"{"path":"items"}"#, "slash"),
            (#"{"path":"/items","status":9}"#, "status"),
            ("[1", "no fault"), (#"{"status":500}"#, "path is missing: it takes "),
        ])
    func refused(body: String, reason: String) async throws {
        try await RunningOrigin.with { origin in
            let answer = try await origin.send("PUT", "/faults", body: body)
            #expect(answer.status == .badRequest)
            let text = String(buffer: try await answer.body.collect(upTo: 10_000))
            #expect(text.contains(reason), "\(text)")
            #expect(try await origin.read("/faults") == Data(#"{"items":[]}"#.utf8))
        }
    }

    @Test("invalid JSON is sent as a whole answer")
    func invalidJSON() async throws {
        try await RunningOrigin.with { origin in
            _ = try await origin.send("PUT", "/faults", body: #"{"path":"/todos","body":"invalidJSON"}"#)
            let body = try await origin.read("/todos")
            #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: body) }
            _ = try await origin.send("DELETE", "/faults")
            #expect(try await origin.read("/todos").count == body.count + 1)
        }
    }

    @Test("a cut connection ends the body where the fault says, with an error", arguments: [0, 1, 5_000])
    func cut(after byteCount: Int) async throws {
        try await RunningOrigin.with { origin in
            _ = try await origin.send("PUT", "/faults", body: #"{"path":"/items","cutAfterBytes":\#(byteCount)}"#)
            await #expect(throws: (any Error).self) { try await origin.read("/items?count=1000") }
            let counters = origin.server.counters.first { $0.path == "/items" }
            #expect(counters?.cut == 1)
            #expect(counters?.bytesSent == byteCount)
            #expect(counters?.inFlight == 0)
        }
    }

    @Test("an endless body goes on until the client closes, and the origin sees it close")
    func endless() async throws {
        try await RunningOrigin.with { origin in
            _ = try await origin.send("PUT", "/faults", body: #"{"path":"/items","body":"endless"}"#)
            let reading = Task {
                var byteCount = 0
                for try await part in try await origin.send("GET", "/items?count=10").body where byteCount < 3_000_000 {
                    byteCount += part.readableBytes
                    if byteCount >= 3_000_000 { break }
                }
                return byteCount
            }
            #expect(try await reading.value >= 3_000_000)
            #expect(try await origin.server.counters(of: "/items", closedByClient: 1).finished == 0)
        }
    }

    @Test(
        "a client that closes while it waits is seen at once, however long the fault would hold it",
        arguments: [#""delaySeconds":3600"#, #""holdAfterBytes":0"#, #""holdAfterBytes":1000"#, #""bytesPerSecond":1"#])
    func closedWhileWaiting(fault: String) async throws {
        try await RunningOrigin.with { origin in
            _ = try await origin.send("PUT", "/faults", body: #"{"path":"/items",\#(fault)}"#)
            let reading = Task { try await origin.read("/items?count=100") }
            _ = try await origin.server.counters(of: "/items", inFlight: 1)
            let start = ContinuousClock.now
            reading.cancel()
            let counters = try await origin.server.counters(of: "/items", closedByClient: 1)
            #expect(ContinuousClock.now - start < .seconds(20))
            #expect(counters.inFlight == 0)
            await #expect(throws: (any Error).self) { try await reading.value }
        }
    }

    @Test("held answers pile up, are counted at their most, and go on when the fault is gone")
    func held() async throws {
        try await RunningOrigin.with { origin in
            _ = try await origin.send("PUT", "/faults", body: #"{"path":"/images/*","holdAfterBytes":0}"#)
            let reading = Task {
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<5 { group.addTask { try await origin.read("/images/1").count } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            let answer = try await origin.send("GET", "/counters?path=/images/1&inFlight=5")
            #expect(answer.status == .ok)
            _ = try await origin.send("DELETE", "/faults?path=/images/*")
            #expect(try await reading.value.count == 5)
            let counters = try await origin.server.counters(of: "/images/1", finished: 5)
            #expect(counters.mostInFlight == 5)
            #expect(counters.inFlight == 0)
        }
    }

    @Test("a byte rate is kept")
    func byteRate() async throws {
        try await RunningOrigin.with { origin in
            _ = try await origin.send("PUT", "/faults", body: #"{"path":"/todos/1","bytesPerSecond":1000}"#)
            let start = ContinuousClock.now
            let byteCount = try await origin.read("/todos/1").count
            #expect(ContinuousClock.now - start > .seconds(Double(byteCount - 100) / 1_000))
        }
    }

    @Test("who waits for counters in vain is told so, with the counters")
    func waitsInVain() async throws {
        struct List: Decodable { let items: [PathCounters] }
        try await RunningOrigin.with { origin in
            _ = try await origin.send("GET", "/todos")
            let answer = try await origin.send("GET", "/counters?path=/todos&requests=2&waitSeconds=0")
            #expect(answer.status == .gatewayTimeout)
            let list = try JSONDecoder().decode(List.self, from: Data(buffer: try await answer.body.collect(upTo: 10_000)))
            #expect(list.items.map(\.requests) == [1])
        }
    }
}
