//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantrySettings

/// How a client behaves towards its user.
public struct ClientOptions: Sendable {
    /// A name for people, at most 64 bytes.
    public var label: String
    /// The name under which its jobs share the workers with those of other clients, at most 64 bytes without control characters: clients with waiting
    /// jobs of a loader take turns, whoever has how many. The same for all processes of one program or user; the program's name unless said.
    public var client: String
    /// How long opening may take before it fails with `notConnected`.
    public var connectTimeout: Duration = .seconds(5)
    /// How long a call may take unless it says otherwise, before it fails with `timedOut`. A lost front is waited for that long.
    public var requestTimeout: Duration = .seconds(30)
    /// What a front that listens on TCP asks for: the content of `DATA/run/token`. ``GantryClient/init(options:)`` reads it by itself.
    public var token: [UInt8] = []
    /// Whether a replica whose sum differs is asked for again. Only the search for faults switches it off.
    package var resyncs = true

    /// The defaults under a name for people.
    public init(label: String = "client") {
        self.label = label
        let name = CommandLine.arguments.first.flatMap { $0.split(separator: "/").last }.map { String($0) } ?? ""
        client = name.cut(to: MessageBounds.labelByteCount)
    }
}

/// Where a front takes requests. The front itself names the endpoints of changes and pages.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The transport's address, for example `ipc:///var/lib/gantry/run/requests` or `tcp://127.0.0.1:7701`.
    package let address: String

    /// Takes an address as it is; whether it is one of this machine is looked at when a client connects to it.
    package init(address: String) { self.address = address }

    /// Reads what people write: an `ipc://` or `tcp://` address, `host:port`, or the path of a data folder.
    /// - Throws: `invalidInput` when it is none of these, or not of this machine.
    public init(_ text: String) throws(ClientError) {
        let text = SocketAddress.written(text)
        if text.hasPrefix("ipc://") || text.hasPrefix("tcp://") {
            self.init(address: text)
        } else if text.contains("/") || text == "." || text == ".." {
            try self.init(folder: text)
        } else {
            throw ClientError(
                .invalidInput, "\"\(text)\" names no front", nextStep: "give a data folder (with a /), host:port, ipc://… or tcp://…")
        }
        try check()
    }

    /// The front whose data folder this is; `~/` is the home folder.
    /// - Throws: `invalidInput` for a path that is too long for sockets where there is no `XDG_RUNTIME_DIR` either.
    public init(folder: String) throws(ClientError) {
        let environment = Environment.process
        do throws(ConfigurationError) {
            let data = DataFolder(path: environment.absolute(folder), origin: .flag)
            self.init(address: try Endpoints.ipc(data, environment: environment).requests)
        } catch {
            throw ClientError(.invalidInput, "the front of \(folder) cannot be asked", because: ErrorCause(error))
        }
    }

    /// The address as people read it: of a socket its file.
    var place: String { SocketAddress(address)?.path ?? address }

    /// The address.
    public var description: String { address }

    /// - Throws: `invalidInput` when it is none, or not of this machine: without keys everybody on the way could use it.
    func check() throws(ClientError) {
        if let reason = LocalAddress.refusal(of: address) { throw ClientError(.invalidInput, reason) }
    }
}
