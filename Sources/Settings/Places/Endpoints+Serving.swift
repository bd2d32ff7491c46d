//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import Model

extension Endpoints {
    /// Where the front that works on a data folder is reached: where its file `run/address` says, which a front on TCP writes, else by the
    /// sockets of the folder.
    ///
    /// - Throws: `ConfigurationError` when the folder is too long for sockets.
    public static func serving(_ data: DataFolder, environment: Environment) throws(ConfigurationError) -> Endpoints {
        if let text = FileManager.default.contents(atPath: data.run + "/address"),
            let endpoints = tcp(requests: String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        {
            return endpoints
        }
        return try .ipc(data, environment: environment)
    }

    /// The four addresses that begin with that of `requests`; nil for one that is not `tcp://` of this machine with a port of 1 to 65,532.
    static func tcp(requests: String) -> Endpoints? {
        guard let address = SocketAddress(requests), address.isLocal, case .tcp(let host, let port?) = address else { return nil }
        return (1...65_532).contains(port) ? .tcp(host: host, firstPort: Int(port)) : nil
    }
}
