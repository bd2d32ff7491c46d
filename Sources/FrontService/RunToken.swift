//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Platform

/// What every hello, registration and page request to a front on TCP carries: 64 hexadecimal digits of 256 random bits, in a file of this
/// user alone. Whoever can read it could read everything else of the front too.
public enum RunToken {
    /// Its name in `DATA/run`.
    static let name = "token"

    /// The token of a data folder; it is made if there is none, and kept over restarts, so that who comes back needs no other. A front and
    /// its workers may ask at the same time and get the same.
    ///
    /// - Parameter folder: the data folder.
    /// - Throws: `cannotWrite` when it can neither be read nor made.
    public static func ensure(in folder: String) throws(FrontServiceError) -> [UInt8] {
        do throws(SystemError) {
            let run = try DirectoryDescriptor(ownedAt: folder + "/run")
            if try run.status(of: name) == nil {
                let draft = ".\(name)-\(String(try SystemRandom.next(), radix: 16))"
                let file = try run.createExclusive(draft, mode: 0o600)
                try file.write(try make())
                try file.sync()
                // Who came first has made the token of all.
                do throws(SystemError) { try run.renameIfNew(draft, to: name) } catch {
                    guard error.code == .exists else { throw error }
                    try run.unlink(draft)
                }
            }
            var token: [UInt8] = []
            try run.openFile(name, options: .read).read(into: &token, count: 64)
            return token
        } catch {
            throw FrontServiceError(.cannotWrite, "the token of \(folder) cannot be used: \(error)")
        }
    }

    private static func make() throws(SystemError) -> [UInt8] {
        var text = ""
        for _ in 0..<4 {
            let digits = String(try SystemRandom.next(), radix: 16)
            text += String(repeating: "0", count: 16 - digits.count) + digits
        }
        return Array(text.utf8)
    }
}
