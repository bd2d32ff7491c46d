//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFileCache
import GantryModel
import TestSupport
import Testing

@Suite("The example of the documentation")
struct GuideTests {
    /// The lines of the landing page's example, as it has them.
    private func firstSteps(in folder: String) throws -> [ListItem] {
        let cache = try FileCache(root: folder)
        let writer = try cache.makeListWriter(durability: .cached)
        try writer.append(ListItem(id: "1", title: "Tea"))
        let list = try cache.openList(writer.finish().digest)
        let order = try cache.openOrder(cache.sort(list, by: SortOrder(field: "title")).digest)
        let page = try list.page(order: order, offset: 0, limit: 50)
        return page
    }

    @Test("does what it shows")
    func works() throws {
        let folder = try TemporaryFolder()
        #expect(try firstSteps(in: folder.path + "/objects") == [ListItem(id: "1", title: "Tea")])
    }

    @Test("is the code that is tested here")
    func text() throws {
        let page = try CheckoutFolder.text("Sources/GantryFileCache/GantryFileCache.docc/GantryFileCache.md")
        let snippets = page.components(separatedBy: "```swift\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
        #expect(snippets.count == 1)
        let code = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8).split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }.joined(separator: "\n")
        for snippet in snippets { #expect(code.contains(snippet), "\(snippet)") }
    }
}
