//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Where a front takes requests. The places of changes and pages are told by the front itself.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The transport's address, for example `ipc:///var/lib/gantry/run/requests` or `tcp://127.0.0.1:7701`.
    public let address: String

    /// Longest path of a local socket, in bytes.
    public static let pathByteLimit = 100

    /// Takes an address as it is.
    public init(address: String) { self.address = address }

    /// Reads what people write: an `ipc://` or `tcp://` address, `host:port`, or the path of a data folder.
    /// - Throws: `invalidInput` when it is none of these.
    public init(_ text: String) throws(ClientError) {
        if text.hasPrefix("ipc://") || text.hasPrefix("tcp://") {
            self.init(address: text)
        } else if text.contains("/") || text == "." || text == ".." {
            self.init(folder: text)
        } else if let colon = text.lastIndex(of: ":"), UInt16(text[text.index(after: colon)...]) != nil, colon != text.startIndex {
            self.init(address: "tcp://" + text)
        } else {
            throw ClientError(
                .invalidInput, "\"\(text)\" names no front", nextStep: "give a data folder (with a /), host:port, ipc://… or tcp://…")
        }
    }

    /// The front whose data folder this is.
    public init(folder: String) {
        var path = folder
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.init(address: "ipc://\(path)/run/requests")
    }

    /// The address.
    public var description: String { address }
}
