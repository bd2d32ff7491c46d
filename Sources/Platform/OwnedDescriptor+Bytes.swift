//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

internal import CPlatform

extension OwnedDescriptor {
    /// Reads what is there, at most `count` bytes, from the current position or a pipe.
    ///
    /// - Parameter buffer: its content is replaced; its memory is kept, so give the same one each time.
    /// - Returns: how many bytes `buffer` now holds; 0 is the end.
    /// - Throws: `wouldBlock` for a descriptor that does not block, `deviceFailed`.
    @discardableResult
    public borrowing func read(into buffer: inout [UInt8], count: Int) throws(SystemError) -> Int {
        let number = rawValue
        let got = unsafe buffer.refill(count) { target in unsafe gantry_read(number, target.baseAddress, target.count) }
        return Int(try checked(got, "reading \(path)"))
    }

    /// Reads `count` bytes at a position, fewer only at the end of the file. Moves no position, so threads may share it.
    ///
    /// - Parameter buffer: its content is replaced; its memory is kept, so give the same one each time.
    /// - Returns: how many bytes `buffer` now holds.
    /// - Throws: `deviceFailed` and whatever the file system has.
    @discardableResult
    public borrowing func read(into buffer: inout [UInt8], at offset: Int64, count: Int) throws(SystemError) -> Int {
        let number = rawValue
        let got = unsafe buffer.refill(count) { target in
            unsafe gantry_read_at(number, target.baseAddress, target.count, offset)
        }
        return Int(try checked(got, "reading \(count) bytes of \(path) at \(offset)"))
    }

    /// Writes all bytes at the current position or into a pipe.
    /// - Throws: `diskFull` (some bytes may be written), `brokenPipe`, `deviceFailed`.
    public borrowing func write(_ bytes: [UInt8]) throws(SystemError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe gantry_write_all(rawValue, $0.baseAddress, $0.count) }
        try checked(code, "writing \(bytes.count) bytes to \(path)")
    }

    /// Writes a part of an array at the current position or into a pipe.
    /// - Throws: `diskFull` (some bytes may be written), `brokenPipe`, `deviceFailed`.
    public borrowing func write(_ bytes: ArraySlice<UInt8>) throws(SystemError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe gantry_write_all(rawValue, $0.baseAddress, $0.count) }
        try checked(code, "writing \(bytes.count) bytes to \(path)")
    }

    /// Writes all bytes at a position of a file; moves no position.
    /// - Throws: `diskFull` (some bytes may be written), `deviceFailed`.
    public borrowing func write(_ bytes: [UInt8], at offset: Int64) throws(SystemError) {
        let code = unsafe bytes.withUnsafeBytes { unsafe gantry_write_all_at(rawValue, $0.baseAddress, $0.count, offset) }
        try checked(code, "writing \(bytes.count) bytes to \(path) at \(offset)")
    }

    /// Waits until content and size are on the disk (`fsync`). After a failure the content must count as lost.
    /// - Throws: `deviceFailed`, `diskFull`.
    public borrowing func sync() throws(SystemError) {
        try checked(gantry_sync(rawValue, 0), "syncing \(path)")
    }

    /// Waits until the content can be read back after a power cut (`fdatasync`), without times and owner.
    /// - Throws: `deviceFailed`, `diskFull`.
    public borrowing func syncData() throws(SystemError) {
        try checked(gantry_sync(rawValue, 1), "syncing \(path)")
    }

    /// Has the next read ask the disk itself: what memory holds of the file's synced content is forgotten.
    /// - Throws: the file system's error.
    public borrowing func forgetCached() throws(SystemError) {
        try checked(gantry_forget_cached(rawValue), "forgetting what is cached of \(path)")
    }

    /// Reserves room from the start, so that writing there later does not find the disk full; the file grows to it.
    /// - Throws: `diskFull`, `quotaFull`.
    public borrowing func reserve(byteCount: Int64) throws(SystemError) {
        try checked(gantry_allocate(rawValue, byteCount), "reserving \(byteCount) bytes for \(path)")
    }

    /// Cuts the file or lets it grow with zeros that take no room.
    /// - Throws: the file system's error.
    public borrowing func truncate(to byteCount: Int64) throws(SystemError) {
        try checked(gantry_truncate(rawValue, byteCount), "cutting \(path) to \(byteCount) bytes")
    }

    /// Sets the file's time to now.
    /// - Throws: `permissionDenied`, `readOnly`.
    public borrowing func touch() throws(SystemError) {
        try checked(gantry_touch_descriptor(rawValue), "setting the time of \(path)")
    }
}
