//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GRDB
package import Model

// Bundles of ended jobs: a table of their own, written in the commit of the turn that made them.
extension JournalStore {
    /// Writes new bundles and drops forgotten ones.
    /// - Returns: Bytes of those that were written.
    static func change(_ bundles: EndedBundles, _ db: Database) throws -> Int {
        for bundle in bundles.made {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO bundle (number, entries, checksum) VALUES (?, ?, ?)").execute(
                arguments: [number(bundle.number), Data(bundle.entries), checksum(of: bundle.entries)])
        }
        for number in bundles.forgotten {
            try db.cachedStatement(sql: "DELETE FROM bundle WHERE number = ?").execute(arguments: [Self.number(number)])
        }
        return bundles.made.reduce(0) { $0 + $1.entries.count }
    }

    package func entries(of bundle: BundleNumber) -> [UInt8]? {
        let row = try? queue.writeWithoutTransaction { db in
            try Row.fetchOne(
                try db.cachedStatement(sql: "SELECT entries, checksum FROM bundle WHERE number = ?"), arguments: [Self.number(bundle)])
        }
        guard let row, let entries = Data.fromDatabaseValue(row[0]).map({ [UInt8]($0) }) else { return nil }
        return Int64.fromDatabaseValue(row[1]) == Self.checksum(of: entries) ? entries : nil
    }

    private static func number(_ bundle: BundleNumber) -> Int64 { Int64(bitPattern: bundle.rawValue) }

    private static func checksum(of entries: [UInt8]) -> Int64 { Int64(bitPattern: XXH64.hash(entries)) }
}
