//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel

/// The four addresses of a front, as ZeroMQ writes them.
package struct Endpoints: Hashable, Sendable {
    /// Longest path of a socket in bytes; the system ends at 107.
    package static let pathByteCountLimit = 100

    /// Requests of clients (ROUTER).
    package var requests: String
    /// Changes for observers (XPUB).
    package var changes: String
    /// Workers (ROUTER).
    package var workers: String
    /// Pages of objects (ROUTER).
    package var pages: String
    /// The folder of the sockets, to be made with mode 0700; nil: TCP.
    package var folder: String?
    /// Something that people should be told, for example that the sockets are elsewhere; nil: nothing.
    package var notice: String?

    /// Addresses made of a beginning and the four names or numbers.
    private init(_ prefix: String, _ ends: [String], folder: String?) {
        (requests, changes, workers, pages) = (prefix + ends[0], prefix + ends[1], prefix + ends[2], prefix + ends[3])
        self.folder = folder
    }

    /// All four, in the order requests, changes, workers, pages.
    package var all: [String] { [requests, changes, workers, pages] }

    /// `tcp://127.0.0.1:7701` to `7704`: requests, changes, workers, pages.
    ///
    /// - Parameter firstPort: The port of `requests`, 1 to 65,532.
    package static func tcp(host: String = "127.0.0.1", firstPort: Int = 7701) -> Endpoints {
        Endpoints("tcp://\(host):", (0..<4).map { String(firstPort + $0) }, folder: nil)
    }

    /// `ipc://DATA/run/…`, or in `$XDG_RUNTIME_DIR` when such a path would be over 100 bytes, with a notice.
    ///
    /// The folder there is named after a hash of the data folder's path, so every process finds the same one.
    ///
    /// - Throws: `ConfigurationError` when neither is short enough.
    package static func ipc(_ data: DataFolder, environment: Environment) throws(ConfigurationError) -> Endpoints {
        let names = ["requests", "changes", "workers", "pages"]
        let longest = names.map(\.utf8.count).max() ?? 0
        if data.run.utf8.count + 1 + longest <= pathByteCountLimit {
            return Endpoints("ipc://\(data.run)/", names, folder: data.run)
        }
        let advice = "choose a shorter data folder (--data, GANTRY_DATA), or a front on TCP (gantry front --tcp)"
        guard let runtime = environment.value("XDG_RUNTIME_DIR") else {
            throw ConfigurationError(
                "the data folder \(data.path) is too long for sockets and XDG_RUNTIME_DIR is not set; \(advice)")
        }
        let hash = String(XXH64.hash(Array(data.path.utf8)), radix: 16)
        let folder = environment.absolute(runtime) + "/gantry-" + hash
        guard folder.utf8.count + 1 + longest <= pathByteCountLimit else {
            throw ConfigurationError("the data folder and XDG_RUNTIME_DIR are both too long for sockets; \(advice)")
        }
        var endpoints = Endpoints("ipc://\(folder)/", names, folder: folder)
        endpoints.notice = "the data folder's path is too long for sockets, they are in \(folder)"
        return endpoints
    }
}

extension Endpoints {
    /// The data folder of the front whose socket for workers this address is; nil: it is elsewhere.
    package static func dataFolder(ofWorkers address: String) -> DataFolder? {
        guard let path = SocketAddress(address)?.path, path.hasSuffix(workersEnd) else { return nil }
        return DataFolder(path: String(path.dropLast(workersEnd.count)), origin: .builtIn)
    }

    /// What that address has behind the folder.
    private static let workersEnd = "/run/workers"

    /// Where the front that works on a data folder is reached: where its file `run/address` says, which a front on TCP writes, else by the
    /// sockets of the folder.
    ///
    /// - Throws: `ConfigurationError` when the folder is too long for sockets.
    package static func serving(_ data: DataFolder, environment: Environment) throws(ConfigurationError) -> Endpoints {
        if let text = FileManager.default.contents(atPath: data.run + "/address"),
            let endpoints = tcp(requests: String(decoding: text, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines))
        {
            return endpoints
        }
        return try .ipc(data, environment: environment)
    }

    /// The four addresses that begin with that of `requests`; nil for one that is not `tcp://` of this machine with a port of 1 to 65,532.
    static func tcp(requests: String) -> Endpoints? {
        guard let address = SocketAddress(requests), address.isLocal, case .tcp(let place) = address, let port = place.port else {
            return nil
        }
        return (1...65_532).contains(port) ? .tcp(host: place.writtenHost, firstPort: port) : nil
    }
}
