#if Live
/// Host and port of an address: `api.github.com`, `localhost:8765`, `[::1]:80`.
struct Authority: Hashable {
    /// In lower case, without brackets.
    let host: String
    let port: Int?

    /// - Returns: nil for anything else, such as user names, white space or non-ASCII letters.
    init?(_ text: some StringProtocol) {
        let text = text.lowercased()
        let host: Substring, after: Substring
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return nil }
            host = text[text.index(after: text.startIndex)..<end]
            after = text[text.index(after: end)...]
            guard host.contains(":"), host.utf8.allSatisfy(Authority.isAddressByte) else { return nil }
        } else {
            host = text.prefix { $0 != ":" }
            after = text[host.endIndex...]
            guard !host.isEmpty, host.utf8.allSatisfy(Authority.isNameByte) else { return nil }
        }
        self.host = String(host)
        if after.isEmpty {
            port = nil
        } else {
            let digits = after.dropFirst()
            guard after.hasPrefix(":"), digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
                let port = Int(digits), (1...65535).contains(port)
            else { return nil }
            self.port = port
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "0")...UInt8(ascii: ":"): true
        case UInt8(ascii: "."): true
        default: false
        }
    }
}
#endif
