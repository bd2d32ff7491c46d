//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
public import Model

extension RemoteFeed where Value == FeedPage {
    /// A feed whose value is the page itself, its items as JSON text.
    /// - Parameters:
    ///   - client: the client of the front.
    ///   - key: the feed; parameters left out have their defaults.
    ///   - view: the view that orders the list; `shared` is everybody's.
    ///   - limit: how many items a page has at most, 1 to 1,000.
    public convenience init(_ client: GantryClient, _ key: FeedKey, view: String = ViewName.shared, limit: UInt32 = 50) {
        self.init(client, key, view: view, limit: limit) { $0 }
    }
}

extension RemoteFeed {
    /// A feed whose value is the items of the page, decoded from JSON.
    /// - Parameters:
    ///   - client: the client of the front.
    ///   - key: the feed; parameters left out have their defaults.
    ///   - view: the view that orders the list; `shared` is everybody's.
    ///   - limit: how many items a page has at most, 1 to 1,000.
    ///   - decoding: the type of an item; an item that does not fit it fails the load with a `DecodingError`.
    public convenience init<Item: Decodable>(
        _ client: GantryClient, _ key: FeedKey, view: String = ViewName.shared, limit: UInt32 = 50, decoding: Item.Type
    ) where Value == [Item] {
        self.init(client, key, view: view, limit: limit) { page in
            let decoder = JSONDecoder()
            return try page.items.map { try decoder.decode(Item.self, from: Data($0)) }
        }
    }
}
