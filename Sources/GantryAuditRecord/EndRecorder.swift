//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
package import GantryPlatform
import Synchronization

/// Writes down that workers' processes have ended, for whoever sees that: the process that reaps them, and the front, which gives their permits to
/// others. Any thread may use it.
package final class EndRecorder: Sendable {
    private struct State {
        var record: RecordWriter?
    }

    private let folder: String
    private let role: RecordWriterName.Role
    private let state = Mutex(State())

    /// - Parameter folder: `DATA/audit`.
    package init(folder: String, role: RecordWriterName.Role) { (self.folder, self.role) = (folder, role) }

    /// A process that has ended and was not reaped yet.
    package static func identity(of process: ProcessID) -> ProcessIdentity? {
        guard let namespace = try? HostInformation.processNamespace(), let start = try? HostInformation.processStart(of: process)
        else { return nil }
        return ProcessIdentity(namespace: namespace, number: UInt32(truncatingIfNeeded: process.rawValue), start: start)
    }

    /// A process has ended. Only that of a worker with a record gets a line; where it cannot be written, its runs count until their leases are over.
    /// - Parameters:
    ///   - boot: when that was seen, in nanoseconds since the boot: before anybody got the permits of its runs.
    package func note(_ process: ProcessIdentity, how: String, boot: Int64, wall: WallTime) {
        guard RecordFolder.hasRecord(of: process, in: folder) else { return }
        state.withLock { state in
            guard let record = state.record ?? makeRecord() else { return }
            state.record = record
            try? record.close(process, how: how, boot: boot, wall: wall)
        }
    }

    private func makeRecord() -> sending RecordWriter? {
        guard let id = try? SystemRandom.next() else { return nil }
        return RecordWriter(folder: folder, writer: RecordWriterName(role, id), label: "")
    }
}
