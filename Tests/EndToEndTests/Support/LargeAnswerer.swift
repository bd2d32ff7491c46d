//
// Gantry. Licensed under the Apache License, Version 2.0; see LICENSE.
//

import NIOCore
import NIOPosix

/// An origin whose list has one item, `1`, with a detail of `byteCount` bytes at `/detail/1`.
final class LargeAnswerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let byteCount: Int
    private var head = ""
    private var hasAnswered = false

    private init(byteCount: Int) { self.byteCount = byteCount }

    /// Serves on a free port of 127.0.0.1.
    static func serve(byteCount: Int) async throws -> any Channel {
        try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LargeAnswerer(byteCount: byteCount))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        head += String(buffer: unwrapInboundIn(data))
        guard !hasAnswered, head.contains("\r\n\r\n") else { return }
        hasAnswered = true
        if head.contains("/detail/") { sendDetail(context) } else { send(#"[{"id":"1","title":"one"}]"#, context) }
        let channel = context.channel
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
    }

    private func sendDetail(_ context: ChannelHandlerContext) {
        let part = ByteBuffer(repeating: UInt8(ascii: "x"), count: 1 << 20)
        write("HTTP/1.1 200 OK\r\nContent-Length: \(byteCount)\r\n\r\n\"", context)
        for _ in 0..<((byteCount - 2) / part.readableBytes) { context.write(wrapOutboundOut(part), promise: nil) }
        write(String(repeating: "x", count: (byteCount - 2) % part.readableBytes) + "\"", context)
    }

    private func send(_ body: String, _ context: ChannelHandlerContext) {
        write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", context)
    }

    private func write(_ text: String, _ context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
    }
}
