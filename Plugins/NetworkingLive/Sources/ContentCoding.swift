#if Live
import CZlib
import PatchbayCore

/// The codings of a body (RFC 9110, section 8.4): gzip, also of several members, and deflate with or without the header
/// of zlib, which some servers leave out.
enum ContentCoding {
    /// What requests accept. Without deflate, whose two forms are easily confused.
    static let accepted = "gzip"

    private static let codingsMax = 4

    /// Decodes a body.
    ///
    /// - Parameters:
    ///   - fields: the values of `Content-Encoding`.
    ///   - bytesMax: the limit of the decoded body.
    static func decoded(_ body: [UInt8], _ fields: [String], bytesMax: Int) throws(ResponseFault) -> [UInt8] {
        let codings = fields.flatMap { $0.lowercased().split { $0 == "," || $0 == " " || $0 == "\t" } }
            .filter { $0 != "identity" }
        guard codings.count <= codingsMax else { throw .encoding(codings.joined(separator: ", ")) }
        var body = body
        // The last coding was applied last.
        for coding in codings.reversed() {
            switch coding {
            // Answers without a body may announce a coding.
            case _ where body.isEmpty: break
            case "gzip", "x-gzip": body = try gunzipped(body, bytesMax: bytesMax)
            case "deflate": body = try inflated(body, bytesMax: bytesMax)
            default: throw .encoding(String(coding))
            }
        }
        return body
    }

    /// Concatenates the members (RFC 1952, section 2.2). Zeros after the last one are padding.
    private static func gunzipped(_ body: [UInt8], bytesMax: Int) throws(ResponseFault) -> [UInt8] {
        try inflate(body, window: 16 + MAX_WBITS, hasMembers: true, bytesMax: bytesMax)
    }

    private static func inflated(_ body: [UInt8], bytesMax: Int) throws(ResponseFault) -> [UInt8] {
        // RFC 1950, section 2.2.
        let hasHeader =
            body.count > 2 && body[0] & 0x0F == 8 && (Int(body[0]) << 8 | Int(body[1])).isMultiple(of: 31)
        let window = hasHeader ? MAX_WBITS : -MAX_WBITS
        return try inflate(body, window: window, hasMembers: false, bytesMax: bytesMax)
    }

    /// Inflates a body, in a time that is proportional to its size, however small its members are.
    ///
    /// - Parameters:
    ///   - window: as in `inflateInit2`.
    ///   - hasMembers: whether one stream may follow another. Only zeros may follow the last one.
    private static func inflate(
        _ body: [UInt8], window: Int32, hasMembers: Bool, bytesMax: Int
    ) throws(ResponseFault) -> [UInt8] {
        var stream = unsafe z_stream()
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        guard unsafe inflateInit2_(&stream, window, zlibVersion(), size) == Z_OK else { throw .brokenBody }
        defer { unsafe _ = inflateEnd(&stream) }
        var input = body, part = [UInt8](repeating: 0, count: 1 << 16), used = 0, output: [UInt8] = []
        while true {
            // The stream keeps no pointer after the call.
            let status = unsafe input.withUnsafeMutableBufferPointer { input in
                unsafe part.withUnsafeMutableBufferPointer { part in
                    unsafe stream.next_in = input.baseAddress! + used
                    unsafe stream.avail_in = UInt32(clamping: input.count - used)
                    unsafe stream.next_out = part.baseAddress
                    unsafe stream.avail_out = UInt32(part.count)
                    let available = unsafe stream.avail_in
                    let status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
                    unsafe used += Int(available - stream.avail_in)
                    return status
                }
            }
            let count = unsafe part.count - Int(stream.avail_out)
            guard output.count + count <= bytesMax else { throw .bodyTooLarge }
            output += part[..<count]
            switch status {
            case Z_OK: continue
            case Z_STREAM_END where body[used...].allSatisfy { $0 == 0 }: return output
            case Z_STREAM_END where !hasMembers: throw .truncatedBody
            case Z_STREAM_END:
                guard unsafe inflateReset(&stream) == Z_OK else { throw .brokenBody }
            case Z_BUF_ERROR where used == input.count: throw .truncatedBody
            default: throw .brokenBody
            }
        }
    }
}
#endif
