//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform

/// `DATA/run` of a front that holds the lock of its data folder: sockets, or where a front on TCP is found, and what it was started with.
struct RunFolder {
    /// Holds the address of requests of a front on TCP; not there for one on sockets.
    private static let addressName = "address"
    /// Holds the configuration as the front has read it, so that others can tell that the file says something else by now.
    private static let startedWithName = "started-with.json"

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

/// What every hello, registration and page request to a front on TCP carries: 64 hexadecimal digits of 256 random bits, in a file of this
/// user alone. Whoever can read it could read everything else of the front too.
///
/// There is no empty one: a front that could not read its token has none of these values, and does not start.
package struct RunToken: Hashable, Sendable {
    /// Its name in `DATA/run`.
    static let name = "token"
    private static let digitCount = 64

    /// The digits, as who speaks to the front says them.
    package let bytes: [UInt8]
    /// What the front asks for.
    package let shared: SharedToken

    private init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.digitCount, bytes.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
            let shared = SharedToken(bytes)
        else { return nil }
        (self.bytes, self.shared) = (bytes, shared)
    }

    /// The token of a data folder; it is made if there is none, and kept over restarts, so that who comes back needs no other. A front and
    /// its workers may ask at the same time and get the same.
    ///
    /// - Parameter folder: the data folder.
    /// - Throws: `token` when something else has its place, `unavailable` or `cannotWrite` when it can neither be read nor made.
    package static func ensure(in folder: String) throws(FrontServiceError) -> RunToken {
        let path = FrontFolder.run(in: folder)
        let found: RunToken?
        do throws(SystemError) {
            let run = try DirectoryDescriptor(ownedAt: path)
            if try run.status(of: name) == nil { try make(in: run) }
            found = try read(in: run)
        } catch {
            throw FrontServiceError("the token of \(folder) cannot be used", because: error)
        }
        guard let found else {
            throw FrontServiceError(.token, "\(path)/\(name) is no token: it must be a file of \(digitCount) hexadecimal digits")
        }
        return found
    }

    /// The token in the folder; nil: what is there is none. A pipe is not waited for.
    private static func read(in run: borrowing DirectoryDescriptor) throws(SystemError) -> RunToken? {
        guard try run.status(of: name)?.kind == .file else { return nil }
        let file = try run.openFile(name, options: [.read, .withoutWaiting])
        guard try file.status().kind == .file else { return nil }
        var bytes: [UInt8] = []
        // One more than it may have: a longer file is none.
        try file.read(into: &bytes, at: 0, count: digitCount + 1)
        return RunToken(bytes)
    }

    /// Makes a token, unless somebody else does at the same time: who comes first has made that of all.
    private static func make(in run: borrowing DirectoryDescriptor) throws(SystemError) {
        let draft = ".\(name)-\(String(try SystemRandom.next(), radix: 16))"
        do throws(SystemError) {
            let file = try run.createExclusive(draft, mode: 0o600)
            try file.write(try digits())
            try file.sync()
            try run.renameIfNew(draft, to: name)
        } catch {
            // A start that finds no room is repeated, and each would leave one more.
            try? run.unlink(draft)
            guard error.code == .exists else { throw error }
        }
    }

    private static func digits() throws(SystemError) -> [UInt8] {
        var text = ""
        for _ in 0..<4 {
            let digits = String(try SystemRandom.next(), radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return Array(text.utf8)
    }
}
