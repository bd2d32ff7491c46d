//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// `DATA/run` of a front that holds the lock of its data folder: sockets, and what clients and workers of the same user need to find and
/// to enter a front on TCP.
struct RunFolder {
    /// Holds the address of requests of a front on TCP; not there for one on sockets of this folder.
    static let addressName = "address"
    /// Holds what every hello, registration and page request to a front on TCP carries: 64 hexadecimal digits of 256 random bits.
    static let tokenName = "token"

    private let path: String

    init(_ path: String) { self.path = path }

    /// Makes everything ready for sockets to be bound at the endpoints. The token is kept over restarts: who comes back needs no other.
    func prepare(_ endpoints: FrontEndpoints) throws(SystemError) {
        let folder = try DirectoryDescriptor(ownedAt: path)
        guard endpoints.requests.hasPrefix("tcp://") else {
            if try folder.status(of: Self.addressName) != nil { try folder.unlink(Self.addressName) }
            try makeSocketFolder(endpoints)
            return
        }
        if try folder.status(of: Self.tokenName) == nil { try write(try Self.newToken(), as: Self.tokenName, in: folder) }
        try write(endpoints.requests, as: Self.addressName, in: folder)
    }

    /// Sockets whose path would be too long are in a folder elsewhere.
    private func makeSocketFolder(_ endpoints: FrontEndpoints) throws(SystemError) {
        let socket = endpoints.requests.dropFirst("ipc://".count)
        guard let slash = socket.lastIndex(of: "/"), slash != socket.startIndex, socket[..<slash] != path else { return }
        _ = try DirectoryDescriptor(ownedAt: String(socket[..<slash]))
    }

    /// Writes a file of this user alone in one step: a reader sees all of it or nothing.
    private func write(_ text: String, as name: String, in folder: borrowing DirectoryDescriptor) throws(SystemError) {
        let draft = ".\(name)-\(ProcessControl.currentID)"
        if try folder.status(of: draft) != nil { try folder.unlink(draft) }
        let file = try folder.createExclusive(draft, mode: 0o600)
        try file.write(Array((text + "\n").utf8))
        try file.sync()
        try folder.rename(draft, to: name)
    }

    private static func newToken() throws(SystemError) -> String {
        var text = ""
        for _ in 0..<4 {
            let digits = String(try SystemRandom.next(), radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return text
    }
}
