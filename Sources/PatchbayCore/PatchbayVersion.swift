/// The version of Patchbay, as shown by `patchbay --version` and sent in the User-Agent.
public enum PatchbayVersion {
    public static let current = "0.1.0"
}
