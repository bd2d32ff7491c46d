//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
import GantryPlatform

/// The name of a file of a record: `worker-00c0ffee00c0ffee-4711-123456-000001.record`, with the writer, the number and the start of its process, and its
/// place among the writer's files. So whoever looks into the folder knows whose a file is without reading it.
package struct RecordFileName: Hashable, Sendable {
    /// Who writes it.
    package var writer: RecordWriterName
    /// The number of the writer's process.
    package var process: UInt32
    /// When that began, in the kernel's ticks since the boot.
    package var processStart: UInt64
    /// Its place among the writer's files, from 1.
    package var number: Int

    private static let ending = ".record"

    package init(writer: RecordWriterName, process: ProcessIdentity, number: Int) {
        (self.writer, self.process, processStart, self.number) = (writer, process.number, process.start, number)
    }

    /// Reads a name; nil: it is no record's.
    package init?(_ text: String) {
        guard text.hasSuffix(Self.ending) else { return nil }
        let parts = text.dropLast(Self.ending.count).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 5, let writer = RecordWriterName("\(parts[0])-\(parts[1])"), let process = UInt32(parts[2]),
            let start = UInt64(parts[3]), let number = Int(parts[4]), number > 0
        else { return nil }
        (self.writer, self.process, processStart, self.number) = (writer, process, start, number)
    }

    /// The name.
    package var text: String {
        let digits = String(number)
        return "\(writer.text)-\(process)-\(processStart)-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits + Self.ending
    }

    /// Whether the process that writes it runs, as far as this one can see.
    var isOfRunningProcess: Bool {
        guard let id = ProcessID(rawValue: Int32(truncatingIfNeeded: process)) else { return false }
        return (try? HostInformation.processStart(of: id)) == processStart
    }
}

/// How much records take.
package struct RecordBounds: Hashable, Sendable {
    /// Bytes after which a writer goes on in a new file: some 15,000 jobs.
    package var fileByteCount: Int64 = 4 << 20
    /// Files of one writer; the oldest is removed for a new one.
    package var files = 4
    /// Bytes of all files of the folder, of which those of ended processes are removed for a new one, the oldest first.
    package var folderByteCount: Int64 = 128 << 20
    /// Files of the folder; the same happens at this bound.
    package var folderFiles = 512

    /// The defaults.
    package init() {}
}

extension RecordBounds {
    /// Files that a head names as seen: more are not in a folder.
    var seen: Int { folderFiles }
}
