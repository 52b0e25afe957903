import CPlatform
import PatchbayCore

/// Finds the bundled recordings: next to the installed command, or in the checkout from which it was built.
enum BundledRecordings {
    /// The variable by which a configuration refers to them; a value in the environment takes precedence.
    static let variable = "PATCHBAY_RECORDINGS"

    /// `prefix/share/patchbay/recordings` for `prefix/bin/patchbay`, otherwise the nearest `Recordings` above the
    /// executable, otherwise those of the checkout, which is elsewhere when another package was built with it.
    static func folder(executable: String) -> String? {
        var folder = Folder.parent(of: executable)
        let installed = Folder.parent(of: folder) + "/share/patchbay/recordings"
        if Folder.exists(at: installed) { return installed }
        while folder != "/", folder != "." {
            if Folder.exists(at: folder + "/Recordings") { return folder + "/Recordings" }
            folder = Folder.parent(of: folder)
        }
        let checkout = (0..<3).reduce(#filePath) { path, _ in Folder.parent(of: path) }
        return Folder.exists(at: checkout + "/Recordings") ? checkout + "/Recordings" : nil
    }

    /// The path of the running program.
    static func executable() -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        return String(decoding: buffer.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
