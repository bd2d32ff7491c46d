//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import Foundation
import GantryFeedSettings
import GantryModel
import GantryWorker
import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import Loaders

/// Answers whatever comes in plain HTTP, as a server does that finds TLS at its other port.
private final class PlainAnswerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")), promise: nil)
    }
}

@Suite("Secure connections", .timeLimit(.minutes(5)))
struct SecureConnectionTests {
    private func failure(_ port: Int) async throws -> LoaderFailure? {
        let bench = try LoaderBench()
        let settings = LoaderSettings.at(port, "/x") {
            $0.source = URLTemplate("https://127.0.0.1:\(port)/x").map { .http(HTTPSource(url: $0, items: .at(""))) }
        }
        return await bench.failure(bench.http(port), try bench.work(.load, settings))
    }

    @Test("a certificate that nobody vouches for is told for what it is, and a retry is not promised to help")
    func selfSigned() async throws {
        let certificate = try NIOSSLCertificate(bytes: Array(Self.certificate.utf8), format: .pem)
        let key = try NIOSSLPrivateKey(bytes: Array(Self.key.utf8), format: .pem)
        let context = try NIOSSLContext(
            configuration: .makeServerConfiguration(certificateChain: [.certificate(certificate)], privateKey: .privateKey(key)))
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: context))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let failure = try await failure(server.localAddress?.port ?? 0)
        #expect(failure?.code == .secureConnectionFailed && failure?.retryable == false)
        #expect(failure?.text.contains("its certificate is not trusted (expired, self-signed") == true, "\(failure?.text ?? "none")")
        try await server.close()
    }

    @Test("a server that speaks plain HTTP at an https address is told so")
    func plain() async throws {
        let server = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(PlainAnswerer()) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let failure = try await failure(server.localAddress?.port ?? 0)
        #expect(failure?.code == .secureConnectionFailed && failure?.retryable == false)
        #expect(failure?.text.contains("it does not answer in TLS: write http://") == true, "\(failure?.text ?? "none")")
        try await server.close()
    }

    @Test("a server that only closes the connection may speak TLS, and is not said to be away")
    func reset() throws {
        let lost = IOError(errnoCode: ECONNRESET, reason: "read")
        let plain = LoaderFailure(transfer: lost, of: try HTTPTarget("http://h/x"), hadBytes: false)
        #expect(plain.code == .unreachable && plain.text.contains("closed the connection") && plain.text.contains("write https:// if"))
        let secure = LoaderFailure(transfer: lost, of: try HTTPTarget("https://h/x"), hadBytes: false)
        #expect(secure.text.contains("closed the connection") && !secure.text.contains("https:// if"))
        #expect(!LoaderFailure(transfer: lost, of: try HTTPTarget("http://h/x"), hadBytes: true).text.contains("https:// if"))
    }

    @Test("a certificate for another name is told so; what is not of TLS stays unreachable")
    func causes() throws {
        let name = try #require(SecureConnectionProblem(NIOSSLExtraError.failedToValidateHostname))
        #expect(name.text.contains("another host name"))
        #expect(SecureConnectionProblem(ChannelError.ioOnClosedChannel) == nil)
        let target = try HTTPTarget("http://h/x")
        #expect(LoaderFailure(transfer: ChannelError.ioOnClosedChannel, of: target, hadBytes: false).code == .unreachable)
    }

    /// Self-signed for `origin.example`, for this test only.
    private static let certificate =
        """
        -----BEGIN CERTIFICATE-----
        MIIBiTCCAS+gAwIBAgIUPX1EdR/4pTz0nYzlg5fAFlUpar0wCgYIKoZIzj0EAwIw
        GTEXMBUGA1UEAwwOb3JpZ2luLmV4YW1wbGUwIBcNMjYxMTIyMDE1NTUxWhgPMjEy
        NjEwMjkwMTU1NTFaMBkxFzAVBgNVBAMMDm9yaWdpbi5leGFtcGxlMFkwEwYHKoZI
        zj0CAQYIKoZIzj0DAQcDQgAEhELtT4fho4oy0PHEGYqhGbgKiozl6e3XU3tedWoQ
        384ZR4UWVjtWRxrmZJLnkwf/O7ZhjfA9Yu2WUIp/eV+DV6NTMFEwHQYDVR0OBBYE
        FBaRZqBCoTBBT4Z3hjrhVgHv9E9gMB8GA1UdIwQYMBaAFBaRZqBCoTBBT4Z3hjrh
        VgHv9E9gMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDSAAwRQIhAIgXK31k
        f087IK0YRrtJiFwT3YoYly9Fm5Ihka+CFklvAiB2oSsE6puwXjwaBMfrTY1CKrgo
        FFnrvrYLuSguyDPfmw==
        -----END CERTIFICATE-----

        """

    private static let key =
        """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9aLtdZSp39HT4omm
        jzOVG5A9qaHcmr+nfHZsshxHjSWhRANCAASEQu1Ph+GjijLQ8cQZiqEZuAqKjOXp
        7ddTe151ahDfzhlHhRZWO1ZHGuZkkueTB/87tmGN8D1i7ZZQin95X4NX
        -----END PRIVATE KEY-----

        """
}
