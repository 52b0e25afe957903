/// The version of Patchbay, as `patchbay --version` and the User-Agent tell it.
public enum PatchbayVersion {
    public static let current = "0.1.0"
}
