/// The escapes of RFC 6901 in a path of names between slashes: `~0` for a tilde, `~1` for a slash.
extension StringProtocol {
    /// The name as a part of a path.
    package var escapedForPath: String {
        String(self).replacing("~", with: "~0").replacing("/", with: "~1")
    }

    /// The name that a part of a path represents.
    package var unescapedFromPath: String {
        String(self).replacing("~1", with: "/").replacing("~0", with: "~")
    }
}
