//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CGantryOpenSSL

/// SHA-256 (FIPS 180-4), computed by the system's OpenSSL.
package enum SHA256 {
    /// The bytes of a sum.
    package static let byteCount = 32

    /// The sum of some bytes: 32 of them.
    package static func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { sum, count in
            var context = SHA256_CTX()
            unsafe SHA256_Init(&context)
            unsafe bytes.withUnsafeBytes { _ = unsafe SHA256_Update(&context, $0.baseAddress, $0.count) }
            unsafe SHA256_Final(sum.baseAddress, &context)
            count = byteCount
        }
    }

    /// The sum of some bytes: 32 of them.
    package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes[...]) }
}
