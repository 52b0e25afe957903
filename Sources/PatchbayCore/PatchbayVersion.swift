/// The version of Patchbay, as shown by `patchbay --version` and sent in the User-Agent.
package enum PatchbayVersion {
    /// The version of this build: major, minor and patch.
    package static let current = "0.1.0"
}
