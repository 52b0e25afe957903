import PatchbayCore
import PatchbaySystem

extension FileStatus {
    /// Fails when the path does not exist.
    ///
    /// - Parameter isLinkFollowed: false to read the status of a link itself.
    init?(path: String, isLinkFollowed: Bool = true) throws {
        let status = try PatchbayError.reporting("cannot open \"\(path)\"") { () throws(SystemError) in
            try FileStatus.of(path, isLinkFollowed: isLinkFollowed)
        }
        guard let status else { return nil }
        self = status
    }

    /// - Parameter path: for the message.
    init(descriptor: Int32, path: String) throws {
        guard let status = FileStatus(descriptor: descriptor) else {
            throw PatchbayError.system(SystemError.last.number, "cannot open \"\(path)\"")
        }
        self = status
    }
}
