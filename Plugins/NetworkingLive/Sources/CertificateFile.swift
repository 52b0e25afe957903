#if Live
import NIOSSL
import PatchbayCore

/// Reads certificates that are trusted in addition to the system's.
enum CertificateFile {
    /// - Throws: `invalidConfiguration` when the file is missing, unreadable or empty.
    static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw PatchbayError(
                .invalidConfiguration,
                "networking.ca-file: \"\(path)\" is not a readable PEM file of certificates")
        }
        guard !certificates.isEmpty else {
            throw PatchbayError(.invalidConfiguration, "networking.ca-file: \"\(path)\" has no certificates")
        }
        return certificates
    }
}
#endif
