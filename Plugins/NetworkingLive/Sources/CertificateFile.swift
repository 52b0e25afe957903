#if Live
import NIOSSL
import PatchbayCore

/// Certificates that are trusted besides the system's.
enum CertificateFile {
    /// - Throws: `invalidConfiguration` when the file is missing or holds none.
    static func certificates(_ path: String) throws -> [NIOSSLCertificate] {
        let certificates: [NIOSSLCertificate]
        do {
            certificates = try NIOSSLCertificate.fromPEMFile(path)
        } catch {
            throw PatchbayError(
                .invalidConfiguration,
                "networking.ca-file: \"\(path)\" is not a readable file of certificates in PEM")
        }
        guard !certificates.isEmpty else {
            throw PatchbayError(.invalidConfiguration, "networking.ca-file: \"\(path)\" holds no certificate")
        }
        return certificates
    }
}
#endif
