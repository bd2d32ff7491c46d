//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Model
import Platform

/// `DATA/run` of a front that holds the lock of its data folder: sockets, or where a front on TCP is found, and what it was started with.
struct RunFolder {
    /// Holds the address of requests of a front on TCP; not there for one on sockets.
    static let addressName = "address"
    /// Holds the configuration as the front has read it, so that others can tell that the file says something else by now.
    static let startedWithName = "started-with.json"

    private let path: String

    init(_ path: String) { self.path = path }

    /// Makes everything ready for sockets to be bound at the endpoints; nothing that needs room unless a folder is missing.
    func prepare(_ endpoints: FrontEndpoints) throws(SystemError) {
        let folder = try DirectoryDescriptor(ownedAt: path)
        guard SocketAddress(endpoints.requests)?.isTCP != true else { return }
        if try folder.status(of: Self.addressName) != nil { try folder.unlink(Self.addressName) }
        try makeSocketFolder(endpoints)
    }

    /// Writes down where a front on TCP takes requests, unless it stands there: a full disk keeps no front from starting again.
    func note(_ endpoints: FrontEndpoints) throws(SystemError) {
        guard SocketAddress(endpoints.requests)?.isTCP == true else { return }
        try note(Array((endpoints.requests + "\n").utf8), as: Self.addressName)
    }

    /// Writes down what the front was started with; that of the front before is not left in its place.
    func note(startedWith text: String) throws(SystemError) {
        do throws(SystemError) { try note(Array(text.utf8), as: Self.startedWithName) } catch {
            try? DirectoryDescriptor(path: path).unlink(Self.startedWithName)
            throw error
        }
    }

    private func note(_ bytes: [UInt8], as name: String) throws(SystemError) {
        let folder = try DirectoryDescriptor(ownedAt: path)
        guard try !holds(bytes, name, folder) else { return }
        // In one step: a reader sees all of it or nothing. Only the holder of the lock writes here.
        let draft = "." + name
        do throws(SystemError) {
            let file = try folder.openFile(draft, options: [.read, .write, .create], mode: 0o600)
            try file.truncate(to: 0)
            try file.write(bytes, at: 0)
            try folder.rename(draft, to: name)
        } catch {
            try? folder.unlink(draft)
            throw error
        }
    }

    /// Whether that is noted already.
    private func holds(_ bytes: [UInt8], _ name: String, _ folder: borrowing DirectoryDescriptor) throws(SystemError) -> Bool {
        guard try folder.status(of: name)?.kind == .file else { return false }
        var found: [UInt8] = []
        try folder.openFile(name, options: [.read, .withoutWaiting]).read(into: &found, at: 0, count: bytes.count + 1)
        return found == bytes
    }

    /// Sockets whose path would be too long are in a folder elsewhere.
    private func makeSocketFolder(_ endpoints: FrontEndpoints) throws(SystemError) {
        guard let socket = SocketAddress(endpoints.requests)?.path else { return }
        guard let slash = socket.lastIndex(of: "/"), slash != socket.startIndex, socket[..<slash] != path else { return }
        _ = try DirectoryDescriptor(ownedAt: String(socket[..<slash]))
    }
}
