//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import AsyncHTTPClient
import Foundation
import GantryFeedSettings
import GantryModel
import GantryWorker
import NIOCore
import NIOHTTP1
import NIOSSL

extension LoaderFailure {
    /// A failure of a transfer in the words that observers know.
    ///
    /// - Parameter hadBytes: whether a part of the answer had come.
    init(transfer error: any Error, of target: HTTPTarget, hadBytes: Bool) {
        let connects: [HTTPClientError] = [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout]
        var isConnectTimeout = false
        if case .connectTimeout? = error as? ChannelError { isConnectTimeout = true }
        let isReset = (error as? IOError)?.errnoCode == ECONNRESET
        if let problem = SecureConnectionProblem(error) {
            self.init(.secureConnectionFailed, "\(target.shown): \(problem.text)", cause: error)
        } else if isConnectTimeout || (error as? HTTPClientError).map(connects.contains) == true {
            self.init(
                .timedOut, "\(target.shown): no connection in time; check the origin, or raise http.timeout.connect, then retry",
                retryable: true, cause: error)
        } else if let error = error as? HTTPParserError, error != .invalidEOFState {
            self.init(.invalidData, "\(target.shown) does not answer in HTTP: check host and port", cause: error)
        } else if hadBytes || error is HTTPParserError || error as? HTTPClientError == .remoteConnectionClosed || isReset {
            let hint = hadBytes || target.isSecure ? "" : ", write https:// if it speaks TLS"
            self.init(
                .unreachable, "\(target.shown) closed the connection before the answer was whole: check the origin\(hint), then retry",
                retryable: true, cause: error)
        } else {
            self.init(
                .unreachable, "\(target.shown) cannot be reached: check that the origin runs and the address is right, then retry",
                retryable: true, cause: error)
        }
    }

    /// A transfer that took too long.
    init(_ bound: TransferWatch.Bound, of target: HTTPTarget, _ limits: HTTPLimits) {
        switch bound {
        case .idle(let after):
            self.init(
                .timedOut,
                "\(target.shown): nothing came for \(after.line); check the origin, "
                    + "or raise http.timeout.idle above that", retryable: true)
        case .total:
            self.init(
                .timedOut,
                "\(target.shown) took longer than \(limits.totalTimeout.line): "
                    + "ask for less, or raise http.timeout.total", retryable: true)
        }
    }

    /// A status other than 200.
    init(status: HTTPResponseStatus, of target: HTTPTarget) {
        let mayPass = status.code == 408 || status.code == 425 || status.code == 429 || status.code >= 500
        let nextStep =
            switch status.code {
            case 401, 407: "it asks for credentials, and a feed cannot send any yet; use an address that needs none"
            case 403: "it refuses this worker; check the rights at the origin, or use an address that is open"
            default: mayPass ? "retry later" : "check the address in the configuration, and the parameters in it"
            }
        self.init(
            .httpStatus, "\(target.shown) answered \(status.code): \(nextStep)", arguments: ["status", String(status.code)],
            retryable: mayPass)
    }

    /// A redirect to a loopback or private address that nobody configured.
    init(redirect first: HTTPTarget, to next: HTTPTarget) {
        self.init(
            .forbiddenAddress,
            "\(first.shown) redirects to \(next.shown), a loopback or private address: configure that address itself if it is meant")
    }

    /// A body over its bound.
    init(body target: HTTPTarget, over bound: BodyBound) {
        self.init(
            .tooLarge, "\(target.shown) has more than \(bound.byteCount) bytes: \(bound.nextStep)",
            arguments: ["limit", String(bound.byteCount)])
    }

    /// An address that may not be asked.
    init(forbidden target: HTTPTarget) {
        self.init(
            .forbiddenAddress,
            "\(target.shown) is a loopback or private address that is not allowed: add \(HostAndPort(host: target.host, port: target.port)) to http.allow of the worker's configuration"
        )
    }
}

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
