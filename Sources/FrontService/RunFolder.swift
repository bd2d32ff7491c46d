//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// `DATA/run` of a front that holds the lock of its data folder: sockets, or where a front on TCP is found.
struct RunFolder {
    /// Holds the address of requests of a front on TCP; not there for one on sockets.
    static let addressName = "address"

    private let path: String

    init(_ path: String) { self.path = path }

    /// Makes everything ready for sockets to be bound at the endpoints; nothing that needs room unless a folder is missing.
    func prepare(_ endpoints: FrontEndpoints) throws(SystemError) {
        let folder = try DirectoryDescriptor(ownedAt: path)
        guard !endpoints.requests.hasPrefix("tcp://") else { return }
        if try folder.status(of: Self.addressName) != nil { try folder.unlink(Self.addressName) }
        try makeSocketFolder(endpoints)
    }

    /// Writes down where a front on TCP takes requests, unless it stands there: a full disk keeps no front from starting again.
    func note(_ endpoints: FrontEndpoints) throws(SystemError) {
        guard endpoints.requests.hasPrefix("tcp://") else { return }
        let folder = try DirectoryDescriptor(ownedAt: path)
        let line = Array((endpoints.requests + "\n").utf8)
        guard try !holds(line, folder) else { return }
        // In one step: a reader sees all of it or nothing. Only the holder of the lock writes here.
        let draft = "." + Self.addressName
        let file = try folder.openFile(draft, options: [.read, .write, .create], mode: 0o600)
        try file.truncate(to: 0)
        try file.write(line, at: 0)
        try folder.rename(draft, to: Self.addressName)
    }

    /// Whether the address is noted already.
    private func holds(_ line: [UInt8], _ folder: borrowing DirectoryDescriptor) throws(SystemError) -> Bool {
        guard try folder.status(of: Self.addressName)?.kind == .file else { return false }
        var found: [UInt8] = []
        try folder.openFile(Self.addressName, options: [.read, .withoutWaiting]).read(into: &found, at: 0, count: line.count + 1)
        return found == line
    }

    /// Sockets whose path would be too long are in a folder elsewhere.
    private func makeSocketFolder(_ endpoints: FrontEndpoints) throws(SystemError) {
        guard endpoints.requests.hasPrefix("ipc://") else { return }
        let socket = endpoints.requests.dropFirst("ipc://".count)
        guard let slash = socket.lastIndex(of: "/"), slash != socket.startIndex, socket[..<slash] != path else { return }
        _ = try DirectoryDescriptor(ownedAt: String(socket[..<slash]))
    }
}
