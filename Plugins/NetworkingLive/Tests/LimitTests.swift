#if Live
import NetworkingLive
import PatchbayCore
import TestServer
import Testing

@Suite("Limits of answers", .timeLimit(.minutes(5)))
struct LimitTests {
    private let mebibyte = 1 << 20

    @Test("a body as large as the limit is accepted")
    func largest() async throws {
        let body = [UInt8](repeating: 0x20, count: mebibyte)
        #expect(try await ask([.answer(body)]).body.count == mebibyte)
    }

    @Test("a body above the limit is refused when its length is stated")
    func stated() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(mebibyte + 1)\r\n\r\n"
        await expectFailure(.invalidResponse, "more than 1 MiB", [.text(head)])
    }

    @Test("an endless body is refused at the limit")
    func endless() async throws {
        let chunk = "10000\r\n" + String(repeating: " ", count: 0x10000) + "\r\n"
        await expectFailure(
            .invalidResponse, "more than 1 MiB",
            [
                .text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
                .repeating(Array(chunk.utf8), everyMicroseconds: 100),
            ])
    }

    @Test("a small body that inflates above the limit is refused")
    func bomb() async throws {
        let bomb = Deflated.spaces(mebibyte + 1)
        #expect(bomb.count < 10_000)
        await expectFailure(
            .invalidResponse, "more than 1 MiB", [.answer(bomb, fields: ["Content-Encoding: gzip"])])
    }

    @Test("header fields above the limits are refused")
    func headers() async throws {
        let long = "X: " + String(repeating: "a", count: 100_000)
        await expectFailure(.invalidResponse, "header fields", [.answer(fields: [long])])
        let many = (0..<1_000).map { "X-\($0): a" }
        await expectFailure(.invalidResponse, "header fields", [.answer(fields: many)])
    }

    @Test("endless interim answers are refused")
    func interim() async throws {
        await expectFailure(
            .invalidResponse, "too many",
            [.repeating(Array("HTTP/1.1 103 Early Hints\r\n\r\n".utf8), everyMicroseconds: 100)])
    }
}

/// Hand-made gzip: a space repeated by back-references, in one block of fixed codes (RFC 1951).
private enum Deflated {
    static func spaces(_ count: Int) -> [UInt8] {
        var bits = Bits(bytes: [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255])
        bits.append(0b1, 1)
        bits.append(0b01, 2)
        bits.appendCode(0x30 + 0x20, 8)
        for _ in 0...(count / 258) {
            bits.appendCode(0b1100_0101, 8)
            bits.appendCode(0, 5)
        }
        return bits.bytes
    }

    private struct Bits {
        var bytes: [UInt8]
        private var free = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func append(_ value: Int, _ count: Int) {
            for bit in 0..<count {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                bytes[bytes.count - 1] |= UInt8((value >> bit) & 1) << (8 - free)
                free -= 1
            }
        }

        /// Codes are written with the highest bit first.
        mutating func appendCode(_ value: Int, _ count: Int) {
            for bit in (0..<count).reversed() { append(value >> bit & 1, 1) }
        }
    }
}
#endif
