import PatchbayCore

extension PatchbayError {
    /// Whether a storage that can be read takes no writes: the disk is full, or permission is missing.
    var isRefusedWrite: Bool { [.storageFull, .permissionDenied].contains(code) }
}
