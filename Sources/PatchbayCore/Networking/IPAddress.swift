/// IP addresses in the system's notation.
package enum IPAddress {
    /// Whether the address can only refer to this machine: 127.0.0.0/8 or ::1, also as an IPv4-mapped IPv6 address.
    package static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let address = address.lowercased()
        let v4 = address.hasPrefix("::ffff:") ? address.dropFirst(7) : address[...]
        let numbers = v4.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
