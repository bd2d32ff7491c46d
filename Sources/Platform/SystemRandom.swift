//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

/// Random numbers of the kernel, good enough for identifiers and keys.
public enum SystemRandom {
    /// 64 random bits.
    /// - Throws: the system's error where `getrandom` is forbidden; nothing else can fail.
    public static func next() throws(SystemError) -> UInt64 {
        var value: UInt64 = 0
        try checked(unsafe gantry_random(&value), "reading random bits; allow the getrandom system call")
        return value
    }
}
