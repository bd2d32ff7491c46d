//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

package import GantryModel
package import GantryPlatform

/// The records of a data folder.
package enum RecordFolder {
    /// The names of all files of records, those of one writer in order.
    package static func files(of folder: borrowing DirectoryDescriptor) throws(SystemError) -> [RecordFileName] {
        try folder.list().compactMap { RecordFileName($0) }
    }

    /// Whether a process has written a record: only then its end is worth a line.
    package static func hasRecord(of process: ProcessIdentity, in path: String) -> Bool {
        guard let folder = try? DirectoryDescriptor(path: path), let names = try? files(of: folder) else { return false }
        return names.contains { $0.writer.role == .worker && $0.process == process.number && $0.processStart == process.start }
    }

    /// Reads and checks every record; a folder that is not there has none.
    /// - Throws: `RecordFault` naming the file and the place where a record is not what its writer wrote, or cannot be read.
    package static func read(_ path: String) throws(RecordFault) -> RecordedRuns {
        var runs = RecordedRuns()
        guard let names = try list(path) else { return runs }
        var reading = RecordReading()
        for (index, name) in names.enumerated() {
            if index > 0, !names[index - 1].isOfSameWriter(as: name) { reading = RecordReading() }
            let isNewest = index + 1 == names.count || !names[index + 1].isOfSameWriter(as: name)
            // One that its writer has removed meanwhile was its oldest.
            guard let bytes = try content(of: name.text, in: path) else { continue }
            try reading.read(bytes, of: name, isNewest: isNewest, into: &runs)
        }
        return runs
    }

    /// The files of a folder; nil: it is not there.
    private static func list(_ path: String) throws(RecordFault) -> [RecordFileName]? {
        do throws(SystemError) { return try files(of: DirectoryDescriptor(path: path)) } catch {
            guard error.code != .notFound else { return nil }
            throw RecordFault(unreadable: error)
        }
    }

    /// The most bytes of one file that are read: some times what a writer puts into one.
    private static let fileByteCount = 256 << 20

    private static func content(of name: String, in path: String) throws(RecordFault) -> [UInt8]? {
        do throws(SystemError) {
            let file = try DirectoryDescriptor(path: path).openFile(name, options: .read)
            var bytes: [UInt8] = []
            try file.read(into: &bytes, at: 0, count: min(fileByteCount, Int(try file.status().byteCount)))
            return bytes
        } catch {
            guard error.code != .notFound else { return nil }
            throw RecordFault(unreadable: error)
        }
    }
}
