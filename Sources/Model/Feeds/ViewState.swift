//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// How a list is looked at: one item of the topic `view/<key>/<name>`.
public struct ViewState: Hashable, Sendable {
    /// The view's name; `shared` is everybody's default.
    public var name: String
    /// Raised by one with each change that somebody asked for; `sort`, `filter` and `select` name the version they saw.
    public var version: UInt64
    /// The order that was asked for; nil: the list's own.
    public var sort: SortOrder?
    /// The text that items must contain; empty: all.
    public var filter: String
    /// The id of the selected item.
    public var selection: String?
    /// The selected item's detail.
    public var detail: Detail
    /// What pages are read by; nil while the feed has no content.
    public var revision: ViewRevision?
    /// The job that makes the order that was asked for.
    public var sorting: JobID?
    /// Why the last order could not be made.
    public var failure: Failure?

    /// A view that nobody has touched.
    public init(name: String) {
        self.name = name
        self.version = 0
        self.filter = ""
        self.detail = .idle
    }
}
