//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

extension CurveKey: SocketOptionValue {
    /// The 32 bytes.
    public func optionBytes(millisecondsPerUnit: Int64) -> [UInt8] { bytes }
    /// Reads 32 bytes.
    public static func fromOptionBytes(_ bytes: [UInt8], millisecondsPerUnit: Int64) -> CurveKey? { CurveKey(bytes: bytes) }
    /// 32, which makes libzmq answer in binary.
    public static var optionCapacity: Int { 32 }
}
