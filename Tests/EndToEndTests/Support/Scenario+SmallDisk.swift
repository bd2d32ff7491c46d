//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryPlatform
import Testing

/// A front whose journal stands on a file system of its own.
extension Scenario {
    /// Starts one whose disk is almost filled by its reserve of 64 MiB, unless told otherwise. It grows when somebody writes into the pipe `grow`.
    func frontOnSmallDisk(size: String = "68m") async throws -> Running {
        try write("grow", "")
        let owner = user.map { ",uid=\($0),gid=\($0)" } ?? ""
        let script = """
            mkdir -p "$GANTRY_DATA/journal" && mount -t tmpfs -o size=\(size)\(owner) tmpfs "$GANTRY_DATA/journal" || exit 99
            \(user.map { "chown \($0):\($0) \"$GANTRY_DATA\"" } ?? "true") && rm grow && mkfifo -m 666 grow || exit 99
            \(prefix.joined(separator: " ")) gantry front --ready-fd 1 --parent $$ &
            read -r line < grow && mount -o remount,size=300m "$GANTRY_DATA/journal" && echo grown
            wait
            """
        // Root needs only a mount namespace of its own, others a user namespace too.
        let namespace = ProcessControl.userID == 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"]
        let host = try await start(program: "/usr/bin/unshare", namespace + ["sh", "-c", script])
        _ = try await host.line("ready") { $0.contains("\"event\":\"ready\"") }
        return host
    }

    /// Gives the journal of such a front more room.
    func growDisk(of host: Running) async throws {
        let signal = try await start(program: "/bin/sh", ["-c", "echo grow > grow"])
        _ = try await host.line("more room") { $0 == "grown" }
        #expect(try await signal.exit() == .exited(code: 0))
    }
}
