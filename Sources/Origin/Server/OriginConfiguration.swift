//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

public import Logging

/// Where an origin listens.
public struct OriginConfiguration: Sendable {
    /// Host name or address to listen at.
    public var host: String
    /// 0 to 65,535; 0 lets the system choose.
    public var port: Int
    /// Gets one line when the origin listens and one for each failure.
    public var logger: Logger

    /// The defaults are those of the sample: 127.0.0.1:7711.
    public init(host: String = "127.0.0.1", port: Int = 7711, logger: Logger = Logger(label: "gantry.origin")) {
        self.host = host
        self.port = port
        self.logger = logger
    }
}
