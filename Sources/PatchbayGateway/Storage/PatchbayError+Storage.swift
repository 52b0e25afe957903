import PatchbayCore

extension PatchbayError {
    /// Whether a storage refused a write but may still be readable, because the disk is full or permission is missing.
    var isRefusedWrite: Bool { [.storageFull, .permissionDenied].contains(code) }

    /// Whether files or a server of the storage refuse access, rather than the source.
    package var isStorageRefusal: Bool { code == .permissionDenied && (file != nil || server != nil) }
}
