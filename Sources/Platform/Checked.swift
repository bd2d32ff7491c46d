//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

/// Turns a negated `errno` of the shim into an error.
@discardableResult
func checked<Number: SignedInteger>(_ result: Number, _ context: @autoclosure () -> String) throws(SystemError) -> Number {
    guard result < 0 else { return result }
    throw SystemError(code: SystemErrorCode(rawValue: Int32(-result)), context: context())
}
