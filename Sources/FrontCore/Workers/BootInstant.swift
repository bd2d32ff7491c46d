//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// When this life of the front began on its machine: what outlives a restart, so that leases of dead workers are not counted anew by each.
public struct BootInstant: Hashable, Sendable {
    /// The boot of the machine, from the kernel; empty where it is unknown.
    public var id: String
    /// How long the machine had been up then, by CLOCK_BOOTTIME in whole milliseconds as the journal has it, read after the lock was
    /// held: no earlier life decided anything after that.
    public var uptime: Duration

    /// An instant of a boot.
    public init(id: String, uptime: Duration) {
        self.id = id
        self.uptime = uptime
    }

    /// Nothing is known of the machine's boot: leases count from each start.
    public static let unknown = BootInstant(id: "", uptime: .zero)
}
