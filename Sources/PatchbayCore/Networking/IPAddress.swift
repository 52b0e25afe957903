/// IP addresses as the system writes them.
package enum IPAddress {
    /// Whether only this machine can be meant: 127.0.0.0/8 and ::1, also in the form that IPv6 gives IPv4 addresses.
    package static func isLoopback(_ address: String) -> Bool {
        if address == "::1" { return true }
        let address = address.lowercased()
        let v4 = address.hasPrefix("::ffff:") ? address.dropFirst(7) : address[...]
        let numbers = v4.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    }
}
