import CPlatform
import PatchbayCore

extension FileStatus {
    /// Fails when the path does not exist.
    ///
    /// - Parameter isLinkFollowed: false to read the status of a link itself.
    init?(path: String, isLinkFollowed: Bool = true) throws {
        guard let status = FileStatus(at: path, isLinkFollowed: isLinkFollowed) else {
            if errno == ENOENT { return nil }
            throw PatchbayError.system(errno, "cannot open \"\(path)\"")
        }
        self = status
    }

    /// - Parameter path: for the message.
    init(descriptor: Int32, path: String) throws {
        guard let status = FileStatus(descriptor: descriptor) else {
            throw PatchbayError.system(errno, "cannot open \"\(path)\"")
        }
        self = status
    }
}
