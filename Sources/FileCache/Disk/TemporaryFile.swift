//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// A file that becomes an object by getting its name, or is removed.
struct TemporaryFile {
    /// What every temporary name begins with; objects' folders have two hexadecimal digits, so the two are never mixed up.
    static let prefix = ".adding-"

    let name: String
    let file: CacheFile
}
