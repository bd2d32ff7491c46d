//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import FeedSettings

/// What the worker's own configuration says of http: it wins over what any job asks for.
public struct HTTPPolicy: Hashable, Sendable {
    /// The loopback and private addresses that may be asked; public ones may always be.
    public var allow: [AllowedAddress]
    /// The largest bounds of a transfer; of these and the job's settings the smaller ones count.
    public var limits: HTTPLimits

    /// A policy; with an empty list nothing on this machine or in a private network can be reached.
    public init(allow: [AllowedAddress] = [], limits: HTTPLimits = HTTPLimits()) {
        self.allow = allow
        self.limits = limits
    }

    /// The bounds that count for a job.
    func limits(with asked: HTTPLimits) -> HTTPLimits {
        HTTPLimits(
            maxBodyBytes: min(limits.maxBodyBytes, asked.maxBodyBytes),
            connectTimeoutSeconds: min(limits.connectTimeoutSeconds, asked.connectTimeoutSeconds),
            idleTimeoutSeconds: min(limits.idleTimeoutSeconds, asked.idleTimeoutSeconds),
            totalTimeoutSeconds: min(limits.totalTimeoutSeconds, asked.totalTimeoutSeconds))
    }

    /// Whether a host that is written as an address, or as `localhost`, is refused; a name is not judged before it is looked up.
    public func refuses(writtenHost host: String, port: Int) -> Bool {
        let address = host.lowercased() == "localhost" ? "127.0.0.1" : host
        return IPAddress(address) != nil && !permits(host: host, address: address, port: port)
    }

    /// Whether an address that a host stands for may be asked. A listed name stands for whatever it resolves to.
    func permits(host: String, address: String, port: Int) -> Bool {
        if let number = IPAddress(address), number.isPublic { return true }
        return allow.contains { entry in
            entry.allows(host: host, port: port) || entry.allows(host: address, port: port)
                || (IPAddress(entry.host).map { $0 == IPAddress(address) } ?? false) && (entry.port ?? port) == port
        }
    }
}
