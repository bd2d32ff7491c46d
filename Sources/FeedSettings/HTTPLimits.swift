//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What bounds one load of the http loader. The worker's own bounds win where they are tighter.
public struct HTTPLimits: Codable, Hashable, Sendable {
    /// The largest body in bytes, after inflation; above it the load fails with `tooLarge`.
    public var maxBodyBytes: Int
    /// Seconds until a connection must stand.
    public var connectTimeoutSeconds: Double
    /// Seconds without a byte until the transfer fails with `timedOut`.
    public var idleTimeoutSeconds: Double
    /// Seconds for the whole load: finding the host, the transfer, and the worker's own work on what came; waiting for memory does not count.
    public var totalTimeoutSeconds: Double

    /// The defaults of the configuration: 64 MiB, 5 s, 15 s, 60 s.
    public init(
        maxBodyBytes: Int = 64 << 20, connectTimeoutSeconds: Double = 5, idleTimeoutSeconds: Double = 15,
        totalTimeoutSeconds: Double = 60
    ) {
        self.maxBodyBytes = maxBodyBytes
        self.connectTimeoutSeconds = connectTimeoutSeconds
        self.idleTimeoutSeconds = idleTimeoutSeconds
        self.totalTimeoutSeconds = totalTimeoutSeconds
    }
}
