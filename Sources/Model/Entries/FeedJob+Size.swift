//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension JournalEntry.FeedJob {
    /// Bytes of the texts and the item that it carries.
    public var byteCount: Int {
        key.text.utf8.count + loader.utf8.count + view.utf8.count + item.count + submitter.byteCount + label.utf8.count + filter.utf8.count
            + options.byteCount + (itemID?.utf8.count ?? 0) + (previousItemID?.utf8.count ?? 0) + (sort?.field.utf8.count ?? 0)
    }
}
