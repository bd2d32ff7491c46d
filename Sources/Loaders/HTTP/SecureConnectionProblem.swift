//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import NIOSSL

/// Why TLS with an origin did not come about, and what to do; a retry never helps.
struct SecureConnectionProblem: Hashable {
    /// What happened and the next step, behind the address.
    let text: String

    /// nil: the error has nothing to do with TLS.
    init?(_ error: any Error) {
        switch error {
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            text = "its certificate is for another host name: use the name that the certificate has, or correct the certificate"
        case let error as NIOSSLExtraError:
            text = Self.broken("\(error)")
        case let error as NIOSSLError:
            switch error {
            case .handshakeFailed(let cause): text = Self.handshake("\(cause)")
            case .unableToValidateCertificate, .noCertificateToValidate: text = Self.untrusted
            default: text = Self.broken("\(error)")
            }
        case let error as BoringSSLError: text = Self.handshake("\(error)")
        default: return nil
        }
    }

    private static let untrusted =
        "its certificate is not trusted (expired, self-signed, or of an unknown authority): renew the certificate of the origin, or add its "
        + "authority to the system's"

    /// BoringSSL names its reasons in its texts only.
    private static func handshake(_ cause: String) -> String {
        if cause.contains("CERTIFICATE_VERIFY_FAILED") { return untrusted }
        if cause.contains("WRONG_VERSION_NUMBER") || cause.contains("HTTP_REQUEST") {
            return "it does not answer in TLS: write http:// if it speaks plain HTTP, or correct the port"
        }
        if cause.contains("PROTOCOL_VERSION") || cause.contains("UNSUPPORTED_PROTOCOL") {
            return "it offers no TLS version from 1.2 on: update the TLS of the origin"
        }
        return broken(cause)
    }

    private static func broken(_ cause: String) -> String {
        let reason = cause.split(separator: ":").last.map { $0.drop { $0 == " " }.prefix { $0 != "]" } }.map(String.init) ?? cause
        return "the TLS connection failed (\(reason.prefix(80))): check the TLS settings of the origin"
    }
}
