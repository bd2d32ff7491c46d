//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

extension OwnedDescriptor {
    /// Takes a lock of the file (`flock`) that others may share. It ends when the descriptor is closed, however the process ends.
    /// - Returns: false, at once, when somebody else holds the lock that excludes all others.
    /// - Throws: the system's error.
    public borrowing func tryLockShared() throws(SystemError) -> Bool {
        let code = gantry_lock_shared(rawValue)
        if code == -SystemErrorCode.inUse.rawValue { return false }
        try checked(code, "locking \(path)")
        return true
    }

    /// Takes the lock of the file (`flock`) that excludes all others. It ends when the descriptor is closed, however the process ends.
    /// - Returns: false, at once, when somebody else holds a lock.
    /// - Throws: the system's error.
    public borrowing func tryLockExclusively() throws(SystemError) -> Bool {
        let code = gantry_lock(rawValue)
        if code == -SystemErrorCode.inUse.rawValue { return false }
        try checked(code, "locking \(path)")
        return true
    }
}
