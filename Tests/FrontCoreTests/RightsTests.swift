//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import TestSupport
import Testing

@testable import FrontCore

/// The table of who may do what.
@Suite("Rights")
struct RightsTests {
    private static let rights: [String: Rights] = ["observe": .observe, "request": .request, "admin": .admin, "work": .work, "nothing": []]
    /// Who asks for pages has the rights of a client: `PeerGate` says so.
    private static let channels: [String: FrontChannel] = [
        "requests": .clients, "pages": .clients, "workers": .workers, "changes": .subscriptions,
    ]
    /// The owner and root, who comes over TCP, and another user of the machine, in the order of the table's columns.
    private static let columns: [[UInt32?]] = [[1_000, 0], [nil], [1_001]]

    /// The cells of the protocol's table, those of several endpoints once for each.
    private static func table() throws -> [(endpoint: String, cells: [String])] {
        let lines = try CheckoutFolder.text("Protocol/PROTOCOL.md").split(separator: "\n", omittingEmptySubsequences: false)
        let head = try #require(lines.firstIndex { $0.hasPrefix("| endpoint | the front's own user, and root |") })
        return lines[(head + 2)...].prefix { $0.hasPrefix("|") }.flatMap { line in
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            return cells[0].components(separatedBy: ", ").map { ($0, Array(cells.dropFirst())) }
        }
    }

    @Test("follow from where somebody speaks and who they are, as the protocol's table says")
    func table() throws {
        let rows = try Self.table()
        #expect(Set(rows.map(\.endpoint)) == Set(Self.channels.keys) && rows.count == Self.channels.count)
        for row in rows {
            let channel = try #require(Self.channels[row.endpoint])
            #expect(row.cells.count == Self.columns.count)
            for (cell, users) in zip(row.cells, Self.columns) {
                var written: Rights = []
                for word in cell.components(separatedBy: ", ") {
                    written.formUnion(try #require(Self.rights[word], "\(row.endpoint): \(word)"))
                }
                for user in users { #expect(Rights.of(channel, userID: user, owner: 1_000) == written, "\(row.endpoint): \(cell)") }
            }
        }
    }

    @Test("a front that root runs lets no other user in")
    func root() {
        #expect(Rights.of(.clients, userID: 1_000, owner: 0).isEmpty && Rights.of(.workers, userID: 1_000, owner: 0).isEmpty)
    }
}
