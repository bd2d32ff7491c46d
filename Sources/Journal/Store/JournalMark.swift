//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import GantryModel
import GantryPlatform

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
