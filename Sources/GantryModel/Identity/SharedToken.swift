//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// The token that every peer of a front over TCP must send: the content of `DATA/run/token`.
package struct SharedToken: Hashable, Sendable {
    /// Longest token, in bytes.
    package static let byteCountLimit = 64

    private let bytes: [UInt8]

    /// A token; nil if it is empty or over 64 bytes.
    package init?(_ bytes: [UInt8]) {
        guard !bytes.isEmpty, bytes.count <= Self.byteCountLimit else { return nil }
        self.bytes = bytes
    }

    /// Whether somebody knows the token; a wrong one takes as long as the right one, so nobody finds it byte by byte.
    package func admits(_ given: [UInt8]) -> Bool { bytes.isSameSecret(as: given) }
}

extension [UInt8] {
    /// Whether both are the same bytes; the time depends on the counts alone.
    package func isSameSecret(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for (mine, theirs) in zip(self, other) { difference |= mine ^ theirs }
        return difference == 0
    }
}
