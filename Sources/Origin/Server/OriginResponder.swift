//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers every request: control paths at once, all others counted and with the faults they meet.
struct OriginResponder: HTTPResponder {
    let state: OriginState
    /// The address to name when a request names none.
    let address: String

    func respond(to request: Request, context: OriginContext) async throws -> Response {
        let path = request.uri.path.removingPercentEncoding ?? request.uri.path
        if let answer = try await OriginControl(state: state).respond(to: request, path: path) { return answer }

        let (exchange, met) = state.begin(path: path, channel: context.channel)
        if let delay = met?.fault.delaySeconds { try await exchange.pause(until: .now + .seconds(delay)) }
        if let met, met.fault.holdAfterBytes == 0 { try await exchange.hold(until: met.removal) }

        let content = met?.fault.applied(to: content(of: request, path: path)) ?? self.content(of: request, path: path)
        return response(content) { writer in
            let body = OriginBody(content: content, fault: met?.fault, removal: met?.removal, exchange: exchange)
            try await body.write(to: &writer)
            try await writer.finish(nil)
            exchange.finish()
        }
    }

    private func content(of request: Request, path: String) -> OriginContent {
        guard request.method == .get else {
            return .failure(405, code: "methodNotAllowed", "\(request.method) is not known at \(path): use GET")
        }
        let query = Dictionary(
            request.uri.queryParameters.map { (String($0.key), String($0.value)) }, uniquingKeysWith: { first, _ in first })
        return OriginRoute.content(path: path, query: query, base: "http://\(request.head.authority ?? address)")
    }

    private func response(
        _ content: OriginContent, write: @escaping @Sendable (inout any ResponseBodyWriter) async throws -> Void
    ) -> Response {
        var headers: HTTPFields = [.contentType: content.contentType, .cacheControl: "no-store"]
        if content.byteCount == nil { headers[.transferEncoding] = "chunked" }
        return Response(
            status: .init(code: content.status), headers: headers, body: ResponseBody(contentLength: content.byteCount, write))
    }
}
