//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryModel
import GantryPlatform

// How a journal whose files have lost their end is noticed: SQLite would take what is left for all of it.

/// The newest turn that was acknowledged and its epoch, in a small file beside the journal: it shows that the journal's files have lost
/// their end.
///
/// Nothing in them does. SQLite takes a `-wal` file that somebody has cut for one whose last commit a power cut has torn, and one that is gone for
/// one that was emptied; the turns that are left have no gap.
///
/// It is written after each commit and not synced, which would cost a turn as much as its row does: so it never names a turn that is not
/// durable, is exact after a kill, and may name an earlier turn after a power cut. Where it is away, or not whole, nothing is told.
///
/// Epoch and turn, each UInt64 little-endian, and XXH64 (seed 0) of the two: 24 bytes.
final class JournalMark: Sendable {
    /// What was acknowledged.
    struct Position: Hashable {
        var epoch: Epoch
        var turn: TurnNumber
    }

    /// What the file's path has behind that of the journal. By its name it comes before `-wal`, so a copy that is made while a front works, file by
    /// file, has no later mark than rows.
    static let suffix = "-acknowledged"
    private static let byteCount = 24

    private let file: OwnedDescriptor

    /// Opens or makes the file of a journal; nil: it cannot be written, so a loss will not be detected.
    init?(journal path: String) {
        guard let file = try? OwnedDescriptor(path: path + Self.suffix, options: [.read, .write, .create], mode: 0o600) else { return nil }
        self.file = file
    }

    /// Notes what is durable. The mark before it stays where this one cannot be written: it detects less.
    func note(_ position: Position) { try? file.write(Self.encode(position), at: 0) }

    /// Whether the file of a journal has something in it that is no mark: what was acknowledged is then not known. An empty one says nothing.
    static func isDamaged(ofJournal path: String) -> Bool {
        guard let file = try? OwnedDescriptor(path: path + suffix, options: [.read, .withoutWaiting]), let status = try? file.status(),
            status.kind == .file, status.byteCount > 0
        else { return false }
        return position(ofJournal: path) == nil
    }

    /// What an earlier epoch has noted; nil: nothing is known.
    static func position(ofJournal path: String) -> Position? {
        var bytes: [UInt8] = []
        guard let file = try? OwnedDescriptor(path: path + suffix, options: [.read, .withoutWaiting]),
            (try? file.read(into: &bytes, at: 0, count: byteCount)) == byteCount
        else { return nil }
        let position = Position(epoch: Epoch(LittleEndian.word(bytes, 0)), turn: TurnNumber(LittleEndian.word(bytes, 8)))
        return encode(position) == bytes ? position : nil
    }

    private static func encode(_ position: Position) -> [UInt8] {
        var bytes: [UInt8] = []
        LittleEndian.append(position.epoch.rawValue, to: &bytes)
        LittleEndian.append(position.turn.rawValue, to: &bytes)
        LittleEndian.append(XXH64.hash(bytes), to: &bytes)
        return bytes
    }
}

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
