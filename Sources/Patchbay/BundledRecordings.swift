import CPlatform
import PatchbayCore

/// Finds the bundled recordings: next to the installed command, or in the checkout in which it was built.
enum BundledRecordings {
    /// The variable by which a configuration refers to them; a value in the environment takes precedence.
    static let variable = "PATCHBAY_RECORDINGS"

    /// `prefix/share/patchbay/recordings` for `prefix/bin/patchbay`, otherwise the nearest `Recordings` above the
    /// executable, or that of a checkout of Patchbay from which another package was built there.
    static func folder(executable: String) -> String? {
        var folder = Folder.parent(of: executable)
        let installed = Folder.parent(of: folder) + "/share/patchbay/recordings"
        if Folder.exists(at: installed) { return installed }
        while folder != "/", folder != "." {
            for place in ["/Recordings", "/checkouts/patchbay/Recordings"]
            where Folder.exists(at: folder + place) {
                return folder + place
            }
            folder = Folder.parent(of: folder)
        }
        return nil
    }

    /// The path of the running program.
    static func executable() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
