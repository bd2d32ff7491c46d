//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation

/// Looks through a `-wal` file before SQLite does, since SQLite takes the first frame that does not fit for the end of the file.
///
/// Every commit is fsynced before the next is written. So behind a frame that does not match its checksum there may be the rest
/// of one commit, torn by a power cut and never acknowledged; a whole commit *and* the beginning of another one there proves that
/// acknowledged rows were damaged. Only damage inside the very last commit cannot be told from a torn one.
///
/// Format: https://www.sqlite.org/fileformat2.html section 4. A header of 32 bytes, then frames of 24 bytes and a page.
struct WALReader {
    let path: String
    let file: FileHandle
    private var sums: (UInt32, UInt32) = (0, 0)
    private var wordsAreBigEndian = false
    private var salts: (UInt32, UInt32) = (0, 0)
    /// The format number in the newest committed page that takes the place of the file's first, once all was read; nil: there is none.
    private(set) var format: Int?

    init(path: String, file: FileHandle) {
        self.path = path
        self.file = file
    }

    /// - Throws: `JournalError` with code `corrupt` when rows that were durable once cannot be read any more.
    mutating func refuseDamage() throws {
        defer { try? file.close() }
        guard let header = try read(32) else { return }
        guard header.contains(where: { $0 != 0 }) else { return }
        let magic = header.bigEndianWord(at: 0)
        wordsAreBigEndian = magic & 1 == 1
        add(header[0..<24])
        let pageByteCount = Int(header.bigEndianWord(at: 8))
        guard magic & ~1 == 0x377f_0682, (512...65_536).contains(pageByteCount), pageByteCount % 8 == 0,
            sums == (header.bigEndianWord(at: 24), header.bigEndianWord(at: 28))
        else { throw JournalError.corrupt(path, "the header of the -wal file does not match its checksum") }
        salts = (header.bigEndianWord(at: 16), header.bigEndianWord(at: 20))
        var isWhole = true
        var commitFollowed = false
        var uncommitted: Int?
        while let frame = try read(24 + pageByteCount) {
            if isWhole {
                add(frame[0..<8])
                add(frame[24...])
                let expected = (frame.bigEndianWord(at: 16), frame.bigEndianWord(at: 20))
                if expected == sums, salts == (frame.bigEndianWord(at: 8), frame.bigEndianWord(at: 12)) {
                    if frame.bigEndianWord(at: 0) == 1 { uncommitted = Int(frame.bigEndianWord(at: 24 + JournalStore.formatPosition)) }
                    if frame.bigEndianWord(at: 4) != 0 { format = uncommitted ?? format }
                    continue
                }
                isWhole = false
            }
            // Frames of earlier rounds through the file share neither salt with this one's.
            guard frame.bigEndianWord(at: 8) == salts.0 || frame.bigEndianWord(at: 12) == salts.1 else { continue }
            if commitFollowed { throw JournalError.corrupt(path, "the -wal file is damaged in its middle") }
            commitFollowed = frame.bigEndianWord(at: 4) != 0
        }
    }

    /// The next bytes; nil when fewer are left.
    private func read(_ byteCount: Int) throws -> [UInt8]? {
        guard let data = try file.read(upToCount: byteCount), data.count == byteCount else { return nil }
        return Array(data)
    }

    /// The checksum of the format, section 4.2, over whole pairs of 32-bit words.
    private mutating func add(_ bytes: ArraySlice<UInt8>) {
        var position = bytes.startIndex
        var (first, second) = sums
        while position < bytes.endIndex {
            first &+= word(bytes, position) &+ second
            second &+= word(bytes, position + 4) &+ first
            position += 8
        }
        sums = (first, second)
    }

    private func word(_ bytes: ArraySlice<UInt8>, _ position: Int) -> UInt32 {
        let word =
            UInt32(bytes[position]) | UInt32(bytes[position + 1]) << 8 | UInt32(bytes[position + 2]) << 16
            | UInt32(bytes[position + 3]) << 24
        return wordsAreBigEndian ? word.byteSwapped : word
    }
}

extension [UInt8] {
    /// The big-endian word of four bytes at `position`, which must lie inside: SQLite's log is written so.
    func bigEndianWord(at position: Int) -> UInt32 {
        UInt32(self[position]) << 24 | UInt32(self[position + 1]) << 16 | UInt32(self[position + 2]) << 8
            | UInt32(self[position + 3])
    }
}
