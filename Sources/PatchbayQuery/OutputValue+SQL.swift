package import PatchbayGateway
import PatchbayJSON

extension OutputValue {
    /// The value as commands print it and servers send it; bytes are base64.
    package init(_ value: SQLValue) {
        self =
            switch value {
            case .null: .null
            case .integer(let number): .integer(number)
            case .real(let number): .real(number)
            case .text(let text): .text(text)
            case .bytes(let bytes): .text(String(decoding: Base64.encoded(bytes), as: UTF8.self))
            }
    }
}
