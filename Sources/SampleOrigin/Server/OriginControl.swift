//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Hummingbird
import NIOCore
import NIOFoundationCompat

/// The paths that steer and show the origin itself. They meet no faults and are not counted.
///
/// - `GET /health`
/// - `GET /faults`, `PUT /faults` with a `Fault` as JSON, `DELETE /faults` for all or `?path=…` for one
/// - `GET /counters`, or `?path=…` for one path; with any of `requests`, `inFlight`, `finished`, `closedByClient` the
///   answer comes when all of them are reached, or with status 504 after `waitSeconds` (10 when not given, at most 60)
struct OriginControl {
    private struct List<Element: Encodable>: Encodable {
        let items: [Element]
    }

    static let longestFault = 65_536

    let state: OriginState

    func respond(to request: Request, path: String) async throws -> Response? {
        switch (path, request.method) {
        case ("/health", .get): return try json(["status": "ok"])
        case ("/faults", .get): return try json(List(items: state.faults))
        case ("/faults", .put): return try await setFault(request)
        case ("/faults", .delete):
            state.removeFaults(of: request.uri.queryParameters["path"].map(String.init))
            return try json(List(items: state.faults))
        case ("/counters", .get): return try await counters(request)
        case ("/health", _), ("/faults", _), ("/counters", _):
            return refusal(.methodNotAllowed, "methodNotAllowed", "\(request.method) is not known at \(path)")
        default: return nil
        }
    }

    private func setFault(_ request: Request) async throws -> Response {
        let buffer: ByteBuffer
        do {
            buffer = try await request.body.collect(upTo: Self.longestFault)
        } catch {
            return refusal(.contentTooLarge, "tooLarge", "a fault has at most \(Self.longestFault) bytes")
        }
        let data = Data(buffer: buffer)
        do {
            let fault = try JSONDecoder().decode(Fault.self, from: data)
            let known = Set(try JSONDecoder().decode([String: AnyValue].self, from: JSONEncoder().encode(fault)).keys)
            let given = Set(try JSONDecoder().decode([String: AnyValue].self, from: data).keys)
            if let unknown = given.subtracting(known).min() {
                let text =
                    Fault.CodingKeys(stringValue: unknown).map { "\(unknown) is null: leave it out, or give \($0.takes)" }
                    ?? "\(unknown) is unknown: \(Fault.keysText)"
                return refusal(.badRequest, "badFault", text)
            }
            if let complaint = fault.complaint { return refusal(.badRequest, "badFault", complaint) }
            state.set(fault)
            return try json(List(items: state.faults))
        } catch {
            return refusal(
                .badRequest, "badFault",
                Fault.complaint(of: data) ?? "this is no fault: send JSON like {\"path\":\"/items\",\"delaySeconds\":1}; \(Fault.keysText)"
            )
        }
    }

    private func counters(_ request: Request) async throws -> Response {
        let query = request.uri.queryParameters
        guard let path = query["path"].map(String.init) else { return try json(List(items: state.counters)) }
        var goal = CounterGoal(path: path)
        goal.requests = query["requests"].flatMap { Int($0) } ?? 0
        goal.inFlight = query["inFlight"].flatMap { Int($0) } ?? 0
        goal.finished = query["finished"].flatMap { Int($0) } ?? 0
        goal.closedByClient = query["closedByClient"].flatMap { Int($0) } ?? 0
        let seconds = min(60, max(0, query["waitSeconds"].flatMap { Double($0) } ?? 10))
        let isReached: Bool
        do { isReached = try await reach(goal, within: .seconds(seconds)) } catch is CancellationError {
            return refusal(.serviceUnavailable, "stopping", "the origin stops: ask it again once it runs")
        }
        return try json(List(items: [state.counters(of: path)]), status: isReached ? .ok : .gatewayTimeout)
    }

    private func reach(_ goal: CounterGoal, within limit: Duration) async throws -> Bool {
        let state = state
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                _ = try await state.wait(for: goal)
                return true
            }
            group.addTask {
                try await ContinuousClock().sleep(for: limit)
                return false
            }
            let first = try await group.next()
            group.cancelAll()
            return first ?? false
        }
    }

    private func json(_ value: some Encodable, status: HTTPResponse.Status = .ok) throws -> Response {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return response(Array(try encoder.encode(value)), status)
    }

    private func refusal(_ status: HTTPResponse.Status, _ code: String, _ message: String) -> Response {
        response(OriginContent.failure(status.code, code: code, message).piece(0), status)
    }

    private func response(_ bytes: [UInt8], _ status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: [.contentType: OriginContent.json], body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}

/// Any JSON value, read for its presence only.
private struct AnyValue: Decodable {
    init(from decoder: any Decoder) throws {}
}

extension Fault {
    /// Says which key is why JSON could not be read as a fault; nil: it is no object.
    fileprivate static func complaint(of json: Data) -> String? {
        guard let object = try? JSONSerialization.jsonObject(with: json) as? [String: Any] else { return nil }
        guard object[CodingKeys.path.rawValue] != nil else { return "path is missing: it takes \(CodingKeys.path.takes)" }
        // One at a time: the decoder does not always name the key of a value that it cannot read.
        let wrong = CodingKeys.allCases.first { key in
            guard let value = object[key.rawValue] else { return false }
            let alone = [CodingKeys.path.rawValue: "/"].merging([key.rawValue: value]) { $1 }
            return (try? JSONDecoder().decode(Fault.self, from: JSONSerialization.data(withJSONObject: alone))) == nil
        }
        return wrong.map { "\($0.rawValue) takes \($0.takes)" }
    }
}
