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

/// The hashes of a record's lines: each counts the one before it, so that no line can be changed, taken out or put in behind which another one stands.
///
/// A line is the hash as 64 digits, a blank, some JSON and a newline. The hash is the SHA-256 of the hash of the line before, a blank and that JSON, so
/// `printf '%s %s' HASH JSON | sha256sum` checks it. Who may write the folder can write a whole other record: who wants to hold somebody to one keeps
/// its last hash.
package struct RecordChain: Hashable, Sendable {
    /// Digits of a hash.
    package static let digits = 64
    /// The hash of the last line.
    package private(set) var last: [UInt8]

    /// Goes on behind a line with that hash.
    package init(after hash: String = RecordHead.noHash) { last = Array(hash.utf8) }

    /// The hash of the last line, as text.
    package var lastText: String { String(decoding: last, as: UTF8.self) }

    /// The next line, whole.
    package mutating func append(_ json: [UInt8]) -> [UInt8] {
        last = Self.hash(of: json[...], after: last)
        return last + [UInt8(ascii: " ")] + json + [UInt8(ascii: "\n")]
    }

    /// Whether a line, without its newline, is the next one.
    /// - Returns: its JSON; nil: it is not.
    package mutating func take(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard line.count > Self.digits, line[line.startIndex + Self.digits] == UInt8(ascii: " ") else { return nil }
        let json = line.dropFirst(Self.digits + 1)
        let hash = Self.hash(of: json, after: last)
        guard hash[...] == line.prefix(Self.digits) else { return nil }
        last = hash
        return json
    }

    private static func hash(of json: ArraySlice<UInt8>, after last: [UInt8]) -> [UInt8] {
        var bytes = last
        bytes.reserveCapacity(last.count + 1 + json.count)
        bytes.append(UInt8(ascii: " "))
        bytes += json
        var text: [UInt8] = []
        text.reserveCapacity(digits)
        for byte in SHA256.hash(bytes) {
            text.append(hexadecimal[Int(byte >> 4)])
            text.append(hexadecimal[Int(byte & 15)])
        }
        return text
    }

    private static let hexadecimal = Array("0123456789abcdef".utf8)
}
