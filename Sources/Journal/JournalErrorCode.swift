//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// What kind of fault an opening journal met; grows by static members.
public struct JournalErrorCode: Hashable, Sendable, CustomStringConvertible {
    /// The code in words, as logs show it.
    public let description: String

    private init(_ word: String) { description = word }

    /// A newer program wrote the journal: this one cannot read it and changes nothing.
    public static let newerFormat = JournalErrorCode("newerFormat")
    /// An older program wrote the journal, in a format that this one does not read; nothing was changed.
    public static let olderFormat = JournalErrorCode("olderFormat")
    /// A file of the journal is damaged; nothing was changed.
    public static let corrupt = JournalErrorCode("corrupt")
    /// The folder or a file in it cannot be made, read or written.
    public static let unusable = JournalErrorCode("unusable")
    /// Another process has the journal open.
    public static let inUse = JournalErrorCode("inUse")
    /// The disk has no room for what opening must write.
    public static let full = JournalErrorCode("full")
}
