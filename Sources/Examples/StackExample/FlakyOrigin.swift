//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// The sample origin, told to be slow and to fail.
struct FlakyOrigin {
    /// Its address without a path, for example `http://127.0.0.1:7711`.
    let address: String

    /// The list that the example loads.
    var list: String { address + "/items?parameter=sample&count=100" }

    /// The next answers about the list are failures; all others take their time.
    func arm(failures: Int) async throws {
        try await send(.PUT, #"{"path":"/items","status":503,"times":\#(failures)}"#)
        try await send(.PUT, #"{"path":"/items*","bytesPerSecond":6000}"#)
    }

    /// Takes all faults away.
    func disarm() async throws {
        try await send(.DELETE, "")
    }

    private func send(_ method: HTTPMethod, _ body: String) async throws {
        var request = HTTPClientRequest(url: address + "/faults")
        request.method = method
        request.body = .bytes(ByteBuffer(string: body))
        let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        guard response.status == .ok else { throw StatusError(status: Int(response.status.code)) }
    }
}
